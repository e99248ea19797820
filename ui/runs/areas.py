"""Measuring all areas of grouped data: chunk after chunk, each kept, so that a click interrupts and loses nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.areas import AREA_TRIALS, Groups, measured_groups, split_groups
from dpslr_core.experiments.ranking import candidates
from dpslr_core.guidance.area_epsilons import passing_epsilons, sought_mechanisms
from dpslr_core.mechanisms import Mechanism, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.report.scripts import areas_command
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.support.run import Run, stream

from .. import work
from ..cache import kept, kept_by_origin, key_of
from ..settings import View
from ..work import Work

CHUNK = 48  # areas measured between two looks at what the user does, on one core: half a second or so
FEW = 8  # areas whose epsilons are sought between two looks, on one core: about as long
PARTS = 100  # into which the areas are split at most where their epsilons are sought
MANY = 200  # areas from which all cores are used, each with a chunk of its own: handing one out takes 40 ms


def area_trials(view: View) -> int:
    """Trials per area: the sidebar's, but no more than a page over thousands of areas can wait for."""
    return min(view.scenario.trials, AREA_TRIALS)


def stages(view: View) -> list[tuple[Mechanism, ...]]:
    """The algorithms among which the best is sought, in the order in which they are measured: exact laws first.

    Those that no other one promises more than, as a rule the pure ones; all private ones where there are none.
    """
    sought = candidates(view.scenario.admitted, view.scenario.budget)
    quick = tuple(m for m in sought if _law_alone(view, m))
    slow = tuple(m for m in sought if m not in quick)
    return [stage for stage in (quick, slow) if stage]


def measured_at(view: View, at: float, mechanisms: tuple[Mechanism, ...]) -> pd.DataFrame:
    """The rows of by_group at this point, of these algorithms; with progress."""
    s = view.scenario
    informed = _informed(view.grouped, s.at, mechanisms)
    alone = all(_law_alone(view, mechanism) for mechanism in mechanisms)
    budget = budget_at(view, at) if alone else s.budget
    what = ", ".join(mechanism.name for mechanism in mechanisms)
    private, run = not view.grouped.reproducible, _run(view)
    parts = [_chunk(private, view.grouped, places, informed, budget, run, alone) for places in progress(view, what)]
    rows = pd.concat(parts, ignore_index=True)
    return rows[rows["at"] == at]


def budget_at(view: View, at: float) -> Budget:
    """The scenario's budget, this point first."""
    budget = view.scenario.budget
    return replace(budget, at=(at, *(point for point in budget.at if point != at)))


def _law_alone(view: View, mechanism: Mechanism) -> bool:
    """Whether a mechanism has an exact law that depends on one area alone: it may look at others if not private."""
    s = view.scenario
    return mechanism.guarantee(s.epsilon).private and mechanism.law(view.data, s.epsilon, s.at)[0] is not None


def epsilons_at(view: View, at: float) -> pd.DataFrame:
    """passing_epsilons of all areas at this point, whatever the scenario's own epsilon."""
    s, count = view.scenario, len(groups_of(view.grouped).datasets)
    sought, cores = sought_mechanisms(s.compared, s.accounting), _cores(count)
    budget, private = replace(budget_at(view, at), epsilon=1.0), not view.grouped.reproducible
    size = max(FEW * cores, -(-count // PARTS))
    places = progress(view, "ε at which each area passes", size)
    return pd.concat([_passing(private, view.grouped, each, sought, budget, cores) for each in places])


@kept_by_origin(2 * PARTS)
def _passing(
    grouped: GroupedData, places: tuple[int, int], mechanisms: tuple[Mechanism, ...], budget: Budget, workers: int
) -> pd.DataFrame:
    """passing_epsilons of the areas at these places."""
    return passing_epsilons(between(grouped, places), mechanisms, budget, workers)


def between(grouped: GroupedData, places: tuple[int, int]) -> dict[str, Dataset]:
    """The data sets at these places."""
    return dict(list(groups_of(grouped).datasets.items())[slice(*places)])


def progress(view: View, what: str, size: int | None = None) -> Iterator[tuple[int, int]]:
    """The first and the last place of each chunk of areas, and a bar that says how far it is. size: of a chunk."""
    count = len(groups_of(view.grouped).datasets)
    chunk = size or CHUNK * _cores(count)
    places = [(start, start + chunk) for start in range(0, count, chunk)]
    return work.progress(places, _work(view), lambda place: f"{what}: {place[0]:,} of {count:,} areas")


def _work(view: View) -> Work:
    s = view.scenario
    return Work(
        f"areas {key_of((view.grouped, s.at, area_trials(view)))}",
        "the areas, the trials or the points x_new, or choose fewer algorithms",
        command=areas_command(view, s.at[0]),
        scenario=s,
    )


def _run(view: View) -> Run:
    return Run(area_trials(view), view.scenario.seed, _cores(len(groups_of(view.grouped).datasets)))


def _cores(areas: int) -> int:
    return (os.cpu_count() or 1) if areas >= MANY else 1


@kept(4)
def groups_of(grouped: GroupedData) -> Groups:
    """The data sets of grouped data, and the groups that could not be used."""
    return split_groups(grouped.frame)


@kept(8)
def _informed(grouped: GroupedData, at: tuple[float, ...], mechanisms: tuple[Mechanism, ...]) -> tuple[Mechanism, ...]:
    datasets = list(groups_of(grouped).datasets.values())
    return tuple(mechanism.informed_by(datasets, at) for mechanism in mechanisms)


@kept_by_origin(300)
def _chunk(
    grouped: GroupedData,
    places: tuple[int, int],
    mechanisms: tuple[Mechanism, ...],
    budget: Budget,
    run: Run,
    first_point_only: bool,
) -> pd.DataFrame:
    """The rows of the areas at these places."""
    measured = measured_groups(between(grouped, places), mechanisms, budget, run, first_point_only=first_point_only)
    return pd.concat(list(measured), ignore_index=True)


def failure_dots(view: View, datasets: Mapping[str, Dataset]) -> pd.DataFrame:
    """The share of NoisyStats' releases that failed in each of these areas: group, epsilon_nvar, rate."""
    epsilon = view.scenario.epsilon
    return pd.DataFrame(
        [
            (label, epsilon * data.nvar, _failed(data, epsilon, area_trials(view), view.scenario.seed))
            for label, data in datasets.items()
        ],
        columns=["group", "epsilon_nvar", "rate"],
    )


@kept(20_000)
def _failed(data: Dataset, epsilon: float, trials: int, seed: int) -> float:
    rng = stream(seed, data.digest, "failures", epsilon)
    return float(np.mean(NoisyStats().release_statistics(data, epsilon, trials, rng=rng).nvar <= 0))
