"""Figures over many small data sets: errors over census tracts and bike share, and failures of NoisyStats in tracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..charts.vega import Spec, rule
from ..dataset import Dataset
from ..experiments.areas import measured_groups, split_groups
from ..experiments.curves import ratio_curves
from ..mechanisms.base import Mechanism
from ..mechanisms.baselines import MaximumObservedSensitivity
from ..mechanisms.noisy_stats import NoisyStats
from ..mechanisms.theil_sen import DPExpTheilSen, DPWideTheilSen
from ..privacy import Budget
from ..sources.samples import load_uci
from ..sources.tracts import ILLINOIS, NORTH_CAROLINA, StateModel, simulate_tracts
from ..support.run import Run, stream
from ..text.phrases import format_amount, format_share, listed
from . import pictures
from .figure import (
    HYPERPARAMETERS,
    PRIVATE,
    THETA,
    WITH_OI,
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
from .pictures import EXACT

BATCH, FAILURE_BATCH = 24, 100  # areas in one part of the work
COLUMNS = ["panel", "group", "n", "nvar", "mechanism", "c68", "standard_error", "ratio", "failure_rate", "exact"]
OI = MaximumObservedSensitivity.__name__
PURE = tuple(algorithm.__name__ for algorithm in PRIVATE if algorithm().guarantee(1.0).pure)
EPSILONS = tuple(2.0**power for power in range(-7, 4))  # 2^-7 to 8
LOW, HIGH = "small n var(x)", "large n var(x)"
FAILING = pictures.axis("share of releases without an answer", (0.0, 0.6), format=".0%")


@cache
def bikes() -> Mapping[str, Dataset]:
    """The 288 bike share data sets by month and hour; DataUnavailable where they cannot be had."""
    return split_groups(load_uci("bikes").frame).datasets


@cache
def tracts(state: StateModel, seed: int) -> Mapping[str, Dataset]:
    """The people of all tracts of a simulated state."""
    return split_groups(simulate_tracts(state=state, rng=stream(seed, "tracts", state.name))).datasets


# Errors.


class Areas(NamedTuple):
    """A batch of areas of one panel, and what is run on them; the errors are measured at x = 1/4."""

    panel: str
    datasets: Mapping[str, Dataset]
    mechanisms: tuple[Mechanism, ...]
    budget: Budget
    run: Run


def measure(task: Areas) -> pd.DataFrame:
    """One row for each area and algorithm."""
    rows = pd.concat(measured_groups(task.datasets, task.mechanisms, task.budget, task.run), ignore_index=True)
    return rows[rows["at"] == task.budget.at[0]].assign(panel=task.panel)[COLUMNS].reset_index(drop=True)


def _batches(
    panel: str, datasets: Mapping[str, Dataset], algorithms: tuple[type[Mechanism], ...], settings: Settings
) -> Iterator[Areas]:
    """All areas, or evenly spread ones where fewer are wanted; an algorithm that looks at all areas looks at all."""
    budget, run = Budget(settings["epsilon"]), Run(settings.amount.trials, settings.seed)
    informed = tuple(m.informed_by(list(datasets.values()), budget.at) for m in chosen(algorithms, settings))
    labels, wanted = list(datasets), settings.amount.datasets or len(datasets)
    spread = np.unique(np.linspace(0, len(labels) - 1, min(wanted, len(labels))).astype(int)).tolist()
    for start in range(0, len(spread), BATCH):
        batch = {labels[number]: datasets[labels[number]] for number in spread[start : start + BATCH]}
        yield Areas(panel, batch, informed, budget, run)


def _tract_tasks(settings: Settings) -> list[Areas]:
    states = (ILLINOIS, NORTH_CAROLINA)
    return [task for s in states for task in _batches(s.name, tracts(s, settings.seed), WITH_OI, settings)]


def _bike_tasks(settings: Settings, algorithms: tuple[type[Mechanism], ...]) -> list[Areas]:
    return list(_batches("Bike share", bikes(), algorithms, settings))


def _in_order(frame: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    return frame.sort_values(["panel", "standard_error"], kind="stable", ignore_index=True)


def _cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """The share of areas up to each error, a panel for each source."""
    x = pictures.axis("C(68) / standard error", (0.01, 1000.0), log=True)
    y = pictures.axis("share of data sets", (0.0, 1.0), format=".0%")
    return {
        str(panel): pictures.curves(
            ratio_curves(rows).set_axis(["algorithm", "x", "y"], axis=1), x, y, rule("x", x, 1.0), step=True
        )
        for panel, rows in frame.groupby("panel", sort=False)
    }


def _sorted_dots(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """C(68) of each data set, in order of the standard errors."""
    order = frame.drop_duplicates("group").sort_values("standard_error", ignore_index=True)
    rank = {group: number for number, group in enumerate(order["group"], 1)}
    errors = pd.DataFrame({"algorithm": "standard error", "x": order.index + 1, "y": order["standard_error"]})
    drawn = pd.DataFrame({"algorithm": frame["mechanism"], "x": frame["group"].map(rank), "y": frame["c68"]})
    low, high = np.nanquantile(frame["c68"][np.isfinite(frame["c68"])], [0, 1])
    ends = float(min(low, order["standard_error"].min()) / 1.2), float(high * 1.2)
    x = pictures.axis("data sets by standard error, smallest to largest", (0.0, len(rank) + 1.0))
    dots = pd.concat([errors, drawn], ignore_index=True)
    return {"Bike share": pictures.dots(dots, x, pictures.axis("C(68)", ends, log=True))}


def below_one(rows: pd.DataFrame) -> pd.Series:
    """By algorithm the share of areas with a sampling error in which C(68) is below it, the largest first."""
    usable = rows[rows["standard_error"] > 0]
    return (usable["ratio"] < 1).groupby(usable["mechanism"]).mean().sort_values(ascending=False)


def _bikes_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    shares = below_one(frame)
    share, first = float(shares["DPExpTheilSen"]), str(shares.index[0])
    leads = first == "DPExpTheilSen"
    best = "the most of all" if leads else f"and {first}'s in {format_share(float(shares.iloc[0]))}"
    return agreement(
        f"DPExpTheilSen's noise is below the standard error in {format_share(share)} of the "
        f"{frame['group'].nunique()} data sets, {best}.",
        share > 0.5,
        leads,
    )


def _tracts_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """Whether DPExpTheilSen beats the OI method in most tracts, and whether it is the best of the pure algorithms."""
    wins: dict[str, float] = {}
    led: dict[str, list[str]] = {}
    for state, rows in frame.groupby("panel", sort=False):
        errors = rows.pivot(index="group", columns="mechanism", values="c68")
        wins[str(state)] = float((errors["DPExpTheilSen"] < errors[OI]).mean())
        medians = rows.groupby("mechanism")["ratio"].median()[list(PURE)].sort_values()
        led.setdefault(str(medians.index[0]), []).append(str(state))
    shares = listed(f"{format_share(share)} of the tracts of {state}" for state, share in wins.items())
    leaders = listed(f"{name} has the smallest median error in {listed(states)}" for name, states in led.items())
    return agreement(
        f"DPExpTheilSen has less noise than the OI method in {shares}. "
        f"Of the ε-differentially private algorithms {leaders}.",
        min(wins.values()) > 0.5,
        list(led) == ["DPExpTheilSen"],
    )


def _widening_agrees(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """The gain by widening where standard errors are smallest, and elsewhere."""
    errors = frame.pivot(index="group", columns="mechanism", values="c68")
    order = frame.drop_duplicates("group").set_index("group")["standard_error"].sort_values().index
    few = max(1, len(order) // 20)
    gain = (errors["DPExpTheilSen"] / errors["DPWideTheilSen"])[order]
    small, others = float(gain.iloc[:few].median()), float(gain.iloc[few:].median())
    return agreement(
        f"in the {few} data sets with the smallest standard errors the median factor between the errors of "
        f"DPExpTheilSen and DPWideTheilSen is {format_amount(small, 2)}; in the others it is "
        f"{format_amount(others, 2)}.",
        small > 2 and small > others,
    )


TRACTS = Figure(
    "tracts", "Figure 6", "Error over census tracts, ε = 16",
    "Private algorithms, above all DPExpTheilSen, have less noise than the method of Opportunity Insights (OI).",
    _tract_tasks, measure, _cdfs, _tracts_agree,
    (epsilon(16.0), *span(-0.5, 1.5), *HYPERPARAMETERS),
    quick=Amount(240, 100), full=Amount(0, 100), finish=_in_order,
    note="The paper's people are simulated by Opportunity Insights; ours are drawn by the same recipe, from models of "
    "both states that are fitted to public figures. The OI method's scale is read off all tracts.",
)  # fmt: skip
BIKES = Figure(
    "bikes", "Figure 7", "Error over 288 bike share data sets, ε = 10",
    "The noise is below the standard error in most data sets, above all with DPExpTheilSen.",
    partial(_bike_tasks, algorithms=PRIVATE), measure, _cdfs, _bikes_agree,
    (epsilon(10.0), *span(-0.5, 1.5), *HYPERPARAMETERS),
    finish=_in_order,
)  # fmt: skip
BIKES_BY_ERROR = Figure(
    "bikes-widened", "Figure 12", "DPExpTheilSen and DPWideTheilSen by standard error, ε = 2",
    "Widening can be far more accurate where the standard error is small.",
    partial(_bike_tasks, algorithms=(DPExpTheilSen, DPWideTheilSen)), measure, _sorted_dots, _widening_agrees,
    (epsilon(2.0), *span(-0.5, 1.5), THETA),
    finish=_in_order,
)  # fmt: skip


# Failures.


class Failures(NamedTuple):
    """A data set in which releases are counted at each epsilon."""

    panel: str
    group: str
    data: Dataset
    epsilons: tuple[float, ...]
    trials: int
    seed: int


def data_with(n: int, nvar: float) -> Dataset:
    """n records with this n var(x), x at two places about 1/2: failure depends on nothing else.

    ValueError where nvar is more than n records in the unit interval can have.
    """
    upper = n // 2
    apart = np.sqrt(nvar / (upper * (n - upper) / n))
    x = 0.5 + apart * np.where(np.arange(n) < upper, 0.5, -0.5)
    return Dataset(x, np.full(n, 0.5))


def count_failures(tasks: tuple[Failures, ...]) -> pd.DataFrame:
    """A row per data set and epsilon: the share of trials without an answer, and its exact probability."""
    rows = []
    for panel, group, data, epsilons, trials, seed in tasks:
        for budget in epsilons:
            rng = stream(seed, "failures", group, data.digest, budget)
            nvar = NoisyStats().release_statistics(data, budget, trials, rng=rng).nvar
            law = NoisyStats().law(data, budget, 0.25)[0]
            exact = law.failure if law is not None else np.nan
            rows.append((panel, group, data.n, data.nvar, budget, float(np.mean(nvar <= 0)), exact))
    return pd.DataFrame(rows, columns=["panel", "group", "n", "nvar", "epsilon", "failed", "exact"])


def _two_tasks(settings: Settings, state: str) -> list[tuple[Failures, ...]]:
    """One tract with a small n var(x) and one with a large one."""
    sizes = ((LOW, "n_low", "nvar_low"), (HIGH, "n_high", "nvar_high"))
    trials, seed = settings.amount.trials, settings.seed
    return [
        (Failures(f"{state}: {name}", name, data_with(settings.whole(n), settings[nvar]), EPSILONS, trials, seed),)
        for name, n, nvar in sizes
    ]


def _all_tasks(settings: Settings) -> list[tuple[Failures, ...]]:
    shared = (settings["epsilon"],), settings.amount.trials, settings.seed
    tasks = [Failures(ILLINOIS.name, label, data, *shared) for label, data in tracts(ILLINOIS, settings.seed).items()]
    return [tuple(tasks[start : start + FAILURE_BATCH]) for start in range(0, len(tasks), FAILURE_BATCH)]


def _rates(x: pd.Series, rows: pd.DataFrame) -> pd.DataFrame:
    """The counted and the exact rates over x: algorithm, x, y."""
    rates = (("NoisyStats", "failed"), (EXACT, "exact"))
    parts = [pd.DataFrame({"algorithm": name, "x": x, "y": rows[column]}) for name, column in rates]
    return pd.concat(parts, ignore_index=True)


def _by_epsilon(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """The counted and the exact rate against epsilon, a panel per tract."""
    x = pictures.axis("ε", (EPSILONS[0], EPSILONS[-1]), log=True)
    panels = frame.groupby("panel", sort=False)
    return {str(panel): pictures.curves(_rates(rows["epsilon"], rows), x, FAILING) for panel, rows in panels}


def _over_tracts(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """The counted rate of each tract against epsilon n var(x), on the exact one."""
    product = frame["epsilon"] * frame["nvar"]
    x = pictures.axis("ε n var(x)", (float(product.min()) / 1.1, float(product.max()) * 1.1), log=True)
    some = _rates(product, frame).iloc[:: 1 + len(frame) // 2000]
    return {ILLINOIS.name: pictures.dots(some, x, FAILING, size=16)}


def _two_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """Whether it is about 40% at any epsilon where n var(x) is small, and below 5% on average where it is large."""
    low, high = (frame[frame["group"] == name] for name in (LOW, HIGH))
    mean = float(high["failed"].mean())
    return agreement(
        f"with a small n var(x) {format_share(float(low['exact'].min()))} to {format_share(float(low['exact'].max()))} "
        f"of the releases fail, with a large one {format_share(mean)} on average over the powers of two, and "
        f"{format_share(float(high['failed'].iloc[-1]))} at ε = 8.",
        bool((low["exact"] - 0.4).abs().max() < 0.05),
        mean < 0.05,
    )


def _all_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    none, worst = float((frame["failed"] == 0).mean()), frame.loc[frame["failed"].idxmax()]
    return agreement(
        f"no release fails in {format_share(none)} of the {len(frame):,} tracts; in the worst tract "
        f"{format_share(float(worst['failed']))} fail, where the exact rate is {format_share(float(worst['exact']))} "
        f"at n var(x) = {format_amount(float(worst['nvar']))}.",
        none > 0.5,
        float(worst["failed"]) <= 0.12,
    )


def _two(name: str, number: str, state: str, n_high: int, nvar_high: float) -> Figure:
    return Figure(
        name,
        number,
        f"Failure rate of NoisyStats by ε in two tracts of {state}",
        "About 40% of the releases fail at any ε where n var(x) is small; below 5% on average where it is large.",
        partial(_two_tasks, state=state), count_failures, _by_epsilon, _two_agree,
        (Parameter("n_low", "records, small", 39, 4, 1000), Parameter("nvar_low", "n var(x), small", 0.0245, 0.0, 10.0),
         Parameter("n_high", "records, large", n_high, 4, 10_000),
         Parameter("nvar_high", "n var(x), large", nvar_high, 0.0, 2500.0)),
        quick=Amount(2, 1000), full=Amount(2, 10_000),
        note="Failure depends on n and n var(x) alone, which the paper prints; so do these figures.",
    )  # fmt: skip


ILLINOIS_FAILURES = _two("failures-illinois", "Figure 13", "Illinois", 381, 28.002)
CAROLINA_FAILURES = _two("failures-north-carolina", "Figure 14", "North Carolina", 433, 31.154)
ALL_FAILURES = Figure(
    "failures-all-tracts", "Figure 15", "Failure rate of NoisyStats over all tracts of Illinois, ε = 8",
    "No release fails in most tracts; at most 12% do where n var(x) is small.",
    _all_tasks, count_failures, _over_tracts, _all_agree,
    (epsilon(8.0),),
    note="Tracts are simulated by the paper's recipe. The paper runs 100 trials in each.",
)  # fmt: skip
