"""Data: what do I have?"""

import pandas as pd
import streamlit as st

from dpslr_core import charts
from ui import present, ranking, runs
from ui.browse import browse_groups
from ui.plain import plain
from ui.settings import begin, settings, value
from ui.upload import upload_form
from ui.words import amount, data_sentence, family_sentence

begin("Data")
if value("source") == "upload":
    upload_form()

view = settings()
data, x, y = view.data, view.x, view.y
st.markdown(f"**{plain(view.family.name)}.** {plain(view.family.about)}")
st.caption(plain(family_sentence(view)))

if len(view.family.groups) > 1:
    browse_groups(view)

epsilon = view.scenario.epsilon
tiles = st.columns(5)
tiles[0].metric("n", f"{data.n:,}", help="The number of records; public.")
tiles[1].metric("var(x)", f"{data.var_x:.4g}", help="In the unit square. Private: it depends on the data.")
tiles[2].metric("n var(x)", f"{data.nvar:.4g}")
tiles[3].metric(
    "σₑ (residual)", plain(amount(data.residual_sd * y.scale, y)), help="Standard deviation around the OLS line."
)
tiles[4].metric("ε n var(x)", f"{epsilon * data.nvar:.4g}", help="The paper's main guide: NoisyStats wants it large.")

lines = runs.lines(data)
zoom = st.toggle("Zoom to the records", key="zoom", bind="query-params", help="Otherwise: the public bounds.")
figure = charts.scatter(data, lines, x, y, view.scenario.at, zoom)
present.chart(figure, data_sentence(view), ranking.in_units(lines, view), "data")

with st.expander("Predictions without privacy"):
    at = view.scenario.at
    table = pd.DataFrame(
        {
            x.label: x.from_unit(at),
            "OLS": y.from_unit(data.predict(at)),
            "standard error": data.standard_error(at) * y.scale,
            "Theil–Sen": y.from_unit(data.theil_sen(at)),
        }
    )
    present.numbers(table, "predictions")
