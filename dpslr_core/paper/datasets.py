"""Figures of one data set: its records, or the output distributions of the algorithms on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from ..charts.vega import Spec, band
from ..dataset import Dataset
from ..experiments.comparison import compare
from ..experiments.curves import cdf_curves
from ..mechanisms.base import Mechanism
from ..sources.samples import load_uci
from ..support.run import QUARTERS
from ..text.phrases import format_amount, listed
from . import pictures
from .areas import bikes
from .figure import (
    DESCENTS,
    HYPERPARAMETERS,
    PRIVATE,
    ROBUST,
    Agreement,
    Amount,
    Figure,
    Parameter,
    Settings,
    agreement,
    chosen,
    epsilon,
    span,
)
from .pictures import GAUSSIAN

AT = QUARTERS[0]
MOST = 2_000  # records that are drawn, evenly spread over the file
MATCHINGS = Parameter("k", "matchings k (0: all pairs)", 1, 0, 1000)
COLUMNS = ["panel", "algorithm", "estimate", "cdf", "center", "standard_error", "ratio", "epsilon"]
ONCE, A_THOUSAND = Amount(1, 1), Amount(1, 1000)


# Records.


class Records(NamedTuple):
    """A data set and its title."""

    panel: str
    data: Dataset


def describe(task: Records) -> pd.DataFrame:
    """The records with what the paper says of them: n, n var(x) and the standard error at x = 1/4."""
    data = task.data
    frame = pd.DataFrame({"panel": task.panel, "x": data.x, "y": data.y})
    error = float(data.standard_error(AT)[0])
    return frame.assign(n=data.n, nvar=data.nvar, standard_error=error, slope=data.slope)


def _bike_tasks(settings: Settings) -> list[Records]:
    label = f"month {settings.whole('month')}, hour {settings.whole('hour')}"
    return [Records(label, bikes()[label])]


def _scatter(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """The records with the OLS line."""
    some = frame.iloc[:: 1 + len(frame) // MOST]
    return {str(panel): pictures.scatter(rows) for panel, rows in some.groupby("panel", sort=False)}


def _bikes_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """The standard errors and sizes of all 288 data sets against those in print."""
    errors = [float(data.standard_error(AT)[0]) for data in bikes().values()]
    sizes = [data.n for data in bikes().values()]
    low, high = format_amount(min(errors), 2), format_amount(max(errors), 2)
    return agreement(
        f"the {len(sizes)} data sets have {min(sizes)} to {max(sizes)} records and standard errors of {low} to {high}.",
        (len(sizes), min(sizes), max(sizes)) == (288, 45, 62),
        (low, high) == ("0.0003", "0.32"),
    )


def _nanotube_records_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    n, nvar = int(frame["n"].iloc[0]), float(frame["nvar"].iloc[0])
    return agreement(
        f"there are {n:,} records, with n var(x) = {format_amount(nvar, 7)}.", n == 10_683, abs(nvar - 889.222) < 1e-3
    )


def _stock_records_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    n, error = int(frame["n"].iloc[0]), float(frame["standard_error"].iloc[0])
    return agreement(f"there are {n} records; the standard error at x = 0.25 is {format_amount(error)}.", n == 250)


BIKE_RECORDS = Figure(
    "bike-records", "Figure 3", "One of the 288 bike share data sets",
    "Each of the 288 data sets has 45 to 62 records; standard errors lie between 0.0003 and 0.32.",
    _bike_tasks, describe, _scatter, _bikes_agree,
    (Parameter("month", "month", 3, 1, 12, False), Parameter("hour", "hour of the day", 15, 0, 23, False)),
    quick=ONCE, full=ONCE,
    note="Which month and hour the paper shows is not in print.",
)  # fmt: skip
NANOTUBE_RECORDS = Figure(
    "nanotube-records", "Figure 4", "The carbon nanotube data",
    "10,683 records with n var(x) = 889.222 and a strong linear relationship.",
    lambda settings: [Records("Carbon nanotubes", load_uci("nanotubes").dataset())],
    describe, _scatter, _nanotube_records_agree,
    quick=ONCE, full=ONCE,
    note="Drawn are every sixth of the records. The paper calls them u-coordinates; only the w-coordinates give its n.",
)  # fmt: skip
STOCK_RECORDS = Figure(
    "stock-records", "Figure 5", "The stock exchange data",
    "250 records: smaller and noisier than the carbon nanotubes.",
    lambda settings: [Records("Stock exchange", load_uci("stocks").dataset())],
    describe, _scatter, _stock_records_agree,
    quick=ONCE, full=ONCE,
)  # fmt: skip


# Output distributions.


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
    data, amount = load_uci(key).dataset(), settings.amount
    return [
        Output(panel, data, mechanism, settings["epsilon"], amount.trials, settings.seed, half_width)
        for mechanism in chosen(PRIVATE, settings)
    ]


def _nanotube_tasks(settings: Settings) -> list[Output]:
    """Both settings: the second has another budget and another range."""
    values = dict(settings.values)
    second = values | {"epsilon": values["epsilon_b"], "lower": values["lower_b"], "upper": values["upper_b"]}
    there = Settings(tuple(second.items()), settings.amount, settings.seed)
    return [
        *_outputs(_panel_title(settings), "nanotubes", settings, 16.0 if values["k"] else 4.0),
        *_outputs(_panel_title(there), "nanotubes", there, 20_000.0),
    ]


def _panel_title(settings: Settings) -> str:
    ends = f"[{format_amount(settings['lower'])}, {format_amount(settings['upper'])}]"
    return f"ε = {format_amount(settings['epsilon'])}, predictions in {ends}"


def _cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """The output distributions with the band of one standard error about OLS, and that of the sampling error."""
    panels = {}
    for panel, rows in frame.groupby("panel", sort=False):
        center, error = float(rows["center"].iloc[0]), float(rows["standard_error"].iloc[0])
        ends = float(rows["estimate"].min()), float(rows["estimate"].max())
        grid = np.linspace(*ends, 200)
        sampling = pd.DataFrame({"algorithm": GAUSSIAN, "x": grid, "y": ndtr((grid - center) / error)})
        drawn = rows.rename(columns={"estimate": "x", "cdf": "y"})[["algorithm", "x", "y"]]
        x = pictures.axis("released prediction at x = 0.25", ends, format=".6~g")
        y = pictures.axis("share of releases at or below", (0.0, 1.0), format=".0%")
        near = band(x, (center - error, center + error))
        panels[str(panel)] = pictures.curves(pd.concat([sampling, drawn]), x, y, near)
    return panels


def errors(frame: pd.DataFrame, panel: str | None = None) -> pd.Series:
    """C(68) in standard errors by algorithm without its number of matchings, smallest first."""
    rows = frame if panel is None else frame[frame["panel"] == panel]
    ratios = rows.drop_duplicates("algorithm").set_index("algorithm")["ratio"].sort_values()
    return ratios.rename(index=lambda name: next((plain for plain in ROBUST if name.startswith(plain)), name))


def _stocks_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    ratios = errors(frame)
    below = [str(name) for name, ratio in ratios.items() if ratio < 1]
    return agreement(
        f"DPExpTheilSen's error is {format_amount(float(ratios['DPExpTheilSen']))} standard errors. "
        f"{listed(below) if below else 'None'} {'has' if len(below) < 2 else 'have'} noise below one standard error.",
        float(ratios["DPExpTheilSen"]) < 1,
    )


def _nanotubes_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """DPExpTheilSen below the sampling error in the first setting; the non-robust algorithms ahead in the second."""
    first, second = (errors(frame, panel) for panel in frame["panel"].unique())
    others = second[["NoisyStats", *DESCENTS]]
    ahead = [str(name) for name, ratio in others.items() if ratio < second[list(ROBUST)].min()]
    return agreement(
        f"in the first setting DPExpTheilSen's error is {format_amount(float(first['DPExpTheilSen']))} standard "
        f"errors and NoisyStats' {format_amount(float(first['NoisyStats']))}. In the second "
        f"{listed(ahead) if ahead else 'no non-robust algorithm'} {'is' if len(ahead) < 2 else 'are'} ahead of all "
        "Theil–Sen algorithms.",
        float(first["DPExpTheilSen"]) < 1 and float(first["NoisyStats"]) > 10,
        len(ahead) == len(others),
    )


STOCKS = Figure(
    "stocks", "Figure 8", "Output distributions on the stock exchange data, ε = 2",
    "The noise is less than the standard error, in particular with DPExpTheilSen.",
    lambda settings: _outputs("Stock exchange", "stocks", settings, 4.0), measure, _cdfs, _stocks_agree,
    (epsilon(2.0), *span(-0.5, 1.5), *HYPERPARAMETERS),
    quick=A_THOUSAND, full=A_THOUSAND,
    note="The paper draws 100 releases of each algorithm; here curves are exact, but for gradient descent, which is "
    "drawn 1,000 times.",
)  # fmt: skip
NANOTUBES = Figure(
    "nanotubes", "Figure 9", "Output distributions on the carbon nanotube data",
    "DPExpTheilSen's noise is below the standard error at ε = 1; with little ε and a wide range NoisyStats and "
    "gradient descent are better.",
    _nanotube_tasks, measure, _cdfs, _nanotubes_agree,
    (epsilon(1.0), *span(-0.5, 1.5), Parameter("epsilon_b", "ε in the second panel", 0.01, 1e-6, 1e6),
     Parameter("lower_b", "lower end in the second panel", -50.0, -1000.0, 1000.0),
     Parameter("upper_b", "upper end in the second panel", 50.0, -1000.0, 1000.0), MATCHINGS, *HYPERPARAMETERS),
    quick=A_THOUSAND, full=A_THOUSAND,
    note="As in the paper, Theil–Sen algorithms use one random matching of the 10,683 records. Curves are exact or "
    "averages of exact laws over matchings, but for gradient descent, which is drawn 1,000 times.",
)  # fmt: skip
