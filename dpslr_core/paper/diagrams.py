"""The paper's diagrams, computed; and pictures of two descriptions: a noisy descent, and a ratio that can fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..charts.vega import Spec
from ..laws import medians
from ..laws.piecewise import piece_masses
from ..mechanisms.descent import DPGDPure
from ..mechanisms.noisy_stats import NoisyStats
from ..sources.linear import LinearModel
from ..support.run import stream
from ..text.phrases import format_amount, format_share
from . import pictures
from .figure import CLIP, DEGREES, STEPS, Amount, Figure, Parameter, Settings

SPREAD = np.array([0.12, 0.31, 0.38, 0.44, 0.47, 0.5, 0.53, 0.58, 0.63, 0.74, 0.9])
CONCENTRATED = np.array([0.2, 0.47, 0.48, 0.485, 0.49, 0.5, 0.505, 0.51, 0.52, 0.53, 0.8])
ENDS = (0.0, 1.0)
MODEL = LinearModel(100, 0.05, 0.01)
ONCE = Amount(1, 300)


def _pieces(name: str, edges: np.ndarray, log_density: np.ndarray) -> pd.DataFrame:
    """Return a density as steps, its largest value 1: algorithm, x, y, and the probability of each piece."""
    height = np.exp(log_density - log_density[np.diff(edges) > 0].max())
    masses = piece_masses(edges, log_density)
    rows = {
        "x": edges,
        "y": np.append(height, height[-1]),
        "probability": np.append(masses / masses.sum(), 0.0),
    }
    return pd.DataFrame({"algorithm": name, **rows})


def exponential_density(settings: Settings) -> pd.DataFrame:
    """Compute the density of DPExpTheilSen's median of eleven estimates: algorithm, x, y, probability."""
    return _pieces("DPExpTheilSen", *medians.exponential_pieces(SPREAD, settings["epsilon"], *ENDS))


def widened_density(settings: Settings) -> pd.DataFrame:
    """Compute the densities of concentrated estimates without and with widening, as in `exponential_density`."""
    plain = medians.exponential_pieces(CONCENTRATED, settings["epsilon"], *ENDS)
    wide = medians.widened_pieces(CONCENTRATED, settings["epsilon"], *ENDS, settings["theta"])
    return pd.concat(
        [_pieces("DPExpTheilSen", *plain), _pieces("DPWideTheilSen", *wide)], ignore_index=True
    )


def stretches(settings: Settings) -> pd.DataFrame:
    """Compute for each number l of records changed before the widest stretch of l + 1 gaps around the median.

    Returns
    -------
    DataFrame
        A row for each l: ``records`` (l), ends ``low`` and ``high``, and ``value``, the width times e^(-l t) with
        t = epsilon beta / (d + 1). ``decides`` marks the largest value, which is the smooth sensitivity for k = 1 (the
        lemma on smooth sensitivity in the appendix's form).
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
    """Compute the paths of a noiseless and of a noisy descent: algorithm, step, and predictions x, y."""
    data = MODEL.replicate(settings.seed, 0)
    mechanism = replace(DPGDPure(), steps=settings["steps"], clip=settings["clip"])
    frames = []
    for name, epsilon in (("without noise", 1e9), ("DPGDPure", settings["epsilon"])):
        x, y = mechanism.path(data, epsilon, stream(settings.seed, "descent")).T
        frames.append(pd.DataFrame({"algorithm": name, "step": range(len(x)), "x": x, "y": y}))
    return pd.concat(frames, ignore_index=True)


def noisy_ratio(settings: Settings) -> pd.DataFrame:
    """Draw noisy n var(x) and n cov(x, y): x, y, outcome ("answer", "no answer"); and nvar, n, slope without noise."""
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
    return (
        "The two gaps beside the median hold "
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
    return (
        f"With widening {format_share(near[1])} of the probability lies near the median. Near: "
        f"within 2 θ; without widening it is {format_share(near[0])}."
    )


def _say_stretches(frame: pd.DataFrame, settings: Settings) -> str:
    row = frame[frame["decides"]].iloc[0]
    return (
        f"The smooth sensitivity is {format_amount(float(row['value']))}. The stretch for "
        f"{int(row['records'])} records changed before is "
        f"{format_amount(float(row['high'] - row['low']))} wide and counts "
        f"{format_share(float(row['value'] / (row['high'] - row['low'])))}."
    )


def _say_descent(frame: pd.DataFrame, settings: Settings) -> str:
    ends = {
        name: rows.iloc[len(rows) // 2 :][["x", "y"]].mean()
        for name, rows in frame.groupby("algorithm")
    }
    apart = float(np.hypot(*(ends["DPGDPure"] - ends["without noise"])))
    return (
        f"The noise of all steps moves the answer by {format_amount(apart, 2)}. The answer is "
        "the mean of the second half of the path. Every step pays for its gradient."
    )


def _say_ratio(frame: pd.DataFrame, settings: Settings) -> str:
    nvar, n = float(frame["nvar"].iloc[0]), int(frame["n"].iloc[0])
    exact = 0.5 * float(np.exp(-nvar * settings["epsilon"] / (3 * (1 - 1 / n))))
    failed = float((frame["outcome"] == "no answer").mean())
    return (
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
    (_epsilon(2.0),),
    sentence=_say_exponential,
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
    (_epsilon(2.0), Parameter("theta", "widening θ", 0.02, 0.0, 0.5, False)),
    sentence=_say_widened,
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
    (_epsilon(2.0), Parameter("beta", "smoothing β", 0.5, 0.01, 0.99), DEGREES),
    sentence=_say_stretches,
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
    (_epsilon(10.0), STEPS, CLIP),
    sentence=_say_descent,
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
    (_epsilon(1.0),),
    sentence=_say_ratio,
    quick=ONCE,
    full=ONCE,
    note="The paper describes it in words only.",
)
