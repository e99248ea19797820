"""The paper's diagrams, computed; pictures of what it says in words, a noisy descent and a ratio that can fail; and
its Table 1.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pandas as pd

from ..charts.vega import Spec
from ..laws import medians
from ..laws.piecewise import piece_masses
from ..mechanisms.base import Mechanism
from ..mechanisms.descent import DPGDPure
from ..mechanisms.noisy_stats import NoisyStats
from ..sources.linear import LinearModel
from ..support.readable import in_full
from ..support.run import stream
from ..text.phrases import format_amount, format_share, listed
from . import pictures
from .figure import CLIP, DEGREES, PRIVATE, STEPS, Amount, Figure, Parameter, Settings, agreement

SPREAD = np.array([0.12, 0.31, 0.38, 0.44, 0.47, 0.5, 0.53, 0.58, 0.63, 0.74, 0.9])
CONCENTRATED = np.array([0.2, 0.47, 0.48, 0.485, 0.49, 0.5, 0.505, 0.51, 0.52, 0.53, 0.8])
ENDS = (0.0, 1.0)
MODEL = LinearModel(100, 0.05, 0.01)
ONCE = Amount(1, 300)


def _pieces(name: str, edges: np.ndarray, log_density: np.ndarray) -> pd.DataFrame:
    """A density as steps, its largest value 1, with the probability of each piece."""
    height = np.exp(log_density - log_density[np.diff(edges) > 0].max())
    masses = piece_masses(edges, log_density)
    rows = {
        "x": edges,
        "y": np.append(height, height[-1]),
        "probability": np.append(masses / masses.sum(), 0.0),
    }
    return pd.DataFrame({"algorithm": name, **rows})


def exponential_density(settings: Settings) -> pd.DataFrame:
    """The density of DPExpTheilSen's median of eleven estimates: algorithm, x, y, probability."""
    return _pieces("DPExpTheilSen", *medians.exponential_pieces(SPREAD, settings["epsilon"], *ENDS))


def widened_density(settings: Settings) -> pd.DataFrame:
    """The densities of concentrated estimates without widening and with it: as exponential_density."""
    plain = medians.exponential_pieces(CONCENTRATED, settings["epsilon"], *ENDS)
    wide = medians.widened_pieces(CONCENTRATED, settings["epsilon"], *ENDS, settings["theta"])
    return pd.concat(
        [_pieces("DPExpTheilSen", *plain), _pieces("DPWideTheilSen", *wide)], ignore_index=True
    )


def stretches(settings: Settings) -> pd.DataFrame:
    """For l records changed before, the widest stretch of l + 1 gaps around the median: records, low, high, value.

    value is its width times e^(-l t), t = epsilon beta / (d + 1), and decides marks the largest: that is the smooth
    sensitivity for k = 1 (the lemma on smooth sensitivity in the appendix's form).
    """
    t = settings["epsilon"] * settings["beta"] / (settings["df"] + 1)
    count = SPREAD.size
    middle = (count + 1) // 2 - 1
    padded = np.concatenate([np.full(count + 1, ENDS[0]), SPREAD, np.full(count + 1, ENDS[1])])
    rows = []
    for records in range(count + 1):
        starts = count + 1 + middle - (records + 1) + np.arange(records + 2)
        widths = padded[starts + records + 1] - padded[starts]
        first = int(starts[widths.argmax()])
        discounted = float(np.exp(-records * t) * widths.max())
        rows.append((records, float(padded[first]), float(padded[first + records + 1]), discounted))
    frame = pd.DataFrame(rows, columns=["records", "low", "high", "value"])
    return frame.assign(decides=frame.index == frame["value"].idxmax())


def descent(settings: Settings) -> pd.DataFrame:
    """The paths of a noisy and of a noiseless descent: algorithm, step, x, y."""
    data = MODEL.replicate(settings.seed, 0)
    mechanism = replace(DPGDPure(), steps=settings["steps"], clip=settings["clip"])
    frames = []
    for name, epsilon in (("without noise", 1e9), ("DPGDPure", settings["epsilon"])):
        x, y = mechanism.path(data, epsilon, stream(settings.seed, "descent")).T
        frames.append(pd.DataFrame({"algorithm": name, "step": range(len(x)), "x": x, "y": y}))
    return pd.concat(frames, ignore_index=True)


def noisy_ratio(settings: Settings) -> pd.DataFrame:
    """Noisy n var(x) and n cov(x, y) of some releases: x, y, outcome; and what they are without noise."""
    data = MODEL.replicate(settings.seed, 0)
    rng = stream(settings.seed, "ratio")
    released = NoisyStats().release_statistics(
        data, settings["epsilon"], settings.amount.trials, rng=rng
    )
    outcome = np.where(released.nvar > 0, "answer", "no answer")
    frame = pd.DataFrame({"x": released.nvar, "y": released.ncov, "outcome": outcome})
    return frame.assign(nvar=data.nvar, n=data.n, slope=data.slope)


def _draw_descent(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    data = MODEL.replicate(settings.seed, 0)
    ols = data.predict((0.25, 0.75))
    noisy = frame[frame["algorithm"] == "DPGDPure"]
    answer = noisy.iloc[len(noisy) // 2 :][["x", "y"]].mean()
    answers = pd.DataFrame(
        {"name": ["OLS", "answer"], "x": [ols[0], answer["x"]], "y": [ols[1], answer["y"]]}
    )
    return {"Descent": pictures.descent(frame, answers)}


def _say_exponential(frame: pd.DataFrame, settings: Settings) -> str:
    highest = frame["y"] == frame["y"].max()
    inside = frame["x"].between(SPREAD[0], SPREAD[-1], inclusive="left")
    return agreement(
        "the two gaps beside the median hold "
        f"{format_share(float(frame.loc[highest, 'probability'].sum()))} of the "
        "probability. The ranges beyond the estimates hold "
        f"{format_share(float(frame.loc[~inside, 'probability'].sum()))}."
    )


def _say_widened(frame: pd.DataFrame, settings: Settings) -> str:
    low, high = 0.5 - 2 * settings["theta"], 0.5 + 2 * settings["theta"]
    near = []
    for _, rows in frame.groupby("algorithm", sort=False):
        x, share = (
            rows["x"].to_numpy(),
            np.append(0.0, rows["probability"].to_numpy()[:-1].cumsum()),
        )
        near.append(float(np.interp(high, x, share) - np.interp(low, x, share)))
    return agreement(
        f"with widening {format_share(near[1])} of the probability lies near the median. Near: "
        "within 2 θ; without "
        f"widening it is {format_share(near[0])}."
    )


def _say_stretches(frame: pd.DataFrame, settings: Settings) -> str:
    row = frame[frame["decides"]].iloc[0]
    return agreement(
        f"the smooth sensitivity is {format_amount(float(row['value']))}. The stretch for "
        f"{int(row['records'])} "
        f"records changed before is {format_amount(float(row['high'] - row['low']))} wide and "
        "counts "
        f"{format_share(float(row['value'] / (row['high'] - row['low'])))}."
    )


def _say_descent(frame: pd.DataFrame, settings: Settings) -> str:
    ends = {
        name: rows.iloc[len(rows) // 2 :][["x", "y"]].mean()
        for name, rows in frame.groupby("algorithm")
    }
    apart = float(np.hypot(*(ends["DPGDPure"] - ends["without noise"])))
    return agreement(
        f"the noise of all steps moves the answer by {format_amount(apart, 2)}. The answer is "
        "the mean of the second half of the path. Every step pays for its gradient."
    )


def _say_ratio(frame: pd.DataFrame, settings: Settings) -> str:
    nvar, n = float(frame["nvar"].iloc[0]), int(frame["n"].iloc[0])
    exact = 0.5 * float(np.exp(-nvar * settings["epsilon"] / (3 * (1 - 1 / n))))
    failed = float((frame["outcome"] == "no answer").mean())
    return agreement(
        f"{format_share(failed)} of these releases have no answer. They are the red ones of "
        f"{len(frame):,}; the exact share is {format_share(exact)}. The slope is y / x of a dot."
    )


def _epsilon(default: float) -> Parameter:
    return Parameter("epsilon", "ε", default, 0.01, 100.0, printed=False)


EXPONENTIAL = Figure(
    "exponential-density",
    "Figure 1",
    "Output density of the exponential mechanism for the median",
    "The density is constant between estimates and falls with every estimate away from the median.",
    exponential_density,
    lambda frame, settings: {"Density of the median": pictures.density(frame, SPREAD, ENDS)},
    _say_exponential,
    (_epsilon(2.0),),
    quick=ONCE,
    full=ONCE,
    note="The estimates of the paper's diagram are not in print.",
)
WIDENED = Figure(
    "widened-density",
    "Figure 2",
    "Output density of the widened exponential mechanism",
    "Widening raises the probability near the median of concentrated estimates.",
    widened_density,
    lambda frame, settings: {"Density of the median": pictures.density(frame, CONCENTRATED, ENDS)},
    _say_widened,
    (_epsilon(2.0), Parameter("theta", "widening θ", 0.02, 0.0, 0.5, False)),
    quick=ONCE,
    full=ONCE,
    note="The estimates of the paper's diagram are not in print.",
)
STRETCHES = Figure(
    "smooth-sensitivity",
    "Figure 17",
    "Stretches of estimates behind the smooth sensitivity",
    "After l changed records, one more can move the median across the widest l + 1 gaps around it.",
    stretches,
    lambda frame, settings: {"Widest stretches": pictures.stretches(frame, SPREAD, ENDS)},
    _say_stretches,
    (_epsilon(2.0), Parameter("beta", "smoothing β", 0.5, 0.01, 0.99), DEGREES),
    quick=ONCE,
    full=ONCE,
    note="For one matching, k = 1. Numbers at the bars: width times e^(−l t).",
)
DESCENT = Figure(
    "descent",
    "",
    "The noisy path of gradient descent",
    "Noise is added to the clipped gradient at each step.",
    descent,
    _draw_descent,
    _say_descent,
    (_epsilon(10.0), STEPS, CLIP),
    quick=ONCE,
    full=ONCE,
    note="The paper describes it in words only.",
)
RATIO = Figure(
    "noisy-ratio",
    "",
    "NoisyStats' ratio and its failures",
    "NoisyStats fails where the noisy n var(x) is 0 or negative.",
    noisy_ratio,
    lambda frame, settings: {"Noisy statistics": pictures.noisy_ratio(frame)},
    _say_ratio,
    (_epsilon(1.0),),
    quick=ONCE,
    full=ONCE,
    note="The paper describes it in words only.",
)


# Table 1.

_RANGE = {"lower": -0.5, "upper": 1.5}
PRINTED: dict[str, dict[str, float]] = {
    "DPExpTheilSen": _RANGE,
    "DPWideTheilSen": _RANGE | {"theta": 0.01},
    "DPSSTheilSen": _RANGE | {"df": 3.0},
    **{f"DPGD{kind}": {"clip": 1.0, "steps": 80} for kind in ("Pure", "Approx", "zCDP")},
}  # for the data of Opportunity Insights and UCI; on synthetic data the range is [-2, 2]
SYMBOLS = {"theta": "θ", "df": "d", "clip": "τ", "steps": "T"}


def measure_table(settings: Settings) -> pd.DataFrame:
    """A row per algorithm: in print, as run on this page, and the default elsewhere."""

    def values(mechanism: Mechanism, printed: dict[str, float]) -> dict[str, float]:
        return {
            f.name: float(getattr(mechanism, f.name))
            for f in fields(mechanism)
            if f.name in printed
        }

    rows = []
    for algorithm in PRIVATE:
        printed = PRINTED.get(algorithm.__name__, {})
        sources = (
            printed,
            values(algorithm().as_in_paper(), printed),
            values(algorithm(), printed),
        )
        rows.append((algorithm.__name__, *map(_written, sources)))
    return pd.DataFrame(
        rows, columns=["algorithm", "in print", "in these figures", "default elsewhere"]
    )


def _written(values: dict[str, float]) -> str:
    """Hyperparameters as Table 1 writes them: "range [-0.5, 1.5], θ = 0.01"; "none" without any."""
    ends = (
        [f"range [{in_full(values['lower'])}, {in_full(values['upper'])}]"]
        if "lower" in values
        else []
    )
    others = [f"{SYMBOLS[name]} = {in_full(values[name])}" for name in SYMBOLS if name in values]
    return ", ".join([*ends, *others]) or "none"


def _say_table(frame: pd.DataFrame, settings: Settings) -> str:
    same = frame["in print"] == frame["in these figures"]
    other = frame.loc[frame["in print"] != frame["default elsewhere"], "algorithm"].tolist()
    elsewhere = (
        f"Elsewhere in the app {listed(other)} have other defaults."
        if other
        else "So does the rest of the app."
    )
    return agreement(
        f"these figures use the hyperparameters in print for {same.sum()} of {len(frame)} "
        "algorithms. "
        f"{elsewhere}",
        bool(same.all()),
    )


HYPERPARAMETERS_TABLE = Figure(
    "hyperparameters",
    "Table 1",
    "Hyperparameters",
    "NoisyStats and NoisyIntercept need none; the others have a range, θ, d, or τ and T.",
    measure_table,
    lambda frame, settings: {"Hyperparameters": pictures.table(frame)},
    _say_table,
    quick=Amount(1, 1),
    full=Amount(1, 1),
    as_table=True,
    width=760,
    note="For the tract, bike share, stock exchange and nanotube data. On synthetic data the range is [-2, 2].",
)
