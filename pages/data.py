"""Data: what do I have?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core import charts
from dpslr_core.charts.records import moved_picture, records_picture
from dpslr_core.experiments.curves import prediction_table, regression_lines
from dpslr_core.report.scripts import data_script
from dpslr_core.text import data as text
from dpslr_core.text.phrases import format_amount, with_unit
from ui import show, takeaway
from ui.data import data_query, lines, move_one
from ui.ends import end_page
from ui.link import LINK, opened_with, set_to
from ui.page import HEADING, answer, begin
from ui.plain import plain
from ui.settings import UPLOAD, UPLOADED, in_units, missing_upload, settings
from ui.takeaway import drawn, take_away

begin("Data")
heading = st.session_state[HEADING]
if st.session_state["source"] == "upload" and UPLOAD not in st.session_state:
    with heading:
        answer("Choose columns and their public bounds" if UPLOADED in st.session_state else "Upload a file")
        if UPLOADED not in st.session_state and opened_with("source"):
            st.info(plain(missing_upload()))
    end_page()

view = settings()
data, x, y, at = view.data, view.x, view.y, view.scenario.at
with heading:
    answer(text.data_headline(view), f"{view.data_name}. {view.grouped.about} {text.extrapolation_sentence(view)}")

if view.scenario.source.kind == "upload" and len(view.grouped.groups) > 1:
    areas = f"Next, on Small areas: which algorithm and which ε for all {len(view.grouped.usable):,} groups"
    st.page_link("pages/small_areas.py", label=areas, icon=":material/arrow_forward:")
picture = st.container()
if len(view.grouped.groups) > 1:
    usable = list(view.grouped.usable)
    place = usable.index(view.group)
    left, middle, right = st.columns([1, 4, 1], vertical_alignment="center")
    for column, label, there in ((left, "◀ previous", place - 1), (right, "next ▶", place + 1)):
        inside = 0 <= there < len(usable)
        group = usable[there] if inside else view.group
        column.button(label, disabled=not inside, on_click=set_to, args=("group", group), width="stretch")
    middle.text(f"{view.group}  ({place + 1} of {len(usable)})", width="stretch", text_alignment="center")
with st.container(horizontal=True):
    zoom = st.toggle("Zoom to the records", key="zoom", help="Otherwise: the public bounds.", **LINK)
    moving = st.toggle("Move one record", key="moving", help="What one person changes, and what noise hides.", **LINK)
with picture:
    moved = move_one(view, zoom) if moving else None
    if moved is None:
        takeaway.declare(view, data_query(view))
        ols = lines(data)
        figure = charts.scatter(data, ols, x, y, at, zoom)
        show.chart(figure, text.data_sentence(view), in_units(ols, view), "data")

unit = text.unit_sentence(view.scenario.admitted, view.scenario.budget)
st.caption(plain(f"{text.clipping_sentence(view.grouped)} {unit}"))
tiles = st.columns(5)
tiles[0].metric(
    "n", f"{data.n:,}", help="The records that can be used. The guarantee takes the number of rows as public."
)
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


def picture_file():
    if moved is None:
        ols = regression_lines(data)  # made at the click, where nothing kept in a session can be had
        return drawn(records_picture(data, ols, x, y, zoom), text.data_sentence(view))
    return drawn(moved_picture(moved, x, y, zoom), text.moved_sentence(moved, at[0], x, y))


take_away(
    page="data", scenario=view.scenario, query=data_query(view), table=table, script=partial(data_script, view, moved),
    picture=picture_file,
)  # fmt: skip
