"""The Findings page: its picture and views, from results that are stored with the project."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from dpslr_core.charts.maps import ratio_map, winner_map
from dpslr_core.experiments.pooling_worlds import load as load_worlds
from dpslr_core.guidance import findings as core_findings
from dpslr_core.guidance import maps as core_map
from dpslr_core.guidance.findings import MAP
from dpslr_core.report.metadata import findings_metadata
from dpslr_core.report.scripts import findings_script
from dpslr_core.sources.choices import Synthetic
from dpslr_core.sources.tracts import STATES
from dpslr_core.text import findings as text
from dpslr_core.text import methods, pooling
from dpslr_core.text.guidance import map_caption

from . import show, takeaway
from .cache import kept
from .link import LINK
from .page import answer, chosen_view
from .plain import bullets, plain
from .settings import CHOSEN
from .takeaway import drawn, take_away

T = TypeVar("T")
Tables = dict[str, pd.DataFrame]


def newer(tables: Tables) -> None:
    """Draw where newer algorithms beat the paper's, and below the picture the chosen view."""
    about, heading = findings_metadata(), st.container()
    weaker = st.toggle("Also count algorithms with a weaker guarantee", key="any", **LINK)
    query = "any=true" if weaker else ""
    takeaway.declare(about, query)
    ratios = tables["map"][tables["map"]["weaker"] == weaker]
    with heading:
        answer(text.ratio_headline(ratios), crumb=text.CRUMB)
    scenario, sentence = st.session_state[CHOSEN][0], text.ratio_sentence(ratios)
    you = (
        (scenario.linear_model, scenario.epsilon)
        if isinstance(scenario.source, Synthetic)
        else None
    )
    show.vega(ratio_map(ratios, MAP.var_x, you), sentence, "newer")
    chosen_view("findings", VIEWS)(tables | {"map": ratios})
    take_away(
        page="findings",
        query=query,
        table=ratios,
        script=partial(findings_script, weaker, about["command"]),
        picture=lambda: drawn(ratio_map(ratios, MAP.var_x), sentence),
    )


def _finding(sentence: str, table: pd.DataFrame, name: str, caption: str) -> None:
    """Draw a table below a sentence and above a caption on how the table was made."""
    st.markdown(plain(sentence))
    show.numbers(table, name, note=caption)
    st.caption(plain(caption))


def _numbers(tables: Tables) -> None:
    _finding(text.ratio_sentence(tables["map"]), tables["map"], "newer", text.RATIO_CAPTION)


def _shapes(tables: Tables) -> None:
    table = tables["shapes"]
    _finding(
        text.shapes_sentence(table),
        table.rename(columns=text.RATIO_COLUMNS),
        "shapes",
        text.SHAPES_CAPTION,
    )


def _held_out(tables: Tables) -> None:
    table = tables["held_out"]
    sentence = text.held_out_sentence(table)
    _finding(sentence, text.held_out_table(table), "held_out", text.HELD_OUT_CAPTION)
    _finding(
        "The table shows on which data each default was chosen.",
        text.defaults_table(),
        "defaults",
        text.DEFAULTS_CAPTION,
    )


def _areas(tables: Tables) -> None:
    table = tables["areas"]
    _finding(
        text.areas_sentence(table), text.area_table(table), "findings_areas", text.AREAS_CAPTION
    )


def _pooled(tables: Tables) -> None:
    """Draw how much a whole state gains if its areas help each other."""
    pooled = stored(pooled_worlds)
    if pooled is not None:
        st.markdown(bullets(pooling.state_sentence(pooled, state) for state in STATES))
        st.markdown("**Coverage and errors of pooled lines in simulated worlds**")
        query = takeaway.shown_query()
        takeaway.declare({"command": "python -m benchmarks pooling"}, query)
        show.numbers(pooled, "pooled_worlds")
        takeaway.declare(findings_metadata(), query)


def against_the_paper(tables: Tables) -> None:
    """Draw where the stored map of best algorithms differs from the paper's guidance."""
    stored_map = stored(_map)
    if stored_map is not None:
        caption, won, sentences = stored_map
        st.subheader("Where the evidence differs from the paper's guidance", anchor=False)
        show.vega(winner_map(won), caption, "stored_map", sentence_above=True)
        st.markdown(sentences)
        st.markdown(methods.BEYOND_THE_PAPER)


VIEWS = {
    "Numbers and method": _numbers,
    "Other shapes of data": _shapes,
    "Held-out data": _held_out,
    "Real areas": _areas,
    "Areas helping each other": _pooled,
    "Guidance of the paper": against_the_paper,
}


def stored(load: Callable[[], T]) -> T | None:
    """Load a result that is stored with the project.

    Returns
    -------
    object or None
        Result of `load`; None, with a warning on the page, if the file is damaged or missing.
    """
    try:
        return load()
    except (OSError, ValueError) as problem:
        st.warning(plain(problem))
        return None


@kept(1, scope="global")
def tables_by_name() -> Tables:
    """Load the stored tables of the page."""
    return core_findings.load()


@kept(1, scope="global")
def pooled_worlds() -> pd.DataFrame:
    """Load the stored measurements of pooled areas in simulated worlds."""
    return load_worlds()


@kept(1, scope="global")
def _map() -> tuple[str, pd.DataFrame, str]:
    """Load the stored map of best algorithms.

    Returns
    -------
    tuple of str, pandas.DataFrame and str
        Caption, the paper's best algorithm in every cell, and the verdict on the paper's rule of thumb.
    """
    stored_map = core_map.load()
    return (
        map_caption(stored_map.settings),
        stored_map.winners(in_paper=True),
        methods.against_the_paper(stored_map),
    )
