"""A report as one page of HTML that needs nothing from outside: no script, no font, no picture to fetch."""

from __future__ import annotations

import html
from collections.abc import Iterable

from .legible import legible
from .parts import Report, Section, Table
from .pictures.svg import svg

WIDE, NARROW = 700, 340  # pixels of the picture, on paper or a screen and on a phone
STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 15px/1.45 "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: #1b1b1f; background: #fff;
  max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1rem; font-weight: 600; color: #55555e; margin: 0 0 .3rem; }
h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
.answer { font-size: 1.45rem; line-height: 1.25; font-weight: 650; margin: 0 0 .5rem; }
.context { color: #4a4a52; margin: 0 0 .5rem; }
.warning { border-left: 4px solid #b45309; padding: .15rem .7rem; margin: .7rem 0; font-weight: 600; }
dl { display: grid; grid-template-columns: 8.2rem 1fr; gap: .35rem 1rem; margin: 1rem 0; }
dt { font-weight: 600; } dd { margin: 0; }
svg { display: block; width: 100%; height: auto; font-family: inherit; }
.narrow { display: none; }
.scrolled { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; overflow-wrap: normal; }
th, td { padding: .22rem .5rem; border-bottom: 1px solid #d5d5da; text-align: right;
  font-variant-numeric: tabular-nums; }
thead th { vertical-align: bottom; border-bottom: 2px solid #1b1b1f; }
tbody th { font-weight: 400; }
th:first-child, th:last-child, td:last-child { text-align: left; }
tbody th, td { white-space: nowrap; }
code { font: .8rem/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
@media (max-width: 560px) {
  .wide { display: none; } .narrow { display: block; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .6rem; }
  .answer { font-size: 1.25rem; }
  table { min-width: 36rem; } th:first-child { position: sticky; left: 0; background: #fff; }
}
@page { size: A4; margin: 12mm 14mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 8.5pt; line-height: 1.25; }
  .wide { display: block; } .narrow { display: none; }
  .answer { font-size: 14pt; } h2 { margin: .55rem 0 .2rem; } p { margin: .3rem 0; }
  code { font-size: 7pt; line-height: 1.25; }
  dl { display: block; margin: .6rem 0; } dt { float: left; } dd { margin: 0 0 .25rem 31mm; }
  table { font-size: 7.8pt; } th, td { padding: .05rem .4rem; }
  h2 { break-after: avoid; } tr, svg { break-inside: avoid; } .scrolled { overflow: visible; }
}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def as_html(report: Report) -> str:
    """The page. Whatever a column, group or file is called is text in it."""
    say = report.picture_sentence
    pictures = [
        svg(report.picture.drawing(WIDE), say, "wide"),
        svg(report.picture.drawing(NARROW, False), say, "narrow"),
    ]
    body = [
        f"<header><h1>{_text(report.title)}</h1>",
        f'<p class="answer">{_text(report.answer)}</p>',
        f'<p class="context">{_text(report.context)}</p></header>',
        *(f'<p class="warning">{_text(warning)}</p>' for warning in (report.warning, *report.warnings)),
        *pictures,
        f"<p>{_text(report.picture_sentence)}</p>",
        _sections(report.about),
        *map(_table, (report.table, *report.more)),
        "<h2>How to read it</h2>",
        _sections(report.method),
        f"<h2>The same numbers again</h2><p>{_text(report.again)} {_text(report.made_with)}</p>",
        f'<p><code id="link">{_text(report.link)}</code></p>',
        f'<p><code id="scenario">{_text(report.scenario)}</code></p>',
    ]
    return "\n".join([_head(report.title), "<body><main>", *body, "</main></body></html>", ""])


def _head(title: str) -> str:
    return "\n".join([
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title><style>{STYLE}</style></head>",
    ])  # fmt: skip


def _sections(sections: Iterable[Section]) -> str:
    """Headings beside their sentences."""
    pairs = (f"<dt>{_text(s.heading)}</dt><dd>{_text(' '.join(s.sentences))}</dd>" for s in sections)
    return "\n".join(["<dl>", *pairs, "</dl>"])


def _table(table: Table) -> str:
    """The heading, the sentence if there is one, and the rows."""
    above = f"<h2>{_text(table.heading)}</h2>" + (f"<p>{_text(table.sentence)}</p>" if table.sentence else "")
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.columns)
    rows = (
        f'<tr><th scope="row">{_text(first)}</th>{"".join(f"<td>{_text(cell)}</td>" for cell in cells)}</tr>'
        for first, *cells in table.rows
    )
    opening = f'{above}<div class="scrolled" tabindex="0" role="region" aria-label="{_text(table.heading)}">'
    return "\n".join([f"{opening}<table><thead><tr>{head}</tr></thead><tbody>", *rows, "</tbody></table></div>"])


def _text(text: str) -> str:
    return html.escape(legible(text))
