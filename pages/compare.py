"""Compare: which algorithm does best on this data set?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.report.content import report_on
from dpslr_core.report.scripts import compare_command, compare_script
from dpslr_core.text.compare import crumb, guide_sentence
from dpslr_core.text.data import beyond_sentence, extrapolation_sentence
from dpslr_core.text.phrases import joined, listed, place_on
from ui import show, takeaway
from ui.compare import PICKED, VIEWS, Compared, comparison, picked
from ui.link import unused_of_link
from ui.page import answer, begin, chosen_view
from ui.plain import plain
from ui.planned import note_answer
from ui.settings import point_choice, point_query, settings
from ui.takeaway import of_report, report_buttons, take_away

begin()
view = settings(algorithms=True)
heading = st.container()
full_comparison = comparison(view)
at = point_choice(view)
pictures, curves, choices = st.container(), st.container(), st.container(horizontal=True)
compared = Compared(view, full_comparison, at)
page_answer, ranked = compared.answer, compared.answer.ranked
with heading:
    beyond = beyond_sentence([view.data], view.x, at)
    about = joined(guide_sentence(view), extrapolation_sentence(view))
    answer(joined(page_answer.headline, beyond), about, crumb(view))

names = list(ranked["algorithm"])
left, right = pictures.columns([3, 2])
with left:
    show.vega(
        compared.picture, page_answer.errors, "errors", on_select="rerun", selection_mode=PICKED
    )
second = compared.second_algorithm(picked())
with right:
    compared.draw_releases(second)

show.chosen_curves(
    "curves", names, [name for name in dict.fromkeys([page_answer.best, second]) if name]
)
show.curve_choice("curves", names, choices)
if compared.shown:
    with curves:
        st.markdown(f"**{plain(compared.curves_heading)}**")
        show.vega(
            compared.curves, f"{compared.curves_heading}: {listed(compared.shown)}.", "curves"
        )
chosen_view("details", VIEWS)(compared)
note_answer("Compare", page_answer.best)

query, warned, unused = point_query(view), takeaway.warnings(), unused_of_link()


def report():
    return report_on(view, full_comparison, at, f"/compare?{query}", (*unused(), *warned))


left, right = st.columns(2)
with left:
    report_buttons("Answer, picture, ranking, method and limits on two pages.", query, report)
with right:
    take_away(
        page="compare",
        scenario=view.scenario,
        query=query,
        table=page_answer.table,
        script=partial(compare_script, view, at),
        command=compare_command(view),
        more={"point": place_on(view.x, at)},
        picture=lambda: of_report(report()),
    )
