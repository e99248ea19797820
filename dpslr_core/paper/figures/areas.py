"""Figures over many small data sets: census tracts of two states, and bike share by month and hour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...charts.paper.look import Curves, Dots, Look, Panel, Scale
from ...dataset import Dataset
from ...experiments.areas import measured_groups
from ...experiments.curves import ratio_curves
from ...mechanisms.base import Mechanism
from ...mechanisms.observed_sensitivity import MaximumObservedSensitivity
from ...mechanisms.theil_sen.exponential import DPExpTheilSen, DPWideTheilSen
from ...sources.tract_models import ILLINOIS, NORTH_CAROLINA
from ...support.run import Budget, Run
from ...text.phrases import format_amount, format_share, listed
from .compared import HYPERPARAMETERS, PRIVATE, THETA, WITH_OI, chosen, epsilon, span
from .data import bikes, tracts
from .figure import Agreement, Amount, Figure, Settings, agreement

BATCH = 24
KEPT = ["panel", "group", "n", "nvar", "mechanism", "c68", "standard_error", "ratio", "failure_rate", "exact"]
OI = MaximumObservedSensitivity.__name__
PURE = tuple(algorithm.__name__ for algorithm in PRIVATE if algorithm().guarantee(1.0).pure)


class Areas(NamedTuple):
    """A batch of areas of one panel, and what is run on them; the errors are measured at x = 1/4."""

    panel: str
    datasets: Mapping[str, Dataset]
    mechanisms: tuple[Mechanism, ...]
    budget: Budget
    run: Run


def measure(task: Areas) -> pd.DataFrame:
    """One row for each area and algorithm."""
    parts = list(measured_groups(task.datasets, task.mechanisms, task.budget, task.run))
    rows = pd.concat(parts, ignore_index=True)
    return rows[rows["at"] == task.budget.at[0]].assign(panel=task.panel)[KEPT].reset_index(drop=True)


def _batches(
    panel: str, datasets: Mapping[str, Dataset], mechanisms: Sequence[Mechanism], settings: Settings
) -> Iterator[Areas]:
    """All areas, or evenly spread ones where fewer are wanted; who looks at all areas looks at all."""
    budget, run = Budget(settings["epsilon"]), Run(settings.amount.trials, settings.seed)
    informed = tuple(m.informed_by(list(datasets.values()), budget.at) for m in mechanisms)
    labels, wanted = list(datasets), settings.amount.datasets or len(datasets)
    places = np.unique(np.linspace(0, len(labels) - 1, min(wanted, len(labels))).astype(int))
    for start in range(0, places.size, BATCH):
        batch = {labels[place]: datasets[labels[place]] for place in places[start : start + BATCH].tolist()}
        yield Areas(panel, batch, informed, budget, run)


def _bike_tasks(settings: Settings) -> list[Areas]:
    return list(_batches("Bike share", bikes(), chosen(PRIVATE, settings), settings))


def _tract_tasks(settings: Settings) -> list[Areas]:
    mechanisms = chosen(WITH_OI, settings)
    return [
        batch
        for state in (ILLINOIS, NORTH_CAROLINA)
        for batch in _batches(state.name, tracts(state, settings.seed), mechanisms, settings)
    ]


def _widening_tasks(settings: Settings) -> list[Areas]:
    return list(_batches("Bike share", bikes(), chosen((DPExpTheilSen, DPWideTheilSen), settings), settings))


def _cdfs(frame: pd.DataFrame, settings: Settings) -> dict[str, Panel]:
    """The share of areas with at most so much error, a panel for each source."""
    x = Scale("C(68) / standard error", (0.01, 1000.0), log=True)
    look = Look(x, Scale("share of data sets", (0.0, 1.0), format=".0%"), at_x=1, step=True)
    return {
        str(panel): Curves(ratio_curves(rows).set_axis(["algorithm", "x", "y"], axis=1), look)
        for panel, rows in frame.groupby("panel", sort=False)
    }


def _sorted_dots(frame: pd.DataFrame, settings: Settings) -> dict[str, Panel]:
    """C(68) of each data set, in order of the standard errors."""
    order = frame.drop_duplicates("group").sort_values("standard_error", ignore_index=True)
    place = {group: number for number, group in enumerate(order["group"], 1)}
    drawn = pd.DataFrame({"algorithm": frame["mechanism"], "x": frame["group"].map(place), "y": frame["c68"]})
    errors = pd.DataFrame({"algorithm": "standard error", "x": order.index + 1, "y": order["standard_error"]})
    low, high = np.nanquantile(frame["c68"][np.isfinite(frame["c68"])], [0, 1])
    ends = float(min(low, order["standard_error"].min()) / 1.2), float(high * 1.2)
    look = Look(
        Scale("data sets by standard error, smallest to largest", (0.0, len(place) + 1.0)), Scale("C(68)", ends, True)
    )
    return {"Bike share": Dots(pd.concat([errors, drawn], ignore_index=True), look)}


def below_one(rows: pd.DataFrame) -> pd.Series:
    """By algorithm the share of areas with a sampling error in which C(68) is below it, the largest first."""
    usable = rows[rows["standard_error"] > 0]
    return (usable["ratio"] < 1).groupby(usable["mechanism"]).mean().sort_values(ascending=False)


def _bikes_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    shares = below_one(frame)
    mine, first = float(shares["DPExpTheilSen"]), str(shares.index[0])
    leads = first == "DPExpTheilSen"
    best = "the most of all" if leads else f"and {first}'s in {format_share(float(shares.iloc[0]))}"
    return agreement(
        f"DPExpTheilSen's noise is below the standard error in {format_share(mine)} of the "
        f"{frame['group'].nunique()} data sets, {best}.",
        mine > 0.5,
        leads,
    )


def _tracts_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """Whether DPExpTheilSen beats the OI method in most tracts, and whether it is the best of the pure algorithms."""
    wins, leads, told = [], [], []
    best: dict[str, list[str]] = {}
    for state, rows in frame.groupby("panel", sort=False):
        errors = rows.pivot(index="group", columns="mechanism", values="c68")
        wins.append(float((errors["DPExpTheilSen"] < errors[OI]).mean()))
        medians = rows.groupby("mechanism")["ratio"].median()[list(PURE)].sort_values()
        leads.append(medians.index[0] == "DPExpTheilSen")
        told.append(f"{format_share(wins[-1])} of the tracts of {state}")
        best.setdefault(str(medians.index[0]), []).append(str(state))
    leaders = (f"{name} has the smallest median error in {listed(states)}" for name, states in best.items())
    return agreement(
        f"DPExpTheilSen has less noise than the OI method in {listed(told)}. "
        f"Of the ε-differentially private algorithms {listed(leaders)}.",
        min(wins) > 0.5,
        all(leads),
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


def _first_columns(frame: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    return frame.sort_values(["panel", "standard_error"], kind="stable", ignore_index=True)


TRACTS = Figure(
    "tracts",
    "Figure 6",
    "Error over census tracts, ε = 16",
    "Private algorithms, above all DPExpTheilSen, have less noise than the method of Opportunity Insights (OI).",
    _tract_tasks, measure, _cdfs, _tracts_agree,
    (epsilon(16.0), *span(-0.5, 1.5), *HYPERPARAMETERS),
    quick=Amount(240, 100), full=Amount(0, 100), finish=_first_columns,
    note="The paper's people are simulated by Opportunity Insights; ours are drawn by the same recipe, from models of "
    "both states that are fitted to public figures. The OI method's scale is read off all tracts.",
)  # fmt: skip
BIKES = Figure(
    "bikes",
    "Figure 7",
    "Error over 288 bike share data sets, ε = 10",
    "The noise is below the standard error in most data sets, above all with DPExpTheilSen.",
    _bike_tasks, measure, _cdfs, _bikes_agree,
    (epsilon(10.0), *span(-0.5, 1.5), *HYPERPARAMETERS),
    finish=_first_columns,
)  # fmt: skip
BIKES_BY_ERROR = Figure(
    "bikes-widened",
    "Figure 12",
    "DPExpTheilSen and DPWideTheilSen by standard error, ε = 2",
    "Widening can be far more accurate where the standard error is small.",
    _widening_tasks, measure, _sorted_dots, _widening_agrees,
    (epsilon(2.0), *span(-0.5, 1.5), THETA),
    finish=_first_columns,
)  # fmt: skip
