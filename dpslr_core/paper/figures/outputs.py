"""Figures of output distributions on one data set: the stock exchange, and carbon nanotubes in two settings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from ...charts.paper.look import GAUSSIAN, Curves, Look, Panel, Scale
from ...dataset import Dataset
from ...experiments.comparison import compare
from ...experiments.curves import cdf_curves
from ...mechanisms.base import Mechanism
from ...sources.uci import load_uci
from ...support.run import QUARTERS
from ...text.phrases import format_amount, listed
from .compared import DESCENTS, HYPERPARAMETERS, PRIVATE, THEIL_SEN, chosen, epsilon, span
from .figure import Agreement, Amount, Figure, Parameter, Settings, agreement

AT = QUARTERS[0]
MATCHINGS = Parameter("k", "matchings k (0: all pairs)", 1, 0, 1000)
COLUMNS = ["panel", "algorithm", "estimate", "cdf", "center", "standard_error", "ratio", "epsilon"]


class Output(NamedTuple):
    """One algorithm on one data set; the width of the picture in standard errors about OLS."""

    panel: str
    data: Dataset
    mechanism: Mechanism
    epsilon: float
    trials: int
    seed: int
    half_width: float


def measure(task: Output) -> pd.DataFrame:
    """The output distribution at x = 1/4 of a release at both points, exact where it is known, with its error."""
    result = compare(task.data, [task.mechanism], task.epsilon, QUARTERS, task.trials, task.seed)
    row = result.summary[result.summary["at"] == AT].iloc[0]
    center, error = float(row["center"]), float(row["standard_error"])
    limits = center - task.half_width * error, center + task.half_width * error
    drawn = cdf_curves(result, AT, limits).rename(columns={"mechanism": "algorithm"})
    return drawn.assign(
        panel=task.panel, center=center, standard_error=error, ratio=row["ratio"], epsilon=task.epsilon
    )[COLUMNS]


def _outputs(panel: str, key: str, settings: Settings, half_width: float) -> list[Output]:
    """All private algorithms of the paper on one data set."""
    k = dict(settings.values).get("k") or None
    mechanisms = chosen(PRIVATE, settings, None if k is None else int(k))
    data = load_uci(key).dataset()
    return [
        Output(panel, data, m, settings["epsilon"], settings.amount.trials, settings.seed, half_width)
        for m in mechanisms
    ]


def _stock_tasks(settings: Settings) -> list[Output]:
    return _outputs("Stock exchange", "stocks", settings, 4.0)


def _nanotube_tasks(settings: Settings) -> list[Output]:
    """Both settings: the second has another budget and another range."""
    values = dict(settings.values)
    second = values | {"epsilon": values["epsilon_b"], "lower": values["lower_b"], "upper": values["upper_b"]}
    there = Settings(tuple(second.items()), settings.amount, settings.seed)
    return [
        *_outputs(_panel_title(settings), "nanotubes", settings, 4.0 if settings.whole("k") == 0 else 16.0),
        *_outputs(_panel_title(there), "nanotubes", there, 20_000.0),
    ]


def _panel_title(settings: Settings) -> str:
    ends = f"[{format_amount(settings['lower'])}, {format_amount(settings['upper'])}]"
    return f"ε = {format_amount(settings['epsilon'])}, predictions in {ends}"


def _cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Panel]:
    return {str(panel): _cdf(rows) for panel, rows in frame.groupby("panel", sort=False)}


def _cdf(rows: pd.DataFrame) -> Curves:
    """The output distributions with the band of one standard error about OLS, and that of the sampling error."""
    center, error = float(rows["center"].iloc[0]), float(rows["standard_error"].iloc[0])
    ends = float(rows["estimate"].min()), float(rows["estimate"].max())
    grid = np.linspace(*ends, 200)
    sampling = pd.DataFrame({"algorithm": GAUSSIAN, "x": grid, "y": ndtr((grid - center) / error)})
    drawn = pd.concat([sampling, rows.rename(columns={"estimate": "x", "cdf": "y"})[["algorithm", "x", "y"]]])
    look = Look(
        Scale("released prediction at x = 0.25", ends, format=".6~g"),
        Scale("share of releases at or below", (0.0, 1.0), format=".0%"),
        band=(center - error, center + error),
    )
    return Curves(drawn, look)


def errors(frame: pd.DataFrame, panel: str | None = None) -> pd.Series:
    """C(68) in standard errors by algorithm, smallest first."""
    rows = frame if panel is None else frame[frame["panel"] == panel]
    ratios = rows.drop_duplicates("algorithm").set_index("algorithm")["ratio"].sort_values()
    return ratios


def _stock_agrees(frame: pd.DataFrame, settings: Settings) -> Agreement:
    ratios = errors(frame)
    below = [str(name) for name, ratio in ratios.items() if ratio < 1]
    return agreement(
        f"DPExpTheilSen's error is {format_amount(float(ratios['DPExpTheilSen']))} standard errors. "
        f"{listed(below) if below else 'None'} {'has' if len(below) < 2 else 'have'} noise below one standard error.",
        float(ratios["DPExpTheilSen"]) < 1,
    )


def _nanotubes_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """DPExpTheilSen below the sampling error in the first setting; the non-robust algorithms ahead in the second."""
    first, second = (_plain(errors(frame, panel)) for panel in frame["panel"].unique())
    robust = float(second[list(THEIL_SEN)].min())
    others = second[["NoisyStats", *DESCENTS]]
    ahead = [str(name) for name, ratio in others.items() if ratio < robust]
    return agreement(
        f"in the first setting DPExpTheilSen's error is {format_amount(float(first['DPExpTheilSen']))} standard "
        f"errors and NoisyStats' {format_amount(float(first['NoisyStats']))}. In the second "
        f"{listed(ahead) if ahead else 'no non-robust algorithm'} {'is' if len(ahead) < 2 else 'are'} ahead of all "
        "Theil–Sen algorithms.",
        float(first["DPExpTheilSen"]) < 1 and float(first["NoisyStats"]) > 10,
        len(ahead) == len(others),
    )


def _plain(ratios: pd.Series) -> pd.Series:
    """Without the numbers of matchings in the names."""
    return ratios.rename(index=lambda name: next((plain for plain in THEIL_SEN if name.startswith(plain)), name))


STOCKS = Figure(
    "stocks",
    "Figure 8",
    "Output distributions on the stock exchange data, ε = 2",
    "The noise is less than the standard error, in particular with DPExpTheilSen.",
    _stock_tasks, measure, _cdfs, _stock_agrees,
    (epsilon(2.0), *span(-0.5, 1.5), *HYPERPARAMETERS),
    quick=Amount(1, 1000), full=Amount(1, 1000),
    note="The paper draws 100 releases of each algorithm; here curves are exact, but for gradient descent, which is "
    "drawn 1,000 times.",
)  # fmt: skip
NANOTUBES = Figure(
    "nanotubes",
    "Figure 9",
    "Output distributions on the carbon nanotube data",
    "DPExpTheilSen's noise is below the standard error at ε = 1; with little ε and a wide range NoisyStats and "
    "gradient descent are better.",
    _nanotube_tasks, measure, _cdfs, _nanotubes_agree,
    (epsilon(1.0), *span(-0.5, 1.5), Parameter("epsilon_b", "ε in the second panel", 0.01, 1e-6, 1e6),
     Parameter("lower_b", "lower end in the second panel", -50.0, -1000.0, 1000.0),
     Parameter("upper_b", "upper end in the second panel", 50.0, -1000.0, 1000.0), MATCHINGS, *HYPERPARAMETERS),
    quick=Amount(1, 1000), full=Amount(1, 1000),
    note="As in the paper, Theil–Sen algorithms use one random matching of the 10,683 records. Curves are exact or "
    "averages of exact laws over matchings, but for gradient descent, which is drawn 1,000 times.",
)  # fmt: skip
