"""The sentences of the lesson: readable whatever was moved, and with the numbers of the core."""

from __future__ import annotations

import re
from dataclasses import astuple
from itertools import pairwise

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


def test_the_promise_has_more_odds_where_epsilon_is_larger_and_never_says_certain():
    answers = [text.step_text(of("promise", class_epsilon=epsilon)).answer for epsilon in EPSILONS]
    assert "At most 89%" in answers[EPSILONS.index(2.0)] and "more than 99.99%" in answers[-1]
    assert not any("100%" in answer for answer in answers)
    whys = [text.step_text(of("promise", class_epsilon=epsilon)).why for epsilon in EPSILONS]
    moved = [float(re.search(r"logarithm: ([\d.]+) for this move", why)[1]) for why in whys]
    assert all(a < b for a, b in pairwise(moved))


def stops(phrase, stops):
    """The stops that a phrase names: "at 50", "100 to 300 and from 1,000 on"."""
    named = set()
    for part in re.split(r", | and ", re.sub(r"(?<=\d),(?=\d)", "", phrase)):
        ends = [float(number) for number in re.findall(r"[\d.]*\d", part)]
        last = stops[-1] if part.endswith("on") else ends[-1]
        named |= {stop for stop in stops if ends[0] <= stop <= last}
    return named


def test_more_people_names_the_sizes_at_which_noise_is_smaller():
    for epsilon in (0.5, 2.0, 16.0):
        rows = classes.median_class(Lesson(class_epsilon=epsilon), over="students")
        words = text.step_text(of("people", class_epsilon=epsilon))
        for name, part in rows.groupby("algorithm"):
            (said,) = re.findall(rf"{name}: (.+?)\.(?: |$)", f"{words.answer} {words.why}")
            below = part[part["ratio"] < 1]
            if not len(below):
                assert said.startswith("at no size")
                continue
            sizes, _, shares = said.partition(", in ")
            assert stops(sizes, SIZES) == {*below["students"]}, said
            assert format_share(below["below"].min()) in shares
        here = rows[(rows["algorithm"] == "DPExpTheilSen") & (rows["students"] == 300)]
        apart = format_amount(100 * here["gap"].iloc[0])
        assert f"two different lines, {apart} points apart here." in words.why


def test_the_choice_names_the_best_at_every_scatter():
    for epsilon in (2.0, 16.0):
        rows = classes.median_class(Lesson(class_epsilon=epsilon), over="scatter")
        best = rows.loc[rows.groupby("scatter")["ratio"].idxmin()].set_index("scatter")["algorithm"]
        words = text.step_text(of("choice", class_epsilon=epsilon))
        said = re.search(r"Best by scatter: (.+?)\. ", words.why)[1]
        sentence = {}
        for name, phrase in re.findall(r"(\w+) (?:from|at) ([\d.]+(?: to [\d.]+)?) points?", said):
            sentence |= dict.fromkeys(stops(phrase, SCATTERS), name)
        assert sentence == best.to_dict() and f"it is {best[SCATTERS[0]]}." in words.answer


def test_the_noise_says_what_was_counted():
    for epsilon in (0.5, 8.0):
        lesson = of("noise", class_epsilon=epsilon, released=6)
        words, data, drawn = text.step_text(lesson), class_of(lesson), releases(lesson)[:, 0]
        c68, halved = (
            compare(data, [NOISY], budget, (POINT, 0.25), trials=1).summary["c68"].iloc[0]
            for budget in (epsilon, epsilon / 2)
        )
        near = int((abs(drawn - data.predict(POINT)[0]) <= c68).sum())
        assert f"±{text.points(c68)}: about" in words.answer
        assert f"Here {near} of {len(drawn)} are." in words.answer
        assert f"Half the budget makes it {format_amount(halved / c68)} times" in words.why
        assert f"ε = {format_amount(TOTAL - len(drawn) * epsilon)} is left" in words.headline
        outside = int(((100 * drawn < -12) | (100 * drawn > 112)).sum())
        assert (f"{outside} release" in words.picture) == (outside > 0)


def test_a_game_is_told_release_by_release_and_at_its_end_beside_the_best_rule():
    lesson = of("promise", class_epsilon=0.5)
    game = game_of(lesson)
    first = text.in_points(game.rows["release"].iloc[0])
    assert text.game_text(lesson, []).startswith(f"Release 1 of 10: {first}")
    end = text.game_text(lesson, [True] * TEN_RELEASES)
    hits = game.rows["moved"].sum()
    assert f"You: {hits} of 10 right. The best rule: {game.best_hits} of these" in end
    assert f"{format_share(game.best_rate)} in the long run" in end
    outside = int(((game.rows["release"] < -12) | (game.rows["release"] > 112)).sum())
    assert (f"{outside} release" in end) == (outside > 0)
