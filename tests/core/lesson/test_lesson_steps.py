"""Numbers of the steps: fits of numpy's, bounds that no move leaves, a guarantee for every move, and the tables."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpslr_core.lesson import Lesson, step_table
from dpslr_core.lesson.classes import median_class
from dpslr_core.lesson.settings import AT, EPSILONS, POINT, TEN, class_of, ten_people
from dpslr_core.lesson.steps import (
    NOISY,
    Game,
    change_map,
    change_of,
    changes,
    median_bounds,
    person_moved,
    releases,
    remaining,
    somebody_moved,
    worst_moves,
)

HOURS_AND_POINTS = np.array(TEN, dtype=float)


def fitted(rows):
    """The prediction at 15 hours, in points."""
    return np.polyval(np.polyfit(*rows.T, 1), 15)


def test_the_changes_are_those_of_lines_fitted_without_each_person():
    everyone = fitted(HOURS_AND_POINTS)
    expected = [fitted(np.delete(HOURS_AND_POINTS, person, 0)) - everyone for person in range(10)]
    np.testing.assert_allclose(100 * changes(), expected, atol=1e-9)
    table = step_table(Lesson())
    np.testing.assert_allclose(table[["hours", "points"]], HOURS_AND_POINTS)
    np.testing.assert_allclose(table["change at 15 hours"], expected, atol=1e-9)


hours, scores = st.floats(0, 20).map(lambda x: round(x, 1)), st.floats(0, 100)


@given(st.integers(1, 10), hours, scores)
def test_no_move_takes_the_median_out_of_its_bounds(person, x, y):
    moved = person_moved(Lesson(person=person, person_x=x, person_y=y))
    low, high = median_bounds(moved)
    assert low - 1e-9 <= moved.after.theil_sen(POINT)[0] <= high + 1e-9


def median_at(point, places):
    """The median height there of the lines through two places, by its definition."""
    heights = []
    for (x, y), (u, v) in combinations(places, 2):
        if x != u:
            heights.append(y + (point - x) * (v - y) / (u - x))
    return np.median(heights)


def test_a_person_far_above_or_below_everybody_moves_the_median_to_its_bounds():
    for person in range(1, 11):
        others, bounds = remaining(person), median_bounds(person_moved(Lesson(person=person)))
        assert POINT not in others.x
        for height, bound in zip((-1e6, 1e6), bounds, strict=True):
            places = [*zip(others.x, others.y, strict=True), (POINT, height)]
            assert median_at(POINT, places) == pytest.approx(bound, abs=1e-9), (person, height)


@settings(max_examples=40)
@given(st.integers(1, 10), st.floats(0, 20), st.floats(0, 100), st.sampled_from(EPSILONS))
def test_no_move_costs_more_than_epsilon(person, x, y, epsilon):
    change = change_of(Lesson(person=person, person_x=x, person_y=y, class_epsilon=epsilon))
    assert change.loss.measured <= change.loss.promised * (1 + 1e-9) == epsilon * (1 + 1e-9)


def test_nobody_anywhere_on_a_grid_moves_the_line_further_than_the_worst_move():
    """And the worst move does what it says, by another fit."""
    before = fitted(HOURS_AND_POINTS)

    def change(person, place):
        rows = HOURS_AND_POINTS.copy()
        rows[person - 1] = place
        return abs(fitted(rows) - before)

    for move in worst_moves(ten_people())[::3]:
        largest = change(move.person, (20 * move.x, 100 * move.y))
        assert largest == pytest.approx(100 * move.change, abs=1e-6)
        grid = product(np.linspace(0, 20, 41), (0, 50, 100))
        on_grid = max(change(move.person, place) for place in grid)
        assert 0.97 * largest <= on_grid <= largest + 1e-3


def test_the_map_has_the_change_in_the_middle_of_each_cell():
    cells = change_map(4)
    assert len(cells) == 400
    assert (cells["x"].min(), cells["x2"].max(), cells["y2"].max()) == (0, 20, 100)
    for row in cells.iloc[::37].itertuples():
        moved = person_moved(Lesson(person=4, person_x=row.hours, person_y=row.points))
        before, after = moved.predictions([POINT])["ols"]
        assert row.change == pytest.approx(100 * abs(after - before))
        middle = (row.x + row.x2) / 2, (row.y + row.y2) / 2
        assert (row.hours, row.points) == pytest.approx(middle)


def test_each_press_adds_a_release_and_they_follow_the_law():
    lesson = Lesson(class_epsilon=0.2, released=80)
    all_of_them = releases(lesson)
    np.testing.assert_array_equal(releases(Lesson(class_epsilon=0.2, released=7)), all_of_them[:7])
    known = all_of_them[np.isfinite(all_of_them[:, 0]), 0]
    law = NOISY.law(class_of(lesson), 0.2, AT)[0]
    assert stats.kstest(law.cdf(known) / (1 - law.failure), "uniform").pvalue > 0.01
    assert len(releases(Lesson(class_epsilon=16.0, released=100))) == 1


def test_no_person_is_moved_by_their_own_place_and_one_is_by_another():
    assert not person_moved(Lesson(person=3)).moved
    moved = person_moved(Lesson(person=3, person_x=10.0))
    assert (moved.place, moved.x, moved.y) == (2, 0.5, ten_people().y[2])
    moved = somebody_moved(Lesson())
    assert (moved.place, moved.x, moved.y) == (9, moved.old[0], 0.0)
    assert somebody_moved(Lesson(person_x=1.0)).y == moved.old[1]


def test_the_best_rule_of_the_game_reaches_its_rate_and_no_threshold_beats_it():
    change = change_of(Lesson(class_epsilon=8.0))
    across = np.linspace(-1, 2, 60_001)
    before, after = (np.exp(law.logpdf(across)) for law in (change.before, change.after))
    best = np.maximum(before, after).sum() * (across[1] - across[0]) / 2
    games = [Game(change, number) for number in range(1, 100)]
    assert games[0].best_rate == pytest.approx(best, abs=5e-3) and games[0].best_rate >= 0.5
    hits = [game.best_hits for game in games]
    assert np.mean(hits) / 10 == pytest.approx(best, abs=0.06)  # 990 guesses: four standard errors


def test_tables_have_all_pairs_and_errors_in_points():
    table = step_table(Lesson(step="median", person=9, person_y=10.0)).round(9)
    assert len(table) == 45 and len({*table["after"]} - {*table["before"]}) == 9
    lesson = Lesson(step="people", students=50)
    table, unit = step_table(lesson), median_class(lesson, over="students")
    np.testing.assert_allclose(table[["c68", "ratio"]], unit[["c68", "ratio"]] * [100, 1])
