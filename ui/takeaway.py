"""What can be taken away from a page: tables with what determines them, link, scenario, picture, script and report."""

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

# Session-state key: what the page that runs shows, the query of its link, and settings that are not in the scenario.
_SHOWN = "takeaway_shown"
_MADE = "takeaway_made"  # session-state key: files by name, each with what determined its content
_WARNED = (
    "takeaway_warned"  # session-state key: what has been warned of since the settings were drawn
)


def begin_anew() -> None:
    """The settings are drawn anew: nothing is warned of yet, and the tables of the page are of nothing yet."""
    st.session_state[_WARNED] = {}
    st.session_state.pop(_SHOWN, None)


def warned(sentence: str) -> str:
    """The sentence as markdown for st.warning or st.error; the page's report will say it too."""
    st.session_state.setdefault(_WARNED, {})[sentence] = None
    return plain(sentence)


def warnings() -> tuple[str, ...]:
    """What has been warned of, each sentence once."""
    return tuple(st.session_state.get(_WARNED, {}))


def declare(
    shown: View | Scenario | Metadata, query: str = "", more: Mapping[str, object] | None = None
) -> None:
    """What the tables below are computed from: the data of a view, a scenario's own model alone, or what is said here.

    A table of the second kind must not name the data, nor hold their digest: it looks at none of them. more: settings
    of the page.
    """
    st.session_state[_SHOWN] = shown, query, dict(more or {})


def shown_query() -> str:
    """Return the query of the link of what the page shows, without the page's own widgets."""
    return str(st.session_state[_SHOWN][1])


def about(table: str, more: Mapping[str, object] | None = None) -> Metadata:
    """What a table says of itself; nothing on a page that shows no data. more: settings of the page."""
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
    """A query with the page's own widgets, where they differ from what is usual: by key.

    chosen: values that stand in place of those of the widgets.
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
    """The absolute link of the page that runs, with this query; without a host where the browser tells none."""
    here = urlsplit(st.context.url or "")
    path = here.path if here.netloc else f"/{page}"
    return f"{f'{here.scheme}://{here.netloc}' if here.netloc else ''}{path}{f'?{query}' if query else ''}"


def make_and_save(label: str, make: Callable[[], bytes], name: str, kind: str, of: object) -> None:
    """Draw a button that makes a file, then one that saves the file, for as long as the page shows the same.

    Parameters
    ----------
    label : str
        The file as it is called on both buttons.
    make : callable
        Makes the content of the file, in seconds rather than milliseconds.
    name, kind : str
        Name and media type of the file.
    of : object
        Everything that determines the content.
    """
    made = st.session_state.setdefault(_MADE, {})
    if name in made and made[name][0] != repr(of):
        del made[name]
    place = st.empty()
    if name not in made and place.button(f"Make {label}", key=f"make_{name}"):
        with place, st.spinner(f"Making {label} …"):
            made[name] = repr(of), make()
    if name in made:
        with place:
            save_button(f"Save {label}", made[name][1], name, kind, f"save_{name}")


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
    """Link, table, picture, scenario and script of what a page shows.

    page, query: of its link. table: its numbers. script: makes Python that gives them. scenario: None where none is
    needed. command: of dpslr, that gives them from the scenario; "" where there is none. name: of the files, where it
    is not that of the page. more: settings of the page that are not in the scenario. picture: makes it as SVG, see
    drawn.
    """
    shown, name = st.session_state.get(_SHOWN, (None,))[0], name or page
    with st.expander("Cite and take away"):
        here = not isinstance(shown, View) or shown.grouped.reproducible
        st.caption(
            "The same numbers, in any browser." if here else "All but the uploaded file itself."
        )
        st.code(address(query, page), language=None, wrap_lines=True)
        said = about(name.replace("_", " "), more) | {"link": address(query, page)}
        files = {
            f"{name}.csv": ("Table (CSV)", csv_bytes(table), "text/csv"),
            f"{name}.csv.json": ("Its settings (JSON)", settings_bytes(said), "application/json"),
            f"{name}.parquet": ("Table (Parquet)", parquet_bytes(table, said), PARQUET),
            f"{name}.tex": ("Table (LaTeX)", latex_bytes(table, said), "text/x-tex"),
        }
        if scenario is not None:
            written = scenario.model_dump_json(indent=2).encode()
            files[SCENARIO_FILE] = "Scenario (JSON)", written, "application/json"
        with st.container(horizontal=True):
            for file, (label, content, kind) in files.items():
                save_button(label, content, file, kind, f"take_{file}")
            if picture is not None:
                make_and_save("the picture (SVG)", picture, f"{name}.svg", "image/svg+xml", said)
        beside = "" if scenario is None else ", where scenario.json is in the folder,"
        where = f"in a terminal{beside} and in Python" if command else "in Python"
        st.caption(f"The same numbers {where}:")
        if command:
            st.code(command, language=None, wrap_lines=True)
        st.code(script(), language="python", wrap_lines=True)


def drawn(picture: dict[str, Any], sentence: str) -> bytes:
    """A picture of the page, or of its report, as SVG with its sentence."""
    from dpslr_core.charts.vega import WIDE, written

    return written(picture, ".svg", sentence, WIDE)


def of_report(report: Report) -> bytes:
    """The picture of a report as SVG."""
    return drawn(report.picture, report.picture_sentence)


PARQUET = "application/vnd.apache.parquet"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def report_buttons(contents: str, query: str, make: Callable[[], Report]) -> None:
    """Draw the buttons of a report as a page and as a Word file, and what is in it.

    Parameters
    ----------
    contents : str
        Sentence on what is in the report.
    query : str
        Query of the page's link.
    make : callable
        Makes the report, without a file beside it.
    """

    def word() -> bytes:
        from dpslr_core.report.word import as_word

        return as_word(make())

    of = about("report") | {"link": address(query), "warnings": warnings()}
    with st.expander("Report to hand on"):
        st.caption(f"{contents} It opens without a network.")
        with st.container(horizontal=True):
            make_and_save(
                "the report (HTML)",
                lambda: as_html(make()).encode(),
                "report.html",
                "text/html",
                of,
            )
            make_and_save("the report (Word)", word, "report.docx", WORD, of)
