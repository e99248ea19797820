"""Which algorithm to publish in all areas: counts by hand, against by_group, and against drawn slopes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from dpslr_core.experiments.areas import split_groups
from dpslr_core.guidance.area_epsilons import line_of, passes, passing_epsilons
from dpslr_core.guidance.decision import (
    ANOTHER,
    MORE_EPSILON,
    POOLING,
    SUPPRESSION,
    decide,
    drawn_areas,
)
from dpslr_core.mechanisms import (
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    JointTheilSen,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.privacy import Budget
from dpslr_core.sources.files import read_file
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.public_areas import guessed_areas, read_sizes
from dpslr_core.sources.samples import load_sample
from dpslr_core.support.run import QUARTERS
from tests.cases.decisions import by_hand

TRACTS = load_sample("tracts").frame
SOME = TRACTS[TRACTS["group"].isin(TRACTS["group"].unique()[::5])]
FEW = [NoisyStats(), CenteredStats(), NoisyIntercept(), DPExpTheilSen(), JointTheilSen()]
INF = np.inf


@cache
def decided(question="prediction"):
    return decide(SOME, FEW, 6.0, question=question)


def test_the_areas_that_have_to_pass_are_the_smallest_number_that_reaches_the_target():
    """Also where target times areas is whole, or is so but for rounding."""
    for count in (1, 3, 5, 7, 10, 20, 40, 57):
        rows = [[f"{i:02}", "A", 0.1, 1.0, INF] for i in range(count)]
        for percent in range(50, 101, 5):
            decision = by_hand(rows, target=percent / 100, epsilon=2.0)
            assert decision.needed == next(
                k for k in range(count + 1) if 100 * k >= percent * count
            )


# The epsilons from which areas a to e pass; e has no sampling error, and C no law in a.
FROM = {
    "A": (1.0, 2.0, INF, 7.0, np.nan),
    "B": (3.0, 5.0, 3.0, 900.0, np.nan),
    "C": (np.nan, 1.0, 1.0, 1.0, np.nan),
}
ROWS = [
    [area, name, 0.0 if area == "e" else 0.1, epsilon, INF]
    for name, epsilons in FROM.items()
    for area, epsilon in zip("abcde", epsilons, strict=True)
]
ROWS[1][4] = 4.0  # b with A


def test_counts_by_hand():
    decision = by_hand(ROWS, epsilon=4.0, target=0.5)
    assert (decision.count, decision.needed) == (4, 2)  # e has no sampling error
    table = decision.algorithms.set_index("mechanism")
    assert list(table.index) == ["A", "B"]  # of C, which has no law in one area, nothing is said
    assert table["passing"].to_dict() == {"A": 2, "B": 2}
    assert table["target_from"].to_dict() == {"A": 2.0, "B": 3.0}
    assert table["most"].to_dict() == {"A": 2, "B": 4}
    assert decision.mechanism == "A"
    assert by_hand(ROWS, epsilon=5.0).counts((1.0, 2.0)).loc["B"].tolist() == [0, 0, 3]
    assert decision.smallest == ("A", 2.0)
    assert by_hand(ROWS, epsilon=5.0).mechanism == "B"
    assert by_hand(ROWS, epsilon=0.6).mechanism is None
    assert (
        by_hand(ROWS, epsilon=1.0, target=1.0).algorithms.set_index("mechanism")["target_from"]["A"]
        == INF
    )


def test_the_smallest_epsilon_is_rounded_up_where_that_is_enough():
    for end, smallest in ((INF, 1.24), (1.235, 1.23456)):
        rows = [["a", "A", 0.1, 1.23456, end], ["b", "A", 0.1, INF, INF]]
        assert by_hand(rows, epsilon=1.0, target=0.5).smallest == ("A", smallest)


def test_what_would_help_an_area_that_does_not_pass():
    helps = by_hand(ROWS, epsilon=4.0, target=0.5).failing().set_index("group")
    assert helps["helps"].to_dict() == {"c": ANOTHER, "d": MORE_EPSILON, "e": SUPPRESSION}
    assert helps["instead"].to_dict() == {"c": "B", "d": "", "e": ""}
    assert by_hand(ROWS, epsilon=1.5).failing().set_index("group")["helps"]["c"] == POOLING
    assert by_hand(ROWS, epsilon=0.01).failing()["group"].nunique() == 5
    assert by_hand([], epsilon=1.0).failing().empty


def test_curves_and_targets_are_those_of_counted_areas_wherever_they_stop_to_pass():
    rng = np.random.default_rng(1)
    for _ in range(8):
        stretches = np.sort(10 ** rng.uniform(-3.5, 3.5, (9, 2)), axis=1).tolist()
        stretches[0][0] = INF  # a flat line alone
        rows = [[str(i), "A", 0.1, start, end] for i, (start, end) in enumerate(stretches)]
        decision = by_hand(rows, epsilon=1.0, target=0.6)
        curve = decision.curves()
        for epsilon in [*curve["epsilon"], *10 ** rng.uniform(-3, 3, 20)]:
            counted = sum(start <= epsilon <= end for start, end in stretches)
            at = curve["epsilon"].searchsorted(epsilon, side="right") - 1
            assert curve["passing"].iloc[at] == decision.passing_with("A", epsilon) == counted
        enough = curve.loc[curve["passing"] >= decision.needed, "epsilon"]
        assert decision.algorithms["target_from"].tolist() == [min(enough, default=INF)]


def test_the_line_passes_where_all_points_and_the_slope_pass():
    other = decide(SOME, FEW, 6.0, at=(0.75, 0.25)).known
    prediction, slope, line = (
        decided(question).known for question in ("prediction", "slope", "line")
    )
    for epsilon in np.geomspace(0.5, 900, 15).tolist():
        expected = np.all([passes(part, epsilon) for part in (prediction, other, slope)], axis=0)
        assert (passes(line, epsilon).to_numpy() == expected).all()
    pd.testing.assert_frame_equal(line_of([prediction, other, slope]), line)


@pytest.mark.parametrize(
    "mechanism", [CenteredStats(), JointTheilSen(), DPExpTheilSen(), DeepestLine()], ids=repr
)
def test_two_thirds_of_the_slopes_are_within_a_standard_error_there(mechanism):
    for label, data in list(split_groups(SOME).datasets.items())[:2]:
        row = passing_epsilons({label: data}, [mechanism], Budget(1.0), question="slope").iloc[0]
        assert row["standard_error"] == pytest.approx(data.residual_sd / np.sqrt(data.nvar))
        if np.isfinite(row["passes_from"]):
            drawn = mechanism.release(
                data, row["passes_from"], QUARTERS, 20_000, rng=np.random.default_rng(5)
            )
            slopes = 2 * (drawn[:, 1] - drawn[:, 0])
            near = (np.abs(slopes - data.slope) <= row["standard_error"]) & (
                np.abs(slopes) > 1e-12
            )  # not a flat line
            assert near.mean() == pytest.approx(0.68, abs=4 * np.sqrt(0.68 * 0.32 / 20_000))


def test_a_random_sample_is_the_same_for_the_same_labels_and_seed_whatever_the_records():
    labels = [f"area {number}" for number in range(500)]
    drawn = drawn_areas(labels, 50, seed=3)
    assert len(set(drawn)) == 50 and drawn == [label for label in labels if label in set(drawn)]
    assert (
        set(drawn_areas(labels[::-1], 50, seed=3))
        == set(drawn)
        < set(drawn_areas(labels, 60, seed=3))
    )
    assert set(drawn_areas(labels, 50, seed=4)) != set(drawn)
    assert drawn_areas(labels, None) == drawn_areas(labels, 600) == labels
    often = np.zeros(20)
    for seed in range(2_000):
        often[drawn_areas(range(20), 5, seed)] += 1
    assert np.abs(often / 2_000 - 0.25).max() < 4 * np.sqrt(0.25 * 0.75 / 2_000)


def test_a_sample_decides_as_these_areas_alone_and_says_of_how_many():
    drawn = drawn_areas(split_groups(SOME).datasets, 6, seed=2)
    two = FEW[:2]
    sampled, alone = (
        decide(SOME, two, 6.0, sample=6, seed=2),
        decide(SOME[SOME["group"].isin(drawn)], two, 6.0),
    )
    pd.testing.assert_frame_equal(sampled.passing, alone.passing)
    assert sampled.sampled and sampled.of == SOME["group"].nunique() and sampled.count == 6
    assert not decide(SOME, two, 6.0, sample=900).sampled and not alone.sampled
    low, high = sampled.limits(4)
    assert low < 4 / 6 < high and alone.limits(4) == (4 / 6, 4 / 6)


MODEL = LinearModel(n=3, var_x=0.02, var_e=0.01)


def test_guessed_areas_have_the_public_sizes_and_guesses():
    sizes = pd.DataFrame(
        {"group": ["b", "a"], "n": [4000, 3000], "var_e": [0.001, 0.02], "x_mean": [0.3, 0.6]}
    )
    frame = guessed_areas(sizes, MODEL, seed=4)
    areas = split_groups(frame).datasets
    assert {label: data.n for label, data in areas.items()} == {"a": 3000, "b": 4000}
    assert [areas[label].residual_sd ** 2 for label in "ba"] == pytest.approx(
        [0.001, 0.02], rel=0.1
    )
    assert [areas[label].x_mean for label in "ba"] == pytest.approx([0.3, 0.6], abs=0.02)
    assert areas["a"].var_x == pytest.approx(0.02, rel=0.1)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"group": ["a", "a"], "n": [5, 5]}, "one row for each area, got 'a' more than once"),
        ({"group": ["a"], "n": [2]}, "area 'a': n must be a whole number, 3 or more, got 2"),
        (
            {"group": ["a"], "n": [5], "var_e": [-1.0]},
            "area 'a': var_e must be a finite number, 0 or more",
        ),
    ],
)
def test_a_guess_that_cannot_be_is_named_with_its_area(sizes, message):
    with pytest.raises(ValueError, match=message):
        guessed_areas(pd.DataFrame(sizes), MODEL)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("area,people\na,5\nb,6\nc,7\n", "no column 'n'; the columns are 'area', 'people'. A pub"),
        (
            "area,n\na,5\nb,2.5\nc,7\n",
            "the whole number of records of every area, got '2.5' for 'b'",
        ),
        ("area,n\na,5\na,6\nc,7\n", "stand once in sizes.csv, got 'a'"),
    ],
)
def test_what_is_wrong_with_a_public_file_is_named(rows, message):
    with pytest.raises(ValueError, match=message):
        read_sizes(read_file(rows.encode(), "sizes.csv"), "area", "n", "sizes.csv")
