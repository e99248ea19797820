"""Figures of records: one bike share data set, carbon nanotubes, the stock exchange."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from ...charts.paper.look import Panel
from ...charts.paper.look import Records as Scatter
from ...dataset import Dataset
from ...sources.uci import load_uci
from ...support.run import QUARTERS
from ...text.phrases import format_amount
from .data import bikes
from .figure import Agreement, Amount, Figure, Parameter, Settings, agreement

MOST = 2_000  # records that are drawn, evenly spread over the file


class Records(NamedTuple):
    """A data set and its title."""

    panel: str
    data: Dataset


def measure(task: Records) -> pd.DataFrame:
    """The records with what the paper says of them: n, n var(x) and the standard error at x = 1/4."""
    data = task.data
    frame = pd.DataFrame({"panel": task.panel, "x": data.x, "y": data.y})
    error = float(data.standard_error(QUARTERS[0])[0])
    return frame.assign(n=data.n, nvar=data.nvar, standard_error=error, slope=data.slope)


def _bike_tasks(settings: Settings) -> list[Records]:
    label = f"month {settings.whole('month')}, hour {settings.whole('hour')}"
    return [Records(label, bikes()[label])]


def _nanotube_tasks(settings: Settings) -> list[Records]:
    return [Records("Carbon nanotubes", load_uci("nanotubes").dataset())]


def _stock_tasks(settings: Settings) -> list[Records]:
    return [Records("Stock exchange", load_uci("stocks").dataset())]


def _scatter(frame: pd.DataFrame, settings: Settings) -> dict[str, Panel]:
    """The records with the OLS line."""
    some = frame.iloc[:: 1 + len(frame) // MOST]
    return {str(panel): Scatter(rows) for panel, rows in some.groupby("panel", sort=False)}


def _bikes_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """The standard errors and sizes of all 288 data sets against those in print."""
    errors = [float(data.standard_error(QUARTERS[0])[0]) for data in bikes().values()]
    sizes = [data.n for data in bikes().values()]
    low, high = format_amount(min(errors), 2), format_amount(max(errors), 2)
    return agreement(
        f"the {len(sizes)} data sets have {min(sizes)} to {max(sizes)} records and standard errors of {low} to {high}.",
        (len(sizes), min(sizes), max(sizes)) == (288, 45, 62),
        (low, high) == ("0.0003", "0.32"),
    )


def _nanotubes_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    n, nvar = int(frame["n"].iloc[0]), float(frame["nvar"].iloc[0])
    return agreement(
        f"there are {n:,} records, with n var(x) = {format_amount(nvar, 7)}.", n == 10_683, abs(nvar - 889.222) < 1e-3
    )


def _stocks_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    n, error = int(frame["n"].iloc[0]), float(frame["standard_error"].iloc[0])
    return agreement(f"there are {n} records; the standard error at x = 0.25 is {format_amount(error)}.", n == 250)


BIKE_RECORDS = Figure(
    "bike-records",
    "Figure 3",
    "One of the 288 bike share data sets",
    "Each of the 288 data sets has 45 to 62 records; standard errors lie between 0.0003 and 0.32.",
    _bike_tasks, measure, _scatter, _bikes_agree,
    (Parameter("month", "month", 3, 1, 12, False), Parameter("hour", "hour of the day", 15, 0, 23, False)),
    quick=Amount(1, 1), full=Amount(1, 1),
    note="Which month and hour the paper shows is not in print.",
)  # fmt: skip
NANOTUBE_RECORDS = Figure(
    "nanotube-records",
    "Figure 4",
    "The carbon nanotube data",
    "10,683 records with n var(x) = 889.222 and a strong linear relationship.",
    _nanotube_tasks, measure, _scatter, _nanotubes_agree,
    quick=Amount(1, 1), full=Amount(1, 1),
    note="Drawn are every sixth of the records. The paper calls them u-coordinates; only the w-coordinates give its n.",
)  # fmt: skip
STOCK_RECORDS = Figure(
    "stock-records",
    "Figure 5",
    "The stock exchange data",
    "250 records: smaller and noisier than the carbon nanotubes.",
    _stock_tasks, measure, _scatter, _stocks_agree,
    quick=Amount(1, 1), full=Amount(1, 1),
)  # fmt: skip
