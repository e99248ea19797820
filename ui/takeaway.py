"""Files to take away from a page: tables with their settings, link, scenario, picture, script and report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import pandas as pd
import streamlit as st

from dpslr_core.report.document import SCENARIO_FILE, Report, as_html
from dpslr_core.report.metadata import (
    Metadata,
    csv_bytes,
    latex_bytes,
    metadata,
    parquet_bytes,
    public_metadata,
    settings_bytes,
)
from dpslr_core.scenario import Scenario
from dpslr_core.sources.numbers import format_points
from dpslr_core.support import VERSION
from dpslr_core.text.data import View

from .files import save_button
from .plain import plain

# Session-state key: the declared source of tables, the query of the page's link, and settings beside the scenario.
_SHOWN = "takeaway_shown"
_MADE = "takeaway_made"  # session-state key: by name, key and content of a made file
FOLDED = "take_away"  # session-state key: whether the files and the script are open
_WARNED = "takeaway_warned"  # session-state key: warnings since the settings were drawn


def begin_anew() -> None:
    """Forget warnings and the declared source of tables: the settings are drawn anew."""
    st.session_state[_WARNED] = {}
    st.session_state.pop(_SHOWN, None)


def warned(sentence: str) -> str:
    """Return a sentence as markdown for st.warning or st.error, and note the sentence for the page's report."""
    st.session_state.setdefault(_WARNED, {})[sentence] = None
    return plain(sentence)


def warnings() -> tuple[str, ...]:
    """Return the noted warnings, each once."""
    return tuple(st.session_state.get(_WARNED, {}))


def declare(
    shown: View | Scenario | Metadata, query: str = "", more: Mapping[str, object] | None = None
) -> None:
    """Declare what the tables below are computed from.

    Parameters
    ----------
    shown : View, Scenario or Metadata
        Data of a view; a scenario's own model alone, whose tables must neither name the data nor hold their digest; or
        metadata as they are.
    query : str, optional
        Query of the page's link.
    more : mapping, optional
        Settings of the page.
    """
    st.session_state[_SHOWN] = shown, query, dict(more or {})


def shown_query() -> str:
    """Return the query of the link to what the page shows, without the page's own widgets."""
    return str(st.session_state[_SHOWN][1])


def about(table: str, more: Mapping[str, object] | None = None) -> Metadata:
    """Return the metadata of a table, `more` being settings of the page; empty on a page without data."""
    shown, query, settings = st.session_state.get(_SHOWN, (None, "", {}))
    settings = {**settings, **(more or {})}
    if isinstance(shown, View):
        return metadata(shown, table, address(query), settings)
    if isinstance(shown, Scenario):
        return public_metadata(shown, table, address(query), settings)
    return {"dpslr": VERSION} | shown | {"table": table, "link": address(query)} if shown else {}


def page_query(
    query: str, usual: Mapping[str, Any], chosen: Mapping[str, Any] | None = None
) -> str:
    """Add the page's own widgets to a query, if they differ from their usual values.

    Parameters
    ----------
    query : str
        Query of the settings.
    usual : mapping
        Usual values by key.
    chosen : mapping, optional
        Values that replace those of the widgets.
    """
    values = {key: st.session_state.get(key) for key in usual} | dict(chosen or {})
    texts = {key: _text(value) for key, value in values.items() if value not in (None, "")}
    differing = {key: text for key, text in texts.items() if text != _text(usual[key])}
    return "&".join(filter(None, (query, urlencode(differing))))


def _text(value: Any) -> str:
    """Write a value as the address holds it, a number to every digit."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return format_points([value])
    return str(value)


def address(query: str, page: str = "") -> str:
    """Return the absolute link of the page that runs, with this query; without a host if the browser tells none."""
    current = urlsplit(st.context.url or "")
    path = current.path if current.netloc else f"/{page}"
    return f"{f'{current.scheme}://{current.netloc}' if current.netloc else ''}{path}{f'?{query}' if query else ''}"


def make_and_save(
    label: str, make: Callable[[], bytes], name: str, kind: str, inputs: object
) -> None:
    """Draw a button that makes a file, then a button that saves it, until the content would change.

    Parameters
    ----------
    label : str
        The file as it is called on both buttons.
    make : callable
        Makes the content of the file, in seconds rather than milliseconds.
    name, kind : str
        Name and media type of the file.
    inputs : object
        Everything that determines the content.
    """
    files = st.session_state.setdefault(_MADE, {})
    if name in files and files[name][0] != repr(inputs):
        del files[name]
    slot = st.empty()
    if name not in files and slot.button(f"Make {label}", key=f"make_{name}"):
        with slot, st.spinner(f"Making {label} …"):
            files[name] = repr(inputs), make()
    if name in files:
        with slot:
            save_button(f"Save {label}", files[name][1], name, kind, f"save_{name}")


def take_away(
    page: str,
    query: str,
    table: pd.DataFrame,
    script: Callable[[], str],
    scenario: Scenario | None = None,
    command: str = "",
    name: str = "",
    more: Mapping[str, object] | None = None,
    picture: Callable[[], bytes] | None = None,
) -> None:
    """Draw link, table, picture, scenario and script of what a page shows.

    Parameters
    ----------
    page, query : str
        Address of the page, and query of its link.
    table : pandas.DataFrame
        Numbers of the page.
    script : callable
        Makes Python code that gives the numbers.
    scenario : Scenario, optional
        Scenario; None if none is needed.
    command : str, optional
        Command of dpslr that gives the numbers from the scenario.
    name : str, optional
        Name of the files; by default the page's.
    more : mapping, optional
        Settings of the page that are not in the scenario.
    picture : callable, optional
        Makes the picture as SVG, see `drawn`.
    """
    shown, name = st.session_state.get(_SHOWN, (None,))[0], name or page
    folded = st.expander("Cite and take away", key=FOLDED, on_change="rerun")
    if not folded.open:
        return  # few save files, and each step of a slider would wait for four of them
    with folded:
        reproducible = not isinstance(shown, View) or shown.grouped.reproducible
        st.caption(
            "The same numbers, in any browser."
            if reproducible
            else "All but the uploaded file itself."
        )
        st.code(address(query, page), language=None, wrap_lines=True)
        settings = about(name.replace("_", " "), more) | {"link": address(query, page)}
        files = {
            f"{name}.csv": ("Table (CSV)", csv_bytes(table), "text/csv"),
            f"{name}.csv.json": (
                "Its settings (JSON)",
                settings_bytes(settings),
                "application/json",
            ),
            f"{name}.parquet": ("Table (Parquet)", parquet_bytes(table, settings), PARQUET),
            f"{name}.tex": ("Table (LaTeX)", latex_bytes(table, settings), "text/x-tex"),
        }
        if scenario is not None:
            written = scenario.model_dump_json(indent=2).encode()
            files[SCENARIO_FILE] = "Scenario (JSON)", written, "application/json"
        with st.container(horizontal=True):
            for file, (label, content, kind) in files.items():
                save_button(label, content, file, kind, f"take_{file}")
            if picture is not None:
                make_and_save(
                    "the picture (SVG)", picture, f"{name}.svg", "image/svg+xml", settings
                )
        beside = "" if scenario is None else ", where scenario.json is in the folder,"
        where = f"in a terminal{beside} and in Python" if command else "in Python"
        st.caption(f"The same numbers {where}:")
        if command:
            st.code(command, language=None, wrap_lines=True)
        st.code(script(), language="python", wrap_lines=True)


def drawn(picture: dict[str, Any], sentence: str) -> bytes:
    """Return a picture of the page, or of its report, as SVG with its sentence."""
    from dpslr_core.charts.vega import WIDE, written

    return written(picture, ".svg", sentence, WIDE)


def of_report(report: Report) -> bytes:
    """Return the picture of a report as SVG."""
    return drawn(report.picture, report.picture_sentence)


PARQUET = "application/vnd.apache.parquet"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def report_buttons(contents: str, query: str, make: Callable[[], Report]) -> None:
    """Draw the buttons of a report as a page and as a Word file, and its contents in a sentence.

    Parameters
    ----------
    contents : str
        Sentence on the contents of the report.
    query : str
        Query of the page's link.
    make : callable
        Makes the report, without a file beside it.
    """

    def word() -> bytes:
        from dpslr_core.report.word import as_word

        return as_word(make())

    inputs = about("report") | {"link": address(query), "warnings": warnings()}
    with st.expander("Report to hand on"):
        st.caption(f"{contents} It opens without a network.")
        with st.container(horizontal=True):
            make_and_save(
                "the report (HTML)",
                lambda: as_html(make()).encode(),
                "report.html",
                "text/html",
                inputs,
            )
            make_and_save("the report (Word)", word, "report.docx", WORD, inputs)
