"""The Release page: the settings of a plan, the noise to expect by the law of what is drawn, and a rehearsal."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.released_intervals import one_release, with_intervals
from dpslr_core.mechanisms import Mechanism
from dpslr_core.mechanisms.centered import CenteredSums
from dpslr_core.mechanisms.noisy_stats import LineOfStatistics, NoisyIntercept
from dpslr_core.privacy import Budget
from dpslr_core.release import text
from dpslr_core.release.explored import MOST_RECORDS, error_of, rehearsal_data
from dpslr_core.release.once import rehearse
from dpslr_core.release.plans import LOOKED, Plan, plan
from dpslr_core.release.programs import PROGRAMS
from dpslr_core.report.certificate import as_page
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.numbers import parse_pair
from dpslr_core.text.data import View
from dpslr_core.text.phrases import points_on

from .cache import kept
from .link import KEEP, bound
from .plain import plain
from .takeaway import make_and_save

MOST_AREAS = 50  # that are rehearsed on a page
LEVEL = 95


@dataclass(frozen=True)
class Asked:
    """What the form says: the algorithm, columns with bounds, n or areas, and where bounds and choice come from."""

    mechanism: Mechanism
    columns: UploadedFile
    n: int
    areas: tuple[tuple[str, int], ...]
    bounds_from: str
    choice_from: str

    @property
    def complete(self) -> bool:
        """Whether it says where bounds and choice come from."""
        return bool(self.bounds_from and self.choice_from)


def offered(view: View) -> tuple[list[Mechanism], list[str]]:
    """The chosen algorithms that can be released, CenteredStats first, and the names of other private ones."""
    chosen = view.scenario.admitted
    able = [m for m in chosen if type(m) in PROGRAMS]
    others = [m.name for m in chosen if m not in able and m.guarantee(view.scenario.epsilon).private]
    return sorted(able, key=lambda m: not isinstance(m, CenteredSums)), others


def form(view: View, able: list[Mechanism]) -> Asked:
    """The form of the plan; ValueError, a sentence, where something in it cannot be."""
    named = {mechanism.name: mechanism for mechanism in able}
    opened = isinstance(view.scenario.source, UploadedFile)
    left, right = st.columns(2, gap="large")
    with left:
        name = str(st.selectbox("Algorithm that is released", list(named), **bound("release_of", named)))
        if len(able) > 1 and name == able[0].name and isinstance(able[0], CenteredSums):
            st.caption(plain(text.FIRST_OFFERED.format(name)))
        columns = _columns(view)
        every, sizes = view.grouped.public_sizes, view.grouped.planned_sizes
        areas: tuple[tuple[str, int], ...] = ()
        if columns.group_column and st.toggle(f"A table: one release for each of {len(sizes):,} areas", **KEEP,
                                              key="release_areas"):  # fmt: skip
            areas = tuple(sizes.items())
        n = sum(sizes.values()) if areas else view.public_n
        st.caption(plain(text.n_sentence(n, opened, bool(areas), "" if areas or len(every) == 1 else view.group)))
        unusable = view.grouped.left_out - view.grouped.left_out_with_group
        for refusal in text.refusal_sentences(unusable, len(every) - len(sizes) if areas else 0):
            st.warning(plain(refusal))
    with right:
        bounds = _source("the bounds come from", "release_bounds", "the scale of the test, 0 to 100", opened)
        choice = _source("algorithm, budget and points come from", "release_choice", "last year's public data", opened)
        if opened:
            st.caption(text.OPEN_HERE)
    return Asked(named[name], columns, n, areas, bounds, choice)


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


def _source(of: str, key: str, example: str, opened: bool) -> str:
    """Where a choice comes from, in words, or the mark that the data were looked at for it.

    The words stay in their box, which is disabled, where the mark stands in the plan in their place.
    """
    box = st.container()
    looked = st.toggle("I looked at the data for this", opened, key=f"{key}_looked", help=text.MARK, **KEEP)
    with box:
        example = f"for example: {example}"
        said = st.text_input(f"Where {of}", key=key, placeholder=example, disabled=looked, **KEEP)
    return LOOKED if looked else (said or "").strip()


def planned(view: View, asked: Asked) -> Plan:
    """The plan of the form, with a note where it does not say yet where bounds and choice come from."""
    opened = isinstance(view.scenario.source, UploadedFile)
    return plan(
        view.scenario, bounds_from=asked.bounds_from or text.UNSAID, choice_from=asked.choice_from or text.UNSAID,
        n=None if asked.areas else asked.n, areas=dict(asked.areas), columns=asked.columns, algorithm=asked.mechanism,
        data=view.grouped if opened else None,
    )  # fmt: skip


@kept(12, spinner="Computing the law of the release …")
def expected(made: str, data: Dataset, budget: Budget, seed: int) -> tuple[text.Expected, ...]:
    """What to expect at each point of a plan, given as its text, for simulated data: the law of its program, and the
    width of intervals, the median over releases drawn from the seed."""
    held = Plan.from_json(made)
    program = held.program(min(held.sizes, key=lambda area: abs(held.sizes[area] - data.n)))
    widths = [None] * len(held.at)
    if with_intervals([held.mechanism]):
        widths = one_release(data, held.mechanism, budget, seed, 0)["width"].tolist()
    quick = isinstance(held.mechanism, LineOfStatistics | NoisyIntercept)
    if program.n != data.n or (data.n > MOST_RECORDS and not quick):
        return tuple(text.Expected(at, None, width) for at, width in zip(held.at, widths, strict=True))
    laws = program.law(data)
    bounds = [None if law is None else float(law.error_bound(LEVEL, center=law.median)) for law in laws]
    finite = [bound if bound is not None and np.isfinite(bound) else None for bound in bounds]
    errors = [error_of(program, laws[0], data)] + [None] * (len(held.at) - 1)
    return tuple(map(text.Expected, held.at, finite, widths, errors))


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


def rehearsal_button(view: View, made: Plan) -> None:
    """A button that draws a rehearsal on simulated records and saves its certificate, marked as such."""
    if find_spec("opendp") is None:
        st.caption(plain(text.WITHOUT_OPENDP))
        return
    if len(made.sizes) > MOST_AREAS:
        st.caption(plain(text.REHEARSED_AREAS.format(MOST_AREAS)))
        return

    def page() -> bytes:
        records = {}
        for number, (area, n) in enumerate(made.sizes.items()):
            x, y = made.program(area).on_grid(rehearsal_data(view.scenario.source, n, number))
            records[area] = x.tolist(), y.tolist()
        return as_page(rehearse(made, records)).encode()

    name, of = "REHEARSAL-certificate.html", (made.to_json(), view.scenario.source)
    make_and_save("a rehearsal (page to print)", page, name, "text/html", of)
