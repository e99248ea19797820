"""Differentially private simple linear regression: which algorithm for data like mine?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from contextlib import suppress

import streamlit as st

from ui import sidebar
from ui.ends import page_may_end
from ui.files import files_stay
from ui.link import PAGE, keep_the_link, link_is_checked, open_the_link, settle
from ui.page import HEADING, TOOL, ask_when_reconnected, title_row
from ui.work import in_turn

keep_the_link()
page = st.navigation(
    {
        "": [
            st.Page("pages/start.py", title="Start", default=True),
            st.Page("pages/data.py", title="Data"),
            st.Page("pages/compare.py", title="Compare"),
            st.Page("pages/sweep.py", title="Sweep"),
            st.Page("pages/small_areas.py", title="Small areas"),
            st.Page("pages/guidance.py", title="Guidance"),
            st.Page("pages/release.py", title="Release"),
        ],
        "Learn": [
            st.Page("pages/lesson.py", title="Lesson"),
            st.Page("pages/privacy.py", title="Privacy"),
            st.Page("pages/methods.py", title="Methods"),
        ],
        "Research": [
            st.Page("pages/paper.py", title="Paper"),
            st.Page("pages/findings.py", title="Findings"),
        ],
    },
    position="top",
)
st.set_page_config(page_title=f"{page.title} · {TOOL}", page_icon="📈", layout="wide")
settle()
st.session_state[PAGE] = page.url_path
ask_when_reconnected()
with files_stay():
    # A broken file of the user's own algorithms raises; the sidebar says what is wrong with it.
    with suppress(ValueError):
        open_the_link()
    title_row(page.title)  # whoever waits for a turn sees it
    with link_is_checked(), page_may_end(), in_turn():
        st.session_state[HEADING] = st.container()
        sidebar.draw(st.container())
        page.run()
