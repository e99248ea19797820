"""What the tables and reports of a page say of themselves once they are saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from dpslr_core.report.metadata import Metadata, metadata, public_metadata
from dpslr_core.scenario import Scenario
from dpslr_core.support import VERSION
from dpslr_core.text.view import View

from ..plain import plain

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


def declare(
    shown: View[Scenario] | Scenario | Metadata, query: str = "", more: Mapping[str, object] | None = None
) -> None:
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


def page_query(query: str, usual: Mapping[str, Any]) -> str:
    """A query with the page's own widgets, where they differ from what is usual: by key."""
    chosen = {key: st.session_state.get(key) for key in usual}
    differing = {key: _text(value) for key, value in chosen.items() if value is not None and value != usual[key]}
    return "&".join(filter(None, (query, urlencode(differing))))


def _text(value: Any) -> str:
    """A value as Streamlit writes it into the address."""
    return (
        str(value).lower() if isinstance(value, bool) else f"{value:.12g}" if isinstance(value, float) else str(value)
    )


def address(query: str, page: str = "") -> str:
    """The absolute link of the page that runs, with this query; without a host where the browser tells none."""
    here = urlsplit(st.context.url or "")
    path = here.path if here.netloc else f"/{page}"
    return f"{f'{here.scheme}://{here.netloc}' if here.netloc else ''}{path}{f'?{query}' if query else ''}"
