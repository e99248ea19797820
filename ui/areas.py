"""The Small areas page: all areas measured chunk after chunk, its picture, the views below it, the way to Compare."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts import areas as charts
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.areas import (
    AREA_TRIALS,
    Groups,
    best_by_area,
    measured_groups,
    split_groups,
)
from dpslr_core.experiments.ranking import candidates, ranked_shares
from dpslr_core.guidance.area_epsilons import (
    Question,
    best_with_epsilons,
    line_of,
    passing_epsilons,
    sought_mechanisms,
)
from dpslr_core.guidance.decision import MANY, SAMPLE, TARGET, Decision, areas_at_random
from dpslr_core.guidance.required_values import EPSILONS
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.report.scripts import areas_command
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.support.run import Run
from dpslr_core.text import areas as text
from dpslr_core.text.phrases import in_full, joined

from . import show, takeaway, work
from .cache import kept, kept_by_origin, key_of
from .guidance import GUESSED
from .link import OPEN_GROUP
from .plain import plain
from .settings import View, point_labels, unit_of

CHUNK = 72  # areas that are measured and kept at a time at most, on one core: half a second or so
FEW = 8  # areas whose epsilons are sought at a time, on one core: about as long
ON_ALL_CORES = 100  # areas from which all cores are used, each with a chunk of its own: handing one out takes 40 ms
FAILING, GUESSES = "Areas that fail", "On public guesses"  # the first view; the switch
USUAL: dict[str, Any] = {
    "area_guesses": False, "all_areas": False, "target": f"{TARGET:.0%}", "area_details": FAILING,
}  # fmt: skip
REDUCE = "the areas, the trials or the points x_new, or choose fewer algorithms"


@dataclass(frozen=True)
class Areas:
    """What the page asks: the view, and the point that is looked at.

    every: whether all areas are measured; else a random sample where there are many.
    """

    view: View
    at: float
    every: bool = False

    @cached_property
    def groups(self) -> Groups:
        """The data sets by area, and the groups that could not be used."""
        return groups_of(self.view.grouped)

    @property
    def count(self) -> int:
        """Number of areas that are measured."""
        usable = len(self.groups.datasets)
        return usable if self.every or usable <= MANY else SAMPLE

    @property
    def trials(self) -> int:
        """Trials per area: the sidebar's, but no more than a page over thousands of areas can wait for."""
        return min(self.view.scenario.trials, AREA_TRIALS)

    @property
    def cores(self) -> int:
        """Number of processes that measure."""
        return (os.cpu_count() or 1) if self.count >= ON_ALL_CORES else 1

    @property
    def budget(self) -> Budget:
        """The scenario's budget, this point first."""
        budget = self.view.scenario.budget
        return replace(budget, at=(self.at, *(point for point in budget.at if point != self.at)))

    def stages(self) -> list[tuple[Mechanism, ...]]:
        """The algorithms among which the best is sought, in the order in which they are measured: exact laws first.

        Those that no other one promises more than, as a rule the pure ones; all private ones where there are none.
        """
        s = self.view.scenario
        sought = candidates(s.admitted, s.budget)
        quick = tuple(mechanism for mechanism in sought if self._law_alone(mechanism))
        slow = tuple(mechanism for mechanism in sought if mechanism not in quick)
        return [stage for stage in (quick, slow) if stage]

    def _law_alone(self, mechanism: Mechanism) -> bool:
        """Whether it has an exact law that depends on one area alone: it may look at others if not private."""
        s = self.view.scenario
        return (
            mechanism.guarantee(s.epsilon).private
            and mechanism.law(self.view.data, s.epsilon, s.at)[0] is not None
        )

    def measured(self, mechanisms: tuple[Mechanism, ...]) -> pd.DataFrame:
        """The rows of by_group at this point, of these algorithms; with progress."""
        s, informed = (
            self.view.scenario,
            _informed(self.view.grouped, self.view.scenario.at, mechanisms),
        )
        alone = all(self._law_alone(mechanism) for mechanism in mechanisms)
        budget, run = self.budget if alone else s.budget, Run(self.trials, s.seed, self.cores)
        names = ", ".join(mechanism.name for mechanism in mechanisms)
        rows = self.by_chunk(names, CHUNK, _measured, informed, budget, run, alone)
        return rows[rows["at"] == self.at].reset_index(drop=True)

    def epsilons(
        self,
        question: Question = "prediction",
        only: Collection[str] = (),
    ) -> pd.DataFrame:
        """Return the rows of passing_epsilons, whatever the scenario's own epsilon.

        Parameters
        ----------
        question : Question, optional
            What is published; the prediction is at this point. All parts of the line are kept one by one.
        only : collection of str, optional
            Names of the algorithms; none: all that are sought.
        """
        s = self.view.scenario
        if question == "line":
            points = [replace(self, at=point).epsilons(only=only) for point in s.at]
            parts = [*points, self.epsilons("slope", only=only)]
            reached = set.intersection(*({*part["group"]} for part in parts))
            return line_of(
                [part[part["group"].isin(reached)].reset_index(drop=True) for part in parts]
            )
        budget = replace(s.budget if question == "slope" else self.budget, epsilon=1.0)
        sought = tuple(
            m for m in sought_mechanisms(s.compared, s.accounting) if not only or m.name in only
        )
        search = partial(passing_epsilons, question=question)
        return self.by_chunk("ε at which each area passes", FEW, search, sought, budget, self.cores)

    @property
    def asked(self) -> work.Work:
        """What is measured in the areas."""
        s = self.view.scenario
        named = f"areas {key_of((self.view.grouped, s.at, self.trials))}"
        return work.Work(named, REDUCE, command=areas_command(self.view, s.at[0]), scenario=s)

    def by_chunk(
        self, what: str, size: int, rows: Callable[..., pd.DataFrame], *rest: Any
    ) -> pd.DataFrame:
        """Return rows(data sets by area, *rest) of the areas that are reached in time, by label; with a bar.

        Where these are not all that are asked for, a button goes on; they are a random sample all the same.

        Parameters
        ----------
        what : str
            What is computed, in words.
        size : int
            Areas of a chunk on each core. No chunk begins in the sample and ends beyond it.
        rows : callable
            Computes the rows of a chunk.
        *rest
            Further arguments of `rows`.
        """
        where, count, private = st.empty(), self.count, not self.view.grouped.reproducible
        step = size * self.cores
        edges = [*range(0, min(SAMPLE, count), step), *range(SAMPLE, count, step), count]
        chunks = work.progress(
            list(pairwise(edges)),
            self.asked,
            lambda chunk: f"{what}: {chunk[0]:,} of {count:,} areas",
            partial=True,
        )
        parts, reached = [], 0
        for start, reached in chunks:
            parts.append(_of_chunk(private, rows, self.view.grouped, start, reached, rest))
        run = work.current_run()
        if reached < count and not run.offered:
            run.offered = True
            seconds = run.left or work.AT_ONCE
            work.offer(where, self.asked, seconds, text.reached_sentence(reached, count, seconds))
        return pd.concat(parts).sort_values("group", kind="stable", ignore_index=True)


@kept(4)
def groups_of(grouped: GroupedData) -> Groups:
    return split_groups(grouped.frame)


@kept(4)
def _at_random(grouped: GroupedData) -> dict[str, Dataset]:
    """The data sets in the order in which they are measured: any of its beginnings is a random sample."""
    datasets = groups_of(grouped).datasets
    return {label: datasets[label] for label in areas_at_random(datasets)}


@kept(8)
def _informed(
    grouped: GroupedData, at: tuple[float, ...], mechanisms: tuple[Mechanism, ...]
) -> tuple[Mechanism, ...]:
    datasets = list(groups_of(grouped).datasets.values())
    return tuple(mechanism.informed_by(datasets, at) for mechanism in mechanisms)


@kept_by_origin(800)
def _of_chunk(
    rows: Callable[..., pd.DataFrame],
    grouped: GroupedData,
    start: int,
    end: int,
    rest: tuple[Any, ...],
) -> pd.DataFrame:
    return rows(dict(list(_at_random(grouped).items())[start:end]), *rest)


def _measured(
    datasets: dict[str, Dataset],
    mechanisms: tuple[Mechanism, ...],
    budget: Budget,
    run: Run,
    first_only: bool,
) -> pd.DataFrame:
    return pd.concat(
        measured_groups(datasets, mechanisms, budget, run, first_point_only=first_only),
        ignore_index=True,
    )


@dataclass
class Answered:
    """What all views draw from: areas, and the decision (None where no private algorithm is chosen)."""

    areas: Areas
    decided: Decision | None

    @cached_property
    def measured(self) -> pd.DataFrame:
        """Rows of by_group at the point, of the algorithms among which the best is sought."""
        return pd.concat([pd.DataFrame(), *map(self.areas.measured, self.areas.stages())])

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """Shares of the areas that pass, by algorithm."""
        s = self.areas.view.scenario
        return ranked_shares(self.measured, s.admitted, s.epsilon, s.accounting)

    @property
    def without_laws(self) -> str:
        """Answer where no algorithm has an exact law, by trials; or that no private one is chosen."""
        if not self.areas.stages():
            return "No differentially private algorithm is chosen. Choose at least one under More settings."
        return joined(text.headline(self.ranked, self.areas.count), text.notes(self.ranked))

    def ratios(self) -> None:
        """Draw how many areas have at most which error, where there is a sampling error."""
        if self.areas.stages() and (self.measured["standard_error"] > 0).any():
            names = text.beside_each_other(self.ranked)
            drawn = charts.area_counts(self.measured, names)
            show.vega(drawn, text.picture_sentence(self.measured, names), "areas")


BELOW, RATIO, FAILS = "areas that pass", "median C(68) / standard error", "mean failure rate"
COLUMNS = {BELOW: show.PERCENT, FAILS: show.PERCENT}
_NAMES = {"mechanism": "algorithm", "below": BELOW, "median_ratio": RATIO, "failure_rate": FAILS}
PASSES_FROM, PASSES_WITH = "smallest ε that passes", "with"


def all_areas(answered: Answered) -> None:
    """Draw a row per area: whether it passes, from which epsilon on and with which algorithm; the way to Compare."""
    areas, measured, decided = answered.areas, answered.measured, answered.decided
    if measured.empty:
        st.info("Choose a differentially private algorithm under More settings.")
        return
    view = areas.view
    epsilons = None if decided is None else areas.epsilons()
    best = best_of_each(areas, measured, epsilons)
    told = None if epsilons is None else text.passing_sentence(epsilons, view.scenario.epsilon)
    st.markdown(plain(f"{text.table_sentence(best) if told is None else told} {text.PASSES}"))
    rows = shown_rows(areas, best)
    show.numbers(rows, "area_table")
    if view.scenario.source.origin != "guesses":
        _open_one(rows["area"].tolist())
    st.caption(plain(text.notes(answered.ranked)))


def offered_to_publish(view: View) -> dict[str, tuple[Question, float]]:
    """Return what can be published by its name, also in the link: the question, and the point that is looked at."""
    at = view.scenario.at
    points = {f"at {label}": point for label, point in zip(point_labels(view), at, strict=True)}
    first, *others = points
    offered: dict[str, tuple[Question, float]] = {f"prediction {first}": ("prediction", at[0])}
    offered |= {name: ("prediction", points[name]) for name in others}
    return offered | {"slope": ("slope", at[0]), "line": ("line", at[0])}


def page_query(view: View) -> str:
    """Return the query of the page's link, without a file of public numbers."""
    usual = USUAL | {"question": next(iter(offered_to_publish(view)))}
    guesses = GUESSED if view.scenario.source.origin == "guesses" else {}
    return takeaway.page_query(takeaway.shown_query(), usual | guesses)


def best_of_each(
    areas: Areas, measured: pd.DataFrame, epsilons: pd.DataFrame | None
) -> pd.DataFrame:
    """The best algorithm of each area, with what is known of its epsilons."""
    if epsilons is None:
        return best_by_area(measured, measured["mechanism"].unique())
    return best_with_epsilons(measured, epsilons, areas.view.scenario.epsilon)


def shown_rows(areas: Areas, best: pd.DataFrame) -> pd.DataFrame:
    """The best of each area as they are shown, in the units of y."""
    y = areas.view.y
    table = pd.DataFrame({"area": best["group"].astype("str"), "n": best["n"]})
    table["verdict"] = text.verdicts(best)
    if "passes_from" in best:
        table[PASSES_FROM] = best["passes_from"].replace(np.inf, np.nan)
        table[PASSES_WITH] = best["passes_with"]
    table["best algorithm"] = best["mechanism"]
    table[f"C(68) in {y.name}{unit_of(y)}"] = best["c68"].replace(np.inf, np.nan) * y.scale
    table["in standard errors"] = best["ratio"].replace(np.inf, np.nan)
    if "passes_from" in best and (never := np.isinf(best["passes_from"])).any():
        table["remark"] = np.where(never, f"does not pass up to ε = {in_full(EPSILONS[1])}", "")
    return table


def _open_one(labels: list[str]) -> None:
    """Draw the link that opens an area, chosen by its name, on the Compare page."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    label = str(left.selectbox("Open one area on the Compare page", labels, key="open_area"))
    opens = f"Open {plain(label)} on Compare"
    right.page_link("pages/compare.py", label=opens, query_params={OPEN_GROUP: label})


def distributions(answered: Answered) -> None:
    """The CDFs over areas of C(68) / standard error, of every algorithm that is chosen."""
    areas, measured = answered.areas, answered.measured
    s, known = areas.view.scenario, {*measured["mechanism"]} if len(measured) else set()
    if others := tuple(mechanism for mechanism in s.admitted if mechanism.name not in known):
        measured = pd.concat([measured, areas.measured(others)])
    ranked = ranked_shares(measured, s.admitted, s.epsilon, s.accounting)
    curves = charts.ratio_curves(measured)
    sentence = text.headline(ranked, measured["group"].nunique())
    show.chart(charts.ratio_cdf(curves, room=show.room()), sentence, curves, "ratios")
    guarantee = ranked["guarantee"].where(ranked["private"], "not differentially private")
    line = [text.flat_in(*each) for each in zip(ranked["flat"], ranked["areas"], strict=True)]
    unseen = [
        "private",
        "pure",
        "areas_below",
        "areas",
        "counts",
        "flat",
        *([] if any(line) else ["line"]),
    ]
    table = (
        ranked.assign(guarantee=guarantee, line=line).drop(columns=unseen).rename(columns=_NAMES)
    )
    show.numbers(table, "shares", COLUMNS, height="content")
