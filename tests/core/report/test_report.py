"""A report: its numbers are the comparison's, its texts stay texts, and it needs nothing from outside."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from io import BytesIO
from math import tanh

import numpy as np
import pandas as pd
from docx import Document
from docx.shared import Pt

from dpslr_core.experiments import Comparison, compare
from dpslr_core.experiments.ranking import ranking
from dpslr_core.mechanisms import (
    OLS,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.privacy.accounting import Accounting
from dpslr_core.report.content import memo_of, report_on
from dpslr_core.report.document import Report, as_html
from dpslr_core.report.word import as_word
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.compare import answer
from dpslr_core.text.data import View, extrapolation_sentence
from dpslr_core.text.phrases import first_and_rest
from tests.cases.readable import check_readable
from tests.cases.taken import PageRead

MARKUP = (
    '<script>alert(1)</script> "quoted" $x^2$ **bold** [a](http://evil.invalid) '
    "<img src=http://evil.invalid> &lt;b&gt;"
)
FEW = (OLS(), NoisyStats(), DPExpTheilSen(), DPGDPure(steps=20), DPGDApprox())
LINK = "/compare?source=sample&sample=bikes"


@cache
def bikes() -> tuple[View, Comparison]:
    grouped = load_sample("bikes")
    scenario = Scenario(source="sample", sample="bikes", mechanisms=FEW, trials=200, seed=3)
    view = View(scenario, grouped, grouped.groups[0], grouped.dataset(), grouped.x, grouped.y)
    return view, compared(view)


def compared(view: View) -> Comparison:
    s = view.scenario
    return compare(view.data, s.compared, s.epsilon, s.at, s.trials, s.seed)


@cache
def report() -> Report:
    view, comparison = bikes()
    return report_on(view, comparison, 0.25, LINK)


@cache
def page() -> str:
    return as_html(report())


@cache
def named(text: str) -> Report:
    """A report on data whose file, columns, units and groups are all called this."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"group": [f"{text} 1"] * 20 + [f"{text} 2"] * 20, "x": rng.random(40), "y": rng.random(40)}
    )
    grouped = GroupedData(
        text, f"About {text}", Axis(f"x {text}", text), Axis(f"y {text}", text), frame
    )
    scenario = Scenario(mechanisms=FEW, trials=20)
    view = View(scenario, grouped, grouped.groups[0], grouped.dataset(), grouped.x, grouped.y)
    return report_on(view, compared(view), 0.25, f"/compare?group={text}")


def paragraphs(made: Report) -> list[str]:
    return [paragraph.text for paragraph in Document(BytesIO(as_word(made))).paragraphs]


def test_the_answer_is_that_of_the_page_and_the_other_point_has_its_own():
    view, comparison = bikes()
    s, data = view.scenario, view.data
    here, there = (
        answer(ranking(comparison.summary, s.compared, at, s.epsilon), view.y) for at in s.at
    )
    text = PageRead(page()).text
    assert report().answer == here and all(part in text for part in first_and_rest(here))
    assert f"At temperature = 27.25 °C: {there}" in text
    assert "DPGDPure: steps = 20" in text and "Seed 3" in text
    predicted, error = 1000 * data.predict([0.25])[0], 1000 * data.standard_error([0.25])[0]
    assert f"°C is {predicted:.3g}. Its standard error is ±{error:.3g}." in text
    drawn = comparison.summary[comparison.summary["at"] == 0.25]
    drawn = drawn[~drawn["exact"].astype(bool)]
    ends = [drawn[end] / drawn["c68"] for end in ("c68_low", "c68_high")]
    off = max(float((end - 1).abs().max()) for end in ends)
    assert f"are simulated, and may be off by {off:.0%}." in text
    for section in (*report().memo, *report().about, *report().method):
        for sentence in set(section.sentences) - {view.grouped.about}:
            check_readable(sentence)


def test_names_that_are_markup_stay_text_and_nothing_is_asked_from_outside():
    made = as_html(named(MARKUP))
    read = PageRead(made)
    allowed = {"html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "p", "dl", "dt", "dd",
               "div", "table", "thead", "tbody", "tr", "th", "td", "code", "svg", "g", "rect", "line", "path",
               "text"}  # fmt: skip
    assert {tag for tag, _ in read.tags} == allowed
    assert read.text.count(MARKUP) >= 8
    assert [tag for tag, _ in read.tags].count("h1") == 1
    for tag, attributes in read.tags:
        assert not {"href", "src", "srcset", "action", "data", "style"} & set(attributes), tag
        assert not any(name.startswith("on") for name in attributes), tag
    styles = made.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in styles and "@import" not in styles
    (policy,) = (attributes["content"] for _, attributes in read.tags if "http-equiv" in attributes)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_word_holds_the_same_answer_table_and_picture():
    document = Document(BytesIO(as_word(report())))
    for place, table in enumerate((report().decide, report().tables[0])):
        cells = [tuple(cell.text for cell in row.cells) for row in document.tables[place].rows]
        assert cells == [table.columns, *table.rows]
    sentences = {
        *first_and_rest(report().answer),
        report().warning,
        LINK,
        report().picture_sentence,
    }
    assert sentences <= set(paragraphs(report()))
    (picture,) = document.inline_shapes
    assert picture._inline.docPr.get("descr") == report().picture_sentence
    section, grid = document.sections[0], document.tables[0]
    inside = section.page_width - section.left_margin - section.right_margin
    assert picture.width < inside and sum(column.width for column in grid.columns) <= inside + Pt(1)


def test_any_name_can_be_written():
    for text in (
        MARKUP,
        "null \x00, tab \x0b, noncharacter \ufffe, turned \u202e",
        "=1+1 {MERGEFIELD x}",
    ):
        words = " ".join(paragraphs(named(text)))
        read = words + PageRead(as_html(named(text))).text
        if text.isprintable():
            assert words.count(text) >= 5, text
        assert not set("\x00\x0b\ufffe\u202e") & set(read), text


def test_the_memo_promises_what_the_rule_of_spending_gives():
    """ε = 2: one ρ for all is 2 tanh(2 / 2); one (ε, δ) for all is itself."""
    view, _ = bikes()
    mechanism = NoisyStatsGaussian()
    for rule, promise in (
        ("paper", "ρ = 2 zCDP"),
        ("implied", f"ρ = {2 * tanh(1):.3g} zCDP"),
        ("approx:1e-6", "ε = 2, δ = 1 × 10⁻⁶"),
        (Accounting(records=3), "ρ = 2 zCDP for 3 records"),
    ):
        changes = {"accounting": rule, "mechanisms": (mechanism,), "epsilon": 2.0}
        scenario = view.scenario.model_copy(update=changes)
        protected, *_ = memo_of(replace(view, scenario=scenario), mechanism.name, False, ())
        assert protected.sentences[0].startswith(f"The promise is {promise}: "), rule


def test_a_report_carries_the_warnings_of_its_page():
    """A point beyond all records is extrapolated; what else the page has warned of stands beside it, in both files."""
    view, _ = bikes()
    far = replace(view, scenario=view.scenario.model_copy(update={"at": (0.0, 1.0)}))
    extrapolated = extrapolation_sentence(far)
    assert "the line is extrapolated there" in extrapolated
    made = report_on(far, compared(far), 0.0, LINK, [f"The link says x_new = {MARKUP}."])
    read, words = PageRead(as_html(made)).text, paragraphs(made)
    for warning in (made.warning, extrapolated, "The link says x_new = <script>alert(1)</script>"):
        assert warning in read and any(paragraph.startswith(warning) for paragraph in words)
    assert report().warnings == tuple(filter(None, [extrapolation_sentence(view)]))
    assert (
        made.answer.endswith("= -8 °C lies beyond all records.") and "beyond" not in report().answer
    )
