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
from ui.planned import STEPS
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
        f":green[✓] **{STEPS[1]}** · ε = {format_amount(view.scenario.epsilon)}", width="stretch"
    ):
        mechanism = release.decision(able, refused)
    with (data := steps[0].popover(f":green[✓] **{STEPS[0]}** · x, y and n", width="stretch")):
        form = release.data_form(view)
    left, right = left_and_right.columns(2, gap="large")
    with left:
        answers = release.sources(view, mechanism)
    plan = release.planned(view, mechanism, form, answers)
    # A plan without the typed words is the key of results: typing recomputes nothing.
    looked = {name: words if words == LOOKED else "" for name, words in answers.items()}
    blank = release.planned(view, mechanism, form, looked)
    data.caption(plain(text.numbers_sentence(plan)))
except ValueError as problem:
    st.warning(plain(str(problem)))
    end_page()

x, y, (model, like) = plan.x.axis, plan.y.axis, release.model_of(view)
typical, name = release.middle_size(plan), mechanism.name
within, releases, ols = release.foreseen(blank.to_json(), model, typical)
takeaway.declare(view.scenario, link(view), {"algorithm": name, "data": "simulated"})
crumb = f"{view.grouped.name}, {len(plan.sizes):,} areas" if plan.areas else view.data_name
with heading:
    answer(
        text.headline(name, plan.promise, within[0], y, bool(plan.areas)),
        text.context(typical, like, x, plan.at[0]),
        f"{crumb} · {name} · {plan.promise}",
    )
if releases is not None:
    with right:
        sentence = dots_sentence(releases, ols, name, y)
        show.vega(release_dots({name: releases}, ols, name, y), sentence, "twenty")
missing = list(answers.values()).count("")
expected = None if missing else release.errors_to_expect(blank.to_json(), model)
plan = plan.with_expected(expected)
with left, st.container(horizontal=True):
    if missing:
        st.button("Save the plan", disabled=True)
    else:
        save_button(
            "Save the plan", plan.to_json().encode(), "plan.json", "application/json", "save_plan"
        )
    release.rehearsal_button(plan, model)

words = f"{missing} answers missing" if missing > 1 else "one answer missing"
state = f"**{STEPS[2]}** · {words}" if missing else f":green[✓] **{STEPS[2]}** · ready to save"
with steps[2].popover(state, width="stretch"):
    st.code(plan.to_json(), language="json", height=400)
with steps[3].popover(f"**{STEPS[3]}** · a command", width="stretch"):
    st.code(release.COMMANDS, language=None, wrap_lines=True)
    st.markdown(plain(text.NEVER_RELEASES))
with more.popover("Each point and area", type="tertiary"):
    show.numbers(release.points_table(plan, within), "release_noise")
    if plan.areas:
        st.caption(plain(release.pooling(view, able, plan, form, model)))
    if plan.areas and expected:
        show.numbers(release.areas_table(plan, expected), "release_areas_table")
with more.popover("What the certificate will say", type="tertiary"):
    for heading_, sentences in text.certificate_says(plan).items():
        st.markdown(f"**{plain(heading_)}**\n\n{bullets(sentences)}")
