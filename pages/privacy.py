"""Privacy: what does epsilon promise, when one record is moved?"""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.charts.privacy import loss_chart
from dpslr_core.charts.records import moved_scatter
from dpslr_core.text.data import NOT_PRIVATE, moved_sentence
from dpslr_core.text.privacy import context, headline, headline_without_law, picture_sentence
from ui import privacy, show
from ui.moved import algorithm_choice, linked_mover, private_algorithms
from ui.page import answer, begin, chosen_view
from ui.settings import point_choice, settings
from ui.show import on_a_phone

HEIGHT = 360  # pixels of the pictures, so that the sliders stand below them on the first screen

begin("Privacy")
view = settings()
mover = linked_mover(view)
privacy.first_move(view, mover)
heading, pictures = st.container(), st.container()
left, middle, right = st.columns(3)
with left:
    offered = [*private_algorithms(view), privacy.NOT_PRIVATE]
    mechanism = algorithm_choice(offered, "Algorithm", "privacy_of", privacy.USUAL)
    at = view.scenario.at
    number = at.index(point_choice(view, "privacy_at")) if len(at) > 1 else 0
with middle:
    mover.choice("Record")
    with st.container(horizontal=True, vertical_alignment="center"):
        mover.put_back()
        privacy.search_button(view, mechanism)
with right:
    mover.sliders()
privacy.last_search(view, mechanism)

moved = mover.moved
pair = privacy.pair(view, moved, mechanism, number)
loss = None
if pair is None:
    loss = privacy.loss(moved, mechanism, view.scenario.budget)
    words = headline_without_law(mechanism.name, loss), view.data_name
else:
    words = headline(pair, moved.moved, view.scenario.epsilon), context(pair, view)
looked = privacy.Looked(view, mechanism, moved, number, pair)
with heading:
    answer(*words)
with pictures:
    if on_a_phone():  # the answer first, where one picture stands below the other
        losses, records = st.container(), st.container()
    else:
        records, losses = st.columns([2, 3])
    with records:
        figure = moved_scatter(moved, view.x, view.y, view.scenario.at, False, HEIGHT)
        clicked = partial(mover.clicked, "chart_records")
        told = moved_sentence(moved, view.scenario.at[number], view.x, view.y)
        show.picture(figure, told, "records", on_select=clicked, selection_mode="points")
    with losses:
        if pair is not None:
            show.picture(loss_chart(pair, view.y, HEIGHT), picture_sentence(pair), "losses")

privacy.declare(view, mover, looked)
chosen_view("privacy_view", privacy.VIEWS)(looked)
privacy.take_privacy_away(looked, loss)
st.caption(NOT_PRIVATE)
