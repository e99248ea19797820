"""End of a page before its last line, and whether app.py runs the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

Container = Any  # a container on a page: Streamlit has no public name for its class
under_app = ContextVar("under_app", default=False)  # whether app.py runs the page


class PageEnds(Exception):
    """End of a page that is complete; app.py draws what follows, which st.stop would prevent."""


def end_page() -> NoReturn:
    """End the page that runs, without a message."""
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
