"""Release: four steps to a release that one may publish; here its plan and a rehearsal."""

from ui.first import note_address

note_address()  # the other imports may take seconds


import streamlit as st

from dpslr_core.charts.compared import release_dots
from dpslr_core.release import text
from dpslr_core.release.explored import rehearsal_data
from dpslr_core.text.compare import dots_sentence
from dpslr_core.text.phrases import format_amount, joined
from ui import release, show, takeaway
from ui.ends import end_page
from ui.files import save_button
from ui.page import answer, begin
from ui.plain import bullets, plain
from ui.settings import link, settings

begin("Release")
view = settings(algorithms=True)
heading = st.container()
able, refused = release.offered(view)
if not able:
    reasons = " ".join(text.not_released(refused)) or text.NONE_PRIVATE
    st.info(plain(f"{reasons} Choose another in the sidebar: CenteredStats."))
    end_page()
steps, left_and_right, more = st.columns(4), st.container(), st.container(horizontal=True, gap="medium")
try:
    with steps[1].popover(f":green[✓] **Decide** · ε = {format_amount(view.scenario.epsilon)}", width="stretch"):
        mechanism = release.decision(view, able)
    with (data := steps[0].popover(":green[✓] **Data** · x, y and n", width="stretch")):
        asked = release.data_form(view, mechanism)
    left, right = left_and_right.columns(2, gap="large")
    with left:
        asked = release.sources(view, asked)
    made, blank = release.planned(view, asked), release.planned(view, asked.blank)
    data.caption(plain(text.numbers_sentence(made)))
except ValueError as problem:
    st.warning(plain(str(problem)))
    end_page()

x, y, model = made.x.axis, made.y.axis, release.model_of(view)
typical = sorted(made.sizes.values())[len(made.sizes) // 2]
simulated, name = rehearsal_data(model, typical), mechanism.name
rows, releases, place = release.foreseen(blank.to_json(), simulated, view.scenario.budget, view.scenario.seed)
takeaway.declare(view.scenario, link(view), {"algorithm": name, "data": "simulated"})
crumb = f"{view.grouped.name}, {len(made.sizes):,} areas" if made.areas else view.data_name
with heading:
    answer(
        text.headline(name, made.promise, rows[0].within, y, bool(made.areas)),
        text.context(typical, release.like(view), x, rows[0].at),
        f"{crumb} · {name} · {made.promise}",
    )
if releases is not None:
    with right:
        told = dots_sentence(releases, place, name, y)
        show.vega(release_dots({name: releases}, place, name, y), told, "twenty")
expected = None if asked.missing else release.errors_to_expect(blank.to_json(), model)
made = made.with_expected(expected)
with left, st.container(horizontal=True):
    if asked.missing:
        st.button("Save the plan", disabled=True)
    else:
        save_button("Save the plan", made.to_json().encode(), "plan.json", "application/json", "save_plan")
    release.rehearsal_button(view, made)

missing = f"{asked.missing} answers missing" if asked.missing > 1 else "one answer missing"
state = f"**3 Plan** · {missing}" if asked.missing else ":green[✓] **Plan** · ready to save"
with steps[2].popover(state, width="stretch"):
    st.code(made.to_json(), language="json", height=400)
with steps[3].popover("**4 Release** · a command", width="stretch"):
    st.code(release.COMMANDS, language=None, wrap_lines=True)
    st.markdown(plain(text.NEVER_RELEASES))
with more.popover("Each point and area", type="tertiary"):
    st.markdown(plain(joined(
        text.explored_sentence(name, rows[0].error, y), text.no_interval_sentence(mechanism, rows[0].error, y)
    )))  # fmt: skip
    show.numbers(release.table(x, rows, y.scale), "release_noise")
    if made.areas:
        show.numbers(release.areas_table(made, expected), "release_areas_table")
with more.popover("What the certificate will say", type="tertiary"):
    for heading_, sentences in text.certificate_says(made).items():
        st.markdown(f"**{plain(heading_)}**\n\n{bullets(sentences)}")
with more.popover("Which algorithms cannot be released", type="tertiary"):
    st.markdown(bullets(text.not_released(refused)) if refused else "None of the chosen ones.")
