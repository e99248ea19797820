"""The upload form of the Data page: from a file to grouped data, with every problem said and nothing lost.

Each column keeps its own choices, on every page and after a new file: keys of widgets end in the column's name. What
a link says of a column stands until it is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.sources import tables
from dpslr_core.sources.axis import LOGARITHM, Transform
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.columns import MAX_BYTES, MAX_COLUMNS, MAX_ROWS, Table
from dpslr_core.sources.files import ENDINGS, read_file
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.numbers import STYLES, Problem, Style
from dpslr_core.support.tables import without_formulas
from dpslr_core.text.data import losses_matter, losses_sentence, persons_sentence

from .cache import kept
from .inputs import Allowed, number_box, number_of, number_text
from .link import KEEP, set_to
from .plain import plain
from .settings import MOST_RECORDS, RECORDS, UPLOAD, UPLOAD_CHOICE, UPLOADED, upload_choice

FORM, DONE = (
    "upload_form",
    "upload_done_for",
)  # session-state keys: whether the form is open; the file it is done for
CLOSED = (
    "upload_closed"  # session-state key: the form was closed by the click that this run follows
)
LAST = "upload_last"  # session-state key of the file in the uploader, readable or not
PREVIEWED = 30  # columns, the likeliest
KINDS = (
    "CSV or other text, Excel (.xlsx), Stata (.dta) or Parquet; also packed as .gz or .zip. At "
    "most "
    f"{MAX_BYTES // 2**20} MB, {MAX_ROWS:,} rows and {MAX_COLUMNS} columns."
)
BOUNDS = (
    "Bounds must be public knowledge about the quantity, as that a test is scored from 0 to 100. "
    "The smallest and "
    "largest value in the file are private. Values are clipped to the bounds, then transformed "
    "and rescaled."
)
RANKS = (
    "Ranks within the file are not offered: one record can change the ranks of all others. Then "
    "the privacy guarantee would not hold."
)
READ_OFF = (
    "This was read off the file, which is not private: another file may have more rows per person."
)
MOST = (
    "Public knowledge, from a census for example. Predictions are then made at the ends of the "
    "middle half of this range, not of the bounds."
)
MISSING = (
    "Enter the bounds of x and y above. They start empty because bounds taken from private data "
    "would reveal something about the people in them."
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
    """File, groups, columns, public bounds; data that can be built replace those before.

    It stays open until "Done" is clicked, and opens with a new file; errors stand below it, where they are seen either
    way.
    """
    uploaded: Uploaded | None = st.session_state.get(UPLOADED)
    if FORM not in st.session_state:
        done = uploaded is not None and st.session_state.get(DONE) == uploaded.digest
        st.session_state[FORM] = not (done and UPLOAD in st.session_state)
    if st.session_state.pop(CLOSED, False):
        _to_the_top()  # where the answer is: the click was far below it
    with st.expander("File, columns and public bounds", key=FORM, on_change="rerun"):
        st.caption(
            "The file stays in the server's memory for this session only; it is never written to "
            "disk."
        )
        refused = _read(
            st.file_uploader("File with a table", ENDINGS, key="upload_file", help=KINDS)
        )
        uploaded = st.session_state.get(UPLOADED)
        if uploaded is not None:
            st.caption(plain(f"File: {uploaded.name}"))
        built = None if uploaded is None else _form(uploaded)
        if built is not None:
            say(built.problems, "warning")
    say([*refused, *(built.problems if built else ())], "error")
    if built is not None and not built.rejected.empty:
        with st.expander(f"{len(built.rejected):,} groups left out"):
            st.dataframe(without_formulas(built.rejected), hide_index=True, width="stretch")
    if built is not None and built.grouped is not None and not losses_matter(built.grouped):
        st.caption(plain(losses_sentence(built.grouped)))
    if (refused or built is None or built.grouped is None) and UPLOAD in st.session_state:
        st.info(plain(f"Still showing the data loaded before: {st.session_state[UPLOAD].name}."))
    elif refused and uploaded is None:
        st.info("This file is not here: no data are loaded. Choose another file above.")


def _to_the_top() -> None:
    """Scroll to where the page begins; Streamlit stays where it is when what stood above is folded away."""
    scroll = "document.querySelector('[data-testid=\"stMain\"]').scrollTo(0, 0)"
    st.html(f"<script>{scroll}</script>", unsafe_allow_javascript=True)


def _read(file: Any) -> tuple[Problem, ...]:
    """Read a file that is new to the uploader; what is wrong where it is no table."""
    if file is None:
        return ()
    last: Uploaded | None = st.session_state.get(LAST)
    if last is None or last.file_id != file.file_id:
        with st.spinner("Reading the file …"):
            last = Uploaded(file.name, file.file_id, read_file(file.getvalue(), file.name))
        st.session_state[LAST] = last
        if last.table.readable:
            st.session_state[UPLOADED] = last
    return () if last.table.readable else last.table.problems


def _form(uploaded: Uploaded) -> tables.Built | None:
    """What was read, the choices about each column, and the grouped data they make; None while bounds are missing."""
    table = uploaded.table
    say(table.problems, "warning")
    read = st.container()
    likely = _likely(uploaded)
    left, right = st.columns(2, gap="large")
    with left:
        group = column_choice("group", "", [*reversed(likely)])
    with right:
        person = column_choice("person", "", [*reversed(likely)])
    counted = st.container()  # the rows of one person, once they are counted
    left, right = st.columns(2, gap="large")
    with left:
        x = column_choice("x", likely[0], likely)
    with right:
        y = column_choice("y", next(column for column in likely if column != x), likely)
    styles: dict[str, Style | None] = {}
    columns: list[tables.Column | None] = []
    problems: list[Problem] = []
    for which, name, place in (("x", x, left), ("y", y, right)):
        if name in styles:  # the same column twice has its choices once
            continue
        with place:
            bounds = st.container()
            with st.container(horizontal=True, gap="small"):
                style = styles[name] = style_choice(which, name)
                transform = transform_choice(which, name)
            with bounds:
                written = _column_read(uploaded, name, style)[0]
                lower, upper = bounds_choice(which, name, written)
                most = most_choice(name, written) if which == "x" else None
        missing = lower is None or upper is None
        columns.append(
            None
            if missing
            else tables.Column(name, cast(Any, (lower, upper)), "", style, transform, most)
        )
    st.caption(f"{BOUNDS} {RANKS}")
    with read:
        st.caption(plain(_preview_caption(table)))
        read_as = tuple((name, style) for name, style in styles.items() if style)
        shown = _preview(uploaded, tuple(dict.fromkeys((x, y))), tuple(likely), read_as)
        st.dataframe(without_formulas(shown), hide_index=True, width="stretch")
    if x == y:
        built: tables.Built | None = tables.grouped_from_table(
            table, tables.Column(x, (0, 1)), tables.Column(y, (0, 1))
        )
    else:
        problems += [
            problem for name in (x, y) for problem in _column_read(uploaded, name, styles[name])[1]
        ]
        built = (
            tables.Built(None, tuple(problems))
            if problems
            else _grouped(uploaded, columns, group, person)
        )
    if built is not None and built.grouped is not None:
        with counted:
            persons_checked(built.grouped)
    with st.container(horizontal=True, gap="small"):
        ready = built is not None and built.grouped is not None
        st.button(
            "Done",
            key="upload_done",
            type="primary",
            on_click=close,
            args=(uploaded,),
            disabled=not ready,
            help=None if ready else "Enter the public bounds of x and y first.",
        )
        st.button(
            "Take the range from the file (public data only)",
            key="upload_fill",
            on_click=take_range,
            args=(table, styles),
        )
    return built


def close(uploaded: Uploaded) -> None:
    """Fold the form: the choices for this file are made."""
    st.session_state.update({FORM: False, DONE: uploaded.digest, CLOSED: True})


def persons_checked(grouped: GroupedData) -> None:
    """The rows of one person beside the setting that is to cover them; a button sets it, as the user confirms."""
    records, most = int(number_of(RECORDS)), grouped.rows_per_person
    if not most:
        return
    st.caption(plain(f"{persons_sentence(grouped, records)} {READ_OFF}"))
    if records < most <= MOST_RECORDS:
        st.button(
            f"Cover {most:,} rows per person; I know that this was read off the file",
            key="upload_cover",
            on_click=set_to,
            args=("records_per_person", str(most)),
        )


def _grouped(
    uploaded: Uploaded, columns: Sequence[tables.Column | None], group: str, person: str
) -> tables.Built | None:
    """The grouped data, if all bounds are there; then the choices are what the link and the scenario carry."""
    x, y = columns
    if x is None or y is None:
        st.info(MISSING)
        return None
    built = _built(uploaded, x, y, group or None, person or None)
    if built.grouped is not None:
        choice = UploadedFile(
            x_column=x.name,
            y_column=y.name,
            group_column=group,
            x_bounds=x.bounds,
            y_bounds=y.bounds,
            x_numbers=x.style,
            y_numbers=y.style,
            x_transform=x.transform,
            y_transform=y.transform,
            x_most=x.most,
            person_column=person,
        )
        st.session_state.update({UPLOAD: built.grouped, UPLOAD_CHOICE: choice})
    return built


@kept(3, spinner="Reading the numbers …")
def _built(
    uploaded: Uploaded, x: tables.Column, y: tables.Column, group: str | None, person: str | None
) -> tables.Built:
    return tables.grouped_from_table(uploaded.table, x, y, group, uploaded.name, person)


@kept(1)
def _likely(uploaded: Uploaded) -> list[str]:
    return tables.likely_columns(uploaded.table)


@kept(6)
def _column_read(
    uploaded: Uploaded, column: str, style: Style | None
) -> tuple[Style, list[Problem]]:
    """How a column's numbers are written, and why it cannot be x or y, which need not wait for its bounds.

    Where nothing tells it, typed numbers that may have a decimal comma are asked about, too.
    """
    read = tables.numbers_of(uploaded.table, column, style)
    errors = [problem for problem in read.problems if problem.severity == "error"]
    return "comma" if any(problem.of_style for problem in read.problems) else read.style, errors


@kept(3, spinner="Reading the numbers …")
def _preview(
    uploaded: Uploaded,
    chosen: tuple[str, ...],
    likely: tuple[str, ...],
    styles: tuple[tuple[str, Style], ...],
) -> pd.DataFrame:
    """What x and y, and the other columns, were read as: the likeliest of many, in the order of the file."""
    table, first, written = uploaded.table, tables.looked_at(uploaded.table), dict(styles)
    shown = {*chosen, *likely[:PREVIEWED]}
    rows = [
        tables.preview(table if name in chosen else first, written, [name])
        for name in table.names
        if name in shown
    ]
    return pd.concat(rows, ignore_index=True)


def _preview_caption(table: Table) -> str:
    """What the preview shows, and of how many rows and columns."""
    parts = ["What each column was read as; how x and y are written can be corrected below."]
    if len(table.names) > PREVIEWED:
        parts.append(f"Shown are x, y and the {PREVIEWED} likeliest of {len(table.names)} columns.")
    rows = len(tables.looked_at(table).rows)
    if rows < len(table.rows):
        parts.append(
            f"Numbers of other columns than x and y are counted in the first {rows:,} rows."
        )
    return " ".join(parts)


def say(problems: Sequence[Problem], severity: str) -> None:
    """The errors, or the warnings, in one box."""
    messages = [problem.message for problem in problems if problem.severity == severity]
    if messages:
        {"error": st.error, "warning": st.warning}[severity](
            "\n\n".join(plain(message) for message in messages)
        )


LABELS = {
    "x": "x column",
    "y": "y column",
    "group": "Group column, such as the area (optional)",
    "person": "Column of person ids (optional)",
}
NONE = {
    "group": "— one data set —",
    "person": "— each row is another person —",
}  # of optional columns
WRITTEN: dict[str, str] = dict(
    zip(STYLES, ("1,234.5", "1.234,5", "1234.5 and nothing else"), strict=True)
)
TRANSFORMS: dict[str, str] = {"": "none", LOGARITHM: "logarithm, log10"}


# Bounds that are public for a kind of quantity, whatever the file holds.
USUAL_BOUNDS = {
    "share 0–1": (0, 1),
    "percent, rank, score 0–100": (0, 100),
    "age 0–110": (0, 110),
    "income 0–250,000": (0, 250_000),
    "income, for a logarithm 1,000–1,000,000": (1_000, 1_000_000),
}


def column_choice(which: str, default: str, columns: Sequence[str]) -> str:
    """The choice of one column; what was chosen for another file counts where this one has such a column.

    "" where none is chosen of an optional one.
    """
    key, options = f"upload_{which}", [*([""] if which in NONE else []), *columns]
    linked = getattr(upload_choice(), f"{which}_column")
    if (
        st.session_state.get(key) not in options
    ):  # said, or a browser keeps the name of another file's column
        st.session_state[key] = linked if linked in options else default
    return st.selectbox(
        LABELS[which],
        options,
        key=key,
        format_func=lambda column: column or NONE[which],
        **KEEP,
    )


def style_choice(which: str, column: str) -> Style | None:
    """How the numbers of a column are written, where the file does not say it."""
    key = _shown_first(f"upload_style_{column}", _linked(which, column, "numbers"))
    options: list[Style | str] = ["", *STYLES]
    chosen = st.selectbox(
        f"Numbers of {which} are written",
        options,
        key=key,
        help="The table above shows what was read.",
        format_func=lambda style: WRITTEN.get(style, "as the file's columns say"),
        **KEEP,
    )
    return cast(Style, chosen) if chosen else None


def bounds_choice(which: str, column: str, style: Style) -> tuple[float | None, float | None]:
    """Two boxes, empty at first but for the bounds of a link, and the usual public bounds, a click each."""
    linked, values = _linked(which, column, "bounds") or (None, None), []
    for end, first, part in zip(("lower", "upper"), linked, st.columns(2), strict=True):
        key = f"upload_{end}_{column}"
        st.session_state.setdefault(key, number_text(first))
        with part:
            allowed = Allowed(optional=True, style=style)
            label = f"{which}: public {end} bound"
            values.append(
                number_box(label, key, None, allowed, linked=False, placeholder="required")
            )
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f"Common public bounds of {which}:", width="content")
        for number, (kind, usual) in enumerate(USUAL_BOUNDS.items()):
            st.button(
                kind,
                key=f"upload_usual_{which}_{number}",
                type="tertiary",
                on_click=_set_bounds,
                args=(column, *usual),
                help=f"Sets the public bounds of {which}.",
            )
    return values[0], values[1]


def most_choice(column: str, style: Style) -> tuple[float, float] | None:
    """Where most people are, if that is public; the usual points then lie there."""
    values = []
    linked = _linked("x", column, "most") or (None, None)
    for end, first, part in zip(("from", "to"), linked, st.columns(2), strict=True):
        key = f"upload_most_{end}_{column}"
        st.session_state.setdefault(key, number_text(first))
        with part:
            allowed = Allowed(optional=True, style=style)
            label = f"x: most people are {end}"
            values.append(
                number_box(
                    label, key, None, allowed, linked=False, placeholder="optional", help=MOST
                )
            )
    low, high = values
    return None if low is None or high is None else (low, high)


def transform_choice(which: str, column: str) -> Transform | None:
    """The transform of a column."""
    key = _shown_first(f"upload_transform_{column}", _linked(which, column, "transform"))
    chosen = st.selectbox(
        f"Transform of {which}",
        list(TRANSFORMS),
        format_func=lambda name: TRANSFORMS[name],
        key=key,
        **KEEP,
    )
    return LOGARITHM if chosen else None


def _set_bounds(column: str, lower: float, upper: float) -> None:
    set_to(f"upload_lower_{column}", number_text(float(lower)))
    set_to(f"upload_upper_{column}", number_text(float(upper)))


def take_range(table: Table, styles: Mapping[str, Style | None]) -> None:
    """The bounds from the data, for data that are public."""
    for column, style in styles.items():
        read = tables.numbers_of(table, column, style)
        if np.isfinite(read.values).any() and not any(
            problem.of_style for problem in read.problems
        ):
            _set_bounds(column, float(np.nanmin(read.values)), float(np.nanmax(read.values)))


def _shown_first(key: str, linked: Any) -> str:
    """The key of a widget that shows what the link says until it is changed."""
    if key not in st.session_state and linked is not None:
        st.session_state[key] = linked
    return key


def _linked(which: str, column: str, field: str) -> Any:
    """What the link, or the data last built, says of a column; None where it names another for x or y."""
    choice = upload_choice()
    return (
        getattr(choice, f"{which}_{field}")
        if getattr(choice, f"{which}_column") == column
        else None
    )
