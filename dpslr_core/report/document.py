"""A report as a value, and as one page of HTML; the templates of reports and scripts."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..support.readable import legible

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class Section:
    """Sentences under a heading."""

    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Texts in rows under the names of columns; the first column names the row.

    heading: what stands above; sentence: what the numbers say, between the two.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentence: str = ""


@dataclass(frozen=True)
class Report:
    """All that a report says, in its order.

    answer: the headline. context: data and budget. warning: that it is not private. warnings: what the page warns of
    besides. about: question, data, settings. picture: a Vega-Lite specification with its data, see charts.vega.
    picture_sentence: what the picture shows, its accessible name. method: how the numbers are made, and their limits.
    again: how to get them again. link: of the app's page, without a host. scenario: as JSON. made_with: versions.
    more: tables after the main one.
    """

    title: str
    answer: str
    context: str
    warning: str
    about: tuple[Section, ...]
    picture: dict[str, Any]
    picture_sentence: str
    table: Table
    method: tuple[Section, ...]
    again: str
    link: str
    scenario: str
    made_with: str
    more: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()


# ---------------------------------------------------------------- templates, by jinja2

TEMPLATES = Path(__file__).parent / "templates"


def environment(**options: Any) -> Environment:
    """Environment of jinja2 for the templates: an unknown name is an error, a statement leaves no blank line."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, **options,
    )  # fmt: skip


# ---------------------------------------------------------------- one page of HTML, for which nothing is fetched


def as_html(report: Report) -> str:
    """The page. Whatever a column, group or file is called is text in it."""
    from markupsafe import Markup

    from ..charts.vega import NARROW, WIDE, svg_element  # charts come with the app

    wide = svg_element(report.picture, report.picture_sentence, WIDE, "wide")
    narrow = svg_element(report.picture, report.picture_sentence, NARROW, "narrow")

    def escaped(text: str | Markup) -> Markup:
        return text if isinstance(text, Markup) else Markup(html.escape(legible(text)))

    template = environment(autoescape=True, finalize=escaped).get_template("report.html.j2")
    return template.render(report=report, wide=Markup(wide), narrow=Markup(narrow))
