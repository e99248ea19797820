"""Release: the plan of a release that one may publish, what its certificate will say, and a rehearsal."""

from ui.first import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.release import text
from dpslr_core.release.explored import rehearsal_data
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.text.phrases import joined
from ui import release, show, takeaway
from ui.ends import end_page
from ui.files import save_button
from ui.page import answer, begin
from ui.plain import bullets, plain
from ui.settings import link, settings

COMMANDS = """dpslr release plan.json DATA.csv --out certificate.json --out certificate.html
dpslr spent DATA.csv
dpslr verify certificate.json"""

begin("Release")
view = settings(algorithms=True)
heading = st.container()
able, refused = release.offered(view)
if not able:
    reasons = " ".join(text.not_released(refused)) or text.NONE_PRIVATE
    st.info(plain(f"{reasons} Choose another in the sidebar: CenteredStats."))
    end_page()
st.markdown(plain(text.TWO_STEPS))
st.subheader("1. The plan", anchor=False)
try:
    asked = release.form(view, able)
    made = release.planned(view, asked)
except ValueError as problem:
    st.warning(plain(str(problem)))
    end_page()

source = view.scenario.source
automatic = isinstance(source, UploadedFile) and not (source.x_numbers and source.y_numbers)
st.caption(plain(joined(text.numbers_sentence(made), text.READ_OFF_FILE if automatic else "")))

typical = sorted(made.sizes.values())[len(made.sizes) // 2]
simulated, seed = rehearsal_data(view.scenario.source, typical), view.scenario.seed
rows = release.expected(made.to_json(), simulated, view.scenario.budget, seed)
x, y = made.x.axis, made.y.axis
with heading:
    answer(
        text.headline(asked.mechanism.name, made.promise, rows[0], x, y),
        joined(
            text.explored_sentence(asked.mechanism.name, rows[0].error, y),
            text.no_interval_sentence(asked.mechanism, rows[0].error, y),
            text.expected_sentence(typical, view.scenario.source.kind == "synthetic"),
        ),
    )
takeaway.declare(view.scenario, link(view), {"algorithm": asked.mechanism.name, "data": "simulated"})
with st.expander("What to expect at each point"):
    show.numbers(release.table(x, rows, y.scale), "release_noise")
with st.container(horizontal=True):
    if asked.complete:
        plan = made.to_json().encode()
        save_button("Plan a release (JSON)", plan, "plan.json", "application/json", "save_plan")
    else:
        st.info("Say where the bounds and the choice come from; then the plan can be saved.")
    release.rehearsal_button(view, made)
st.caption(plain(text.REHEARSAL.replace("REHEARSAL", "A rehearsal is drawn", 1)))
if refused:
    with st.expander("Algorithms that cannot be released"):
        st.markdown(bullets(text.not_released(refused)))

st.subheader("2. The release, where the data are", anchor=False)
st.code(COMMANDS, language=None, wrap_lines=True)
st.markdown(plain(text.NEVER_RELEASES))
with st.expander("What the certificate will say"):
    for name, sentences in text.certificate_says(made).items():
        st.markdown(f"**{plain(name)}**\n\n{bullets(sentences)}")
    st.caption(plain(text.SEAT_BELT))
