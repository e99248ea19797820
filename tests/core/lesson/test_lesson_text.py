"""The sentences of the lesson: readable whatever was moved, and with the numbers of the core."""

from __future__ import annotations

import re
from dataclasses import astuple
from itertools import pairwise

import pytest

from dpslr_core import compare
from dpslr_core.lesson import classes, text
from dpslr_core.lesson.guesses import guess_of
from dpslr_core.lesson.settings import EPSILONS, POINT, SCATTERS, SIZES, TOTAL, Lesson, class_of
from dpslr_core.lesson.steps import NOISY, TEN_RELEASES, game_of, releases
from dpslr_core.text.phrases import format_amount, format_share
from tests.cases.readable import check_readable


def of(step, **more):
    return Lesson(step=step, **more)


CASES = [
    *[of("leaves", leaver=leaver) for leaver in range(11)],
    *[of(step, person=p, person_x=x, person_y=y) for step in ("worst", "median") for p in (1, 10) for x in (None, 4.0)
      for y in (None, 0.0)],
    *[of("noise", class_epsilon=epsilon, students=size, released=released) for epsilon in EPSILONS[::8]
      for size, released in ((20, 1), (50, 7), (300, 0), (300, 160))],
    *[of("promise", class_epsilon=epsilon) for epsilon in EPSILONS[::3]],
    of("promise", person=3, person_x=19.0, person_y=100.0),
    *[of("people", class_epsilon=epsilon, students=size) for epsilon in (0.5, 16.0) for size in SIZES],
    *[of("choice", class_epsilon=epsilon, scatter=scatter) for epsilon in (2.0, 16.0) for scatter in SCATTERS],
]  # fmt: skip


def test_every_sentence_is_readable_and_a_headline_fits_on_a_line():
    for lesson in CASES:
        parts = text.step_text(lesson)
        for sentences in (*astuple(parts), guess_of(lesson).beside(guess_of(lesson).truth)):
            check_readable(sentences)
            assert not re.search(r"(?<![\d.,])1 points", sentences) and "  " not in sentences
        assert len(parts.headline) <= 90 and len(parts.headline.split()) <= 17
    for sentences in (text.ABOUT_ALGORITHMS, *text.REASONS.values()):
        check_readable(sentences)
    numbers = text.points(0.01), text.points(0.02), text.in_points(1.0), text.in_points(1.5)
    assert numbers == ("1 point", "2 points", "1 point", "1.5 points")


def test_the_promise_has_more_odds_where_epsilon_is_larger_and_never_says_certain():
    answers = [text.step_text(of("promise", class_epsilon=epsilon)).answer for epsilon in EPSILONS]
    assert "At most 89%" in answers[EPSILONS.index(2.0)] and "more than 99.99%" in answers[-1]
    assert not any("100%" in answer for answer in answers)
    whys = [text.step_text(of("promise", class_epsilon=epsilon)).why for epsilon in EPSILONS]
    moved = [float(re.search(r"logarithm: ([\d.]+) for this move", why)[1]) for why in whys]
    assert all(a < b for a, b in pairwise(moved))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 16.0])
def test_more_people_names_the_sizes_at_which_noise_is_smaller(epsilon):
    rows = classes.median_class(Lesson(class_epsilon=epsilon), over="students")
    words = text.step_text(of("people", class_epsilon=epsilon))
    answer = f"{words.answer} {words.why}"
    for name, part in rows.groupby("algorithm"):
        [said] = re.findall(rf"{name}: (.+?)\.(?: |$)", answer)
        said, _, shares = said.partition(", in ")
        hidden = {
            size for size, ratio in zip(part["students"], part["ratio"], strict=True) if ratio < 1
        }
        assert read_sizes(said) == hidden, said
        below = part["below"][part["ratio"] < 1]
        assert (shares == "") == (not hidden) and all(share >= 0.5 for share in below)
        assert not hidden or (
            format_share(below.min()) in shares and format_share(below.max()) in shares
        )
    gap = rows[(rows["algorithm"] == "DPExpTheilSen") & (rows["students"] == 300)]["gap"].iloc[0]
    assert f"two different lines, {format_amount(100 * gap)} points apart here." in answer


def read_sizes(phrase):
    """The stops that a phrase names."""
    found = set()
    for part in (
        []
        if phrase.startswith("at no size")
        else re.split(r", | and ", re.sub(r"(?<=\d),(?=\d)", "", phrase))
    ):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        last = SIZES[-1] if part.startswith("from") else ends[-1]
        found |= {size for size in SIZES if ends[0] <= size <= last}
    return found


@pytest.mark.parametrize("epsilon", [2.0, 16.0])
def test_the_choice_names_the_best_at_every_scatter(epsilon):
    rows = classes.median_class(Lesson(class_epsilon=epsilon), over="scatter")
    best = rows.loc[rows.groupby("scatter")["ratio"].idxmin()].set_index("scatter")["algorithm"]
    said = re.search(
        r"Best by scatter: (.+?)\. ", text.step_text(of("choice", class_epsilon=epsilon)).why
    )[1]
    told = {}
    for name, first, last in re.findall(
        r"(\w+) (?:from|at) ([\d.]+)(?: to ([\d.]+))? points?", said
    ):
        told |= {
            scatter: name for scatter in SCATTERS if float(first) <= scatter <= float(last or first)
        }
    assert told == best.to_dict()
    assert (
        f"it is {best[SCATTERS[0]]}." in text.step_text(of("choice", class_epsilon=epsilon)).answer
    )


def test_the_noise_says_what_was_counted():
    for epsilon in (0.5, 8.0):
        lesson = of("noise", class_epsilon=epsilon, released=6)
        words, data, drawn = text.step_text(lesson), class_of(lesson), releases(lesson)[:, 0]
        c68, halved = (
            compare(data, [NOISY], e, (POINT, 0.25), trials=1).summary["c68"].iloc[0]
            for e in (epsilon, epsilon / 2)
        )
        near = int((abs(drawn - data.predict(POINT)[0]) <= c68).sum())
        assert (
            f"±{text.points(c68)}: about" in words.answer
            and f"Here {near} of {len(drawn)} are." in words.answer
        )
        assert (
            f"Half the budget makes it {format_amount(halved / c68)} times as large." in words.why
        )
        assert f"ε = {format_amount(TOTAL - len(drawn) * epsilon)} is left" in words.headline
        outside = int(((100 * drawn < -12) | (100 * drawn > 112)).sum())
        assert (f"{outside} release" in words.picture) == (outside > 0)


def test_a_game_is_told_release_by_release_and_at_its_end_beside_the_best_rule():
    lesson = of("promise", class_epsilon=0.5)
    game = game_of(lesson)
    assert text.game_text(lesson, []).startswith(
        f"Release 1 of 10: {text.in_points(game.rows['release'].iloc[0])}"
    )
    told = [True] * TEN_RELEASES
    end = text.game_text(lesson, told)
    assert end.startswith(
        f"You: {game.rows['moved'].sum()} of 10 right. The best rule: {game.best_hits} of these"
    )
    assert f"{format_share(game.best_rate)} in the long run" in end
    outside = int(((game.rows["release"] < -12) | (game.rows["release"] > 112)).sum())
    assert (f"{outside} release" in end) == (outside > 0)
    for number in range(TEN_RELEASES):
        check_readable(text.game_text(lesson, told[:number]))
