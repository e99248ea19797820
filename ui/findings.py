"""The Findings page, each part from what was measured once and comes with the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from dpslr_core.sources.tracts import STATES
from dpslr_core.text import findings as text
from dpslr_core.text import methods, pooling
from dpslr_core.text.guidance import map_caption

from . import show, takeaway
from .cache import kept
from .link import LINK
from .page import answer
from .plain import bullets, plain
from .takeaway import drawn, take_away

T = TypeVar("T")


def newer(tables: Mapping[str, pd.DataFrame]) -> Callable[[], None]:
    """Draw where newer algorithms beat the paper's, over synthetic, other and held-out data, and areas."""
    about, heading = findings_metadata(), st.container()
    weaker = st.toggle("Also count algorithms with a weaker guarantee than ε-differential privacy", key="any", **LINK)
    query = "any=true" if weaker else ""
    takeaway.declare(about, query)
    ratios = tables["map"][tables["map"]["weaker"] == weaker]
    with heading:
        answer(text.ratio_headline(ratios), text.NEWER)
    show.chart(ratio_map(ratios, MAP.var_x), text.ratio_sentence(ratios), ratios, "newer", text.ratio_caption(MAP))

    st.subheader("Other shapes of data", anchor=False)
    st.markdown(text.shapes_sentence(tables["shapes"]))
    show.numbers(tables["shapes"].rename(columns=text.RATIO_COLUMNS), "shapes", height="content")
    st.caption(text.SHAPES_CAPTION)

    st.subheader("Held-out data", anchor=False)
    st.markdown(text.held_out_sentence(tables["held_out"], tables["shapes"]))
    show.numbers(text.held_out_table(tables["held_out"]), "held_out", height="content")
    st.caption(text.HELD_OUT_CAPTION)
    with st.expander("On which data each default was chosen"):
        show.numbers(text.defaults_table(), "defaults", height="content")
        st.caption(text.DEFAULTS_CAPTION)

    st.subheader("Real and simulated areas", anchor=False)
    st.markdown(text.areas_sentence(tables["areas"]))
    show.numbers(text.area_table(tables["areas"]), "findings_areas", height="content")
    st.caption(text.AREAS_CAPTION)
    pooled = stored(pooled_worlds)
    if pooled is not None:
        st.subheader("A whole state, its areas helping each other", anchor=False)
        st.markdown(bullets([plain(pooling.state_sentence(pooled, state)) for state in STATES]))
        with st.expander("Coverage and errors of pooled lines in simulated worlds"):
            takeaway.declare({"command": "python -m benchmarks pooling"}, query)
            show.numbers(pooled, "pooled_worlds")
            takeaway.declare(about, query)
    return partial(
        take_away, page="findings", query=query, table=ratios,
        script=partial(findings_script, weaker, about["command"]),
        picture=lambda: drawn(ratio_map(ratios, MAP.var_x), text.ratio_sentence(ratios)),
    )  # fmt: skip


def against_the_paper() -> None:
    """Where the evidence of the stored map of best algorithms differs from the paper's guidance."""
    made = stored(_map)
    if made is not None:
        caption, won, sentences = made
        st.subheader("Where the evidence differs from the paper's guidance", anchor=False)
        show.picture(winner_map(won), caption, "stored_map")
        st.markdown(sentences)
        st.markdown(methods.BEYOND_THE_PAPER)


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
