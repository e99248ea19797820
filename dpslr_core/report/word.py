"""A report as a Word file, by python-docx."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt

from ..charts.vega import WIDE, written
from ..support.readable import legible
from ..text.phrases import first_and_rest
from .document import APPENDIX, Report, Section, Table

PAGE, MARGIN = (Mm(210), Mm(297)), Mm(16)  # A4
PICTURE = Mm(178), Mm(66)  # largest width and height, so that the rest fits on the page
FONT = "Arial"  # other programs replace it by a font of the same widths
LEAST = 4  # least letters of a column's width
MOST_ROWS, SHOWN = 100, 30  # longest table that is shown whole; rows of a longer table
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # no date of today: the same scenario, the same bytes


def as_word(report: Report) -> bytes:
    """Return the report as bytes of a .docx file; the names of columns, groups and files are text, never markup."""
    document = Document()
    section, normal = document.sections[0], document.styles["Normal"]
    section.page_width, section.page_height = PAGE
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = MARGIN
    normal.font.name, normal.font.size = (
        FONT,
        Pt(9),
    )  # small, so that the page to hand on is one page
    normal.paragraph_format.space_after = Pt(3)
    for level in (1, 2):
        heading = document.styles[f"Heading {level}"]
        heading.font.name, heading.paragraph_format.space_before = FONT, Pt(6)
        heading.element.rPr.rFonts.set(qn("w:asciiTheme"), "")
        del heading.element.rPr.rFonts.attrib[qn("w:asciiTheme")]
    properties = document.core_properties
    properties.title, properties.author, properties.comments = (
        legible(report.title)[:255],
        "dpslr",
        "",
    )
    properties.created = properties.modified = EPOCH
    properties.language = "en"
    headline, second = first_and_rest(report.answer)
    document.add_paragraph().add_run(legible(report.warning)).bold = True
    document.add_paragraph(legible(report.title))
    document.add_heading(legible(headline), level=1)
    if second:
        document.add_paragraph().add_run(legible(second)).font.size = Pt(11)
    document.add_paragraph(legible(report.context))
    for warning in report.warnings:
        document.add_paragraph().add_run(legible(warning)).bold = True
    shape = document.add_picture(BytesIO(written(report.picture, ".png", width=WIDE)))
    smaller = min(PICTURE[0] / shape.width, PICTURE[1] / shape.height)
    shape.width, shape.height = int(shape.width * smaller), int(shape.height * smaller)
    shape._inline.docPr.set("descr", legible(report.picture_sentence))
    document.add_paragraph(legible(report.picture_sentence))
    _table(document, report.decide)
    _sections(document, report.memo)
    document.add_heading(APPENDIX, level=1).paragraph_format.page_break_before = True
    _sections(document, report.about)
    *numbers, published = report.tables
    for table in numbers:
        _table(document, table)
    _table(document, published, words=True)
    document.add_heading("How to read it", level=2)
    _sections(document, report.method)
    document.add_heading("The same numbers again", level=2)
    document.add_paragraph(legible(f"{report.again} {report.made_with}"))
    run = document.add_paragraph().add_run(legible(report.link))
    run.font.name, run.font.size = "Consolas", Pt(7.5)
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def _sections(document: Any, sections: Iterable[Section]) -> None:
    """Add a paragraph for each section, which begins with its heading in bold."""
    for section in sections:
        paragraph = document.add_paragraph()
        paragraph.add_run(f"{legible(section.heading)}. ").bold = True
        paragraph.add_run(legible(" ".join(section.sentences)))


def _table(document: Any, table: Table, words: bool = False) -> None:
    """Add heading, sentence and rows of a table; `words` for cells of words, which are smaller and flush left."""
    document.add_heading(legible(table.heading), level=2)
    if table.sentence:
        document.add_paragraph(legible(table.sentence))
    shown = table.rows if len(table.rows) <= MOST_ROWS else table.rows[:SHOWN]
    grid = document.add_table(rows=1 + len(shown), cols=len(table.columns), style="Table Grid")
    grid.autofit = False
    for column, width in zip(grid.columns, _widths(table, shown), strict=True):
        column.width = width  # some programs read the column's width, others the cells'
        for cell in column.cells:
            cell.width = width
    for index, (row, texts) in enumerate(zip(grid.rows, (table.columns, *shown), strict=True)):
        for column, (cell, text) in enumerate(zip(row.cells, texts, strict=True)):
            paragraph = cell.paragraphs[0]
            run = paragraph.add_run(legible(text))
            run.bold, run.font.size = index == 0, Pt(7 if words else 8.5)
            paragraph.paragraph_format.space_after = Pt(0)
            if table.numeric[column] and not words:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    # the header is repeated on the next page
    grid.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    if len(shown) < len(table.rows):
        rest = f"These are the first {SHOWN} of {len(table.rows):,} rows. The HTML report holds them all."
        document.add_paragraph(rest)


def _widths(table: Table, shown: Iterable[tuple[str, ...]]) -> list[int]:
    """Widths of the columns, by the longest word of each column; words of the last column may be broken."""
    columns = zip(table.columns, *shown, strict=True)
    letters = [
        max(LEAST, *(len(word) for text in column for word in text.split(" "))) + 2
        for column in columns
    ]
    page_width = int(PAGE[0] - 2 * MARGIN)
    return [page_width * count // sum(letters) for count in letters]
