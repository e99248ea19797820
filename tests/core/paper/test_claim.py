"""One claim: what the paper's numbers allow, and that the verdict follows from ours."""

from math import inf, nan

import pytest

from dpslr_core.paper.claim import Claim, Kind, Result, above, at_least, at_most, below, between, equal


@pytest.mark.parametrize(
    ("expected", "inside", "outside"),
    [
        (equal(288), [(288,)], [(287,), (288.001,), (288, 288), ()]),
        (equal(40, within=5), [(35,), (45,)], [(34.9,), (45.1,)]),
        (equal(45, 62), [(45, 62)], [(45, 61), (62, 45), (45,)]),
        (at_most(1), [(1,), (1 + 1e-12,), (-inf,)], [(1.001,), (inf,), (nan,)]),
        (at_least(1), [(1,), (inf,)], [(0.999,), (nan,)]),
        (at_least(1, count=2), [(1, 2)], [(1, 0.9), (1,)]),
        (below(1), [(0.999,)], [(1,), (nan,)]),
        (below(1, count=2), [(0.5, 0.9)], [(0.5, 1.1), (0.5,)]),
        (above(50), [(50.001,)], [(50,), (nan,)]),
        (between(30, 400), [(30, 400)], [(29, 400), (30, 401)]),
    ],
)
def test_numbers_are_held_to_the_bounds(expected, inside, outside):
    assert all(expected.met_by(numbers) for numbers in inside)
    assert not any(expected.met_by(numbers) for numbers in outside)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (equal(10_683), "10,683"),
        (equal(889.222, within=0.001, digits=6), "889.222"),
        (equal(4, 4, 4, unit="%"), "4%, 4% and 4%"),
        (at_most(12, unit="%"), "at most 12%"),
        (at_least(10), "at least 10"),
        (below(1), "less than 1"),
        (above(1000, unit=" units of y"), "more than 1,000 units of y"),
        (between(0, 25), "between 0 and 25"),
    ],
)
def test_the_papers_number_is_written_as_people_do(expected, text):
    assert expected.text == text


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
