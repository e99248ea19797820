"""The upload form of the Data page: from a file to grouped data, with every problem said and nothing lost.

Each column keeps its own choices, on every page and after a new file: keys of widgets end in the column's name. The
choices that a link gives a column stand until they are changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.sources import tables
from dpslr_core.sources.axis import LOGARITHM
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

FORM = "upload_form"  # session-state key: whether the form is open
CLOSED = "upload_closed"  # session-state key: whether the click before this run closed the form
LAST = "upload_last"  # session-state key of the file in the uploader, readable or not
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
    """File as it was read; kept in memory only.

    Attributes
    ----------
    name : str
        Name of the file.
    file_id : str
        Streamlit's id of this upload.
    table : Table
        Content.
    """

    name: str
    file_id: str
    table: Table

    @property
    def digest(self) -> str:
        """Cache key of the file."""
        return f"{self.name}, {self.file_id}"


def upload_form() -> None:
    """Draw file, groups, columns and public bounds; data that can be built replace the last ones.

    The form stays open until "Done" is clicked or the page is left with data; errors stand below the form, where they
    are seen either way.
    """
    if FORM not in st.session_state:
        st.session_state[FORM] = UPLOAD not in st.session_state
    if st.session_state.pop(CLOSED, False):
        _to_the_top()  # the answer is there; the click was far below
    with st.expander("File, columns and public bounds", key=FORM, on_change="rerun"):
        st.caption(
            "The file stays in the server's memory for this session only; it is never written to "
            "disk."
        )
        refused = _read(
            st.file_uploader("File with a table", ENDINGS, key="upload_file", help=KINDS)
        )
        uploaded: Uploaded | None = st.session_state.get(UPLOADED)
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
    """Scroll to the beginning of the page: Streamlit stays where it is when the form above is folded away."""
    scroll = "document.querySelector('[data-testid=\"stMain\"]').scrollTo(0, 0)"
    st.html(f"<script>{scroll}</script>", unsafe_allow_javascript=True)


def _read(file: Any) -> tuple[Problem, ...]:
    """Read a file that is new to the uploader; return the problems if it is no table."""
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
    """Draw the preview and the choices about each column; build the data once all bounds are given."""
    table = uploaded.table
    say(table.problems, "warning")
    read = st.container()
    likely = _likely(uploaded)
    left, right = st.columns(2, gap="large")
    with left:
        group = column_choice("group", "", [*reversed(likely)])
    with right:
        person = column_choice("person", "", [*reversed(likely)])
    counted = st.container()  # filled once the rows of one person are counted
    styles: dict[str, Style | None] = {}
    columns: list[tables.Column | None] = []
    problems: list[Problem] = []
    for which, slot in zip(("x", "y"), st.columns(2, gap="large"), strict=True):
        with slot:
            remaining = [column for column in likely if column not in styles]
            name = column_choice(which, remaining[0], remaining)
            bounds = st.container()
            with st.container(horizontal=True, gap="small"):
                style = styles[name] = chosen_of(which, name, "numbers", *NUMBERS) or None
                transform = (
                    chosen_of(which, name, "transform", "Transform of {}", TRANSFORMS) or None
                )
            written, unreadable = _column_read(uploaded, name, style)
            problems += unreadable
            with bounds:
                lower, upper = bounds_choice(which, name, written)
                most = most_choice(name, written) if which == "x" else None
        missing = lower is None or upper is None
        both = cast(Any, (lower, upper))
        column = None if missing else tables.Column(name, both, "", style, transform, most)
        columns.append(column)
    st.caption(f"{BOUNDS} {RANKS}")
    with read:
        st.caption("What each column was read as; how x and y are written can be corrected below.")
        shown = _preview(uploaded, tuple(styles.items()))
        st.dataframe(without_formulas(shown), hide_index=True, width="stretch")
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


def close() -> None:
    """Fold the form: the choices for this file are made."""
    st.session_state.update({FORM: False, CLOSED: True})


def persons_checked(grouped: GroupedData) -> None:
    """Draw the largest number of rows of one person beside the setting; offer a button that raises the setting."""
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
    """Build the grouped data once all bounds are given, and keep the choices for link and scenario; None before."""
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
    """Read how a column's numbers are written, and why the column cannot be x or y, before its bounds are typed.

    Numbers that may have a decimal comma are taken as such here, so that typed bounds are asked about, too.

    Returns
    -------
    style : Style
        How bounds of the column are typed.
    errors : list of Problem
        Errors of the column.
    """
    read = tables.numbers_of(uploaded.table, column, style)
    errors = [problem for problem in read.problems if problem.severity == "error"]
    return "comma" if any(problem.of_style for problem in read.problems) else read.style, errors


@kept(3, spinner="Reading the numbers …")
def _preview(uploaded: Uploaded, styles: tuple[tuple[str, Style | None], ...]) -> pd.DataFrame:
    """Return the table of how x and y were read: type, numbers and examples."""
    written = {column: style for column, style in styles if style}
    return tables.preview(uploaded.table, written, [column for column, _ in styles])


def say(problems: Sequence[Problem], severity: str) -> None:
    """Draw the errors, or the warnings, in one box."""
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
WRITTEN: dict[str, str] = {
    "": "as the file's columns say",
    **dict[str, str](zip(STYLES, ("1,234.5", "1.234,5", "1234.5 and nothing else"), strict=True)),
}
NUMBERS = "Numbers of {} are written", WRITTEN, "The table above shows what was read."
TRANSFORMS: dict[str, str] = {"": "none", LOGARITHM: "logarithm, log10"}


def column_choice(which: str, default: str, columns: Sequence[str]) -> str:
    """Draw the choice of one column and return its name; "" if none is chosen for an optional one.

    A choice made for another file counts if this file has a column of that name.
    """
    key, options = f"upload_{which}", [*([""] if which in NONE else []), *columns]
    linked = getattr(upload_choice(), f"{which}_column")
    # Set here, or a browser keeps the name of another file's column.
    if st.session_state.get(key) not in options:
        st.session_state[key] = linked if linked in options else default
    return st.selectbox(
        LABELS[which],
        options,
        key=key,
        format_func=lambda column: column or NONE[which],
        **KEEP,
    )


def chosen_of(
    which: str, column: str, field: str, label: str, options: Mapping[str, str], hint: str = ""
) -> Any:
    """Draw a choice about a column, which shows the link's value until it is changed; return the chosen key."""
    key, linked = f"upload_{field}_{column}", _linked(which, column, field)
    if key not in st.session_state and linked is not None:
        st.session_state[key] = linked
    return st.selectbox(
        label.format(which),
        list(options),
        key=key,
        format_func=lambda name: options[name],
        help=hint or None,
        **KEEP,
    )


def bounds_choice(which: str, column: str, style: Style) -> tuple[float | None, float | None]:
    """Draw two boxes for the public bounds, empty at first unless a link gives them; return both."""
    boxes = {f"upload_{end}_{column}": f"{which}: public {end} bound" for end in ("lower", "upper")}
    return _two_numbers(boxes, _linked(which, column, "bounds"), style, placeholder="required")


def most_choice(column: str, style: Style) -> tuple[float, float] | None:
    """Draw boxes for the public range of most people, inside which the usual points lie; return it or None."""
    boxes = {f"upload_most_{end}_{column}": f"x: most people are {end}" for end in ("from", "to")}
    linked = _linked("x", column, "most")
    low, high = _two_numbers(boxes, linked, style, placeholder="optional", help=MOST)
    return None if low is None or high is None else (low, high)


def _two_numbers(
    boxes: Mapping[str, str], linked: Any, style: Style, **options: Any
) -> tuple[float | None, float | None]:
    """Draw two boxes beside each other, labels by key, that show at first the numbers of the link; return both."""
    values = []
    for key, first, slot in zip(boxes, linked or (None, None), st.columns(2), strict=True):
        st.session_state.setdefault(key, number_text(first))
        allowed = Allowed(optional=True, style=style)
        with slot:
            values.append(number_box(boxes[key], key, None, allowed, linked=False, **options))
    return values[0], values[1]


def take_range(table: Table, styles: Mapping[str, Style | None]) -> None:
    """Set the bounds to the range of the data: for data that are public."""
    for column, style in styles.items():
        read = tables.numbers_of(table, column, style)
        if np.isfinite(read.values).any() and not any(
            problem.of_style for problem in read.problems
        ):
            for end, bound in (("lower", np.nanmin), ("upper", np.nanmax)):
                set_to(f"upload_{end}_{column}", number_text(float(bound(read.values))))


def _linked(which: str, column: str, field: str) -> Any:
    """Return a field that the link, or the last built data, give this column; None if they have another column."""
    choice = upload_choice()
    return (
        getattr(choice, f"{which}_{field}")
        if getattr(choice, f"{which}_column") == column
        else None
    )
