"""Where a page runs and how it ends: below app.py, at its last line or before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

Place = Any  # a container on a page: Streamlit has no public name for its class
under_app = ContextVar("under_app", default=False)  # whether app.py runs the page


class PageEnds(Exception):
    """The page is complete here; app.py goes on behind it. After st.stop nothing more could be drawn."""


def end_page() -> NoReturn:
    """End the page that runs, quietly."""
    raise PageEnds


@contextmanager
def page_may_end() -> Iterator[None]:
    """Run a page in app.py, to its last line or to end_page."""
    token = under_app.set(True)
    try:
        yield
    except PageEnds:
        pass
    finally:
        under_app.reset(token)
