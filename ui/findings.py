"""The Findings page, each part from what was measured once and comes with the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
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


def newer(tables: dict[str, pd.DataFrame]) -> None:
    """Draw where newer algorithms beat the paper's, and below it the part that is chosen."""
    about, heading = findings_metadata(), st.container()
    weaker = st.toggle("Also count algorithms with a weaker guarantee", key="any", **LINK)
    query = "any=true" if weaker else ""
    takeaway.declare(about, query)
    ratios = tables["map"][tables["map"]["weaker"] == weaker]
    with heading:
        answer(text.ratio_headline(ratios), crumb=text.crumb(MAP))
    scenario = st.session_state[CHOSEN][0]
    simulated = isinstance(scenario.source, Synthetic)
    picture = ratio_map(ratios, MAP.var_x, (scenario.linear_model, scenario.epsilon) if simulated else None)
    show.vega(picture, text.ratio_sentence(ratios), "newer")
    chosen_view("findings", VIEWS)(tables | {"map": ratios})
    take_away(
        page="findings", query=query, table=ratios, script=partial(findings_script, weaker, about["command"]),
        picture=lambda: drawn(ratio_map(ratios, MAP.var_x), text.ratio_sentence(ratios)),
    )  # fmt: skip


def _numbers(tables: Mapping[str, pd.DataFrame]) -> None:
    st.markdown(plain(text.ratio_sentence(tables["map"])))
    st.caption(plain(text.ratio_caption(MAP)))
    show.numbers(tables["map"], "newer", note=text.ratio_caption(MAP))


def _shapes(tables: Mapping[str, pd.DataFrame]) -> None:
    st.markdown(text.shapes_sentence(tables["shapes"]))
    show.numbers(tables["shapes"].rename(columns=text.RATIO_COLUMNS), "shapes", height="content")
    st.caption(text.SHAPES_CAPTION)


def _held_out(tables: Mapping[str, pd.DataFrame]) -> None:
    st.markdown(text.held_out_sentence(tables["held_out"], tables["shapes"]))
    show.numbers(text.held_out_table(tables["held_out"]), "held_out", height="content")
    st.caption(text.HELD_OUT_CAPTION)
    st.markdown("**On which data each default was chosen**")
    show.numbers(text.defaults_table(), "defaults", height="content")
    st.caption(text.DEFAULTS_CAPTION)


def _areas(tables: Mapping[str, pd.DataFrame]) -> None:
    st.markdown(text.areas_sentence(tables["areas"]))
    show.numbers(text.area_table(tables["areas"]), "findings_areas", height="content")
    st.caption(text.AREAS_CAPTION)


def _pooled(tables: Mapping[str, pd.DataFrame]) -> None:
    """How much a whole state gains where its areas help each other."""
    pooled = stored(pooled_worlds)
    if pooled is not None:
        st.markdown(bullets([plain(pooling.state_sentence(pooled, state)) for state in STATES]))
        st.markdown("**Coverage and errors of pooled lines in simulated worlds**")
        query = takeaway.shown_query()
        takeaway.declare({"command": "python -m benchmarks pooling"}, query)
        show.numbers(pooled, "pooled_worlds")
        takeaway.declare(findings_metadata(), query)


def against_the_paper(tables: Mapping[str, pd.DataFrame] = MappingProxyType({})) -> None:
    """Where the evidence of the stored map of best algorithms differs from the paper's guidance."""
    made = stored(_map)
    if made is not None:
        caption, won, sentences = made
        st.subheader("Where the evidence differs from the paper's guidance", anchor=False)
        show.picture(winner_map(won), caption, "stored_map")
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
def tables_by_name() -> dict[str, pd.DataFrame]:
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
