"""Data: what do I have, and how well is it known without privacy?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.charts.records import records_picture
from dpslr_core.experiments.curves import prediction_table, regression_lines
from dpslr_core.report.scripts import data_script
from dpslr_core.text import data as text
from dpslr_core.text.phrases import format_amount, with_unit
from ui import show, takeaway
from ui.cache import kept
from ui.ends import end_page
from ui.link import LINK, opened_with, set_to
from ui.page import HEADING, answer, begin
from ui.plain import plain
from ui.settings import (
    MISSING_UPLOAD,
    UPLOAD,
    UPLOADED,
    in_units,
    point_choice,
    point_query,
    settings,
)
from ui.takeaway import drawn, page_query, take_away

lines = kept(64)(regression_lines)

begin()
heading = st.session_state[HEADING]
if st.session_state["source"] == "upload" and UPLOAD not in st.session_state:
    with heading:
        answer(
            "Choose columns and their public bounds"
            if UPLOADED in st.session_state
            else "Upload a file"
        )
        if UPLOADED not in st.session_state and opened_with("source"):
            st.info(MISSING_UPLOAD)
    end_page()

view = settings()
data, x, y = view.data, view.x, view.y
several = len(view.grouped.groups) > 1
with st.container(horizontal=True, vertical_alignment="bottom"):
    at = point_choice(view)
    if several:
        usable = list(view.grouped.usable)
        index = usable.index(view.group)
        for label, target in (("◀ previous", index - 1), ("next ▶", index + 1)):
            inside = 0 <= target < len(usable)
            group = usable[target] if inside else view.group
            st.button(label, disabled=not inside, on_click=set_to, args=("group", group))
    st.page_link(
        "pages/compare.py",
        label="Compare algorithms on these data",
        icon=":material/arrow_forward:",
    )
    st.page_link("pages/privacy.py", label="Move one record", icon=":material/arrow_forward:")
    if several and view.scenario.source.kind == "upload":
        areas = f"One algorithm for all {len(view.grouped.usable):,} groups"
        st.page_link("pages/small_areas.py", label=areas, icon=":material/arrow_forward:")
with heading:
    answer(
        text.data_headline(view, at),
        text.data_context(view, at),
        f"{view.data_name} · n = {data.n:,}",
    )
picture = st.container()

ols, table = lines(data), prediction_table({"": data}, view.scenario.at, x, y)
with st.container(horizontal=True):
    with st.popover("Bounds and rows per person"):
        zoom = st.toggle(
            "Zoom to the records", True, key="zoom", help="Otherwise: the public bounds.", **LINK
        )
        unit = text.unit_sentence(view.scenario.records_per_person)
        for sentences in (view.grouped.about, text.clipping_sentence(view.grouped), unit):
            st.caption(plain(sentences))
    with st.popover("n, var(x), σₑ and ε n var(x)"):
        noise = plain(with_unit(data.residual_sd * y.scale, y))
        product = format_amount(view.scenario.epsilon * data.nvar, 4)
        public = "The records that can be used. The guarantee takes the number of rows as public."
        st.metric("n", f"{data.n:,}", help=public)
        private = "In the unit square. Private: it depends on the data."
        st.metric("var(x)", format_amount(data.var_x, 4), help=private)
        st.metric("n var(x)", format_amount(data.nvar, 4))
        st.metric(
            "σₑ (residual)", noise, help="Standard deviation around the line without privacy."
        )
        st.metric("ε n var(x)", product, help="The paper's main guide: NoisyStats wants it large.")
    with st.popover("Theil–Sen line"):
        st.markdown(plain(text.data_sentence(view, at)))
        theil_sen = st.toggle("Draw the Theil–Sen line", key="theil_sen", **LINK)
    query = page_query(point_query(view), {"zoom": True, "theil_sen": False})
    takeaway.declare(view, query)
    with st.popover("Numbers"):
        show.numbers(table, "predictions")
        show.numbers(in_units(ols, view), "data")
drawing = partial(records_picture, data, x=x, y=y, zoom=zoom, at=at, theil_sen=theil_sen)
with picture:
    show.vega(drawing(ols), text.data_sentence(view, at), "data")
take_away(
    page="data",
    scenario=view.scenario,
    query=query,
    table=table,
    script=partial(data_script, view),
    picture=lambda: drawn(drawing(regression_lines(data)), text.data_sentence(view, at)),
)
