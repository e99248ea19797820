"""Differentially private simple linear regression: which algorithm for data like mine?"""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from ui import sidebar
from ui.ends import page_may_end
from ui.link import PAGE, READ, address_is_kept, link_is_checked
from ui.private_names import asks_when_reconnected, values_arrive
from ui.work import in_turn

address_is_kept()
values_arrive()
st.set_page_config(page_title="DP simple linear regression", page_icon="📈", layout="wide")

page = st.navigation(
    [
        st.Page("pages/start.py", title="Start", default=True),
        st.Page("pages/data.py", title="Data"),
        st.Page("pages/compare.py", title="Compare"),
        st.Page("pages/sweep.py", title="Sweep"),
        st.Page("pages/small_areas.py", title="Small areas"),
        st.Page("pages/guidance.py", title="Guidance"),
        st.Page("pages/release.py", title="Release"),
        st.Page("pages/findings.py", title="Findings"),
        st.Page("pages/privacy.py", title="Privacy"),
        st.Page("pages/paper.py", title="Paper"),
        st.Page("pages/lesson.py", title="Lesson"),
        st.Page("pages/methods.py", title="Methods"),
    ],
    position="top",
)
st.session_state[PAGE] = page.url_path
asks_when_reconnected()
with page_may_end(), in_turn(), link_is_checked():
    sidebar.draw()
    st.session_state[READ] = True  # from here on the session holds the settings
    page.run()
