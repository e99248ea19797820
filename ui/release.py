"""The Release page: the settings of a plan, the noise to expect by the law of what is drawn, and a rehearsal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.released_intervals import one_release, with_intervals
from dpslr_core.laws.base import Law
from dpslr_core.mechanisms import Mechanism
from dpslr_core.mechanisms.noisy_stats import LineOfStatistics, NoisyIntercept
from dpslr_core.privacy import Budget
from dpslr_core.release import text
from dpslr_core.release.explored import (
    MOST_RECORDS,
    best_released,
    error_of,
    expected_errors,
    rehearsal_data,
    rehearsal_records,
)
from dpslr_core.release.once import rehearse
from dpslr_core.release.plans import LOOKED, ExpectedErrors, Plan, plan
from dpslr_core.release.programs import PROGRAMS
from dpslr_core.report.certificate import as_page
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.choices import Synthetic, UploadedFile
from dpslr_core.sources.grouping import SMALLEST
from dpslr_core.sources.numbers import parse_pair
from dpslr_core.text.data import View
from dpslr_core.text.phrases import format_amount, points_on

from .cache import kept
from .inputs import Allowed, number_box
from .link import KEEP, LINK, bound, show
from .plain import plain
from .planned import answered
from .takeaway import make_and_save

FEW = 250  # simulated records, by which the algorithm is chosen where no page has answered
MOST_AREAS = 50  # that are rehearsed on a page
LEVEL, DOTS = 95, 20
SMALLEST_AREA = 10  # that gets a line, as usual
_FOLLOWED = "release_follows"  # session-state key: the answer of another page by which the form was filled in
COMMANDS = """dpslr release plan.json DATA.csv --out certificate.json --out certificate.html
dpslr spent DATA.csv
dpslr verify certificate.json"""


@dataclass(frozen=True)
class Asked:
    """What the form says: the algorithm, columns with bounds, n or areas, two rules, and where choices come from."""

    mechanism: Mechanism
    columns: UploadedFile
    n: int
    areas: tuple[tuple[str, int], ...]
    smallest: int | None
    unusable_as: tuple[float, float] | None
    bounds_from: str = ""
    choice_from: str = ""

    @property
    def blank(self) -> Asked:
        """The same without the words that are typed: what is computed does not depend on them."""
        return replace(self, bounds_from=LOOKED if self.bounds_from == LOOKED else "", choice_from="")

    @property
    def missing(self) -> int:
        """How many of the two questions have no answer."""
        return (not self.bounds_from) + (not self.choice_from)


def offered(view: View) -> tuple[list[Mechanism], list[str]]:
    """The chosen algorithms that can be released, and the names of other private ones."""
    chosen = view.scenario.admitted
    able = [m for m in chosen if type(m) in PROGRAMS]
    return able, [m.name for m in chosen if m not in able and m.guarantee(view.scenario.epsilon).private]


def model_of(view: View) -> Synthetic:
    """The model of the simulated records: of the guesses that the last answer stands on, or of the sidebar."""
    source = view.scenario.source
    return source if isinstance(source, Synthetic) else answered().guesses or Synthetic()


def like(view: View) -> str:
    """Like what those records are."""
    if isinstance(view.scenario.source, Synthetic):
        return "like the sidebar's"
    return "like your guesses" if answered().guesses else "of the usual settings"


def decision(view: View, able: list[Mechanism]) -> Mechanism:
    """The algorithm, as usual that of the last answer, and why it is planned."""
    said, named = answered(), {mechanism.name: mechanism for mechanism in able}
    data = view.data if view.scenario.source.kind == "synthetic" else rehearsal_data(model_of(view), FEW)
    usual = said.algorithm if said.algorithm in named else _best(tuple(able), data, view.scenario.budget)
    if said.algorithm and st.session_state.get(_FOLLOWED) != said:
        st.session_state[_FOLLOWED] = said
        show("release_of", usual)
        if said.reason and not st.session_state.get("release_choice"):
            st.session_state["release_choice"] = said.reason
    options = [usual, *(name for name in named if name != usual)]
    name = str(st.selectbox("Algorithm that is released", options, **bound("release_of", named)))
    if name == usual:
        st.caption(plain(text.why_sentence(name, said.algorithm, said.page)))
    return named[name]


@kept(12, spinner="Looking for the algorithm with the smallest error …")
def _best(able: tuple[Mechanism, ...], data: Dataset, budget: Budget) -> str:
    return best_released(able, data, budget).name


def data_form(view: View, mechanism: Mechanism) -> Asked:
    """Columns, bounds, sizes and both rules; ValueError, a sentence, where something in it cannot be."""
    grouped, public = view.grouped, dict(answered().sizes)
    opened, columns, sizes = (
        isinstance(view.scenario.source, UploadedFile),
        _columns(view),
        public or grouped.public_sizes,
    )
    areas, smallest = tuple[tuple[str, int], ...](), None
    if len(sizes) > 1 and st.toggle(f"A table: one release for each of {len(sizes):,} areas",
                                    key="release_areas", **LINK):  # fmt: skip
        areas = tuple(sizes.items())
        if not columns.group_column:
            named = st.text_input("Column of areas in your file", "area", key="release_group", **KEEP)
            columns = columns.model_copy(update={"group_column": named})
        most = max(sizes.values())
        least = number_box(
            "Smallest area that gets a line", "release_smallest", min(SMALLEST_AREA, most),
            Allowed(SMALLEST, most, whole=True), linked=False, help=text.SMALLEST_HELP,
        )  # fmt: skip
        smallest = int(least or SMALLEST)
    assert columns.x_bounds is not None and columns.y_bounds is not None
    st.caption(plain(text.RULE))
    of_axes = {
        "x": (columns.x_column, columns.x_bounds, columns.x_most),
        "y": (columns.y_column, columns.y_bounds, None),
    }
    as_x, as_y = (
        number_box(name, f"release_as_{axis}", sum(most or ends) / 2, Allowed(*ends, optional=True), linked=False)
        for axis, (name, ends, most) in of_axes.items()
    )
    unusable_as = None if as_x is None or as_y is None else (as_x, as_y)
    alone = "" if areas or len(grouped.public_sizes) == 1 else view.group
    n, counted = sum(sizes.values()) if areas else view.public_n, opened and not (areas and public)
    st.caption(plain(text.n_sentence(n, counted, bool(areas), alone)))
    rows = grouped.left_out - grouped.left_out_with_group
    if unusable_as:
        rows = grouped.left_out + sum(grouped.sizes.values()) - sum(grouped.public_sizes.values()) if areas else 0
    if opened and (refusal := text.refusal_sentence(rows, bool(unusable_as))):
        st.warning(plain(refusal))
    return Asked(mechanism, columns, n, areas, smallest, unusable_as)


def sources(view: View, asked: Asked) -> Asked:
    """The two questions of a plan: where bounds and choice come from."""
    opened = isinstance(view.scenario.source, UploadedFile)
    bounds = _source("Where do the bounds come from?", "release_bounds", "the scale of the test, 0 to 100", opened)
    chosen = f"Where do {asked.mechanism.name} and ε = {format_amount(view.scenario.epsilon)} come from?"
    choice = _source(chosen, "release_choice", "last year's public data", opened)
    return replace(asked, bounds_from=bounds, choice_from=choice)


def _columns(view: View) -> UploadedFile:
    """The columns and bounds of an uploaded file, or those that are typed for a file that is elsewhere."""
    source = view.scenario.source
    if isinstance(source, UploadedFile):
        return source
    said = {}
    for axis, shown in (("x", view.x), ("y", view.y)):
        column, bounds = st.columns([1, 1])
        with column:
            said[axis] = st.text_input(f"Column of {axis} in your file", shown.name, key=f"release_{axis}", **KEEP)
        with bounds:
            both = st.text_input(
                f"Public bounds of {axis}", f"{shown.lower:g}, {shown.upper:g}", key=f"release_{axis}_bounds", **KEEP
            )
        said[f"{axis}_bounds"] = parse_pair(both or "", f"public bounds of {axis}")
    return UploadedFile(x_column=said["x"], y_column=said["y"], x_bounds=said["x_bounds"], y_bounds=said["y_bounds"])


def _source(question: str, key: str, example: str, opened: bool) -> str:
    """Where a choice comes from, in words, or the mark that the data were looked at for it.

    The words stay in their box, which is disabled, where the mark stands in the plan in their place.
    """
    box = st.container()
    help_ = text.OPEN_HERE if opened else text.MARK
    looked = st.checkbox("I looked at the data for this", opened, key=f"{key}_looked", help=help_, **KEEP)
    with box:
        example = f"for example: {example}"
        said = st.text_input(plain(question), key=key, placeholder=example, disabled=looked, **KEEP)
    return LOOKED if looked else (said or "").strip()


def planned(view: View, asked: Asked) -> Plan:
    """The plan of the form, with a note where it does not say yet where bounds and choice come from."""
    opened = isinstance(view.scenario.source, UploadedFile)
    return plan(
        view.scenario, bounds_from=asked.bounds_from or text.UNSAID, choice_from=asked.choice_from or text.UNSAID,
        n=None if asked.areas else asked.n, areas=dict(asked.areas), columns=asked.columns, algorithm=asked.mechanism,
        data=view.grouped if opened else None, smallest=asked.smallest, unusable_as=asked.unusable_as,
    )  # fmt: skip


class Foreseen(NamedTuple):
    """What to expect at each point on simulated records, and of the first one equally likely releases, OLS and its
    standard error; no releases where the law is not known."""

    rows: tuple[text.Expected, ...]
    releases: pd.DataFrame | None
    place: pd.Series


@kept(12, spinner="Computing the law of the release …")
def foreseen(made: str, data: Dataset, budget: Budget, seed: int) -> Foreseen:
    """What to expect of a plan, given as its text, for simulated data: the law of its program, and the width of
    intervals, the median over releases drawn from the seed."""
    held = Plan.from_json(made)
    program = held.program(min(held.sizes, key=lambda area: abs(held.sizes[area] - data.n)))
    widths = [None] * len(held.at)
    if with_intervals([held.mechanism]):
        widths = one_release(data, held.mechanism, budget, seed, 0)["width"].tolist()
    quick = isinstance(held.mechanism, LineOfStatistics | NoisyIntercept)
    laws: Sequence[Law | None] = [None] * len(held.at)
    if program.n == data.n and (data.n <= MOST_RECORDS or quick):
        laws = program.law(data)
    centers, errors = data.predict(held.at).tolist(), [None] * len(held.at)
    within = [None if law is None else float(law.error_bound(LEVEL, center=center))
              for law, center in zip(laws, centers, strict=True)]  # fmt: skip
    finite = [bound if bound is not None and np.isfinite(bound) else None for bound in within]
    place = pd.Series({"center": centers[0], "standard_error": float(data.standard_error(held.at)[0])})
    error = None if laws[0] is None else error_of(program, laws[0], data)
    rows = tuple(map(text.Expected, held.at, finite, widths, [error, *errors[1:]]))
    shares = (np.arange(DOTS) + 0.5) / DOTS
    return Foreseen(rows, None if laws[0] is None else pd.DataFrame({"estimate": laws[0].ppf(shares)}), place)


@kept(12, spinner="Computing the error to expect in areas of each size …")
def errors_to_expect(made: str, model: Synthetic) -> ExpectedErrors:
    """Of a plan, given as its text."""
    return expected_errors(Plan.from_json(made), model)


def table(x: Axis, rows: tuple[text.Expected, ...], scale: float) -> pd.DataFrame:
    """Points and the noise at each, in the units of the columns; widths of intervals where a release carries any."""
    shown = pd.DataFrame({
        "point": points_on(x, [row.at for row in rows]),
        "95% of releases are within, ±": [np.nan if row.within is None else row.within * scale for row in rows],
    })  # fmt: skip
    widths = [row.width for row in rows if row.width is not None]
    if widths:
        shown["width of 95% confidence interval"] = np.array(widths) * scale
    return shown


def areas_table(made: Plan, expected: ExpectedErrors | None) -> pd.DataFrame:
    """Areas of a plan with their n and the error to expect at each point, in the units of y; none without a line."""
    points, rows = points_on(made.x.axis, made.at), []
    for area, n in made.areas.items():
        errors = [expected.at(n, number) if expected and area in made.sizes else None for number in range(len(points))]
        rows.append([area, n, *(np.nan if error is None else error * made.y.axis.scale for error in errors)])
    return pd.DataFrame(rows, columns=["area", "n", *(f"expected error at {point}, ±" for point in points)])


def rehearsal_button(view: View, made: Plan) -> None:
    """A button that draws a rehearsal on simulated records and saves its certificate, marked as such."""
    if find_spec("opendp") is None:
        st.caption(plain(text.WITHOUT_OPENDP))
        return
    if len(made.sizes) > MOST_AREAS:
        st.caption(plain(text.REHEARSED_AREAS.format(MOST_AREAS)))
        return

    def page() -> bytes:
        return as_page(rehearse(made, rehearsal_records(made, model_of(view)))).encode()

    name, of = "REHEARSAL-certificate.html", (made.to_json(), model_of(view))
    make_and_save("a rehearsal", page, name, "text/html", of)
