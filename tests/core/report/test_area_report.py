"""A report on many areas: its numbers are by_group's; Word has few rows of many; the picture counts areas."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from io import BytesIO

import pandas as pd
import pytest
from docx import Document

from dpslr_core.experiments.areas import by_group, split_groups
from dpslr_core.guidance.area_epsilons import passing_epsilons, smallest_epsilons
from dpslr_core.guidance.decision import Decision, areas_of, decide
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyStats
from dpslr_core.report.content import NONE, MeasuredAreas, report_on_areas
from dpslr_core.report.document import Report, as_html
from dpslr_core.report.word import as_word
from dpslr_core.scenario import Scenario
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.data import View
from dpslr_core.text.decision import answer
from tests.cases.readable import check_readable
from tests.cases.taken import PageRead, number

REJECTED = pd.DataFrame(
    {"group": ["a", "b", "c"], "n": [2, 1, 9], "reason": ["few", "few", "flat"]}
)
SCENARIO = Scenario(
    source="sample",
    sample="tracts",
    epsilon=16.0,
    mechanisms=(OLS(), NoisyStats(), DPExpTheilSen()),
    trials=50,
)


@cache
def view() -> View:
    grouped = load_sample("tracts")
    return View(SCENARIO, grouped, grouped.groups[0], grouped.dataset(), grouped.x, grouped.y)


@cache
def measured() -> pd.DataFrame:
    s = view().scenario
    rows = by_group(view().grouped.frame, s.compared, s.epsilon, s.at, s.trials, s.seed)
    return rows[rows["at"] == 0.25]


@cache
def epsilons() -> pd.DataFrame:
    """Of the algorithms that were measured."""
    datasets = split_groups(view().grouped.frame).datasets
    return passing_epsilons(datasets, (NoisyStats(), DPExpTheilSen()), SCENARIO.budget)


@cache
def decided() -> Decision:
    return Decision(epsilons(), areas_of(split_groups(view().grouped.frame).datasets), 16.0)


@cache
def report() -> Report:
    areas = MeasuredAreas(measured(), epsilons(), REJECTED, 50, decided())
    return report_on_areas(view(), 0.25, areas, "/small_areas?source=sample")


def check_sentences(made: Report) -> None:
    for section in (*made.memo, *made.about, *made.method):
        for sentence in set(section.sentences) - {view().grouped.about}:
            check_readable(sentence)


def test_what_is_left_out_is_said_and_sentences_are_plain():
    text = PageRead(as_html(report())).text
    assert "2 groups: few." in text and "1 group: flat." in text and "run 50 times" in text
    check_sentences(report())
    check_readable(f"{report().answer} {report().picture_sentence}")


def test_the_smallest_epsilons_are_in_the_table_with_their_algorithm_and_the_counts_are_those_of_the_table():
    table = report().tables[0]
    assert table.columns[4:7] == ("passes", "smallest ε that passes", "with")
    smallest = smallest_epsilons(epsilons()).set_index("group")
    starts, passes = [], [row[4] for row in table.rows]
    for area, _, _, _, verdict, shown, name, *_ in table.rows:
        start = smallest.loc[area, "passes_from"]
        assert name == (smallest.loc[area, "passes_with"] or NONE)
        assert start <= number(shown) <= 1.01 * start
        assert verdict == ("yes" if start <= 16 else "no")
        starts.append(number(shown))
    (counted,) = [section.sentences[0] for section in report().about if section.heading == "Areas"]
    assert counted.startswith(
        f"At ε = 16, {passes.count('yes')} of 40 areas pass, each with its best algorithm."
    )
    assert f"pass from ε = {sorted(starts)[19]:g}. " in counted


def test_word_has_the_first_rows_of_many_and_says_so():
    numbers, *others = report().tables
    for areas, shown in ((100, 100), (101, 30)):
        rows = (numbers.rows * 3)[:areas]
        many = replace(report(), tables=(replace(numbers, rows=rows), *others))
        document = Document(BytesIO(as_word(many)))
        assert len(document.tables[1].rows) == shown + 1
        assert document.tables[1].cell(1, 0).text == rows[0][0]
        is_shortened = any(
            "first 30 of 101 rows" in paragraph.text for paragraph in document.paragraphs
        )
        assert is_shortened == (areas == 101)


def test_nothing_to_decide_is_an_error():
    nothing = Decision(epsilons().assign(standard_error=0.0), decided().areas, 16.0)
    areas = MeasuredAreas(measured(), epsilons(), REJECTED, 50, nothing)
    with pytest.raises(ValueError, match="needs an algorithm that is differentially private"):
        report_on_areas(view(), 0.25, areas, "")


def test_a_report_on_a_random_sample_says_so_and_its_areas_are_the_sample():
    drawn = decide(view().grouped.frame, (NoisyStats(), DPExpTheilSen()), 16.0, sample=12)
    labels = set(drawn.areas["group"])
    rows, sought = (frame[frame["group"].isin(labels)] for frame in (measured(), epsilons()))
    areas = MeasuredAreas(rows, sought, REJECTED, 50, drawn, of=40)
    made = report_on_areas(view(), 0.25, areas, "")
    assert made.answer.startswith(answer(drawn))
    assert "Measured: a random 12 of 40 areas, drawn by their labels alone." in made.context
    assert made.tables[0].sentence in made.context
    assert {row[0] for row in made.tables[0].rows} == labels
    check_sentences(made)


def test_the_first_page_has_the_table_of_the_decision_and_names_the_areas_that_do_not_pass():
    made = report()
    place = made.decide.columns.index("at its best ε")
    for row, expected in zip(made.decide.rows, decided().algorithms.itertuples(), strict=True):
        assert (row[0], int(row[place])) == (expected.mechanism, expected.most)
        if row[1] != NONE:
            assert expected.target_from <= number(row[1]) <= 1.01 * expected.target_from
    (listing,) = [table for table in made.tables if table.heading == "Areas that do not pass"]
    assert [row[0] for row in listing.rows] == decided().failing()["group"].tolist()
