"""What can be taken away from the Privacy page."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dpslr_core.audit.loss import Loss
from dpslr_core.audit.pair import Pair
from dpslr_core.charts.privacy.loss import loss_chart
from dpslr_core.report.scripts import privacy_script
from dpslr_core.text.phrases import place_on
from dpslr_core.text.privacy.pair import picture_sentence
from dpslr_core.text.privacy.views import probability

from ..moved import Mover, moved_query, moved_settings
from ..settings import View, link
from ..takeaway import saved_as
from ..takeaway.panel import Shown, drawn, take_away
from ..takeaway.saved_as import page_query
from .details import Shown as Looked

CHOICES = {"privacy_of": "", "privacy_at": "", "privacy_view": "Odds"}  # "" is what none of them is
PRIOR = 0.1  # as it is at first


def declare(view: View, mover: Mover, looked: Looked) -> None:
    """Every table below is of this algorithm, point and move."""
    point = {"point": place_on(view.x, view.scenario.at[looked.number])}
    saved_as.declare(view, _query(view), {"algorithm": looked.mechanism.name, **point, **moved_settings(mover)})


def take_privacy_away(looked: Looked, loss: Loss | None) -> None:
    """The loss of the move: the numbers of the picture, or the loss alone where no output distribution is known."""
    view, pair = looked.view, looked.pair
    known = pair is not None

    def picture() -> bytes:
        assert pair is not None
        return drawn(loss_chart(pair, view.y), picture_sentence(pair))

    take_away(
        Shown(
            page="privacy",
            scenario=view.scenario,
            query=_query(view),
            table=pd.DataFrame([loss]) if pair is None else pair.table(view.y),
            script=partial(privacy_script, view, looked.moved, looked.mechanism, looked.number, known),
            reproducible=view.grouped.reproducible,
            more={} if pair is None else _numbers(pair),
            picture=picture if known else None,
        )
    )


def _numbers(pair: Pair) -> dict[str, object]:
    """The numbers that the picture's sentence says."""
    told: dict[str, object] = {"largest loss": repr(float(pair.largest.loss)), "allowed": repr(float(pair.bound))}
    for row in pair.atoms.itertuples():
        before, after, lost = map(float, (row.before, row.after, row.loss))
        told[str(row.outcome)] = f"probability {before!r} before, {after!r} after, loss {lost!r}"
    return told


def _query(view: View) -> str:
    """The query of the page's link: algorithm, point, view, belief, record and place."""
    prior = st.session_state.get("prior", PRIOR)
    belief = "" if prior in (None, PRIOR) else urlencode({"prior": probability(prior)})
    return "&".join(filter(None, (page_query(link(view), CHOICES), belief, moved_query())))
