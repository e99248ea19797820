"""Paper: which claims hold; its figures, rebuilt, one at a time: what each says, and whether our numbers agree."""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.paper.results import said_of
from dpslr_core.report.metadata import figure_metadata
from ui import takeaway
from ui.ends import end_page
from ui.findings import stored
from ui.page import answer, begin
from ui.paper import (
    claims,
    figure_choice,
    figure_is_open,
    figure_query,
    measured,
    parameters,
    picture,
)

begin(settings="seed" if figure_is_open() else "none")
heading = st.empty()
figure = figure_choice()
if figure is None:
    claims(heading)
    end_page()
settings = parameters(figure)
with heading.container():
    answer(figure.title, f"The paper says: {figure.says}")
frame = measured(figure, settings)
with heading.container():
    sentence = stored(partial(said_of, figure, frame, settings)) or figure.title
    answer(sentence, f"The paper says: {figure.says}")
takeaway.declare(figure_metadata(figure, settings), figure_query(figure, settings))
picture(figure, frame, settings)
st.caption(
    "Every figure has parameters of its own. Of the sidebar only the seed counts here; the other "
    "settings are kept."
)
