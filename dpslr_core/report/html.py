"""A report as one page of HTML that needs nothing from outside: no script, no font, no picture to fetch."""

from __future__ import annotations

import html
from functools import cache
from typing import TYPE_CHECKING

from .legible import legible
from .parts import Report
from .pictures.svg import svg
from .rendering import environment

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

WIDE, NARROW = 700, 340  # pixels of the picture, on paper or a screen and on a phone


def as_html(report: Report) -> str:
    """The page. Whatever a column, group or file is called is text in it."""
    from markupsafe import Markup

    wide = svg(report.picture.drawing(WIDE), report.picture_sentence, "wide")
    narrow = svg(report.picture.drawing(NARROW, False), report.picture_sentence, "narrow")
    return _template().render(report=report, wide=Markup(wide), narrow=Markup(narrow))


@cache
def _template() -> Template:
    """The template of the page, which escapes every text that is not markup already."""
    return environment(autoescape=True, finalize=_escaped).get_template("report.html.j2")


def _escaped(text: str | Markup) -> Markup:
    """The text as markup that shows it."""
    from markupsafe import Markup

    return text if isinstance(text, Markup) else Markup(html.escape(legible(text)))
