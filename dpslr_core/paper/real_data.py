"""Figures on people and public data: errors over census tracts and bike share, failures of NoisyStats in tracts, and
of one data set its records, or the output distributions of the algorithms on it.
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
from ..experiments.pooled_areas import rehearse_pooling
from ..mechanisms.base import Mechanism
from ..mechanisms.baselines import MaximumObservedSensitivity
from ..mechanisms.centered import CenteredStats
from ..mechanisms.noisy_stats import NoisyStats
from ..mechanisms.pairwise import plain_name
from ..mechanisms.theil_sen import DPExpTheilSen, DPWideTheilSen
from ..privacy import Budget
from ..sources.axis import Axis
from ..sources.samples import load_uci
from ..sources.tracts import (
    ILLINOIS,
    NORTH_CAROLINA,
    StateModel,
    draw_tracts,
    simulate_tracts,
    true_lines,
)
from ..support.run import QUARTERS, Run, stream
from ..text.phrases import format_amount, format_share, joined, listed
from . import figure, pictures
from .figure import Amount, Figure, Parameter, Settings, agreement, chosen

AT = QUARTERS[0]
_Y = Axis("y at x = 0.25")
ONCE, A_THOUSAND = Amount(1, 1), Amount(1, 1000)
BATCH = 24  # areas in one part of the work
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
POOLED = "pooled (about the true line)"
POOLED_STYLE = {POOLED: {"color": "#c23b4e", "dash": "dash"}}
BOUND = 0.68  # of the pooled intervals, whose half widths stand beside C(68)
OI = MaximumObservedSensitivity.__name__
PURE = tuple(algorithm.__name__ for algorithm in figure.PRIVATE if algorithm().guarantee(1.0).pure)
BIKE_SHARE = "Bike share"
_RANGE = figure.span(-0.5, 1.5)
_TABLE_1 = (*_RANGE, *figure.HYPERPARAMETERS)
EPSILONS = tuple(2.0**power for power in range(-7, 4))  # 2^-7 to 8
LOW, HIGH = "small n var(x)", "large n var(x)"
IN_PRINT = {LOW: 0.4, HIGH: 0.05}  # about that at any epsilon; below that on average
FAILING = pictures.axis("share of releases without an answer", (0.0, 0.6), format=".0%")


@cache
def bikes() -> Mapping[str, Dataset]:
    """The 288 bike share data sets by month and hour; DataUnavailable where they cannot be had."""
    return split_groups(load_uci("bikes").frame).datasets


@lru_cache(4)  # two states, of two seeds
def tracts(state: StateModel, seed: int) -> Mapping[str, Dataset]:
    """The people of all tracts of a simulated state."""
    return split_groups(
        simulate_tracts(state=state, rng=stream(seed, "tracts", state.name))
    ).datasets


@lru_cache(4)
def lines_of_tracts(state: StateModel, seed: int) -> pd.DataFrame:
    """The true lines of the same tracts, see sources.tracts.true_lines."""
    table = draw_tracts(None, stream(seed, "tracts", state.name), state=state)
    return true_lines(table.assign(size=[data.n for data in tracts(state, seed).values()]))


class Areas(NamedTuple):
    """Some areas of one panel, and what is run on them; the errors are measured at x = 1/4."""

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
) -> list[Areas]:
    """All areas, or evenly spread ones where fewer are wanted; an algorithm that looks at all areas looks at all."""
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
        Areas(panel, {label: datasets[label] for label in batch}, informed, budget, run)
        for batch in batches
    ]


# Errors.


class PooledTracts(NamedTuple):
    """All tracts of a state, each released once with CenteredStats and then pooled; those of these labels are shown."""

    state: StateModel
    labels: tuple[str, ...]
    budget: Budget
    seed: int

    def measured(self) -> pd.DataFrame:
        """A row for each shown tract; c68: half the width of its 68% interval; error: about its true line."""
        datasets, lines = tracts(self.state, self.seed), lines_of_tracts(self.state, self.seed)
        pooled = rehearse_pooling(datasets, CenteredStats(), self.budget, self.seed, level=BOUND)
        rows = pooled[pooled["at"] == AT].set_index("group").loc[list(self.labels)]
        shown = [datasets[label] for label in self.labels]
        error = np.array([float(data.standard_error([AT])[0]) for data in shown])
        c68, true = (
            (rows["high"] - rows["low"]).to_numpy() / 2,
            (lines["intercept"] + AT * lines["slope"])[rows.index],
        )
        return pd.DataFrame(
            {
                "panel": self.state.name,
                "group": rows.index,
                "n": [data.n for data in shown],
                "nvar": [data.nvar for data in shown],
                "mechanism": POOLED,
                "c68": c68,
                "standard_error": error,
                "ratio": c68 / error,
                "failure_rate": 0.0,
                "exact": False,
                "error": np.abs(rows["pooled"] - true).to_numpy(),
            }
        )


def measure_tracts(task: Areas | PooledTracts) -> pd.DataFrame:
    """One row for each area and algorithm, or for each area that is pooled."""
    return task.measured() if isinstance(task, PooledTracts) else measure(task)


def measure(task: Areas) -> pd.DataFrame:
    """One row for each area and algorithm."""
    rows = pd.concat(
        measured_groups(task.datasets, task.mechanisms, task.budget, task.run), ignore_index=True
    )
    return (
        rows[rows["at"] == task.budget.at[0]]
        .assign(panel=task.panel)[COLUMNS]
        .reset_index(drop=True)
    )


def _tract_tasks(settings: Settings) -> list[Areas | PooledTracts]:
    tasks: list[Areas | PooledTracts] = []
    for state in (ILLINOIS, NORTH_CAROLINA):
        batches = _batches(state.name, tracts(state, settings.seed), figure.WITH_OI, settings)
        labels = tuple(label for batch in batches for label in batch.datasets)
        tasks += [*batches, PooledTracts(state, labels, Budget(settings["epsilon"]), settings.seed)]
    return tasks


def _in_order(frame: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    return frame.sort_values(["panel", "standard_error"], kind="stable", ignore_index=True)


def _cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    panels = frame.groupby("panel", sort=False)
    return {
        str(panel): pictures.in_panel(
            ratio_cdf(ratio_curves(rows), alone=False, styles=POOLED_STYLE)
        )
        for panel, rows in panels
    }


def _sorted_dots(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """C(68) of each data set, in order of the standard errors."""
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


def _bikes_agree(frame: pd.DataFrame, settings: Settings) -> str:
    """The share of data sets with a sampling error in which C(68) is below it: most, and the most of all?"""
    usable = frame[frame["standard_error"] > 0]
    shares = (usable["ratio"] < 1).groupby(usable["mechanism"]).mean().sort_values(ascending=False)
    share, first = float(shares["DPExpTheilSen"]), str(shares.index[0])
    leads = first == "DPExpTheilSen"
    best = "the most of all" if leads else f"and {first}'s in {format_share(float(shares.iloc[0]))}"
    return agreement(
        f"DPExpTheilSen's noise is below the standard error in {format_share(share)} of the "
        f"{frame['group'].nunique()} data sets, {best}.",
        share > 0.5,
        leads,
    )


def _tracts_agree(frame: pd.DataFrame, settings: Settings) -> str:
    """Whether DPExpTheilSen beats the OI method in most tracts, and whether it is the best of the pure algorithms."""
    wins: dict[str, float] = {}
    led: dict[str, list[str]] = {}
    for state, rows in frame.groupby("panel", sort=False):
        errors = rows.pivot(index="group", columns="mechanism", values="c68")
        wins[str(state)] = float((errors["DPExpTheilSen"] < errors[OI]).mean())
        leader = rows.groupby("mechanism")["ratio"].median()[list(PURE)].idxmin()
        led.setdefault(str(leader), []).append(str(state))
    shares = listed(
        f"{format_share(share)} of the tracts of {state}" for state, share in wins.items()
    )
    leaders = listed(
        f"{name} has the smallest median error in {listed(states)}" for name, states in led.items()
    )
    said = agreement(
        f"DPExpTheilSen has less noise than the OI method in {shares}. "
        f"Of the ε-differentially private algorithms {leaders}.",
        min(wins.values()) > 0.5,
        list(led) == ["DPExpTheilSen"],
    )
    return f"{said} {_pooled_sentence(frame[frame['mechanism'] == POOLED])}"


def _pooled_sentence(rows: pd.DataFrame) -> str:
    """How often a pooled 68% bound is below the standard error, and how often it holds about the true line."""
    bounds = listed(
        f"{format_share(float((one['ratio'] < 1).mean()))} of the tracts of {state}"
        for state, one in rows.groupby("panel", sort=False)
    )
    within = float((rows["error"] <= rows["c68"]).mean())
    return (
        "The dashed line is not in the paper: CenteredStats in all tracts, pooled. Its 68% "
        "bound about the true line "
        f"is below the standard error in {bounds}; {format_share(within)} of the errors are "
        "within that bound."
    )


def _widening_agrees(frame: pd.DataFrame, settings: Settings) -> str:
    """The gain by widening where standard errors are smallest, and elsewhere."""
    errors = frame.pivot(index="group", columns="mechanism", values="c68")
    order = frame.drop_duplicates("group").set_index("group")["standard_error"].sort_values().index
    few = max(1, len(order) // 20)
    gain = (errors["DPExpTheilSen"] / errors["DPWideTheilSen"])[order]
    small, others = float(gain.iloc[:few].median()), float(gain.iloc[few:].median())
    return agreement(
        f"in the {few} data sets with the smallest standard errors the median factor between the "
        "errors of "
        f"DPExpTheilSen and DPWideTheilSen is {format_amount(small, 2)}; in the others it is "
        f"{format_amount(others, 2)}.",
        small > 2 and small > others,
    )


TRACTS = Figure(
    "tracts",
    "Figure 6",
    "Error over census tracts, ε = 16",
    "Private algorithms, above all DPExpTheilSen, have less noise than the method of Opportunity "
    "Insights (OI).",
    measure_tracts,
    _cdfs,
    _tracts_agree,
    (figure.epsilon(16.0), *_TABLE_1),
    quick=Amount(240, 100),
    tasks=_tract_tasks,
    finish=_in_order,
    note="The paper's people are simulated by Opportunity Insights; ours are drawn by the same recipe, from models of "
    "both states that are fitted to public figures. The OI method's scale is read off all tracts. "
    "Errors are about OLS on a tract's records; those of the dashed line are about the line of "
    "everybody in it.",
)
BIKES = Figure(
    "bikes",
    "Figure 7",
    "Error over 288 bike share data sets, ε = 10",
    "The noise is below the standard error in most data sets, above all with DPExpTheilSen.",
    measure,
    _cdfs,
    _bikes_agree,
    (figure.epsilon(10.0), *_TABLE_1),
    tasks=lambda settings: _batches(BIKE_SHARE, bikes(), figure.PRIVATE, settings),
    finish=_in_order,
)
BIKES_BY_ERROR = Figure(
    "bikes-widened",
    "Figure 12",
    "DPExpTheilSen and DPWideTheilSen by standard error, ε = 2",
    "Widening can be far more accurate where the standard error is small.",
    measure,
    _sorted_dots,
    _widening_agrees,
    (figure.epsilon(2.0), *_RANGE, figure.THETA),
    tasks=lambda settings: _batches(BIKE_SHARE, bikes(), (DPExpTheilSen, DPWideTheilSen), settings),
    finish=_in_order,
)


# Failures.


def data_with(n: int, nvar: float) -> Dataset:
    """n records with this n var(x), x at two places about 1/2: failure depends on nothing else.

    ValueError where nvar is more than n records in the unit interval can have.
    """
    upper = n // 2
    apart = np.sqrt(nvar / (upper * (n - upper) / n))
    x = 0.5 + apart * np.where(np.arange(n) < upper, 0.5, -0.5)
    return Dataset(x, np.full(n, 0.5))


def count_failures(task: Areas) -> pd.DataFrame:
    """A row per data set: the share of NoisyStats' trials without an answer, and its exact probability."""
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


def _two_tasks(settings: Settings, state: str) -> list[Areas]:
    """One tract with a small n var(x) and one with a large one, at each epsilon."""
    run, sizes = Run(settings.amount.trials, settings.seed), ((LOW, "low"), (HIGH, "high"))
    tracts = {
        name: data_with(settings[f"n_{size}"], settings[f"nvar_{size}"]) for name, size in sizes
    }
    return [
        Areas(f"{state}: {name}", {name: data}, (), Budget(budget), run)
        for name, data in tracts.items()
        for budget in EPSILONS
    ]


def _rates(x: pd.Series, rows: pd.DataFrame) -> pd.DataFrame:
    """The counted and the exact rates over x: algorithm, x, y."""
    rates = (("NoisyStats", "failed"), (pictures.EXACT, "exact"))
    parts = [pd.DataFrame({"algorithm": name, "x": x, "y": rows[column]}) for name, column in rates]
    return pd.concat(parts, ignore_index=True)


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
    """The counted rate of each tract against epsilon n var(x), on the exact one."""
    product = frame["epsilon"] * frame["nvar"]
    x = pictures.axis(
        "ε n var(x)", (float(product.min()) / 1.1, float(product.max()) * 1.1), log=True
    )
    some = _rates(product, frame).iloc[:: 1 + len(frame) // 2000]
    return {ILLINOIS.name: pictures.dots(some, x, FAILING, size=16)}


def _two_agree(frame: pd.DataFrame, settings: Settings) -> str:
    """Whether it is about 40% at any epsilon where n var(x) is small, and below 5% on average where it is large."""
    low, high = (frame[frame["group"] == name] for name in (LOW, HIGH))
    mean, last = float(high["failed"].mean()), EPSILONS[-1]
    statements = bool((low["exact"] - IN_PRINT[LOW]).abs().max() < 0.05), mean < IN_PRINT[HIGH]
    rate = last * settings["nvar_high"] / NoisyStats().noise_scale(1 - 1 / settings["n_high"], 1.0)
    even = (
        0.5 * -float(np.expm1(-rate)) / rate if rate else 0.5
    )  # the mean over u in [0, 1] of exp(-rate u) / 2
    why = (
        "Why: the noise is larger than a small n var(x) at every ε, so about half of the "
        "releases fail. The "
        f"average depends on the ε taken: over evenly spaced ε up to {format_amount(last)} it is "
        f"{format_share(even)}."
    )
    return joined(
        agreement(
            f"with a small n var(x) {format_share(float(low['exact'].min()))} to "
            f"{format_share(float(low['exact'].max()))} of the releases fail. "
            f"With a large n var(x) {format_share(mean)} fail on average over the {len(high)} ε "
            "shown. "
            f"At ε = {format_amount(last)} it is {format_share(float(high['failed'].iloc[-1]))}.",
            *statements,
        ),
        "" if all(statements) else why,
    )


def _all_agree(frame: pd.DataFrame, settings: Settings) -> str:
    none, worst = float((frame["failed"] == 0).mean()), frame.loc[frame["failed"].idxmax()]
    return agreement(
        f"no release fails in {format_share(none)} of the {len(frame):,} tracts; in the worst "
        "tract "
        f"{format_share(float(worst['failed']))} fail, where the exact rate is "
        f"{format_share(float(worst['exact']))} "
        f"at n var(x) = {format_amount(float(worst['nvar']))}.",
        none > 0.5,
        float(worst["failed"]) <= 0.12,
    )


TWO_TRACTS = tuple(
    Figure(
        f"failures-{state.lower().replace(' ', '-')}",
        number,
        f"Failure rate of NoisyStats by ε in two tracts of {state}",
        "Where n var(x) is small, about 40% of the releases fail at any ε. Where it is large, "
        "below 5% on average.",
        count_failures,
        _by_epsilon,
        _two_agree,
        (
            Parameter("n_low", "records, small", 39, 4, 1000),
            Parameter("nvar_low", "n var(x), small", 0.0245, 0.0, 10.0),
            Parameter("n_high", "records, large", n, 4, 10_000),
            Parameter("nvar_high", "n var(x), large", nvar, 0.0, 2500.0),
        ),
        quick=Amount(2, 1000),
        full=Amount(2, 10_000),
        tasks=partial(_two_tasks, state=state),
        note="In print: about 40%; below 5% on average. Failure depends on n and n var(x) alone, which are in print.",
    )
    for state, number, n, nvar in (
        ("Illinois", "Figure 13", 381, 28.002),
        ("North Carolina", "Figure 14", 433, 31.154),
    )
)
ALL_FAILURES = Figure(
    "failures-all-tracts",
    "Figure 15",
    "Failure rate of NoisyStats over all tracts of Illinois, ε = 8",
    "No release fails in most tracts; at most 12% do where n var(x) is small.",
    count_failures,
    _over_tracts,
    _all_agree,
    (figure.epsilon(8.0),),
    tasks=lambda settings: _batches(ILLINOIS.name, tracts(ILLINOIS, settings.seed), (), settings),
    note="Tracts are simulated by the paper's recipe. The paper runs 100 trials in each.",
)


# Records of one data set.

_lines = lru_cache(8)(regression_lines)  # of thousands of records they take a second


def describe(task: tuple[str, Dataset]) -> pd.DataFrame:
    """The records with what the paper says of them: n, n var(x) and the standard error at x = 1/4."""
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


def _bike_records_agree(frame: pd.DataFrame, settings: Settings) -> str:
    """The standard errors and sizes of all 288 data sets against those in print."""
    errors = [float(data.standard_error(AT)[0]) for data in bikes().values()]
    sizes = [data.n for data in bikes().values()]
    low, high = format_amount(min(errors), 2), format_amount(max(errors), 2)
    return agreement(
        f"the {len(sizes)} data sets have {min(sizes)} to {max(sizes)} records and standard "
        f"errors of {low} to {high}.",
        (len(sizes), min(sizes), max(sizes)) == (288, 45, 62),
        (low, high) == ("0.0003", "0.32"),
    )


def _nanotube_records_agree(frame: pd.DataFrame, settings: Settings) -> str:
    n, nvar = int(frame["n"].iloc[0]), float(frame["nvar"].iloc[0])
    return agreement(
        f"there are {n:,} records, with n var(x) = {format_amount(nvar, 7)}.",
        n == 10_683,
        abs(nvar - 889.222) < 1e-3,
    )


def _stock_records_agree(frame: pd.DataFrame, settings: Settings) -> str:
    n, error = int(frame["n"].iloc[0]), float(frame["standard_error"].iloc[0])
    return agreement(
        f"there are {n} records; the standard error at x = 0.25 is {format_amount(error)}.",
        n == 250,
    )


BIKE_RECORDS = Figure(
    "bike-records",
    "Figure 3",
    "One of the 288 bike share data sets",
    "Each of the 288 data sets has 45 to 62 records; standard errors lie between 0.0003 and 0.32.",
    describe,
    _scatter,
    _bike_records_agree,
    (
        Parameter("month", "month", 3, 1, 12, False),
        Parameter("hour", "hour of the day", 15, 0, 23, False),
    ),
    quick=ONCE,
    full=ONCE,
    tasks=_month,
    note="Which month and hour the paper shows is not in print.",
)
NANOTUBE_RECORDS = Figure(
    "nanotube-records",
    "Figure 4",
    "The carbon nanotube data",
    "10,683 records with n var(x) = 889.222 and a strong linear relationship.",
    describe,
    _scatter,
    _nanotube_records_agree,
    quick=ONCE,
    full=ONCE,
    tasks=lambda settings: [("Carbon nanotubes", load_uci("nanotubes").dataset())],
    note="The paper calls them u-coordinates; only the w-coordinates give its n.",
)
STOCK_RECORDS = Figure(
    "stock-records",
    "Figure 5",
    "The stock exchange data",
    "250 records: smaller and noisier than the carbon nanotubes.",
    describe,
    _scatter,
    _stock_records_agree,
    quick=ONCE,
    full=ONCE,
    tasks=lambda settings: [("Stock exchange", load_uci("stocks").dataset())],
)


# Output distributions on one data set.


class Output(NamedTuple):
    """One algorithm on one data set; the width of the picture in standard errors about OLS."""

    panel: str
    data: Dataset
    mechanism: Mechanism
    epsilon: float
    run: Run
    half_width: float


def measure_output(task: Output) -> pd.DataFrame:
    """The output distribution at x = 1/4 of a release at both points, exact where it is known, with its error."""
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


def _outputs(key: str, settings: Settings, half_width: float, panel: str = "") -> list[Output]:
    """All private algorithms of the paper on one data set. panel: by default budget and range."""
    ends = ", ".join(format_amount(settings[name]) for name in ("lower", "upper"))
    panel = panel or f"ε = {format_amount(settings['epsilon'])}, predictions in [{ends}]"
    data, run = load_uci(key).dataset(), Run(settings.amount.trials, settings.seed)
    return [
        Output(panel, data, m, settings["epsilon"], run, half_width)
        for m in chosen(figure.PRIVATE, settings)
    ]


def _nanotube_tasks(settings: Settings) -> list[Output]:
    """Both settings: the second has another budget and another range."""
    second = dict(settings.values) | {
        name: settings[f"{name}_b"] for name in ("epsilon", "lower", "upper")
    }
    there = replace(settings, values=tuple(second.items()))
    return _outputs("nanotubes", settings, 16.0 if settings["k"] else 4.0) + _outputs(
        "nanotubes", there, 20_000.0
    )


def _output_cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """The output distributions with the band of one standard error about OLS, and that of the sampling error."""
    panels = {}
    for panel, rows in frame.groupby("panel", sort=False):
        center, error = float(rows["center"].iloc[0]), float(rows["standard_error"].iloc[0])
        ends = float(rows["estimate"].min()), float(rows["estimate"].max())
        drawn = output_cdf(
            rows.rename(columns={"algorithm": "mechanism"}), center, error, ends, _Y, alone=False
        )
        panels[str(panel)] = pictures.in_panel(drawn)
    return panels


def _ratios(frame: pd.DataFrame) -> pd.Series:
    """C(68) in standard errors by algorithm without its number of matchings, smallest first."""
    ratios = frame.drop_duplicates("algorithm").set_index("algorithm")["ratio"].sort_values()
    return ratios.rename(index=plain_name)


def _stocks_agree(frame: pd.DataFrame, settings: Settings) -> str:
    ratios = _ratios(frame)
    below = [str(name) for name, ratio in ratios.items() if ratio < 1]
    return agreement(
        f"DPExpTheilSen's error is {format_amount(float(ratios['DPExpTheilSen']))} standard "
        "errors. "
        f"{listed(below) if below else 'None'} {'has' if len(below) < 2 else 'have'} noise below "
        "one standard error.",
        float(ratios["DPExpTheilSen"]) < 1,
    )


def _nanotubes_agree(frame: pd.DataFrame, settings: Settings) -> str:
    """DPExpTheilSen below the sampling error in the first setting; the non-robust algorithms ahead in the second."""
    first, second = (_ratios(rows) for _, rows in frame.groupby("panel", sort=False))
    others = second[["NoisyStats", *figure.DESCENTS]]
    ahead = [
        str(name) for name, ratio in others.items() if ratio < second[list(figure.ROBUST)].min()
    ]
    return agreement(
        "in the first setting DPExpTheilSen's error is "
        f"{format_amount(float(first['DPExpTheilSen']))} standard "
        f"errors and NoisyStats' {format_amount(float(first['NoisyStats']))}. In the second "
        f"{listed(ahead) if ahead else 'no non-robust algorithm'} "
        f"{'is' if len(ahead) < 2 else 'are'} ahead of all "
        "Theil–Sen algorithms.",
        float(first["DPExpTheilSen"]) < 1 and float(first["NoisyStats"]) > 10,
        len(ahead) == len(others),
    )


STOCKS = Figure(
    "stocks",
    "Figure 8",
    "Output distributions on the stock exchange data, ε = 2",
    "The noise is less than the standard error, in particular with DPExpTheilSen.",
    measure_output,
    _output_cdfs,
    _stocks_agree,
    (figure.epsilon(2.0), *_TABLE_1),
    quick=A_THOUSAND,
    full=A_THOUSAND,
    tasks=lambda settings: _outputs("stocks", settings, 4.0, "Stock exchange"),
    note="The paper draws 100 releases of each algorithm; here curves are exact, but for gradient descent, which is "
    "drawn 1,000 times.",
)
NANOTUBES = Figure(
    "nanotubes",
    "Figure 9",
    "Output distributions on the carbon nanotube data",
    "DPExpTheilSen's noise is below the standard error at ε = 1; with little ε and a wide range "
    "NoisyStats and gradient descent are better.",
    measure_output,
    _output_cdfs,
    _nanotubes_agree,
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
)
