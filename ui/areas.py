"""Small areas: measure all areas chunk by chunk; the table, the distributions and the way to Compare."""

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
    measured_groups,
    split_groups,
)
from dpslr_core.experiments.curves import ratio_curves
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
from dpslr_core.text.phrases import in_full

from . import show, takeaway, work
from .cache import kept, kept_by_origin, key_of
from .guidance import GUESSED
from .link import OPEN_GROUP
from .plain import plain
from .settings import View, point_labels, unit_of

CHUNK = 72  # areas of a measured chunk, per core: about half a second
FEW = 8  # areas of a chunk of the search for epsilons, per core: about as long
ON_ALL_CORES = 100  # areas from which all cores are used: handing out a chunk takes 40 ms
FAILING, GUESSES = (
    "Areas that fail",
    "On public guesses",
)  # labels of the first view and of the switch
USUAL: dict[str, Any] = {
    "area_guesses": False, "all_areas": False, "target": f"{TARGET:.0%}", "area_details": FAILING,
}  # fmt: skip
REDUCE = "the areas, the trials or the points x_new, or choose fewer algorithms"


@dataclass(frozen=True)
class Areas:
    """Question of the Small areas page: the data, the point, and whether all areas are measured.

    Attributes
    ----------
    view : View
        Data and settings of the sidebar.
    at : float
        Point that is looked at, in the unit square.
    every : bool
        Whether all areas are measured; otherwise a random sample of SAMPLE areas if there are more than MANY.
    """

    view: View
    at: float
    every: bool = False

    @cached_property
    def groups(self) -> Groups:
        """Data sets by area, and the groups that cannot be used."""
        return groups_of(self.view.grouped)

    @property
    def count(self) -> int:
        """Number of areas that are measured."""
        usable = len(self.groups.datasets)
        return usable if self.every or usable <= MANY else SAMPLE

    @property
    def trials(self) -> int:
        """Trials per area: the sidebar's number, at most AREA_TRIALS."""
        return min(self.view.scenario.trials, AREA_TRIALS)

    @property
    def cores(self) -> int:
        """Number of processes that measure."""
        return (os.cpu_count() or 1) if self.count >= ON_ALL_CORES else 1

    @property
    def budget(self) -> Budget:
        """Budget of the scenario, with the point `at` first."""
        budget = self.view.scenario.budget
        return replace(budget, at=(self.at, *(point for point in budget.at if point != self.at)))

    def stages(self) -> list[tuple[Mechanism, ...]]:
        """Return the algorithms among which the best is sought, in the order of measuring: exact laws first.

        These are the `candidates` of experiments.ranking: as a rule the pure algorithms, else all private ones.
        """
        s = self.view.scenario
        sought = candidates(s.admitted, s.budget)
        quick = tuple(mechanism for mechanism in sought if self._law_alone(mechanism))
        slow = tuple(mechanism for mechanism in sought if mechanism not in quick)
        return [stage for stage in (quick, slow) if stage]

    def _law_alone(self, mechanism: Mechanism) -> bool:
        """Return whether the algorithm is private and has an exact law, which then depends on one area alone."""
        s = self.view.scenario
        return (
            mechanism.guarantee(s.epsilon).private
            and mechanism.law(self.view.data, s.epsilon, s.at)[0] is not None
        )

    def measured(self, mechanisms: tuple[Mechanism, ...]) -> pd.DataFrame:
        """Measure the algorithms in all areas, with a bar, and return the rows of `by_group` at the point."""
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
        """Return the epsilons from which each area passes, for each algorithm: rows of `passing_epsilons`.

        The scenario's own epsilon plays no role. The points and the slope of a line are searched, and kept, separately.

        Parameters
        ----------
        question : Question, optional
            Published quantity; "prediction" is the prediction at this point.
        only : collection of str, optional
            Names of the algorithms; empty for all that are sought.
        """
        s = self.view.scenario
        if question == "line":
            points = [replace(self, at=point).epsilons(only=only) for point in s.at]
            frames = [*points, self.epsilons("slope", only=only)]
            reached = set.intersection(*({*frame["group"]} for frame in frames))
            return line_of(
                [frame[frame["group"].isin(reached)].reset_index(drop=True) for frame in frames]
            )
        budget = replace(s.budget if question == "slope" else self.budget, epsilon=1.0)
        sought = tuple(
            m for m in sought_mechanisms(s.compared, s.accounting) if not only or m.name in only
        )
        search = partial(passing_epsilons, question=question)
        return self.by_chunk("ε at which each area passes", FEW, search, sought, budget, self.cores)

    @property
    def area_work(self) -> work.Work:
        """Work of measuring the areas, for `work.progress`."""
        s = self.view.scenario
        named = f"areas {key_of((self.view.grouped, s.at, self.trials))}"
        return work.Work(named, REDUCE, command=areas_command(self.view, s.at[0]), scenario=s)

    def by_chunk(
        self, what: str, size: int, rows: Callable[..., pd.DataFrame], *rest: Any
    ) -> pd.DataFrame:
        """Compute rows for all areas, chunk by chunk, with a bar, and return them in order of the areas' labels.

        When time runs out first, the rows are those of a random sample of the areas, and a button goes on.

        Parameters
        ----------
        what : str
            Computed quantity, in words.
        size : int
            Areas per chunk and core. No chunk begins in the sample and ends beyond the sample.
        rows : callable
            Function of data sets by area and `rest` that returns the rows of a chunk.
        *rest
            Further arguments of `rows`.
        """
        where, count, private = st.empty(), self.count, not self.view.grouped.reproducible
        step = size * self.cores
        edges = [*range(0, min(SAMPLE, count), step), *range(SAMPLE, count, step), count]
        chunks = work.progress(
            list(pairwise(edges)),
            self.area_work,
            lambda chunk: f"{what}: {chunk[0]:,} of {count:,} areas",
            partial=True,
        )
        frames, reached = [], 0
        for start, reached in chunks:
            frames.append(_of_chunk(private, rows, self.view.grouped, start, reached, rest))
        run = work.current_run()
        if reached < count and not run.offered:
            run.offered = True
            seconds = run.left or work.AT_ONCE
            work.offer(
                where, self.area_work, seconds, text.reached_sentence(reached, count, seconds)
            )
        return pd.concat(frames).sort_values("group", kind="stable", ignore_index=True)


@kept(4)
def groups_of(grouped: GroupedData) -> Groups:
    """Split grouped data into data sets by area."""
    return split_groups(grouped.frame)


@kept(4)
def _at_random(grouped: GroupedData) -> dict[str, Dataset]:
    """Return the data sets in the order of measuring, in which the first areas of any number are a random sample."""
    datasets = groups_of(grouped).datasets
    return {label: datasets[label] for label in areas_at_random(datasets)}


@kept(8)
def _informed(
    grouped: GroupedData, at: tuple[float, ...], mechanisms: tuple[Mechanism, ...]
) -> tuple[Mechanism, ...]:
    """Return the mechanisms after `informed_by` on all areas: only algorithms without privacy look at other areas."""
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
    """Compute the rows of the areas from `start` to before `end`, in the order of measuring."""
    return rows(dict(list(_at_random(grouped).items())[start:end]), *rest)


def _measured(
    datasets: dict[str, Dataset],
    mechanisms: tuple[Mechanism, ...],
    budget: Budget,
    run: Run,
    first_only: bool,
) -> pd.DataFrame:
    """Measure the algorithms in these data sets and return the rows of `by_group`."""
    return pd.concat(
        measured_groups(datasets, mechanisms, budget, run, first_point_only=first_only),
        ignore_index=True,
    )


@dataclass
class AreasAnswer:
    """Result that all views draw from.

    Attributes
    ----------
    areas : Areas
        Data and point.
    decided : Decision or None
        Decision; None if no private algorithm is chosen.
    """

    areas: Areas
    decided: Decision | None

    @cached_property
    def measured(self) -> pd.DataFrame:
        """Rows of `by_group` at the point, of the algorithms among which the best is sought."""
        return pd.concat([pd.DataFrame(), *map(self.areas.measured, self.areas.stages())])

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """Shares of the areas that pass, by algorithm."""
        s = self.areas.view.scenario
        return ranked_shares(self.measured, s.admitted, s.epsilon, s.accounting)


NONE_CHOSEN = (
    "No differentially private algorithm is chosen. Choose at least one under More settings."
)
BELOW, RATIO, FAILS = "areas that pass", "median C(68) / standard error", "mean failure rate"
COLUMNS = {BELOW: show.PERCENT, FAILS: show.PERCENT}
_NAMES = {"mechanism": "algorithm", "below": BELOW, "median_ratio": RATIO, "failure_rate": FAILS}
PASSES_FROM, PASSES_WITH = "smallest ε that passes", "with"


def all_areas(answered: AreasAnswer) -> None:
    """Draw a table of all areas with the smallest epsilon that passes and its algorithm; link to Compare."""
    areas, measured = answered.areas, answered.measured
    if measured.empty:
        st.info(NONE_CHOSEN)
        return
    view, epsilons = areas.view, areas.epsilons()
    sentence = text.passing_sentence(epsilons, view.scenario.epsilon)
    st.markdown(plain(f"{sentence} {text.PASSES}"))
    rows = shown_rows(areas, measured, epsilons)
    show.numbers(rows, "area_table")
    if view.scenario.source.origin != "guesses":
        _open_one(rows["area"].tolist())
    st.caption(plain(text.notes(answered.ranked)))


def offered_to_publish(view: View) -> dict[str, tuple[Question, float]]:
    """Return the quantities that can be published.

    Returns
    -------
    dict of str to tuple
        By name, also in the link: the question, and the point that is looked at, in the unit square.
    """
    at = view.scenario.at
    points = {f"at {label}": point for label, point in zip(point_labels(view), at, strict=True)}
    first, *further = points
    offered: dict[str, tuple[Question, float]] = {f"prediction {first}": ("prediction", at[0])}
    offered |= {name: ("prediction", points[name]) for name in further}
    return offered | {"slope": ("slope", at[0]), "line": ("line", at[0])}


def page_query(view: View) -> str:
    """Return the query of the page's link, without a file of public numbers."""
    usual = USUAL | {"question": next(iter(offered_to_publish(view)))}
    guesses = GUESSED if view.scenario.source.origin == "guesses" else {}
    return takeaway.page_query(takeaway.shown_query(), usual | guesses)


def shown_rows(areas: Areas, measured: pd.DataFrame, epsilons: pd.DataFrame) -> pd.DataFrame:
    """Return the table of areas with verdict and best algorithm, in the units of y."""
    y = areas.view.y
    best = best_with_epsilons(measured, epsilons, areas.view.scenario.epsilon)
    table = pd.DataFrame({"area": best["group"].astype("str"), "n": best["n"]})
    table["verdict"] = text.verdicts(best)
    table[PASSES_FROM] = best["passes_from"].replace(np.inf, np.nan)
    table[PASSES_WITH] = best["passes_with"]
    table["best algorithm"] = best["mechanism"]
    table[f"C(68) in {y.name}{unit_of(y)}"] = best["c68"].replace(np.inf, np.nan) * y.scale
    table["in standard errors"] = best["ratio"].replace(np.inf, np.nan)
    if (never := np.isinf(best["passes_from"])).any():
        table["remark"] = np.where(never, f"does not pass up to ε = {in_full(EPSILONS[1])}", "")
    return table


def _open_one(labels: list[str]) -> None:
    """Draw a list of areas, and a link that opens the chosen area on the Compare page."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    label = str(left.selectbox("Open one area on the Compare page", labels, key="open_area"))
    opens = f"Open {plain(label)} on Compare"
    right.page_link("pages/compare.py", label=opens, query_params={OPEN_GROUP: label})


def distributions(answered: AreasAnswer) -> None:
    """Draw the distribution over areas of C(68) / standard error, for every chosen algorithm."""
    areas, measured = answered.areas, answered.measured
    s, measured_names = areas.view.scenario, {*measured["mechanism"]} if len(measured) else set()
    if unmeasured := tuple(
        mechanism for mechanism in s.admitted if mechanism.name not in measured_names
    ):
        measured = pd.concat([measured, areas.measured(unmeasured)])
    ranked = ranked_shares(measured, s.admitted, s.epsilon, s.accounting)
    curves = ratio_curves(measured)
    sentence = text.headline(ranked)
    show.chart(charts.ratio_cdf(curves, room=show.room()), sentence, curves, "ratios")
    guarantee = ranked["guarantee"].where(ranked["private"], "not differentially private")
    line = [text.flat_in(*counts) for counts in zip(ranked["flat"], ranked["areas"], strict=True)]
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
