"""The Findings page, each part from what was measured once and comes with the project."""

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
    """Draw where newer algorithms beat the paper's, and below it the part that is chosen."""
    about, heading = findings_metadata(), st.container()
    weaker = st.toggle("Also count algorithms with a weaker guarantee", key="any", **LINK)
    query = "any=true" if weaker else ""
    takeaway.declare(about, query)
    ratios = tables["map"][tables["map"]["weaker"] == weaker]
    with heading:
        answer(text.ratio_headline(ratios), crumb=text.CRUMB)
    scenario, said = st.session_state[CHOSEN][0], text.ratio_sentence(ratios)
    you = (
        (scenario.linear_model, scenario.epsilon)
        if isinstance(scenario.source, Synthetic)
        else None
    )
    show.vega(ratio_map(ratios, MAP.var_x, you), said, "newer")
    chosen_view("findings", VIEWS)(tables | {"map": ratios})
    take_away(
        page="findings",
        query=query,
        table=ratios,
        script=partial(findings_script, weaker, about["command"]),
        picture=lambda: drawn(ratio_map(ratios, MAP.var_x), said),
    )


def _told(sentence: str, table: pd.DataFrame, name: str, caption: str) -> None:
    """Draw a table between what it says and how it was made."""
    st.markdown(plain(sentence))
    show.numbers(table, name, note=caption)
    st.caption(plain(caption))


def _numbers(tables: Tables) -> None:
    _told(text.ratio_sentence(tables["map"]), tables["map"], "newer", text.RATIO_CAPTION)


def _shapes(tables: Tables) -> None:
    table = tables["shapes"]
    _told(
        text.shapes_sentence(table),
        table.rename(columns=text.RATIO_COLUMNS),
        "shapes",
        text.SHAPES_CAPTION,
    )


def _held_out(tables: Tables) -> None:
    table = tables["held_out"]
    said = text.held_out_sentence(table, tables["shapes"])
    _told(said, text.held_out_table(table), "held_out", text.HELD_OUT_CAPTION)
    _told(
        "On which data each default was chosen:",
        text.defaults_table(),
        "defaults",
        text.DEFAULTS_CAPTION,
    )


def _areas(tables: Tables) -> None:
    table = tables["areas"]
    _told(text.areas_sentence(table), text.area_table(table), "findings_areas", text.AREAS_CAPTION)


def _pooled(tables: Tables) -> None:
    """How much a whole state gains where its areas help each other."""
    pooled = stored(pooled_worlds)
    if pooled is not None:
        st.markdown(bullets([plain(pooling.state_sentence(pooled, state)) for state in STATES]))
        st.markdown("**Coverage and errors of pooled lines in simulated worlds**")
        query = takeaway.shown_query()
        takeaway.declare({"command": "python -m benchmarks pooling"}, query)
        show.numbers(pooled, "pooled_worlds")
        takeaway.declare(findings_metadata(), query)


def against_the_paper(tables: Tables) -> None:
    """Where the evidence of the stored map of best algorithms differs from the paper's guidance."""
    made = stored(_map)
    if made is not None:
        caption, won, sentences = made
        st.subheader("Where the evidence differs from the paper's guidance", anchor=False)
        show.vega(winner_map(won), caption, "stored_map", told=True)
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
    """What comes with the project; None, with a sentence, where its file is damaged."""
    try:
        return load()
    except (OSError, ValueError) as problem:
        st.warning(plain(problem))
        return None


@kept(1, scope="global")
def tables_by_name() -> Tables:
    """The tables of what was measured."""
    return core_findings.load()


@kept(1, scope="global")
def pooled_worlds() -> pd.DataFrame:
    """What was measured of pooled areas in simulated worlds."""
    return load_worlds()


@kept(1, scope="global")
def _map() -> tuple[str, pd.DataFrame, str]:
    """The caption of the map, the paper's best algorithm in every cell, and what that says of its rule of thumb."""
    made = core_map.load()
    return map_caption(made.settings), made.winners(in_paper=True), methods.against_the_paper(made)
