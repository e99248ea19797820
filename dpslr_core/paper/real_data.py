"""Figures on people and public data.

Errors over census tracts and bike share, failures of NoisyStats in tracts, records of one data set, and output
distributions of the algorithms on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..charts.areas import ratio_cdf
from ..charts.curves import output_cdf
from ..charts.records import records_picture
from ..charts.vega import Spec
from ..dataset import Dataset
from ..experiments.areas import measured_groups, split_groups
from ..experiments.comparison import compare
from ..experiments.curves import cdf_curves, ratio_curves, regression_lines
from ..mechanisms.base import Mechanism
from ..mechanisms.noisy_stats import NoisyStats
from ..mechanisms.theil_sen import DPExpTheilSen, DPWideTheilSen
from ..privacy import Budget
from ..sources.axis import Axis
from ..sources.samples import load_uci
from ..sources.tracts import (
    ILLINOIS,
    NORTH_CAROLINA,
    StateModel,
    simulate_tracts,
)
from ..support.run import QUARTERS, Run, stream
from ..text.phrases import format_amount
from . import figure, pictures
from .figure import Amount, Figure, Parameter, Settings, chosen

AT = QUARTERS[0]
_Y = Axis("y at x = 0.25")
ONCE, A_THOUSAND = Amount(1, 1), Amount(1, 1000)
BATCH = 24  # areas in one task
COLUMNS = [
    "panel",
    "group",
    "n",
    "nvar",
    "mechanism",
    "c68",
    "standard_error",
    "ratio",
    "failure_rate",
    "exact",
]
BIKE_SHARE = "Bike share"
_RANGE = figure.span(-0.5, 1.5)
_TABLE_1 = (*_RANGE, *figure.HYPERPARAMETERS)
EPSILONS = tuple(2.0**power for power in range(-7, 4))  # 2^-7 to 8
LOW, HIGH = "small n var(x)", "large n var(x)"
IN_PRINT = {LOW: 0.4, HIGH: 0.05}  # printed rates: about 0.4 at any epsilon; below 0.05 on average
FAILING = pictures.axis("share of releases without an answer", (0.0, 0.6), format=".0%")


@cache
def bikes() -> Mapping[str, Dataset]:
    """Return the 288 bike share data sets by month and hour; DataUnavailable without them."""
    return split_groups(load_uci("bikes").frame).datasets


@lru_cache(4)  # two states of two seeds
def tracts(state: StateModel, seed: int) -> Mapping[str, Dataset]:
    """Return the people of all tracts of a simulated state, by tract."""
    return split_groups(
        simulate_tracts(state=state, rng=stream(seed, "tracts", state.name))
    ).datasets


class AreaTask(NamedTuple):
    """Task: areas of one panel, and the algorithms, budget and run to measure with; errors are measured at x = 1/4."""

    panel: str
    datasets: Mapping[str, Dataset]
    mechanisms: tuple[Mechanism, ...]
    budget: Budget
    run: Run


def _batches(
    panel: str,
    datasets: Mapping[str, Dataset],
    algorithms: Sequence[type[Mechanism]],
    settings: Settings,
) -> list[AreaTask]:
    """Return all areas in tasks of BATCH, or evenly spread areas if the settings ask for fewer.

    An algorithm that is informed by other areas is informed by all of them.
    """
    budget, run = Budget(settings["epsilon"]), Run(settings.amount.trials, settings.seed)
    informed = tuple(
        m.informed_by(list(datasets.values()), budget.at) for m in chosen(algorithms, settings)
    )
    labels, wanted = list(datasets), settings.amount.datasets or len(datasets)
    spread = [
        labels[i]
        for i in np.unique(np.linspace(0, len(labels) - 1, min(wanted, len(labels))).astype(int))
    ]
    batches = [spread[start : start + BATCH] for start in range(0, len(spread), BATCH)]
    return [
        AreaTask(panel, {label: datasets[label] for label in batch}, informed, budget, run)
        for batch in batches
    ]


# Errors.


def measure(task: AreaTask) -> pd.DataFrame:
    """Measure a task's areas: COLUMNS, a row for each area and algorithm."""
    rows = pd.concat(
        measured_groups(task.datasets, task.mechanisms, task.budget, task.run), ignore_index=True
    )
    return (
        rows[rows["at"] == task.budget.at[0]]
        .assign(panel=task.panel)[COLUMNS]
        .reset_index(drop=True)
    )


def _tract_tasks(settings: Settings) -> list[AreaTask]:
    states = (ILLINOIS, NORTH_CAROLINA)
    batches = [_batches(s.name, tracts(s, settings.seed), figure.WITH_OI, settings) for s in states]
    return [areas for of_state in batches for areas in of_state]


def _in_order(frame: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    return frame.sort_values(["panel", "standard_error"], kind="stable", ignore_index=True)


def _cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    panels = frame.groupby("panel", sort=False)
    return {
        str(panel): pictures.in_panel(ratio_cdf(ratio_curves(rows), alone=False))
        for panel, rows in panels
    }


def _sorted_dots(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """Draw C(68) of each data set, in the order of the standard errors."""
    order = frame.drop_duplicates("group").sort_values("standard_error", ignore_index=True)
    rank = {group: number for number, group in enumerate(order["group"], 1)}
    errors = pd.DataFrame(
        {"algorithm": "standard error", "x": order.index + 1, "y": order["standard_error"]}
    )
    drawn = pd.DataFrame(
        {"algorithm": frame["mechanism"], "x": frame["group"].map(rank), "y": frame["c68"]}
    )
    low, high = np.nanquantile(frame["c68"][np.isfinite(frame["c68"])], [0, 1])
    ends = float(min(low, order["standard_error"].min()) / 1.2), float(high * 1.2)
    x = pictures.axis("data sets by standard error, smallest to largest", (0.0, len(rank) + 1.0))
    dots = pd.concat([errors, drawn], ignore_index=True)
    return {BIKE_SHARE: pictures.dots(dots, x, pictures.axis("C(68)", ends, log=True))}


TRACTS = Figure(
    "tracts",
    "Figure 6",
    "Error over census tracts, ε = 16",
    "Private algorithms, above all DPExpTheilSen, have less noise than the method of Opportunity "
    "Insights (OI).",
    measure,
    _cdfs,
    (figure.epsilon(16.0), *_TABLE_1),
    quick=Amount(240, 100),
    tasks=_tract_tasks,
    finish=_in_order,
    note="The paper's people are simulated by Opportunity Insights; ours are drawn by the same recipe, from models of "
    "both states that are fitted to public figures. The OI method's scale is read off all tracts.",
    claims=("tracts-deployed", "tracts-noise", "tracts-best", "tracts-order"),
)
BIKES = Figure(
    "bikes",
    "Figure 7",
    "Error over 288 bike share data sets, ε = 10",
    "The noise is below the standard error in most data sets, above all with DPExpTheilSen.",
    measure,
    _cdfs,
    (figure.epsilon(10.0), *_TABLE_1),
    tasks=lambda settings: _batches(BIKE_SHARE, bikes(), figure.PRIVATE, settings),
    finish=_in_order,
    claims=("bikes-noise", "smooth-rarely"),
)
BIKES_BY_ERROR = Figure(
    "bikes-widened",
    "Figure 12",
    "DPExpTheilSen and DPWideTheilSen by standard error, ε = 2",
    "Widening can be far more accurate where the standard error is small.",
    measure,
    _sorted_dots,
    (figure.epsilon(2.0), *_RANGE, figure.THETA),
    tasks=lambda settings: _batches(BIKE_SHARE, bikes(), (DPExpTheilSen, DPWideTheilSen), settings),
    finish=_in_order,
    claims=("widened-significantly",),
)


# Failures.


def data_with(n: int, nvar: float) -> Dataset:
    """Return n records with this n var(x), x at two positions about 1/2; failure depends on nothing else.

    Parameters
    ----------
    n : int
        Number of records.
    nvar : float
        n var(x).

    Raises
    ------
    ValueError
        If nvar is more than n records in the unit interval can have.
    """
    upper = n // 2
    apart = np.sqrt(nvar / (upper * (n - upper) / n))
    x = 0.5 + apart * np.where(np.arange(n) < upper, 0.5, -0.5)
    return Dataset(x, np.full(n, 0.5))


def count_failures(task: AreaTask) -> pd.DataFrame:
    """Return for each data set the share of NoisyStats' trials without an answer, and its exact probability."""
    budget, rows = task.budget.epsilon, []
    for group, data in task.datasets.items():
        rng = stream(task.run.seed, "failures", group, data.digest, budget)
        nvar = NoisyStats().release_statistics(data, budget, task.run.trials, rng=rng).nvar
        law = NoisyStats().law(data, budget, 0.25)[0]
        exact = law.failure if law is not None else np.nan
        rows.append(
            (task.panel, group, data.n, data.nvar, budget, float(np.mean(nvar <= 0)), exact)
        )
    return pd.DataFrame(rows, columns=["panel", "group", "n", "nvar", "epsilon", "failed", "exact"])


def _two_tasks(settings: Settings, state: str) -> list[AreaTask]:
    """Return a task for a tract with a small n var(x) and a tract with a large one, at each epsilon."""
    run, sizes = Run(settings.amount.trials, settings.seed), ((LOW, "low"), (HIGH, "high"))
    tracts = {
        name: data_with(settings[f"n_{size}"], settings[f"nvar_{size}"]) for name, size in sizes
    }
    return [
        AreaTask(f"{state}: {name}", {name: data}, (), Budget(budget), run)
        for name, data in tracts.items()
        for budget in EPSILONS
    ]


def _rates(x: pd.Series, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the counted and the exact rates over x: algorithm, x, y."""
    rates = (("NoisyStats", "failed"), (pictures.EXACT, "exact"))
    curves = [
        pd.DataFrame({"algorithm": name, "x": x, "y": rows[column]}) for name, column in rates
    ]
    return pd.concat(curves, ignore_index=True)


def _by_epsilon(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    x = pictures.axis("ε", (EPSILONS[0], EPSILONS[-1]), log=True)
    panels = frame.groupby("panel", sort=False)

    def rates(rows: pd.DataFrame) -> pd.DataFrame:
        printed = pd.DataFrame({
            "algorithm": pictures.PRINTED, "x": rows["epsilon"], "y": [IN_PRINT[group] for group in rows["group"]],
        })  # fmt: skip
        return pd.concat([_rates(rows["epsilon"], rows), printed], ignore_index=True)

    return {str(panel): pictures.curves(rates(rows), x, FAILING) for panel, rows in panels}


def _over_tracts(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """Draw the counted and the exact rate of each tract against epsilon n var(x)."""
    product = frame["epsilon"] * frame["nvar"]
    x = pictures.axis(
        "ε n var(x)", (float(product.min()) / 1.1, float(product.max()) * 1.1), log=True
    )
    drawn = _rates(product, frame).iloc[:: 1 + len(frame) // 2000]
    return {ILLINOIS.name: pictures.dots(drawn, x, FAILING, size=16)}


TWO_TRACTS = tuple(
    Figure(
        f"failures-{state.lower().replace(' ', '-')}",
        number,
        f"Failure rate of NoisyStats by ε in two tracts of {state}",
        "Where n var(x) is small, about 40% of the releases fail at any ε. Where it is large, "
        "below 5% on average.",
        count_failures,
        _by_epsilon,
        (
            Parameter("n_low", "records, small", 39, 4, 1000),
            Parameter("nvar_low", "n var(x), small", 0.0245, 0.0, 10.0),
            Parameter("n_high", "records, large", n, 4, 10_000),
            Parameter("nvar_high", "n var(x), large", nvar, 0.0, 2500.0),
        ),
        quick=Amount(2, 1000),
        full=Amount(2, 10_000),
        tasks=partial(_two_tasks, state=state),
        claims=("failure-low", key, "failure-even"),
        note="In print: about 40%; below 5% on average. Failure depends on n and n var(x) alone, which are in print.",
    )
    for state, number, n, nvar, key in (
        ("Illinois", "Figure 13", 381, 28.002, "failure-high-illinois"),
        ("North Carolina", "Figure 14", 433, 31.154, "failure-high-north"),
    )
)
ALL_FAILURES = Figure(
    "failures-all-tracts",
    "Figure 15",
    "Failure rate of NoisyStats over all tracts of Illinois, ε = 8",
    "No release fails in most tracts; at most 12% do where n var(x) is small.",
    count_failures,
    _over_tracts,
    (figure.epsilon(8.0),),
    tasks=lambda settings: _batches(ILLINOIS.name, tracts(ILLINOIS, settings.seed), (), settings),
    note="Tracts are simulated by the paper's recipe. The paper runs 100 trials in each.",
    claims=("failure-majority", "failure-tracts"),
)


# Records of one data set.

_lines = lru_cache(8)(regression_lines)  # the lines of thousands of records take a second


def describe(task: tuple[str, Dataset]) -> pd.DataFrame:
    """Return the records of a data set, with columns for n, n var(x) and the standard error at x = 1/4."""
    panel, data = task
    frame = pd.DataFrame({"panel": panel, "x": data.x, "y": data.y})
    error = float(data.standard_error(AT)[0])
    return frame.assign(n=data.n, nvar=data.nvar, standard_error=error)


def _month(settings: Settings) -> list[tuple[str, Dataset]]:
    label = f"month {settings['month']}, hour {settings['hour']}"
    return [(label, bikes()[label])]


def _scatter(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    data = Dataset(frame["x"], frame["y"])
    return {
        str(frame["panel"].iloc[0]): pictures.in_panel(
            records_picture(data, _lines(data), theil_sen=True)
        )
    }


BIKE_RECORDS = Figure(
    "bike-records",
    "Figure 3",
    "One of the 288 bike share data sets",
    "Each of the 288 data sets has 45 to 62 records; standard errors lie between 0.0003 and 0.32.",
    describe,
    _scatter,
    (
        Parameter("month", "month", 3, 1, 12, False),
        Parameter("hour", "hour of the day", 15, 0, 23, False),
    ),
    quick=ONCE,
    full=ONCE,
    tasks=_month,
    note="Which month and hour the paper shows is not in print.",
    claims=("bikes-count", "bikes-sizes", "bikes-errors"),
)
NANOTUBE_RECORDS = Figure(
    "nanotube-records",
    "Figure 4",
    "The carbon nanotube data",
    "10,683 records with n var(x) = 889.222 and a strong linear relationship.",
    describe,
    _scatter,
    quick=ONCE,
    full=ONCE,
    tasks=lambda settings: [("Carbon nanotubes", load_uci("nanotubes").dataset())],
    note="The paper calls them u-coordinates; only the w-coordinates give its n.",
    claims=("carbon-literal", "carbon-size", "carbon-product"),
)
STOCK_RECORDS = Figure(
    "stock-records",
    "Figure 5",
    "The stock exchange data",
    "250 records: smaller and noisier than the carbon nanotubes.",
    describe,
    _scatter,
    quick=ONCE,
    full=ONCE,
    tasks=lambda settings: [("Stock exchange", load_uci("stocks").dataset())],
    claims=("stocks-size", "stocks-noisier"),
)


# Output distributions on one data set.


class OutputTask(NamedTuple):
    """Task: one algorithm on one data set, with the half width of the picture in standard errors about OLS."""

    panel: str
    data: Dataset
    mechanism: Mechanism
    epsilon: float
    run: Run
    half_width: float


def measure_output(task: OutputTask) -> pd.DataFrame:
    """Compute the output distribution at x = 1/4 of a release at both points, exact if possible, and its error."""
    result = compare(
        task.data, [task.mechanism], task.epsilon, QUARTERS, task.run.trials, task.run.seed
    )
    row = result.summary[result.summary["at"] == AT].iloc[0]
    center, error = float(row["center"]), float(row["standard_error"])
    limits = center - task.half_width * error, center + task.half_width * error
    drawn = cdf_curves(result, AT, limits).rename(columns={"mechanism": "algorithm"})
    drawn.insert(0, "panel", task.panel)
    return drawn.assign(
        center=center, standard_error=error, ratio=row["ratio"], epsilon=task.epsilon
    )


def _outputs(key: str, settings: Settings, half_width: float, panel: str = "") -> list[OutputTask]:
    """Return tasks for the paper's private algorithms on one data set; budget and range name a panel by default."""
    ends = ", ".join(format_amount(settings[name]) for name in ("lower", "upper"))
    panel = panel or f"ε = {format_amount(settings['epsilon'])}, predictions in [{ends}]"
    data, run = load_uci(key).dataset(), Run(settings.amount.trials, settings.seed)
    return [
        OutputTask(panel, data, m, settings["epsilon"], run, half_width)
        for m in chosen(figure.PRIVATE, settings)
    ]


def _nanotube_tasks(settings: Settings) -> list[OutputTask]:
    """Return the tasks of both panels: the second has another budget and another range."""
    second = dict(settings.values) | {
        name: settings[f"{name}_b"] for name in ("epsilon", "lower", "upper")
    }
    second_settings = replace(settings, values=tuple(second.items()))
    return _outputs("nanotubes", settings, 16.0 if settings["k"] else 4.0) + _outputs(
        "nanotubes", second_settings, 20_000.0
    )


def _output_cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """Draw the output distributions with the band and the distribution of the sampling error about OLS."""
    panels = {}
    for panel, rows in frame.groupby("panel", sort=False):
        center, error = float(rows["center"].iloc[0]), float(rows["standard_error"].iloc[0])
        ends = float(rows["estimate"].min()), float(rows["estimate"].max())
        drawn = output_cdf(
            rows.rename(columns={"algorithm": "mechanism"}), center, error, ends, _Y, alone=False
        )
        panels[str(panel)] = pictures.in_panel(drawn)
    return panels


STOCKS = Figure(
    "stocks",
    "Figure 8",
    "Output distributions on the stock exchange data, ε = 2",
    "The noise is less than the standard error, in particular with DPExpTheilSen.",
    measure_output,
    _output_cdfs,
    (figure.epsilon(2.0), *_TABLE_1),
    quick=A_THOUSAND,
    full=A_THOUSAND,
    tasks=lambda settings: _outputs("stocks", settings, 4.0, "Stock exchange"),
    note="The paper draws 100 releases of each algorithm; here curves are exact, but for gradient descent, which is "
    "drawn 1,000 times.",
    claims=("stocks-noise", "stocks-classes"),
)
NANOTUBES = Figure(
    "nanotubes",
    "Figure 9",
    "Output distributions on the carbon nanotube data",
    "DPExpTheilSen's noise is below the standard error at ε = 1; with little ε and a wide range "
    "NoisyStats and gradient descent are better.",
    measure_output,
    _output_cdfs,
    (
        figure.epsilon(1.0),
        *_RANGE,
        Parameter("epsilon_b", "ε in the second panel", 0.01, 1e-6, 1e6),
        Parameter("lower_b", "lower end in the second panel", -50.0, -1000.0, 1000.0),
        Parameter("upper_b", "upper end in the second panel", 50.0, -1000.0, 1000.0),
        Parameter("k", "matchings k (0: all pairs)", 1, 0, 1000),
        *figure.HYPERPARAMETERS,
    ),
    quick=A_THOUSAND,
    full=A_THOUSAND,
    tasks=_nanotube_tasks,
    note="As in the paper, Theil–Sen algorithms use one random matching of the 10,683 records. Curves are exact or "
    "averages of exact laws over matchings, but for gradient descent, which is drawn 1,000 times.",
    claims=(
        "carbon-noise",
        "carbon-noisy-stats",
        "carbon-wide-range",
        "carbon-large-epsilon",
        "carbon-uniform",
    ),
)
