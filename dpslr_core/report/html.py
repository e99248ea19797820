"""A report as one page of HTML that needs nothing from outside: no script, no font, no picture to fetch."""

from __future__ import annotations

import html
from functools import cache
from typing import TYPE_CHECKING

from ..charts.files import NARROW, WIDE, svg_element
from ..support.readable import legible
from .parts import Report
from .rendering import environment

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup


def as_html(report: Report) -> str:
    """The page. Whatever a column, group or file is called is text in it."""
    from markupsafe import Markup

    wide = svg_element(report.picture, report.picture_sentence, WIDE, "wide")
    narrow = svg_element(report.picture, report.picture_sentence, NARROW, "narrow")
    return _template().render(report=report, wide=Markup(wide), narrow=Markup(narrow))


@cache
def _template() -> Template:
    """The template of the page, which escapes every text that is not markup already."""
    return environment(autoescape=True, finalize=_escaped).get_template("report.html.j2")


def _escaped(text: str | Markup) -> Markup:
    """The text as markup that shows it."""
    from markupsafe import Markup

    return text if isinstance(text, Markup) else Markup(html.escape(legible(text)))
