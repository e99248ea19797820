"""One claim: what the paper's numbers allow, and that the verdict follows from ours."""

from math import inf, nan

import pytest

from dpslr_core.paper.claim import Claim, Kind, Result, above, at_least, at_most, below, between, equal


@pytest.mark.parametrize(
    ("expected", "text", "inside", "outside"),
    [
        (equal(288), "288", [(288,)], [(287,), (288.001,), (288, 288), ()]),
        (equal(10_683, within=5, unit="%"), "10,683%", [(10_678,), (10_688,)], [(10_677.9,), (10_688.1,)]),
        (equal(889.222, within=0.001, digits=6), "889.222", [(889.2226,)], [(889.2231,)]),
        (equal(45, 62), "45 and 62", [(45, 62)], [(45, 61), (62, 45), (45,)]),
        (at_most(12, unit="%"), "at most 12%", [(12,), (12 + 1e-12,), (-inf,)], [(12.001,), (inf,), (nan,)]),
        (at_least(1), "at least 1", [(1,), (inf,)], [(0.999,), (nan,)]),
        (at_least(1, count=2), "at least 1", [(1, 2)], [(1, 0.9), (1,)]),
        (below(1), "less than 1", [(0.999,)], [(1,), (nan,)]),
        (below(1, count=2), "less than 1", [(0.5, 0.9)], [(0.5, 1.1), (0.5,)]),
        (above(1000, unit=" units of y"), "more than 1,000 units of y", [(1000.001,)], [(1000,), (nan,)]),
        (between(30, 400), "between 30 and 400", [(30, 400)], [(29, 400), (30, 401)]),
    ],
)
def test_numbers_are_held_to_the_bounds_and_written_as_people_do(expected, text, inside, outside):
    assert expected.text == text
    assert all(expected.met_by(numbers) for numbers in inside)
    assert not any(expected.met_by(numbers) for numbers in outside)


def test_ours_is_written_like_the_papers():
    assert between(0, 25, unit="%").written((0.02739, 33.7012)) == "0.02739% and 33.7%"
    assert equal(889.222, within=0.001, digits=6).written((889.22264,)) == "889.223"


@pytest.mark.parametrize("otherwise", [Kind.ERROR_IN_PRINT, Kind.NOT_PUBLIC])
def test_the_numbers_decide_whether_a_claim_holds_and_the_claim_of_what_kind_it_is_if_not(otherwise):
    claim = Claim("key", otherwise, "somewhere", at_most(12, unit="%"), lambda: 0.0, "It is {}.")
    kinds = [Result(claim, numbers, 0.0).kind for numbers in ((11.0,), (13.0,), (nan,), None)]
    assert kinds == [Kind.HOLDS, otherwise, otherwise, Kind.MISSING]
    assert claim.sentence == "It is at most 12%."
    assert Result(claim, None, 0.0).ours == "" and Result(claim, (46.76,), 0.0).ours == "46.76%"
