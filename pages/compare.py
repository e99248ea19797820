"""Compare: which algorithm does best on this data set?"""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.text.compare import PARTS, compare_context
from dpslr_core.text.data import extrapolation_sentence
from ui import show
from ui.compare import Compared, comparison, curves_shown, details, picture_width
from ui.page import answer, begin
from ui.settings import point_choice, settings

begin("Compare")
view = settings(algorithms=True)
heading = st.container()
whole = comparison(view)
left, right = st.columns([5, 1], vertical_alignment="bottom")
with left:
    at = point_choice(view)
with right:
    compared = Compared(view, whole, at, picture_width())
with heading:
    answer(compared.answer.headline, f"{compare_context(view)} {extrapolation_sentence(view)}")

picture = st.container()
curves_shown(compared)
with picture:
    st.caption(PARTS)
    show.vega(compared.picture, compared.answer.verdict, "ranked")
details(compared)
