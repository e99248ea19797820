"""Data: what do I have?"""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core import charts
from dpslr_core.experiments.curves import prediction_table
from dpslr_core.text.data import clipping_sentence, data_headline, data_sentence, extrapolation_sentence, unit_sentence
from dpslr_core.text.phrases import format_amount, with_unit
from ui import show, takeaway
from ui.controls import BOUND
from ui.data import browse_groups, data_query, lines, move_one, take_data_away
from ui.link import opened_with
from ui.page import answer, begin
from ui.plain import plain
from ui.private_names import end_page
from ui.settings import UPLOAD, UPLOADED, in_units, missing_upload, settings, value
from ui.upload import upload_form

begin("Data")
heading = st.container()
if value("source") == "upload":
    upload_form()
    if UPLOAD not in st.session_state:
        with heading:
            answer("Choose columns and their public bounds" if UPLOADED in st.session_state else "Upload a CSV file")
            if UPLOADED not in st.session_state and opened_with("source"):
                st.warning(plain(f"{missing_upload()} Upload it again."))
        end_page()

view = settings()
data, x, y, at = view.data, view.x, view.y, view.scenario.at
with heading:
    answer(data_headline(view), f"{view.data_name}. {view.grouped.about} {extrapolation_sentence(view)}")

picture = st.container()
if len(view.grouped.groups) > 1:
    browse_groups(view)
with st.container(horizontal=True):
    zoom = st.toggle("Zoom to the records", key="zoom", help="Otherwise: the public bounds.", **BOUND)
    moving = st.toggle("Move one record", key="moving", help="What one person changes, and what noise hides.", **BOUND)
with picture:
    moved = move_one(view, zoom) if moving else None
    if moved is None:
        takeaway.declare(view, data_query(view))
        ols = lines(data)
        figure = charts.scatter(data, ols, x, y, at, zoom)
        show.chart(figure, data_sentence(view), in_units(ols, view), "data")

unit = unit_sentence(view.scenario.admitted, view.scenario.budget)
st.caption(plain(f"{clipping_sentence(view.grouped)} {unit}"))
tiles = st.columns(5)
tiles[0].metric("n", f"{data.n:,}", help="The number of records; public.")
tiles[1].metric("var(x)", format_amount(data.var_x, 4), help="In the unit square. Private: it depends on the data.")
tiles[2].metric("n var(x)", format_amount(data.nvar, 4))
tiles[3].metric(
    "σₑ (residual)", plain(with_unit(data.residual_sd * y.scale, y)), help="Standard deviation around the OLS line."
)
product = format_amount(view.scenario.epsilon * data.nvar, 4)
tiles[4].metric("ε n var(x)", product, help="The paper's main guide: NoisyStats wants it large.")

both = {"before": data, "after": moved.after} if moved is not None and moved.moved else {"": data}
table = prediction_table(both, at, x, y)
with st.expander("Predictions without privacy"):
    show.numbers(table, "predictions")
take_data_away(view, table, moved, zoom)
