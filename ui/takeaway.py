"""What can be taken away from a page: tables with what determines them, link, scenario, picture, script and report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, StopException

from dpslr_core.report.document import Report, as_html
from dpslr_core.report.metadata import Metadata, csv_bytes, metadata, parquet_bytes, public_metadata
from dpslr_core.scenario import Scenario
from dpslr_core.support import VERSION
from dpslr_core.text.data import View

from .plain import plain
from .private_names import end_if_asked
from .sessions import watch_session

# Session-state key: what the page that runs shows, the query of its link, and settings that are not in the scenario.
_SHOWN = "takeaway_shown"
_WARNED = "takeaway_warned"  # session-state key: what has been warned of since the settings were drawn


def forget() -> None:
    """A page begins: its tables are of nothing yet."""
    st.session_state.pop(_SHOWN, None)


def nothing_warned() -> None:
    """The settings are drawn anew: nothing is warned of yet."""
    st.session_state[_WARNED] = {}


def warned(sentence: str) -> str:
    """The sentence as markdown for st.warning or st.error; the page's report will say it too."""
    st.session_state.setdefault(_WARNED, {})[sentence] = None
    return plain(sentence)


def warnings() -> tuple[str, ...]:
    """What has been warned of, each sentence once."""
    return tuple(st.session_state.get(_WARNED, {}))


def declare(shown: View | Scenario | Metadata, query: str = "", more: Mapping[str, object] | None = None) -> None:
    """What the tables below are computed from: the data of a view, a scenario's own model alone, or what is said here.

    A table of the second kind must not name the data, nor hold their digest: it looks at none of them. more: settings
    of the page.
    """
    st.session_state[_SHOWN] = shown, query, dict(more or {})


def about(table: str, more: Mapping[str, object] | None = None) -> Metadata:
    """What a table says of itself; nothing on a page that shows no data. more: settings of the page."""
    shown, query, settings = st.session_state.get(_SHOWN, (None, "", {}))
    settings = {**settings, **(more or {})}
    if isinstance(shown, View):
        return metadata(shown, table, address(query), settings)
    if isinstance(shown, Scenario):
        return public_metadata(shown, table, address(query), settings)
    return {"dpslr": VERSION} | shown | {"table": table, "link": address(query)} if shown else {}


def page_query(query: str, usual: Mapping[str, Any], chosen: Mapping[str, Any] | None = None) -> str:
    """A query with the page's own widgets, where they differ from what is usual: by key.

    chosen: values that stand in place of those of the widgets.
    """
    values = {key: st.session_state.get(key) for key in usual} | dict(chosen or {})
    differing = {key: _text(value) for key, value in values.items() if value is not None and value != usual[key]}
    return "&".join(filter(None, (query, urlencode(differing))))


def _text(value: Any) -> str:
    """A value as Streamlit writes it into the address."""
    return (
        f"{value:.12g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
    )


def address(query: str, page: str = "") -> str:
    """The absolute link of the page that runs, with this query; without a host where the browser tells none."""
    here = urlsplit(st.context.url or "")
    path = here.path if here.netloc else f"/{page}"
    return f"{f'{here.scheme}://{here.netloc}' if here.netloc else ''}{path}{f'?{query}' if query else ''}"


def download(label: str, make: Callable[[], bytes], name: str, kind: str, key: str | None = None) -> None:
    """A button. make: makes the content at the click, without the page. name, kind: of the file. key: of the button."""
    watched = watch_session()

    def made() -> bytes:
        content = make()
        if watched is not None:
            watch, session = watched
            watch.hold(session, content, name, kind)
        return content

    st.download_button(label, made, name, kind, key=key, on_click="ignore")


@contextmanager
def buttons_stay() -> Iterator[None]:
    """Around a page: its buttons work until the next page has been drawn, however often that is begun.

    Streamlit ends a run in two ways, for a run that follows and to stop. The latter it does where another is on its way
    too, and it looks like a page that has ended itself (end_page).
    """
    complete = True
    try:
        yield
    except (RerunException, StopException) as ended:
        complete = False
        if isinstance(ended, StopException):
            end_if_asked()  # goes on where nobody asked: the page has ended itself
            complete = True
        raise
    finally:
        watched = watch_session()
        if watched is not None:
            watch, session = watched
            watch.keep_shown(session, complete)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a page shows.

    name: of the files, where it is not that of the page.
    scenario: None where none is needed. query: of its link. table: its numbers. script: makes Python that gives them.
    command: of dpslr, that gives them from the scenario; "" where there is none. reproducible: whether the link says
    what the data are. more: settings of the page that are not in the scenario. picture: makes it as SVG, see
    drawn.
    """

    page: str
    scenario: Scenario | None
    query: str
    table: pd.DataFrame
    script: Callable[[], str]
    command: str = ""
    name: str = ""
    reproducible: bool = True
    more: Mapping[str, object] = field(default_factory=dict)
    picture: Callable[[], bytes] | None = None


def take_away(shown: Shown) -> None:
    """Link, table, picture, scenario and script."""
    with st.expander("Cite and take away"):
        st.caption("The same numbers, in any browser." if shown.reproducible else "All but the uploaded file itself.")
        st.code(address(shown.query, shown.page), language=None)
        name = shown.name or shown.page
        said = about(name.replace("_", " "), shown.more) | {"link": address(shown.query, shown.page)}
        files: dict[str, tuple[str, Callable[[], bytes], str]] = {
            f"{name}.csv": ("Table (CSV)", lambda: csv_bytes(shown.table, said), "text/csv"),
            f"{name}.parquet": ("Table (Parquet)", lambda: parquet_bytes(shown.table, said), PARQUET),
        }
        if shown.picture is not None:
            files[f"{name}.svg"] = "Picture (SVG)", shown.picture, "image/svg+xml"
        if shown.scenario is not None:
            scenario = shown.scenario.model_dump_json(indent=2).encode()
            files["scenario.json"] = "Scenario (JSON)", lambda: scenario, "application/json"
        with st.container(horizontal=True):
            for file, (label, make, kind) in files.items():
                download(label, make, file, kind, key=f"take_{file}")
        if shown.command:
            beside = "" if shown.scenario is None else ", where scenario.json is in the folder,"
            st.caption(f"The same numbers in a terminal{beside} and in Python:")
            st.code(shown.command, language=None)
        else:
            st.caption("The same numbers in Python:")
        st.code(shown.script(), language="python", height=260)


def drawn(picture: dict[str, Any], sentence: str) -> bytes:
    """A picture of the page, or of its report, as SVG with its sentence."""
    from dpslr_core.charts.vega import WIDE, written

    return written(picture, ".svg", sentence, WIDE)


def of_report(report: Report) -> bytes:
    """The picture of a report as SVG."""
    return drawn(report.picture, report.picture_sentence)


PARQUET = "application/vnd.apache.parquet"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def report_buttons(about: str, make: Callable[[], Report]) -> None:
    """A page and a Word file, each made when it is asked for, so that a slider pays nothing. about: what is in it."""

    def word() -> bytes:
        from dpslr_core.report.word import as_word

        return as_word(make())

    with st.expander("Report to hand on"):
        st.caption(f"{about} It opens without a network.")
        with st.container(horizontal=True):
            download("Report (HTML)", lambda: as_html(make()).encode(), "report.html", "text/html")
            download("Report (Word)", word, "report.docx", WORD)
