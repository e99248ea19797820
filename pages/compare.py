"""Compare: which algorithm does best on this data set?"""

import streamlit as st

from dpslr_core import charts
from dpslr_core.experiments.curves import cdf_curves, private_lines
from dpslr_core.experiments.verdict import verdict
from dpslr_core.wording import SEEDED
from ui import present, ranking, runs
from ui.picture import limits, on_a_phone, point_and_width
from ui.plain import plain
from ui.settings import begin, link, settings
from ui.words import compare_context, lines_sentence

begin("Compare")
view = settings()
st.caption(plain(compare_context(view)))
if not view.scenario.compared:
    st.info("Choose at least one algorithm in the sidebar.")
    st.stop()

comparison = runs.comparison(view)
at, width = point_and_width(view)
best = verdict(comparison.summary, view.scenario.compared, at, view.scenario.epsilon)

trials = st.toggle("Show the trials over the exact curves", key="show_trials", bind="query-params")
window = limits(view, comparison, at, width)
curves = cdf_curves(comparison, at, window, trials)
center, error = float(view.data.predict([at])[0]), float(view.data.standard_error([at])[0])
figure = charts.output_cdf(curves, center, error, window, view.y)
drawn = SEEDED if (curves["kind"] == "trials").any() else ""
present.chart(figure, best.sentence(view.y, view.x), ranking.in_units(curves, view), "output_cdf", drawn)

st.subheader("Ranking")
present.numbers(ranking.table(comparison, view, at), "ranking", ranking.COLUMNS, height="content")

st.subheader("Private lines")
draw = ranking.draw_again(view)
lines = private_lines(comparison, first=draw * ranking.LINES % view.scenario.trials, count=ranking.LINES)
figure = charts.spaghetti(view.data, lines, view.x, view.y, columns=2 if on_a_phone() else 3)
present.chart(figure, lines_sentence(view, best), ranking.in_units(lines, view), "lines", SEEDED)

with st.expander("Cite this view"):
    st.caption("The same numbers, in any browser." if view.family.reproducible else "All but the uploaded file itself.")
    st.code(f"/compare?{link(view)}", language=None)
    scenario = view.scenario.model_dump_json(indent=2)
    st.download_button("Scenario as JSON", scenario, "scenario.json", "application/json", on_click="ignore")
