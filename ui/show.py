"""How every chart and table is shown: one sentence above, the figure, its numbers below with a CSV button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts.curves import Room
from dpslr_core.charts.styles import Figure
from dpslr_core.charts.vega import Spec, on_ground
from dpslr_core.report.metadata import csv_bytes
from dpslr_core.support.readable import digits_of_column
from dpslr_core.support.tables import without_formulas

from .files import save_button
from .link import set_to
from .plain import plain

NOTHING = "—"  # where there is no number
PERCENT = st.column_config.NumberColumn(format="percent")


def explored(figure: Figure, sentence: str, name: str, **selection: Any) -> None:
    """Draw a figure of Plotly's, with a sentence that the page says as its accessible name."""
    config: dict[str, Any] = {
        "displaylogo": False,
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
    if selection:  # sliders follow, which the keyboard reaches without the buttons of a tool bar
        config["displayModeBar"] = False
    st.plotly_chart(
        figure, width="stretch", key=f"chart_{name}", alt=sentence, config=config, **selection
    )


def vega(spec: Spec, sentence: str, name: str, told: bool = False, **selection: Any) -> None:
    """Draw a Vega-Lite specification, whose datasets are frames, with its accessible name.

    told: the sentence stands above it too, where the page does not say it yet.
    """
    if told:
        st.markdown(plain(sentence))
    # Streamlit's theme gives every mark a tooltip: names of fields, not labels. A mark without one has no name for
    # readers of a screen either; the picture has the sentence.
    config = spec.get("config") or {}
    read = {part: look | config.get(part, {}) for part, look in READ.items()}
    quiet = config | read | {"mark": {"tooltip": None, "aria": False} | config.get("mark", {})}
    sized: dict[str, Any] = {"width": "stretch", "key": f"chart_{name}", "alt": sentence}
    st.vega_lite_chart(spec=spec | {"config": quiet}, **sized, **selection)


ON_LIGHT, ON_DARK = (
    "#46464f",
    "#d0d0d8",
)  # numbers and titles of axes: those of Streamlit's theme have 3.7:1
_INK = {"expr": on_ground(ON_LIGHT, ON_DARK)}
_AXES = {"labelColor": _INK, "titleColor": _INK}
READ = {"axis": _AXES, "legend": _AXES, "header": _AXES, "text": {"color": _INK}}


def panels(specs: Mapping[str, Spec], sentence: str, name: str, across: int) -> None:
    """Specifications by title, so many beside each other where there is room."""
    titles = list(specs)
    for start in range(0, len(titles), across):
        for column, title in zip(st.columns(across), titles[start : start + across], strict=False):
            with column:
                st.markdown(f"**{plain(title)}**")
                vega(specs[title], f"{title}. {sentence}", f"{name}_{title}")


def chart(figure: Spec, sentence: str, table: pd.DataFrame, name: str, note: str = "") -> None:
    """Draw a picture below its sentence, what must be said with it, and the numbers behind it."""
    vega(figure, sentence, name, told=True)
    if note:
        st.caption(plain(note))
    with st.expander("The numbers in this picture"):
        numbers(table, name, note=note)


def numbers(
    table: pd.DataFrame,
    name: str,
    columns: Mapping[str, Any] = MappingProxyType({}),
    height: Any = "auto",
    note: str = "",
    helps: Mapping[str, str] = MappingProxyType({}),
    **selection: Any,
) -> Any:
    """Draw a table, "—" where there is no number, and a button that saves its CSV; return the rows chosen in it.

    Parameters
    ----------
    table : pandas.DataFrame
        Shown to four digits, saved with all of them.
    name : str
        Name of the file.
    columns : mapping
        Configuration of columns that are shown otherwise.
    height : int or str
        Of ``st.dataframe``.
    note : str
        What must be said wherever the numbers go; a column of the table.
    helps : mapping
        What columns of numbers mean, by name.
    selection
        Arguments of ``st.dataframe`` that let rows be chosen.
    """
    noted = table.assign(note=note) if note else table
    shown = without_formulas(
        noted
    )  # for spreadsheets: the table has a button of Streamlit's own that saves it
    floats = list(shown.select_dtypes("float"))
    shown[floats] = shown[floats].where(np.isfinite(shown[floats]))
    number = st.column_config.NumberColumn
    written = {
        column: number(help=helps.get(column), format=_digits(shown[column])) for column in floats
    }
    look: Any = {"height": height, "hide_index": True, "width": "stretch", "placeholder": NOTHING}
    look |= {"column_config": {**written, **columns}, "key": f"table_{name}"}
    chosen = st.dataframe(shown, **look, **selection)
    save_button("Save as CSV", csv_bytes(noted), f"{name}.csv", "text/csv", f"csv_{name}")
    return chosen


def _digits(column: pd.Series) -> str:
    """Format of a column of floats: as many digits as sentences write, and none before the point lost."""
    whole = len(f"{column.abs().max():.0f}")  # "nan" where there is no number
    return f"%.{max(digits_of_column(column.tolist()), whole)}g"


def chosen_curves(key: str, names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Return the names of the curves that are drawn, kept in the session: the usual ones until others are chosen.

    Parameters
    ----------
    key : str
        Session-state key of the choice.
    names, usual : sequence of str
        Names that there are, and those that are drawn at first.
    """
    state = st.session_state
    wanted = state.get(key, []) if state.get(f"{key}_chosen") else []
    state[key] = [name for name in wanted if name in names] or list(usual)
    return list(state[key])


def curve_choice(key: str, names: Sequence[str], place: Any) -> None:
    """Draw the choice of `chosen_curves` behind a link."""
    with place.popover("Algorithms shown", type="tertiary"):
        st.pills(
            "Curves",
            names,
            selection_mode="multi",
            key=key,
            on_change=set_to,
            args=(f"{key}_chosen", True),
            persist_state="session",
        )


def room() -> Room:
    """What charts need to know of the screen."""
    return Room(on_a_phone())


def on_a_phone() -> bool:
    """Whether the browser calls itself mobile; the server cannot know how wide its window is."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")
