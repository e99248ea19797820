"""The sentences of the lesson: readable whatever was moved, and with the numbers of the core."""

from __future__ import annotations

import re
from dataclasses import astuple
from itertools import pairwise

import pytest
from readable import check_readable

from dpslr_core.lesson import classes, text
from dpslr_core.lesson.settings import EPSILONS, SCATTERS, SIZES, STEPS, Lesson, class_of
from dpslr_core.lesson.steps import change_of, person_moved, somebody_moved
from dpslr_core.text.phrases import format_amount, format_share


def leaving(lesson):
    return text.leaving_text(lesson.leaver)


def median(lesson):
    return text.median_text(person_moved(lesson))


def promise(lesson):
    return text.odds_text(somebody_moved(lesson), change_of(lesson))


def noise(lesson):
    return text.lines_text(lesson, classes.class_errors(class_of(lesson), lesson.class_epsilon))


def sizes(lesson):
    return text.sizes_text(lesson, classes.median_class(lesson, over="students"))


def choice(lesson):
    return text.choice_text(lesson, classes.median_class(lesson, over="scatter"))


CASES = [
    *[(leaving, Lesson(leaver=leaver)) for leaver in range(11)],
    *[(median, Lesson(person=p, person_x=x, person_y=y)) for p in (1, 10) for x in (None, 4.0) for y in (None, 0.0)],
    *[(promise, Lesson(class_epsilon=epsilon)) for epsilon in EPSILONS],
    *[(promise, Lesson(person=3, person_x=19.0, person_y=100.0))],
    *[(noise, Lesson(class_epsilon=epsilon, students=size)) for epsilon in EPSILONS for size in (20, 50)],
    *[(sizes, Lesson(class_epsilon=epsilon, students=size)) for epsilon in (0.5, 16.0) for size in SIZES],
    *[(choice, Lesson(class_epsilon=epsilon, scatter=scatter)) for epsilon in (2.0, 16.0) for scatter in SCATTERS],
]


@pytest.mark.parametrize(("step", "lesson"), CASES, ids=lambda value: getattr(value, "__name__", None))
def test_every_sentence_is_readable(step, lesson):
    for sentences in astuple(step(lesson)):
        check_readable(sentences)
        assert not re.search(r"(?<![\d.,])1 points", sentences) and "  " not in sentences


def test_headlines_fit_on_a_line_of_large_type_and_one_is_singular():
    assert max(len(step(lesson).headline) for step, lesson in CASES[::2]) <= 90
    assert len(text.TITLES) == STEPS
    for sentences in (text.ABOUT_ALGORITHMS, text.WHY_THESE, *text.REASONS.values()):
        check_readable(sentences)
    numbers = text.points(0.01), text.points(0.02), text.in_points(1.0), text.in_points(1.5)
    assert numbers == ("1 point", "2 points", "1 point", "1.5 points")


def test_step_4_has_more_odds_where_epsilon_is_larger_and_never_says_certain():
    answers = [promise(Lesson(class_epsilon=epsilon)).answer for epsilon in EPSILONS]
    assert "At most 88%" in answers[EPSILONS.index(2.0)] and "more than 99.99%" in answers[-1]
    assert not any("100%" in answer for answer in answers)
    moved = [float(re.search(r"privacy loss is ([\d.]+)", answer)[1]) for answer in answers]
    assert all(a < b for a, b in pairwise(moved))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 16.0])
def test_step_5_names_the_sizes_at_which_noise_is_smaller(epsilon):
    rows = classes.median_class(Lesson(class_epsilon=epsilon), over="students")
    answer = sizes(Lesson(class_epsilon=epsilon)).answer
    for name, part in rows.groupby("algorithm"):
        [said] = re.findall(rf"{name}: (.+?)\.(?: |$)", answer)
        said, _, shares = said.partition(", in ")
        hidden = {size for size, ratio in zip(part["students"], part["ratio"], strict=True) if ratio < 1}
        assert read_sizes(said) == hidden, said
        below = part["below"][part["ratio"] < 1]
        assert (shares == "") == (not hidden) and all(share >= 0.5 for share in below)
        assert not hidden or (format_share(below.min()) in shares and format_share(below.max()) in shares)
    gap = rows[(rows["algorithm"] == "DPExpTheilSen") & (rows["students"] == 300)]["gap"].iloc[0]
    assert f"two different lines, {format_amount(100 * gap)} points apart here." in answer


def read_sizes(said):
    """The stops that a phrase names."""
    found = set()
    for part in [] if said.startswith("at no size") else re.split(r", | and ", re.sub(r"(?<=\d),(?=\d)", "", said)):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        last = SIZES[-1] if part.startswith("from") else ends[-1]
        found |= {size for size in SIZES if ends[0] <= size <= last}
    return found


@pytest.mark.parametrize("epsilon", [2.0, 16.0])
def test_step_6_names_the_best_at_every_scatter(epsilon):
    rows = classes.median_class(Lesson(class_epsilon=epsilon), over="scatter")
    best = rows.loc[rows.groupby("scatter")["ratio"].idxmin()].set_index("scatter")["algorithm"]
    said = re.search(r"Best by scatter: (.+?)\. ", choice(Lesson(class_epsilon=epsilon)).answer)[1]
    told = {}
    for name, first, last in re.findall(r"(\w+) (?:from|at) ([\d.]+)(?: to ([\d.]+))? points?", said):
        told |= {scatter: name for scatter in SCATTERS if float(first) <= scatter <= float(last or first)}
    assert told == best.to_dict()
