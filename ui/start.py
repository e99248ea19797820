"""The page Start: two pictures of the same people, three doors, one line of examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpslr_core.charts.start import two_pictures
from dpslr_core.experiments import same_people
from dpslr_core.mechanisms import DPExpTheilSen, DPGDzCDP, NoisyStats
from dpslr_core.paper import results
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import PublicData, SampleData, SimulatedState
from dpslr_core.text.start import picture_sentence, start_headline

from . import show
from .cache import kept
from .findings import stored
from .link import same_tab
from .page import ROOT, add_style, answer

STYLE = """
.st-key-start_picture .vega-embed { display: flex; flex-direction: column-reverse; }
.st-key-start_picture .stVegaLiteChart .vega-bindings.vega-bindings { flex-flow: row wrap; gap: 0 3rem; padding: 0; }
.st-key-start_picture .stVegaLiteChart .vega-bind.vega-bind { flex: 0 1 22rem; width: auto; }
.st-key-start_picture .stVegaLiteChart .vega-bind.vega-bind label {
    flex-wrap: nowrap; width: 100%; min-height: 2.75rem;
}
.st-key-start_picture .stVegaLiteChart .vega-bind-name.vega-bind-name { flex: none; min-width: 7rem; font-size: 1rem; }
.st-key-start_picture .stVegaLiteChart .vega-bind input { flex: 1; min-width: 0; }
.st-key-start_picture .stVegaLiteChart .vega-bind input + span { min-width: 2rem; font-size: 1rem; color: inherit; }
.st-key-lesson_plans button { min-height: 0; padding: 0; text-decoration: underline; }
.st-key-lesson_plans p { font-size: 1rem; }
"""
WHAT = (
    "A line through few people can betray one of them. "
    "Noise hides each: which algorithm needs the least on your data?"
)
EXAMPLES = {
    "all algorithms on these people": ("compare", Scenario()),
    "census tract": ("compare", Scenario(source=SampleData(sample="tracts"), epsilon=16)),
    "a whole state": ("small_areas", Scenario(source=SimulatedState(), epsilon=16)),
    "bike share": ("compare", Scenario(source=PublicData(uci="bikes"), group="month 1, hour 8")),
    "stock exchange": ("compare", Scenario(source=PublicData(uci="stocks"))),
    "nanotubes": (
        "compare",
        Scenario(
            source=PublicData(uci="nanotubes"),
            epsilon=1,
            mechanisms=(NoisyStats(), DPExpTheilSen(), DPGDzCDP()),
            also_k=1,
        ),
    ),
}


def first_picture() -> None:
    """Draw the headline, the purpose of the tool, and the pictures."""
    tables = stored(same_people.load)
    if tables is None:
        answer(WHAT)
        return
    epsilon, n = same_people.USUAL["epsilon"], int(same_people.USUAL["people"])
    errors = (
        tables["errors"].query("n == @n and epsilon == @epsilon").set_index("algorithm")["ratio"]
    )
    answer(f"{start_headline(n, epsilon, errors)} {WHAT}")
    add_style(STYLE)
    with st.container(key="start_picture"):
        show.vega(two_pictures(tables, show.room()), picture_sentence(n, epsilon, errors), "start")


def doors() -> None:
    """Draw the three ways in."""
    data, lesson, paper = st.columns(3)
    with _door(data, "I have data", "Upload a table, or type public guesses."):
        _links(
            ("data", {"source": "upload"}, "One file"),
            ("small_areas", {"source": "upload"}, "Many areas, one table"),
            ("guidance", {}, "Only guesses"),
        )
    with _door(lesson, "I teach", "Seven steps with a guess, big screen or phone."):
        _links(("lesson", {}, "Open the lesson"))
        if st.button(":primary[Lesson plans]", type="tertiary", key="lesson_plans"):
            _plans()
    with _door(paper, "I read the paper", stored(_claims) or "Every figure is rebuilt."):
        _links(
            ("paper", {}, "Figures and claims"),
            ("findings", {}, "What beats it"),
            ("methods", {}, "Misprints"),
        )


def _door(column: Any, title: str, text: str) -> Any:
    """Draw a box with its title and text; return the row for its links."""
    with column, st.container(border=True, height="stretch", gap="xsmall"):
        st.subheader(title, anchor=False)
        st.markdown(text)
        return st.container(horizontal=True, gap="medium", vertical_alignment="center")


def _links(*links: tuple[str, Mapping[str, Any], str]) -> None:
    st.markdown(
        "&emsp;".join(same_tab(page, query, label) for page, query, label in links),
        unsafe_allow_html=True,
        width="content",
    )


@kept(1, scope="global")
def _claims() -> str:
    """Return the headline on how many claims of the paper hold."""
    return results.headline(results.frame(results.load()))


@st.dialog("Lesson plans", width="large")
def _plans() -> None:
    st.markdown((ROOT / "docs" / "teaching.md").read_text(encoding="utf-8").partition("\n\n")[2])


def examples() -> None:
    """Draw one line of links, each with a scenario in its address."""
    links = (
        same_tab(page, scenario.to_query(), label) for label, (page, scenario) in EXAMPLES.items()
    )
    st.markdown(f"Examples: {', '.join(links)}", unsafe_allow_html=True)
