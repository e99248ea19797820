"""Release: four steps to a release that one may publish; here its plan and a rehearsal."""

from ui.first import note_address

note_address()  # the other imports may take seconds


import streamlit as st

from dpslr_core.charts.compared import release_dots
from dpslr_core.release import text
from dpslr_core.release.plans import LOOKED
from dpslr_core.text.compare import dots_sentence
from dpslr_core.text.phrases import format_amount
from ui import release, show, takeaway
from ui.ends import end_page
from ui.files import save_button
from ui.page import answer, begin
from ui.plain import bullets, plain
from ui.settings import link, settings

begin()
view = settings(algorithms=True)
heading = st.container()
able, refused = release.offered(view)
if not able:
    reasons = " ".join(text.not_released(refused)) or text.NONE_PRIVATE
    st.info(plain(f"{reasons} Choose another under More settings: CenteredStats."))
    end_page()
steps, left_and_right, more = (
    st.columns(4),
    st.container(),
    st.container(horizontal=True, gap="medium"),
)
try:
    with steps[1].popover(
        f":green[✓] **Decide** · ε = {format_amount(view.scenario.epsilon)}", width="stretch"
    ):
        mechanism = release.decision(able, refused)
    with (data := steps[0].popover(":green[✓] **Data** · x, y and n", width="stretch")):
        asked = release.data_form(view)
    left, right = left_and_right.columns(2, gap="large")
    with left:
        answers = release.sources(view, mechanism)
    made = release.planned(view, mechanism, asked, answers)
    # what is computed does not wait for the words that are typed
    looked = {name: said if said == LOOKED else "" for name, said in answers.items()}
    blank = release.planned(view, mechanism, asked, looked)
    data.caption(plain(text.numbers_sentence(made)))
except ValueError as problem:
    st.warning(plain(str(problem)))
    end_page()

x, y, (model, like) = made.x.axis, made.y.axis, release.model_of(view)
typical, name = release.middle_size(made), mechanism.name
within, releases, place = release.foreseen(blank.to_json(), model, typical)
takeaway.declare(view.scenario, link(view), {"algorithm": name, "data": "simulated"})
crumb = f"{view.grouped.name}, {len(made.sizes):,} areas" if made.areas else view.data_name
with heading:
    answer(
        text.headline(name, made.promise, within[0], y, bool(made.areas)),
        text.context(typical, like, x, made.at[0]),
        f"{crumb} · {name} · {made.promise}",
    )
if releases is not None:
    with right:
        sentence = dots_sentence(releases, place, name, y)
        show.vega(release_dots({name: releases}, place, name, y), sentence, "twenty")
missing = list(answers.values()).count("")
expected = None if missing else release.errors_to_expect(blank.to_json(), model)
made = made.with_expected(expected)
with left, st.container(horizontal=True):
    if missing:
        st.button("Save the plan", disabled=True)
    else:
        save_button(
            "Save the plan", made.to_json().encode(), "plan.json", "application/json", "save_plan"
        )
    release.rehearsal_button(made, model)

words = f"{missing} answers missing" if missing > 1 else "one answer missing"
state = f"**3 Plan** · {words}" if missing else ":green[✓] **Plan** · ready to save"
with steps[2].popover(state, width="stretch"):
    st.code(made.to_json(), language="json", height=400)
with steps[3].popover("**4 Release** · a command", width="stretch"):
    st.code(release.COMMANDS, language=None, wrap_lines=True)
    st.markdown(plain(text.NEVER_RELEASES))
with more.popover("Each point and area", type="tertiary"):
    show.numbers(release.points_table(made, within), "release_noise")
    if made.areas:
        st.caption(plain(release.pooling(view, able, made, asked, model)))
    if made.areas and expected:
        show.numbers(release.areas_table(made, expected), "release_areas_table")
with more.popover("What the certificate will say", type="tertiary"):
    for heading_, sentences in text.certificate_says(made).items():
        st.markdown(f"**{plain(heading_)}**\n\n{bullets(sentences)}")
