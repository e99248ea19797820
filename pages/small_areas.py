"""Small areas: the same question in every one of many small data sets."""

from ui.first import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.text import areas as text
from dpslr_core.text.data import BEYOND_GUESSES, beyond_sentence
from dpslr_core.text.phrases import joined, place_on
from ui import decision, show
from ui.areas import GUESSES, NONE_CHOSEN, Areas, AreasAnswer
from ui.link import LINK
from ui.page import answer, begin, chosen_view
from ui.plain import plain
from ui.planned import plan_link
from ui.settings import settings, simulated_areas

begin()
view = settings(warned=False)
alone = len(view.grouped.groups) < 2  # the page then shows simulated areas
heading = st.container()
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    question, at = decision.publish_choice(view)
    button = st.container(width="content")
guesses, picture = st.container(), st.container()
row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
with row:
    guessed = st.toggle(GUESSES, key="area_guesses", help=decision.GUESSES_HELP, **LINK)
    with guesses:
        if guessed:
            view = decision.on_guesses(view)
        else:
            view = simulated_areas(view) if alone else decision.on_the_data(view, heading)
    with st.popover("Another target", type="tertiary"):
        target = decision.target_choice()
        every = decision.every_area(len(view.grouped.usable))
opened = chosen_view("area_details", decision.VIEWS)
areas = Areas(view, at, every)
beyond = beyond_sentence(areas.groups.datasets.values(), view.x, at, simulated=guessed)
of_all = guessed or beyond.endswith("all records.")  # the warning is then part of the answer
warned = joined(beyond, BEYOND_GUESSES if guessed and beyond else "") if of_all else ""


stages, answer_place = areas.stages(), heading.container()
with heading:  # its bar stands where the earlier answer does
    decided = decision.decision_of(areas, question, target) if stages else None
answered = AreasAnswer(areas, decided)
what_else = False
if decided is not None and decided.count:
    with answer_place:
        about = joined(
            decision.text.best_sentence(decided),
            decision.text.others_sentence(decided, {}),
            warned,
            decision.stands_on(view),
        )
        answer(decision.text.headline(decided), about, text.crumb(view))
    with button:
        decision.smallest_button(decided)
    with picture:
        decision.picture(decided)
    what_else = row.button("What if I publish something else?", key="what_else", type="tertiary")
else:
    with answer_place:
        answer(
            NONE_CHOSEN if decided is None else decision.text.headline(decided),
            "",
            text.crumb(view),
        )
with row:
    plan_link(
        "Small areas",
        decided.mechanism if decided else None,
        view.scenario.source if guessed else None,
        {"slope": "the slope", "line": "the whole line"}.get(question)
        or f"the prediction at {place_on(view.x, at)}",
    )
if what_else and decided is not None:
    st.caption(plain(decision.what_else(areas, decided)))
opened(answered)
computed = f"All numbers on this page are {view.computed}."
if alone and not guessed:
    st.caption("Your data set is only one area, so these areas are simulated.")
st.caption(
    plain(joined(computed, "" if of_all else beyond, text.cost_sentence(view, areas.trials)))
)

if len(areas.groups.rejected):
    with st.expander(f"{len(areas.groups.rejected):,} groups are left out"):
        show.numbers(areas.groups.rejected, "rejected")
