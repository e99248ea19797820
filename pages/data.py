"""Data: what do I have?"""

import pandas as pd
import streamlit as st

from dpslr_core import charts
from dpslr_core.text.data import clipping_sentence, data_headline, data_sentence, extrapolation_sentence
from dpslr_core.text.phrases import format_amount, with_unit
from ui import show
from ui.compare import ranking, runs
from ui.controls import BOUND
from ui.data.browse import browse_groups
from ui.data.upload import upload_form
from ui.page import answer, begin
from ui.plain import plain
from ui.settings import UPLOAD, UPLOADED, settings, value

begin("Data")
heading = st.container()
if value("source") == "upload":
    upload_form()
    if UPLOAD not in st.session_state:
        with heading:
            answer("Choose columns and their public bounds" if UPLOADED in st.session_state else "Upload a CSV file")
        st.stop()

view = settings()
data, x, y, at = view.data, view.x, view.y, view.scenario.at
with heading:
    answer(data_headline(view), f"{view.data_name}. {view.grouped.about} {extrapolation_sentence(view)}")

picture = st.container()
if len(view.grouped.groups) > 1:
    browse_groups(view)
zoom = st.toggle("Zoom to the records", key="zoom", help="Otherwise: the public bounds.", **BOUND)
with picture:
    lines = runs.lines(data)
    figure = charts.scatter(data, lines, x, y, at, zoom)
    show.chart(figure, data_sentence(view), ranking.in_units(lines, view), "data")

st.caption(plain(clipping_sentence(view.grouped)))
tiles = st.columns(5)
tiles[0].metric("n", f"{data.n:,}", help="The number of records; public.")
tiles[1].metric("var(x)", format_amount(data.var_x, 4), help="In the unit square. Private: it depends on the data.")
tiles[2].metric("n var(x)", format_amount(data.nvar, 4))
tiles[3].metric(
    "σₑ (residual)", plain(with_unit(data.residual_sd * y.scale, y)), help="Standard deviation around the OLS line."
)
product = format_amount(view.scenario.epsilon * data.nvar, 4)
tiles[4].metric("ε n var(x)", product, help="The paper's main guide: NoisyStats wants it large.")

with st.expander("Predictions without privacy"):
    table = pd.DataFrame(
        {
            x.label: x.from_unit(at),
            "OLS": y.from_unit(data.predict(at)),
            "standard error": data.standard_error(at) * y.scale,
            "Theil–Sen": y.from_unit(data.theil_sen(at)),
        }
    )
    show.numbers(table, "predictions")
