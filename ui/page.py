"""How every page begins, whichever way it was opened."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from . import sidebar
from .plain import plain

ROOT = Path(__file__).parent.parent
APP, GLOSSARY = ROOT / "app.py", ROOT / "docs" / "GLOSSARY.md"
STYLE = """<style>
.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }
.stMainBlockContainer h1, .stMainBlockContainer h2 { padding: 0; }
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] p { color: inherit; opacity: 1; }
.katex-display { overflow: visible !important; }
[data-testid="stWidgetLabel"] { color: inherit !important; }
.katex-display > .katex { white-space: normal; }
</style>"""


def begin(title: str) -> None:
    """The first line of every page: its title, below the sidebar.

    Starts app.py where Streamlit's own discovery of pages/ started a page without it (a cold deep link).

    Where a page is run on its own there is no app.py either; then the page draws the sidebar itself.
    """
    if getattr(PagesManager, "uses_pages_directory", False):
        runpy.run_path(str(APP), run_name="__main__")
        st.stop()
    if not st.session_state.get("under_app"):
        sidebar.draw()
    st.html(STYLE)
    left, right = st.columns([6, 1], vertical_alignment="center")
    left.title(title, anchor=False)
    with right.popover("Terms", type="tertiary", width="stretch"):
        glossary()


def glossary() -> None:
    """Every term that pages use, with its one meaning."""
    for heading, rows in _glossary():
        st.markdown(f"**{heading}**")
        st.markdown(
            "\n".join(f"- **{term}**{f' ({symbol})' if symbol else ''}: {meaning}" for term, symbol, meaning in rows)
        )


@cache
def _glossary() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The tables of docs/GLOSSARY.md: a heading, and its terms with symbol and meaning."""
    parts = GLOSSARY.read_text(encoding="utf-8").split("\n## ")[1:]
    tables = []
    for part in parts:
        heading, _, body = part.partition("\n")
        lines = [line.strip("| ").split("|") for line in body.splitlines() if line.startswith("| ")][1:]
        rows = [(cells[0].strip(), cells[1].split("`")[0].strip(" ,"), cells[2].strip()) for cells in lines]
        tables.append((heading, rows))
    return tables


def answer(sentence: str, context: str = "") -> None:
    """The answer of a page, and the data and settings that it holds for."""
    st.header(plain(sentence), anchor=False)
    if context:
        st.caption(plain(context))
