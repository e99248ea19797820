"""Charts and tables of all pages: one sentence above, the figure, its numbers below with a CSV button."""

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

NOTHING = "—"  # in place of a missing number
PERCENT = st.column_config.NumberColumn(format="percent")


def explored(figure: Figure, sentence: str, name: str, **selection: Any) -> None:
    """Draw a plotly figure, with a sentence that the page says already as its accessible name."""
    config: dict[str, Any] = {
        "displaylogo": False,
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
    if selection:  # sliders do the same by keyboard: no tool bar
        config["displayModeBar"] = False
    st.plotly_chart(
        figure, width="stretch", key=f"chart_{name}", alt=sentence, config=config, **selection
    )


def vega(
    spec: Spec, sentence: str, name: str, sentence_above: bool = False, **selection: Any
) -> None:
    """Draw a Vega-Lite specification, whose datasets are frames, with its accessible name.

    Parameters
    ----------
    spec : Spec
        The specification.
    sentence : str
        Accessible name.
    name : str
        Name of the chart, part of its key.
    sentence_above : bool, optional
        Whether the sentence is also drawn above the chart, because the page does not say it yet.
    **selection
        Arguments of st.vega_lite_chart that let marks be chosen.
    """
    if sentence_above:
        st.markdown(plain(sentence))
    # Streamlit's theme gives every mark a tooltip with names of fields. Neither tooltips nor screen readers get these:
    # the picture has the sentence.
    config = spec.get("config") or {}
    read = {group: look | config.get(group, {}) for group, look in READ.items()}
    quiet = config | read | {"mark": {"tooltip": None, "aria": False} | config.get("mark", {})}
    sized: dict[str, Any] = {"width": "stretch", "key": f"chart_{name}", "alt": sentence}
    st.vega_lite_chart(spec=spec | {"config": quiet}, **sized, **selection)


# Colours of numbers and titles of axes: those of Streamlit's theme have a contrast of 3.7:1.
ON_LIGHT, ON_DARK = "#46464f", "#d0d0d8"
_INK = {"expr": on_ground(ON_LIGHT, ON_DARK)}
_AXES = {"labelColor": _INK, "titleColor": _INK}
READ = {"axis": _AXES, "legend": _AXES, "header": _AXES, "text": {"color": _INK}}


def panels(specs: Mapping[str, Spec], sentence: str, name: str, across: int) -> None:
    """Draw specifications below their titles, `across` beside each other where there is room."""
    titles = list(specs)
    for start in range(0, len(titles), across):
        for column, title in zip(st.columns(across), titles[start : start + across], strict=False):
            with column:
                st.markdown(f"**{plain(title)}**")
                vega(specs[title], f"{title}. {sentence}", f"{name}_{title}")


def chart(figure: Spec, sentence: str, table: pd.DataFrame, name: str, note: str = "") -> None:
    """Draw a picture below its sentence, with a note and the numbers behind it."""
    vega(figure, sentence, name, sentence_above=True)
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
    """Draw a table with a button that saves it as CSV; return the rows chosen in it.

    Parameters
    ----------
    table : pandas.DataFrame
        Table, shown to four digits with "—" for missing numbers, saved with all digits.
    name : str
        Name of the file.
    columns : mapping
        Configuration of columns that are shown otherwise.
    height : int or str
        Height, as for st.dataframe.
    note : str
        Sentence that must go wherever the numbers go; a column of the table.
    helps : mapping
        Meanings of columns of numbers, by name.
    **selection
        Arguments of st.dataframe that let rows be chosen.
    """
    noted = table.assign(note=note) if note else table
    # Streamlit's own button saves the shown table for spreadsheets.
    shown = without_formulas(noted)
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
    """Return the format of a column of floats: the digits that sentences write, and all digits before the point."""
    digits = len(f"{column.abs().max():.0f}")  # "nan" where there is no number
    return f"%.{max(digits_of_column(column.tolist()), digits)}g"


def chosen_curves(key: str, names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Return the names of the curves that are drawn, kept in the session: the usual ones until others are chosen.

    Parameters
    ----------
    key : str
        Session-state key of the choice.
    names, usual : sequence of str
        Names of all curves, and of those drawn at first.
    """
    state = st.session_state
    wanted = state.get(key, []) if state.get(f"{key}_chosen") else []
    state[key] = [name for name in wanted if name in names] or list(usual)
    return list(state[key])


def curve_choice(key: str, names: Sequence[str], slot: Any) -> None:
    """Draw the link "Algorithms shown", which opens a choice of the curves to draw.

    Parameters
    ----------
    key : str
        Session-state key of the choice, as in `chosen_curves`.
    names : sequence of str
        Names of all curves.
    slot : container
        Place of the link on the page.
    """
    with slot.popover("Algorithms shown", type="tertiary"):
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
    """Return the properties of the screen that charts depend on."""
    return Room(on_a_phone())


def on_a_phone() -> bool:
    """Return whether the browser calls itself mobile; the server cannot know how wide its window is."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")
