"""Small areas: the same question in every one of many small data sets."""

import streamlit as st

from dpslr_core.charts import areas as area_charts
from ui import area_runs, present
from ui.area_choice import chosen_areas, open_one, points_and_algorithms
from ui.area_words import (
    COLUMNS,
    NOT_PRIVATE,
    area_table,
    cost_sentence,
    failure_sentence,
    nothing_to_compare,
    ratio_sentence,
    shown_table,
    sorted_sentence,
)
from ui.plain import plain
from ui.settings import begin, settings

begin("Small areas")
view = settings()
if len(view.family.groups) < 2:
    nothing_to_compare()
st.caption(plain(cost_sentence(view)))
st.markdown(NOT_PRIVATE)

measured = area_runs.measure_areas(view)
at, shown = points_and_algorithms(view)
here = measured.frame[measured.frame["at"] == at]
chosen = chosen_areas(here)

curves, table = area_charts.ratio_curves(chosen), area_table(chosen, view)
present.chart(area_charts.ratio_cdf(curves), ratio_sentence(table, chosen["group"].nunique()), curves, "ratios")
present.numbers(shown_table(table), "shares", COLUMNS, height="content")

st.subheader("Area by area")
figure = area_charts.sorted_areas(here, shown, view.y)
present.chart(
    figure, sorted_sentence(chosen, shown), chosen, "areas", on_select="rerun", selection_mode=("box", "points")
)
open_one(chosen, shown, view)

st.subheader("When NoisyStats has no answer")
datasets = {label: measured.groups.datasets[label] for label in chosen["group"].unique()}
dots = area_runs.failure_dots(view, datasets)
present.chart(area_charts.failures(dots), failure_sentence(dots, area_runs.area_trials(view)), dots, "failures")

if len(measured.groups.rejected):
    with st.expander(f"{len(measured.groups.rejected)} groups could not be used"):
        present.numbers(measured.groups.rejected, "rejected")
