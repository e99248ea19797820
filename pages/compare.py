"""Compare: which algorithm does best on this data set?"""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.charts.ranked import ranked_chart
from dpslr_core.experiments.curves import each_cdf
from dpslr_core.experiments.ranking import ranking
from dpslr_core.text.compare import PARTS, compare_context, headline, verdict_sentence
from dpslr_core.text.data import extrapolation_sentence
from ui import show
from ui.compare import Compared, comparison, curves_shown, details, limits, picture_width
from ui.page import answer, begin
from ui.settings import point_choice, settings

begin("Compare")
view = settings(algorithms=True)
heading = st.container()
compared = comparison(view)
left, right = st.columns([5, 1], vertical_alignment="bottom")
with left:
    at = point_choice(view)
with right:
    width = picture_width()
scenario = view.scenario
ranked = ranking(compared.summary, scenario.admitted, at, scenario.epsilon, scenario.accounting)
with heading:
    answer(headline(ranked, view.y), f"{compare_context(view)} {extrapolation_sentence(view)}")

window = limits(view, compared, at, width)
curves = each_cdf(compared, at, window, drawn=True)
picture = st.container()
shown = curves_shown(ranked)
with picture:
    st.caption(PARTS)
    show.vega(ranked_chart(ranked, curves, shown, window, view.y), verdict_sentence(ranked, view.y, view.x), "ranked")

details(Compared(view, compared, ranked, at, window, shown))
