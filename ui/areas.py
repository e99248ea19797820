"""The Small areas page: all areas measured chunk after chunk, its picture, the views below it, the way to Compare."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts import areas as charts
from dpslr_core.dataset import Dataset
from dpslr_core.experiments import released_intervals
from dpslr_core.experiments.areas import (
    AREA_TRIALS,
    Groups,
    best_by_area,
    measured_groups,
    split_groups,
)
from dpslr_core.experiments.ranking import candidates, ranked_shares
from dpslr_core.guidance.area_epsilons import (
    QUESTIONS,
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
from dpslr_core.report.content import MeasuredAreas, report_on_areas
from dpslr_core.report.document import Report
from dpslr_core.report.scripts import areas_command, areas_script
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.support.run import Run
from dpslr_core.text import areas as text
from dpslr_core.text.intervals import NONE as NO_INTERVALS
from dpslr_core.text.intervals import area_widths_sentence
from dpslr_core.text.phrases import in_full, joined, place_on

from . import show, takeaway, work
from .cache import kept, kept_by_origin, key_of
from .guidance import GUESSED
from .how_sure import held
from .link import LINK, OPEN_GROUP, bound, takes, unused_of_link
from .plain import bullets, plain
from .pooling import declared_numbers
from .settings import View, point_labels, unit_of
from .takeaway import of_report, report_buttons, take_away

CHUNK = 72  # areas that are measured and kept at a time at most, on one core: half a second or so
FEW = 8  # areas whose epsilons are sought at a time, on one core: about as long
PARTS = (
    100  # into which the areas beyond the sample are split at most where their epsilons are sought
)
EARLY, SOON = (
    2.0,
    0.8,
)  # seconds after which what is there is shown, where less than this share of the areas is
ON_ALL_CORES = 100  # areas from which all cores are used, each with a chunk of its own: handing one out takes 40 ms
FAILING, GUESSES = "Areas that fail", "On public guesses"  # the first view; the switch
USUAL: dict[str, Any] = {
    "flat_lines": False, "area_guesses": False, "all_areas": False, "target": f"{TARGET:.0%}", "area_details": FAILING,
}  # fmt: skip
REDUCE = "the areas, the trials or the points x_new, or choose fewer algorithms"


@dataclass(frozen=True)
class Areas:
    """What the page asks: the view, the point that is looked at, whether a line without slope passes too.

    every: whether all areas are measured; else a random sample where there are many.
    """

    view: View
    at: float
    flat: bool
    every: bool = False

    @cached_property
    def groups(self) -> Groups:
        """The data sets by area, and the groups that could not be used."""
        return _groups_of(self.view.grouped)

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
        names, size = ", ".join(mechanism.name for mechanism in mechanisms), CHUNK * self.cores
        rows = self.by_chunk(names, size, size, _measured, informed, budget, run, alone)
        return rows[rows["at"] == self.at].reset_index(drop=True)

    def epsilons(
        self,
        question: Question = "prediction",
        early: Callable[[pd.DataFrame], None] | None = None,
        only: Collection[str] = (),
    ) -> pd.DataFrame:
        """Return the rows of passing_epsilons, whatever the scenario's own epsilon.

        Parameters
        ----------
        question : Question, optional
            What is published; the prediction is at this point. All parts of the line are kept one by one.
        early : callable, optional
            As for `by_chunk`.
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
        first = FEW * self.cores
        later, what = max(first, -(-self.count // PARTS)), "ε at which each area passes"
        return self.by_chunk(
            what, first, later, _passing, sought, budget, self.cores, question, early=early
        )

    @property
    def asked(self) -> work.Work:
        """What is measured in the areas."""
        s = self.view.scenario
        named = f"areas {key_of((self.view.grouped, s.at, self.trials))}"
        return work.Work(named, REDUCE, command=areas_command(self.view, s.at[0]), scenario=s)

    def by_chunk(
        self,
        what: str,
        first: int,
        later: int,
        rows: Callable[..., pd.DataFrame],
        *rest: Any,
        early: Callable[[pd.DataFrame], None] | None = None,
    ) -> pd.DataFrame:
        """rows(data sets by area, *rest) of the areas that are reached in time, by label; with a bar.

        Where these are not all that are asked for, a button goes on; they are a random sample all the same. first,
        later: areas of a chunk in the sample and beyond, so that no area of the sample is measured twice. early: called
        once with what is there after EARLY seconds, where there is more to come.
        """
        where, count, private = st.empty(), self.count, not self.view.grouped.reproducible
        edges = [*range(0, min(SAMPLE, count), first), *range(SAMPLE, count, later), count]
        chunks = work.progress(
            list(pairwise(edges)),
            self.asked,
            lambda chunk: f"{what}: {chunk[0]:,} of {count:,} areas",
            partial=True,
        )
        parts, begun = [], time.monotonic()
        for start, reached in chunks:
            parts.append(_of_chunk(private, rows, self.view.grouped, start, reached, rest))
            if early is not None and reached < SOON * count and time.monotonic() - begun > EARLY:
                early(pd.concat(parts, ignore_index=True))
                early = None
        run = work.current_run()
        if reached < count and not run.offered:
            run.offered = True
            seconds = run.left or work.AT_ONCE
            work.offer(where, self.asked, seconds, text.reached_sentence(reached, count, seconds))
        return pd.concat(parts).sort_values("group", kind="stable", ignore_index=True)


@kept(4)
def _groups_of(grouped: GroupedData) -> Groups:
    return split_groups(grouped.frame)


@kept(4)
def _at_random(grouped: GroupedData) -> dict[str, Dataset]:
    """The data sets in the order in which they are measured: any of its beginnings is a random sample."""
    datasets = _groups_of(grouped).datasets
    return {label: datasets[label] for label in areas_at_random(datasets)}


@kept(8)
def _informed(
    grouped: GroupedData, at: tuple[float, ...], mechanisms: tuple[Mechanism, ...]
) -> tuple[Mechanism, ...]:
    datasets = list(_groups_of(grouped).datasets.values())
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


def _passing(
    datasets: dict[str, Dataset],
    mechanisms: tuple[Mechanism, ...],
    budget: Budget,
    cores: int,
    question: Question,
) -> pd.DataFrame:
    return passing_epsilons(datasets, mechanisms, budget, cores, question=question)


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
    """What all views draw from: areas, the decision (None where no private algorithm is chosen) and its target.

    others: decisions on what else could be published. pooled: of pooled_curve, where the areas help each other.
    """

    areas: Areas
    decided: Decision | None
    target: float
    others: Mapping[str, Decision] = field(default_factory=dict)
    pooled: pd.DataFrame | None = None

    @cached_property
    def measured(self) -> pd.DataFrame:
        """Rows of by_group at the point, of the algorithms among which the best is sought."""
        return pd.concat([pd.DataFrame(), *map(self.areas.measured, self.areas.stages())])

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """Shares of the areas that pass, by algorithm."""
        s = self.areas.view.scenario
        return ranked_shares(self.measured, s.admitted, s.epsilon, s.accounting, self.areas.flat)

    @property
    def without_laws(self) -> str:
        """Answer where no algorithm has an exact law, by trials; or that no private one is chosen."""
        if not self.areas.stages():
            return "No differentially private algorithm is chosen. Choose at least one under More settings."
        return joined(
            text.headline(self.ranked, self.areas.count), text.notes(self.ranked, self.areas.flat)
        )

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
ANY = "the best of each area"  # which algorithm an area may pass with


def all_areas(answered: Answered) -> None:
    """Draw a row per area: whether it passes, from which epsilon on and with which algorithm; the way to Compare."""
    areas, measured, decided = answered.areas, answered.measured, answered.decided
    if measured.empty:
        st.info("Choose a differentially private algorithm under More settings.")
        return
    view, flat = areas.view, areas.flat
    epsilons = None if decided is None else areas.epsilons()
    ways = [ANY, *measured["mechanism"].unique()]
    chosen = str(st.selectbox("An area may pass with", ways, **bound("passes_with", ways)))
    rows, sought = measured, epsilons
    if chosen in ways[1:]:
        rows = measured[measured["mechanism"] == chosen]
        sought = epsilons if epsilons is None else epsilons[epsilons["mechanism"] == chosen]
    best = _best(areas, rows, sought)
    told = None if sought is None else text.passing_sentence(sought, view.scenario.epsilon, flat)
    st.markdown(plain(f"{text.table_sentence(best, flat) if told is None else told} {text.PASSES}"))
    shown_rows = _filtered(_rows(areas, best))
    shown = show.numbers(shown_rows, "area_table", on_select="rerun", selection_mode="single-row")
    if view.scenario.source.origin != "guesses":
        _open_one(shown_rows["area"].tolist(), shown["selection"]["rows"])
    st.caption(plain(text.notes(answered.ranked, flat)))


def memo(answered: Answered) -> None:
    """Draw the report, and what can be taken away."""
    areas, decided = answered.areas, answered.decided
    view, at, flat = areas.view, areas.at, areas.flat
    if not areas.stages():
        st.info("Choose a differentially private algorithm under More settings.")
        return
    if view.scenario.source.origin == "private":
        st.info(
            f"A memo to act on is made with the switch “{GUESSES}”. This one is for behind "
            "closed doors."
        )
    epsilons = None if decided is None else areas.epsilons()
    asked = (QUESTIONS[0], TARGET) if decided is None else (decided.question, decided.target)
    public = declared_numbers(areas)
    names = () if public is None else tuple(public)
    query, every = page_query(view), len(areas.groups.datasets)
    reached = answered.measured["group"].nunique() if decided is None else len(decided.areas)
    sample = reached if reached < every else None
    warned, unused = takeaway.warnings(), unused_of_link()

    def report() -> Report:
        measured = MeasuredAreas(
            answered.measured,
            epsilons,
            areas.groups.rejected,
            areas.trials,
            flat,
            decided,
            public,
            answered.pooled,
            0 if sample is None else every,
            answered.others,
        )
        return report_on_areas(view, at, measured, f"/small_areas?{query}", (*unused(), *warned))

    report_buttons(
        "A page to hand on: answer, picture, table, what it protects, what comes next; all areas "
        "in its appendix.",
        query,
        report,
    )
    take_away(
        page="small_areas",
        scenario=view.scenario,
        query=query,
        table=_rows(areas, _best(areas, answered.measured, epsilons)),
        script=partial(areas_script, view, at, areas.trials, flat, *asked, names, sample),
        command=areas_command(view, at, flat, sample),
        more={"point": place_on(view.x, at)},
        picture=lambda: of_report(report()),
    )


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


def _best(areas: Areas, measured: pd.DataFrame, epsilons: pd.DataFrame | None) -> pd.DataFrame:
    """The best algorithm of each area, with what is known of its epsilons."""
    if epsilons is None:
        return best_by_area(measured, measured["mechanism"].unique(), areas.flat)
    return best_with_epsilons(measured, epsilons, areas.view.scenario.epsilon, areas.flat)


def _rows(areas: Areas, best: pd.DataFrame) -> pd.DataFrame:
    """The best of each area as they are shown, in the units of y."""
    y = areas.view.y
    table = pd.DataFrame({"area": best["group"].astype("str"), "n": best["n"]})
    table["verdict"] = text.verdicts(best, areas.flat)
    if "passes_from" in best:
        table[PASSES_FROM] = best["passes_from"].replace(np.inf, np.nan)
        table[PASSES_WITH] = best["passes_with"]
    table["best algorithm"] = best["mechanism"]
    table[f"C(68) in {y.name}{unit_of(y)}"] = best["c68"].replace(np.inf, np.nan) * y.scale
    table["in standard errors"] = best["ratio"].replace(np.inf, np.nan)
    if "passes_from" in best and (never := np.isinf(best["passes_from"])).any():
        table["remark"] = np.where(never, f"does not pass up to ε = {in_full(EPSILONS[1])}", "")
    return table


def _filtered(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose area's name holds the text, and whose verdict is the chosen one."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    name = left.text_input("Areas whose name contains", key="area_name", **LINK)
    verdicts = ["all", "pass", "fail"]
    verdict = right.segmented_control(
        "Verdict", verdicts, default="all", required=True, **bound("verdict", verdicts)
    )
    rows = rows[rows["area"].str.contains(name or "", case=False, regex=False)]
    passing = rows["verdict"].str.startswith("pass")
    failing = rows["verdict"].isin(["fail", text.FLAT_LINE])
    return rows if verdict == "all" else rows[passing if verdict == "pass" else failing]


def _open_one(labels: list[str], clicked: list[int]) -> None:
    """Opens the area of the clicked row, or the one that is named, on the Compare page."""
    if not labels:
        st.caption("No area matches.")
        return
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    named = left.selectbox(
        "Open one area on the Compare page (or click its row)", labels, key="open_area"
    )
    label = labels[clicked[0]] if clicked and clicked[0] < len(labels) else str(named)
    opens = f"Open {plain(label)} on Compare"
    right.page_link("pages/compare.py", label=opens, query_params={OPEN_GROUP: label})


def distributions(answered: Answered) -> None:
    """The CDFs over areas of C(68) / standard error, of every algorithm that is chosen."""
    areas, measured = answered.areas, answered.measured
    s, known = areas.view.scenario, {*measured["mechanism"]} if len(measured) else set()
    if others := tuple(mechanism for mechanism in s.admitted if mechanism.name not in known):
        measured = pd.concat([measured, areas.measured(others)])
    order = (
        measured.drop_duplicates("group")
        .sort_values("standard_error", kind="stable")["group"]
        .to_numpy()
    )
    takes("se_range", "two whole numbers from 0 to 100, each after se_range=")
    low, high = st.slider(
        "Areas by standard error, smallest to largest",
        0,
        100,
        (0, 100),
        format="%d%%",
        key="se_range",
        **LINK,
    )
    inside = order[int(low / 100 * len(order)) : max(int(high / 100 * len(order)), 1)]
    chosen = measured[measured["group"].isin(inside if len(inside) else order)]
    ranked = ranked_shares(chosen, s.admitted, s.epsilon, s.accounting, areas.flat)
    curves = charts.ratio_curves(chosen)
    sentence = text.ratio_sentence(ranked, chosen["group"].nunique())
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


def how_sure(answered: Answered) -> None:
    """The choice of an algorithm, how wide its intervals are in all areas, and the numbers."""
    areas, view = answered.areas, answered.areas.view
    s = view.scenario
    offering = released_intervals.with_intervals(s.admitted)
    if not offering:
        st.info(NO_INTERVALS)
        return
    names = [mechanism.name for mechanism in offering]
    first = released_intervals.describing(offering) or offering[0]
    name = str(
        st.selectbox(
            "Intervals of", names, names.index(first.name), **bound("area_intervals_of", names)
        )
    )
    mechanism, asked = offering[names.index(name)], (s.budget, s.at.index(areas.at), s.seed)
    size = CHUNK * areas.cores
    widths = areas.by_chunk(
        f"intervals of {name}", size, size, released_intervals.area_widths, mechanism, *asked
    )
    sentence = area_widths_sentence(widths, name)
    if not widths["ratio"].notna().any():
        st.markdown(plain(sentence))
        return
    made = f"Medians over {released_intervals.AREA_RELEASES} releases in each area."
    note = f"{made} Bars that reach the top are wider than the picture or lack an end. {mechanism.interval_remark}"
    rows, unit = widths.sort_values("ratio", kind="stable", ignore_index=True), unit_of(view.y)
    table = pd.DataFrame(
        {
            "area": rows["group"].astype("str"),
            "n": rows["n"],
            "median width / width of OLS": rows["ratio"],
            f"median width{unit}": rows["width"] * view.y.scale,
            f"sampling error alone{unit}": rows["sampling"] * view.y.scale,
            f"width of OLS{unit}": rows["ols"] * view.y.scale,
            "two ends": rows["two_ends"],
        }
    ).replace(np.inf, np.nan)
    show.chart(charts.area_widths_chart(widths), sentence, table, "area_widths", note.strip())
    st.markdown(bullets(held([(name, "fieller")])))
