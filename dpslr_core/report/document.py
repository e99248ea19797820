"""A report as a value, and as one page of HTML; the templates of reports and scripts."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..support.readable import legible
from ..text.phrases import first_and_rest

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

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers, and dashes where there is none: they stand at the right."""
        cells = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(
            number > 0 and each != () and all(map(_NUMBER.fullmatch, each))
            for number, each in enumerate(cells)
        )


@dataclass(frozen=True)
class Report:
    """All that a report says, in its order: a page to hand on, then an appendix.

    answer: the headline. context: data and budget. warning: that it is not private. warnings: what the page warns of
    besides. picture: a Vega-Lite specification with its data, see charts.vega. picture_sentence: what the picture
    shows, its accessible name. decide: the table to decide by. memo: what it protects, what was assumed, what to do.
    Of the appendix: about: question, data, settings. published: what others chose, with sources. table, more: all
    numbers. method: how they are made, and their limits. again: how to get them again. link: of the app's page, without
    a host. made_with: versions.
    scenario: as JSON, for a file beside the report.
    """

    title: str
    answer: str
    context: str
    warning: str
    picture: dict[str, Any]
    picture_sentence: str
    decide: Table
    memo: tuple[Section, ...]
    published: Table
    about: tuple[Section, ...]
    table: Table
    method: tuple[Section, ...]
    again: str
    link: str
    scenario: str
    made_with: str
    more: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()


_NUMBER = re.compile(r"[±−-]?[\d.,]+%?|[—-]|")  # or nothing
APPENDIX = "Appendix"
SCENARIO_FILE = (
    "scenario.json"  # beside a report of the app; one of the terminal is called after its report
)

# ---------------------------------------------------------------- templates, by jinja2

TEMPLATES = Path(__file__).parent / "templates"


def environment(**options: Any) -> Environment:
    """Environment of jinja2 for the templates: an unknown name is an error, a statement leaves no blank line."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,
    )


# ---------------------------------------------------------------- one page of HTML, for which nothing is fetched


def page_environment() -> Environment:
    """Environment for pages: whatever a column, group or file is called is text in them."""
    from markupsafe import Markup

    def escaped(text: str | Markup) -> Markup:
        return text if isinstance(text, Markup) else Markup(html.escape(legible(str(text))))

    return environment(autoescape=True, finalize=escaped)


def as_html(report: Report) -> str:
    """The page. Whatever a column, group or file is called is text in it."""
    from markupsafe import Markup

    from ..charts.vega import (
        NARROW,
        WIDE,
        svg_element,
    )  # charts come with the app

    headline, second = first_and_rest(report.answer)
    wide = svg_element(report.picture, report.picture_sentence, WIDE, "wide")
    narrow = svg_element(report.picture, report.picture_sentence, NARROW, "narrow")

    return (
        page_environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            headline=headline,
            second=second,
            wide=Markup(wide),
            narrow=Markup(narrow),
            appendix=APPENDIX,
        )
    )
