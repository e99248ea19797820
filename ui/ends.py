"""How a page ends before its last line, with what it has drawn so far."""

from __future__ import annotations

from typing import NoReturn


class PageEnds(Exception):
    """The page is complete here; app.py goes on behind it. After st.stop nothing more could be drawn."""


def end_page() -> NoReturn:
    """End the page that runs, quietly."""
    raise PageEnds
