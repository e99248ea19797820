"""The headline of the Guidance page and its picture, provisional at first."""

from __future__ import annotations

import streamlit as st

from dpslr_core.charts.evidence import ranked_evidence
from dpslr_core.guidance import Recommendation
from dpslr_core.guidance.answer import Question
from dpslr_core.text.guidance.evidence import ERROR_CAPTION, evidence_sentence
from dpslr_core.text.guidance.recommendation import context, headline

from .. import page, show
from ..plain import plain
from . import runs


def draw(asked: Question, looked: bool) -> Recommendation:
    """The answer after each stage in the same place; returns the last."""
    place, working = st.empty(), st.empty()
    before: str | None = None
    with working:
        for stage, recommendation in enumerate(runs.stages(asked, looked)):
            with place.container():
                page.answer(headline(recommendation), context(recommendation, looked, before))
                show.vega(ranked_evidence(recommendation), evidence_sentence(recommendation), f"evidence_{stage}")
                st.caption(plain(ERROR_CAPTION))
            before = before or recommendation.algorithm
    return recommendation
