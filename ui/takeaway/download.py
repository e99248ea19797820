"""The one button that saves a file: made at the click, for whoever clicked, and gone soon after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, StopException

from ..sessions.ended import watch_session
from ..sessions.private_names import end_if_asked


def download(label: str, make: Callable[[], bytes], name: str, kind: str, key: str | None = None) -> None:
    """A button. make: makes the content at the click, without the page. name, kind: of the file. key: of the button."""
    watched = watch_session()

    def made() -> bytes:
        content = make()
        if watched is not None:
            watch, session = watched
            watch.files.hold(session, content, name, kind)
        return content

    st.download_button(label, made, name, kind, key=key, on_click="ignore")


@contextmanager
def buttons_stay() -> Iterator[None]:
    """Around a page: its buttons work until the next page has been drawn, however often that is begun.

    Streamlit ends a run in two ways, for a run that follows and to stop. The latter it does where another is on its way
    too, and it looks like a page that has ended itself (end_page).
    """
    complete = True
    try:
        yield
    except (RerunException, StopException) as ended:
        complete = False
        if isinstance(ended, StopException):
            end_if_asked()  # goes on where nobody asked: the page has ended itself
            complete = True
        raise
    finally:
        watched = watch_session()
        if watched is not None:
            watch, session = watched
            watch.files.keep_shown(session, complete)
