"""Frame of every page: title, style, answer and choice of a view, whichever way the page was opened."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import streamlit as st

from dpslr_core.mechanisms import Mechanism, algorithms
from dpslr_core.text.phrases import first_and_rest
from dpslr_core.text.terms import Term, algorithm_terms, glossary_tables, terms_in

from .cache import collect_garbage
from .ends import under_app
from .link import bound
from .plain import plain

ROOT = Path(__file__).parent.parent
TOOL = "Differentially private simple linear regression"
HEADING = "page_heading"  # session-state key of the place above the form of an uploaded file
_CRUMB = "page_crumb"  # session-state key of the place beside the title
APP, GLOSSARY = ROOT / "app.py", ROOT / "docs" / "GLOSSARY.md"
STYLE = """
[data-testid="stLayoutWrapper"]:has(> [class*="st-key-hidden_"]) { display: none; }
.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }
.stMainBlockContainer h1, .stMainBlockContainer h2 { padding: 0; }
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] p { color: inherit; opacity: 1; }
.js-plotly-plot :is(.xtick, .ytick, .g-xtitle, .g-ytitle, .annotation-text-g) text { fill: currentColor !important; }
:is(a, button, [role="radio"], summary):focus-visible { outline: 3px solid currentColor; outline-offset: 2px; }
@media (prefers-reduced-motion: reduce) {
    *, *::before, *::after { animation-duration: 0.01ms !important; transition-duration: 0.01ms !important; }
}
.katex-display { overflow: visible !important; }
@media (hover: none) { /* tool bars that never go away, over the buttons above them */
    [data-testid="stElementToolbar"], .stPlotlyChart .modebar-container { display: none; }
}
@media (max-width: 640px) { /* what the numbers are of stands below the title, across the screen */
    .st-key-page_title_row { flex-wrap: wrap; row-gap: 0; }
    .st-key-page_title_row > :has(.st-key-page_crumb) { order: 1; flex-basis: 100%; }
}
[data-testid="stWidgetLabel"] { color: inherit !important; }
.stPrintGraphic [data-testid="stSkeleton"] { height: 18rem; } /* until the browser has loaded what draws pictures */
.stPrintGraphic [data-testid="stSkeleton"]::after { content: "Loading the picture …"; display: block; padding: 1rem; }
[data-testid^="stBaseButton-primary"] p { color: light-dark(#ffffff, #0e1117); }
.katex-display > .katex { white-space: normal; }
[data-testid="stSidebar"] [data-testid="stHorizontalBlock"]:has([data-testid="stTextInput"]) { flex-wrap: nowrap; }
"""

# Settings that do nothing on a page are hidden there, but drawn, so that they keep their values. On a phone the sidebar
# holds the names of the pages too.
NO_SETTINGS = """
@media (min-width: 769px) {
    [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }
}
[data-testid="stSidebarUserContent"] { display: none; }
"""
ONLY_THE_SEED = """
[data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] > :not(:has(.st-key-seed), .st-key-seed),
[data-testid="stSidebarUserContent"] .st-key-trials { display: none; }
"""
SETTINGS = {"all": "", "seed": ONLY_THE_SEED, "none": NO_SETTINGS}
# Style of a page that is shown to a class: large type where there is room.
SHOWN_STYLE = """
@media (min-width: 769px) { html { font-size: 110%; } }
@media (min-width: 1500px) and (min-height: 900px) { html { font-size: 125%; } }
.streamlit-embedded :is([data-testid="stHeader"], [data-testid="stSidebar"]) { display: none; }
.streamlit-embedded .stMainBlockContainer { padding: 0.5rem 1.5rem 0.5rem; max-width: none; }
.streamlit-embedded .st-key-page_title_row { position: absolute; width: 2px; height: 2px; overflow: hidden; }
.streamlit-embedded .st-key-page_title_row :is(button, a) { visibility: hidden; }
"""


def add_style(style: str) -> None:
    """Add rules of style to the page."""
    st.html(f"<style>{style}</style>")


def title_row(title: str) -> None:
    """Draw the title of a page and the list of terms; first the style, which browsers load late."""
    add_style(STYLE)
    named = TOOL if title == "Start" else title
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="page_title_row"
    ):
        st.title(named, anchor=False, width="content")
        st.session_state[_CRUMB] = st.container(key="page_crumb")
        with st.popover("Terms", type="tertiary"):
            st.markdown(_all_defined())


def begin(shown: bool = False, settings: Literal["all", "seed", "none"] = "all") -> None:
    """Begin a page, below its title and the sidebar: the first call of every page.

    Starts app.py where Streamlit's own discovery of pages/ started a page without it (a cold deep link).

    Parameters
    ----------
    shown : bool, optional
        Whether the page is shown to a class, in large type.
    settings : str, optional
        Settings of the sidebar that do something on the page; the others are hidden.
    """
    if not under_app.get():
        runpy.run_path(str(APP), run_name="__main__")
        st.stop()
    collect_garbage()
    if own := f"{SHOWN_STYLE if shown else ''}{SETTINGS[settings]}":
        add_style(own)


A_DAY = 86_400  # seconds


@st.fragment(run_every=A_DAY)
def ask_when_reconnected() -> None:
    """Do nothing, once a day.

    A page that has something to repeat asks to be run as soon as a restarted server is there; any other loses its first
    click on a button, of which the new session knows nothing.
    """


@cache
def _glossary() -> list[tuple[str, tuple[Term, ...]]]:
    return glossary_tables(GLOSSARY.read_text(encoding="utf-8"))


@cache
def _all_defined() -> str:
    """Return the list of all terms with their meanings: one text, for each run of a page sends it."""
    return "\n\n".join(f"**{heading}**\n\n{_defined(terms)}" for heading, terms in _glossary())


@cache
def _all_terms(listed: tuple[type[Mechanism], ...]) -> tuple[Term, ...]:
    """Return the terms of the glossary, and the names of the algorithms."""
    return (*(term for _, terms in _glossary() for term in terms), *algorithm_terms(listed))


def _defined(terms: Iterable[Term]) -> str:
    return "\n".join(
        f"- **{plain(name)}**{f' ({plain(symbol)})' if symbol else ''}: {plain(meaning)}"
        for name, symbol, meaning in terms
    )


def answer(sentences: str, context: str = "", crumb: str = "") -> None:
    """Draw the answer of a page: its first sentence large, with a mark that explains its terms, the others below.

    Parameters
    ----------
    sentences : str
        The answer.
    context : str, optional
        Conditions of the answer, in grey.
    crumb : str, optional
        Data and settings, beside the title of the page.
    """
    if crumb:
        st.session_state[_CRUMB].caption(plain(crumb))
    used = terms_in(f"{sentences} {context}", _all_terms(algorithms()))
    headline, second = first_and_rest(sentences)
    st.header(plain(headline), anchor=False, help=_defined(used) or None)
    if second:
        st.markdown(plain(second))
    if context:
        st.caption(plain(context))


def chosen_view(key: str, views: Mapping[str, Callable[..., None]]) -> Callable[..., None]:
    """Draw the choice of a view below the answer, and return its function.

    Parameters
    ----------
    key : str
        Name in the link.
    views : mapping
        Functions that draw a view, by name; the first is chosen at first.
    """
    usual = next(iter(views))
    chosen = st.segmented_control(
        "Details", list(views), default=usual, required=True, **bound(key, views)
    )
    return views.get(str(chosen), views[usual])
