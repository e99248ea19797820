"""What stands below the answer on the Guidance page: one of several views, chosen by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from dpslr_core.charts.evidence import ranked_evidence
from dpslr_core.guidance import Recommendation
from dpslr_core.report.scripts import guidance_command, guidance_script
from dpslr_core.text.guidance import advice
from dpslr_core.text.guidance import evidence as text
from dpslr_core.text.guidance.rules import factors

from .. import show
from ..controls import BOUND
from ..plain import bullets, plain
from ..settings import View, link
from ..takeaway.panel import Shown, drawn, take_away
from ..takeaway.saved_as import page_query
from . import required, runs, winner_map
from .guesses import USUAL_CHOICES, Guesses

COLUMNS = {
    "mechanism": "algorithm", "monte_carlo_error": "Monte-Carlo error", "behind": "behind the best",
    "behind_error": "Monte-Carlo error of that", "infinite_share": "too often without an answer",
    "datasets": "data sets",
}  # fmt: skip


@dataclass(frozen=True)
class Answered:
    """What all views draw from."""

    view: View
    guesses: Guesses
    weaker: bool
    recommendation: Recommendation


def draw(answered: Answered) -> None:
    """The choice of a view, and the view."""
    chosen = st.segmented_control("Details", list(VIEWS), key="guidance", default="Why", required=True, **BOUND)
    VIEWS.get(str(chosen), _why)(answered)
    scenario, looked = answered.guesses
    take_away(Shown(
        page="guidance", scenario=scenario, query=page_query(link(answered.view), USUAL_CHOICES),
        table=answered.recommendation.evidence.rename(columns=COLUMNS),
        script=partial(guidance_script, scenario, answered.weaker, looked), command=guidance_command(answered.weaker),
        picture=lambda: drawn(
            ranked_evidence(answered.recommendation), text.evidence_sentence(answered.recommendation)
        ),
    ))  # fmt: skip


def _why(answered: Answered) -> None:
    recommendation = answered.recommendation
    st.markdown(plain(f"{advice.reason(recommendation)} {advice.agreement(recommendation)}"))
    rows = factors(recommendation.circumstances, recommendation.mechanisms)
    table = pd.DataFrame(rows, columns=["quantity", "value", "what it means"])
    st.table(table.set_index("quantity"))


def _changes(answered: Answered) -> None:
    points = runs.switch_points(answered.recommendation, answered.guesses.looked)
    st.markdown(bullets(advice.switch_sentence(answered.recommendation, point) for point in points))


def _numbers(answered: Answered) -> None:
    st.markdown(plain(advice.answer(answered.recommendation)))
    show.numbers(answered.recommendation.evidence.rename(columns=COLUMNS), "evidence", height="content")


def _map(answered: Answered) -> None:
    winner_map.draw(answered.recommendation, answered.guesses.looked)


def _required(answered: Answered) -> None:
    required.draw(answered.recommendation, answered.view, answered.guesses.looked)


def _memo(answered: Answered) -> None:
    recommendation, looked, view = answered.recommendation, answered.guesses.looked, answered.view
    points = runs.switch_points(recommendation, looked)
    st.code(advice.methods_text(recommendation, points, looked, view.x, view.y), language=None, wrap_lines=True)
    st.markdown(plain(text.looking_sentence(looked)))
    st.markdown(text.private_choice_sentence(recommendation))


VIEWS: dict[str, Callable[[Answered], None]] = {
    "Why": _why,
    "When it changes": _changes,
    "Map": _map,
    "Required ε or n": _required,
    "Memo": _memo,
    "Numbers": _numbers,
}
