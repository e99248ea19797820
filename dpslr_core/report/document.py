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

    Attributes
    ----------
    heading : str
        Words above the table.
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        Cells, a tuple for each row.
    sentence : str
        Sentence between heading and table; "" for none.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentence: str = ""

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether a column holds numbers, or dashes in their place, for each column; such columns are flush right."""
        cells = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(
            number > 0 and cell_texts != () and all(map(_NUMBER.fullmatch, cell_texts))
            for number, cell_texts in enumerate(cells)
        )


@dataclass(frozen=True)
class Report:
    """Content of a report in its order: a page to hand on, then an appendix.

    Attributes
    ----------
    title, answer, context : str
        Title; headline and further sentences; data and budget.
    warning : str
        Sentence that the report is not private.
    picture : dict
        Vega-Lite specification with its data (``charts.vega``).
    picture_sentence : str
        Description of the picture, which is its accessible name.
    decide : Table
        Short table to decide by.
    memo : tuple of Section
        Protection, assumptions and advice.
    about : tuple of Section
        Data and settings. The appendix begins here.
    tables : tuple of Table
        All numbers; the choices of epsilon by others, with sources, come last.
    method : tuple of Section
        Making of the numbers, and their limits.
    again : str
        Sentences on the way to the same numbers.
    link : str
        Address of the app's page, without a host.
    scenario : str
        Scenario as JSON, for a file beside the report.
    made_with : str
        Versions.
    warnings : tuple of str
        Further warnings of the page.
    """

    title: str
    answer: str
    context: str
    warning: str
    picture: dict[str, Any]
    picture_sentence: str
    decide: Table
    memo: tuple[Section, ...]
    about: tuple[Section, ...]
    tables: tuple[Table, ...]
    method: tuple[Section, ...]
    again: str
    link: str
    scenario: str
    made_with: str
    warnings: tuple[str, ...] = ()


_NUMBER = re.compile(r"[±−-]?[\d.,]+%?|[—-]|")  # a number, a dash or nothing
APPENDIX = "Appendix"
SCENARIO_FILE = "scenario.json"  # of the app; a command puts the report's name in front

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
    """Environment of jinja2 for pages, where the names of columns, groups and files are text, never markup."""
    from markupsafe import Markup

    def escaped(text: str | Markup) -> Markup:
        return text if isinstance(text, Markup) else Markup(html.escape(legible(str(text))))

    return environment(autoescape=True, finalize=escaped)


def as_html(report: Report) -> str:
    """Return the report as one page of HTML; the names of columns, groups and files are text, never markup."""
    from markupsafe import Markup

    from ..charts.vega import NARROW, WIDE, svg_element  # altair comes with the app

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
