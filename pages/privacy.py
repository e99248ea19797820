"""Privacy: what does epsilon promise, when one record is moved?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import pandas as pd
import streamlit as st

from dpslr_core.audit.loss import middle_to_corner
from dpslr_core.charts.privacy import densities, odds_bar
from dpslr_core.charts.records import moved_scatter
from dpslr_core.report.scripts import privacy_script
from dpslr_core.text.data import moved_sentence
from dpslr_core.text.phrases import place_on
from dpslr_core.text.privacy import (
    PairFacts,
    context,
    crumb,
    headline,
    headline_without_law,
    picture_sentence,
)
from ui import privacy, show, takeaway
from ui.moved import algorithm_choice, linked_mover, moved_settings, private_algorithms
from ui.page import answer, begin, chosen_view
from ui.plain import plain
from ui.settings import point_choice, settings
from ui.takeaway import drawn, take_away

begin()
view = settings()
mover = linked_mover(view, middle_to_corner(view.data))
heading = st.container()
at = view.scenario.at
with st.container(horizontal=True, vertical_alignment="bottom"):
    mover.choice("Record", 190)
    number = at.index(point_choice(view, "privacy_at")) if len(at) > 1 else 0
    with st.popover("Algorithm"):
        usual, reason = privacy.usual_algorithm()
        offered = [*private_algorithms(view), privacy.NOT_PRIVATE]
        mechanism = algorithm_choice(offered, "Algorithm", "privacy_of", usual)
        st.caption(plain(reason))
    with st.popover("Move it"):
        mover.sliders()
        mover.put_back()
    privacy.search_button(view, mover, mechanism)
about, sentence = st.session_state.get(privacy.FOUND, ("", ""))
if about == privacy.about_search(view, mechanism):
    st.caption(plain(sentence))

moved = mover.moved
pair = privacy.pair(view, moved, mechanism, number)
facts = None if pair is None else PairFacts.of(pair, moved)
loss = None
with heading:
    if facts is None:
        loss = privacy.loss(moved, mechanism, view.scenario.budget)
        answer(headline_without_law(mechanism.name, loss), crumb=view.data_name)
    else:
        answer(headline(facts), context(facts), crumb(facts.pair, view))
left, right = st.columns([3, 2] if pair is not None else [0.01, 1])
if facts is not None:
    with left:
        show.vega(densities(facts.pair, view.x, view.y), picture_sentence(facts), "densities")
        show.vega(odds_bar(facts.pair), headline(facts), "odds")
with right:
    move, clicked = (
        moved_sentence(moved, at[number], view.x, view.y),
        partial(mover.clicked, "chart_records"),
    )
    figure = moved_scatter(moved, view.x, view.y)
    show.explored(figure, move, "records", on_select=clicked, selection_mode="points")

about_tables = {
    "algorithm": mechanism.name,
    "point": place_on(view.x, at[number]),
    **moved_settings(mover),
}
takeaway.declare(view, privacy.link_query(view), about_tables)
chosen_view("privacy_view", privacy.VIEWS)(privacy.Looked(view, mechanism, moved, number, facts))


def picture(facts):
    return drawn(densities(facts.pair, view.x, view.y), picture_sentence(facts))


take_away(
    page="privacy",
    scenario=view.scenario,
    query=privacy.link_query(view),
    table=pd.DataFrame([loss]) if pair is None else pair.table(view.y),
    script=partial(privacy_script, view, moved, mechanism, number, pair is not None),
    picture=None if facts is None else partial(picture, facts),
)
st.caption(f"This is {view.computed}.")
