"""The upload form of the Data page: from a file to grouped data, with every problem said and nothing lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.files.csv_table import Table, read_table
from dpslr_core.sources.files.numbers import Problem, Style
from dpslr_core.sources.files.reading import Built, Column, grouped_from_table, likely_columns, numbers_of, preview
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.support.tables import without_formulas

from ..cache import kept
from ..plain import plain
from ..sessions.ended import upload_is_refused
from ..sessions.files import OF_ALL
from ..settings import UPLOAD, UPLOAD_CHOICE, UPLOADED, put_upload_choice
from .columns import NO_GROUP, bounds_choice, column_choice, style_choice, take_range, transform_choice

LAST = "upload_last"  # session-state key of the file in the uploader, readable or not
MANY_CELLS = 2_000_000  # from here on only the chosen columns are previewed
BOUNDS = (
    "Bounds must be public knowledge about the quantity (a test is scored from 0 to 100), not the smallest and "
    "largest value in the file: those are private. Values are clipped to the bounds, then transformed and rescaled."
)
RANKS = (
    "Ranks within the file are not offered: one record can change the ranks of all others, and the privacy guarantee "
    "would not hold."
)
FULL = (
    f"This file was not taken: with it, the server would hold more than {OF_ALL // 2**20} MB of uploads. Try a smaller "
    "file, or try again later."
)
MISSING = (
    "Enter the bounds of x and y above. They start empty because bounds taken from private data would reveal "
    "something about the people in them."
)


@dataclass(frozen=True, eq=False)
class Uploaded:
    """A file as it was read, and the id that tells it from other files; kept in memory only."""

    name: str
    file_id: str
    table: Table

    @property
    def digest(self) -> str:
        """What tells it from other files, as a key of what is kept."""
        return f"{self.name}, {self.file_id}"


def upload_form() -> None:
    """File, columns, public bounds; data that can be built replace those before.

    Folded once grouped data are in use; errors stand below it, where they are seen either way.
    """
    uploaded: Uploaded | None = st.session_state.get(UPLOADED)
    label = "Upload a file" if uploaded is None else f"File, columns and bounds: {uploaded.name}"
    with st.expander(plain(label), expanded=UPLOAD not in st.session_state):
        st.caption("The file stays in the server's memory for this session only; it is never written to disk.")
        refused = _read(st.file_uploader("CSV file", type=["csv", "tsv", "txt"], key="upload_file"))
        built = None if uploaded is None else _form(uploaded)
        if built is not None:
            say(built.problems, "warning")
    say([*refused, *(built.problems if built else ())], "error")
    if built is not None and not built.rejected.empty:
        with st.expander(f"{len(built.rejected):,} groups left out"):
            st.dataframe(without_formulas(built.rejected), hide_index=True, width="stretch")
    if built is not None and built.grouped is not None:
        _take(built.grouped)
        if built.problems:
            notes = "note stands" if len(built.problems) == 1 else "notes stand"
            st.caption(f"{len(built.problems)} {notes} in the form above: what was left out, clipped or interpreted.")
    if refused or built is None or built.grouped is None:
        _kept()


def _read(file: Any) -> tuple[Problem, ...]:
    """Read a file that is new to the uploader; what is wrong where it is no table."""
    if file is None:
        return ()
    if upload_is_refused(file.file_id):
        return (Problem("error", FULL),)
    last: Uploaded | None = st.session_state.get(LAST)
    if last is None or last.file_id != file.file_id:
        with st.spinner("Reading the file …"):
            last = Uploaded(file.name, file.file_id, read_table(file.getvalue(), file.name))
        st.session_state[LAST] = last
        if last.table.frame is not None:
            st.session_state[UPLOADED] = last
            st.rerun()  # the sidebar, drawn before this page, says what is still missing
    return last.table.problems if last.table.frame is None else ()


def _take(grouped: GroupedData) -> None:
    """Make the data the loaded ones; the sidebar, drawn before this page, must hear of it."""
    before = st.session_state.get(UPLOAD)
    if (
        before is None
        or (before.name, before.x, before.y) != (grouped.name, grouped.x, grouped.y)
        or before.digest != grouped.digest
    ):
        st.session_state[UPLOAD] = grouped
        st.rerun()


def _kept() -> None:
    if UPLOAD in st.session_state:
        st.info(plain(f"Still showing the data loaded before: {st.session_state[UPLOAD].name}."))


def _form(uploaded: Uploaded) -> Built | None:
    """What was read, the choices about each column, and the grouped data they make; None while bounds are missing."""
    table = uploaded.table
    say(table.problems, "warning")
    read, (left, right) = st.container(), st.columns(2, gap="large")
    likely = _likely(uploaded)
    with left:
        x = column_choice("x", likely[0], table)
    with right:
        y = column_choice("y", next(column for column in likely if column != x), table)
    styles: dict[str, Style | None] = {}
    columns: list[Column | None] = []
    problems: list[Problem] = []
    for which, name, place in (("x", x, left), ("y", y, right)):
        if name not in styles:  # the same column twice has its choices once
            with place:
                styles[name] = style_choice(which, name)
                columns.append(_column(uploaded, which, name, styles[name], problems))
    chosen = column_choice("group", NO_GROUP, table)
    group = "" if chosen == NO_GROUP else chosen
    st.caption(f"{BOUNDS} {RANKS}")
    st.button(
        "Take the range from the file (public data only)", key="upload_fill", on_click=take_range, args=(table, styles)
    )
    with read:
        _show_preview(uploaded, (x, y), styles)
    if x == y:
        return grouped_from_table(table, Column(x, (0, 1)), Column(y, (0, 1)))
    problems += [problem for name in (x, y) for problem in _column_read(uploaded, name, styles[name])[1]]
    return Built(None, tuple(problems)) if problems else _grouped(uploaded, columns, group)


def _column(uploaded: Uploaded, which: str, name: str, style: Style | None, problems: list[Problem]) -> Column | None:
    """The transform and the bounds of one column; None where something is missing or, said in problems, wrong."""
    transform = None
    try:
        transform = transform_choice(which, name)
    except ValueError as problem:
        problems.append(Problem("error", f"Transform of {which}: {problem}."))
    lower, upper = bounds_choice(which, name, _column_read(uploaded, name, style)[0])
    return None if lower is None or upper is None else Column(name, (lower, upper), "", style, transform)


def _grouped(uploaded: Uploaded, columns: Sequence[Column | None], group: str) -> Built | None:
    """The grouped data, if all bounds are there; then the choices are what the link and the scenario carry."""
    x, y = columns
    if x is None or y is None:
        st.info(MISSING)
        return None
    built = _built(uploaded, x, y, group or None)
    if built.grouped is not None:
        st.session_state[UPLOAD_CHOICE] = UploadedFile(
            x_column=x.name, y_column=y.name, group_column=group, x_bounds=x.bounds, y_bounds=y.bounds,
            x_numbers=x.style, y_numbers=y.style, x_transform=x.transform, y_transform=y.transform,
        )  # fmt: skip
        put_upload_choice()
    return built


@kept(3, spinner="Reading the numbers …")
def _built(uploaded: Uploaded, x: Column, y: Column, group: str | None) -> Built:
    return grouped_from_table(uploaded.table, x, y, group, uploaded.name)


@kept(1)
def _likely(uploaded: Uploaded) -> tuple[str, str]:
    return likely_columns(uploaded.table)


@kept(6)
def _column_read(uploaded: Uploaded, column: str, style: Style | None) -> tuple[Style, list[Problem]]:
    """How a column's numbers are written, and why it cannot be x or y, which need not wait for its bounds.

    Where nothing tells it, typed numbers that may have a decimal comma are asked about, too.
    """
    read = numbers_of(uploaded.table, column, style)
    errors = [problem for problem in read.problems if problem.severity == "error"]
    return "comma" if any(problem.of_style for problem in read.problems) else read.style, errors


def _show_preview(uploaded: Uploaded, chosen: tuple[str, ...], styles: dict[str, Style | None]) -> None:
    """What each column was read as; of a large file only the chosen ones."""
    frame = uploaded.table.frame
    assert frame is not None
    columns = tuple(dict.fromkeys(chosen)) if frame.size > MANY_CELLS else tuple(frame.columns)
    st.caption("What each column was read as; how x and y are written can be corrected below.")
    shown = _preview(uploaded, columns, tuple((name, style) for name, style in styles.items() if style))
    st.dataframe(without_formulas(shown), hide_index=True, width="stretch")


@kept(3, spinner="Reading the numbers …")
def _preview(uploaded: Uploaded, columns: tuple[str, ...], styles: tuple[tuple[str, Style], ...]) -> pd.DataFrame:
    return preview(uploaded.table, dict(styles), columns)


def say(problems: Sequence[Problem], severity: str) -> None:
    """The errors, or the warnings, in one box."""
    messages = [problem.message for problem in problems if problem.severity == severity]
    if messages:
        {"error": st.error, "warning": st.warning}[severity]("\n\n".join(plain(message) for message in messages))
