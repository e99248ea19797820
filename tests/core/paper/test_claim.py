"""One claim: what the paper's numbers allow, and that the verdict follows from ours."""

import pytest

from dpslr_core.paper.claim import Claim, ClaimKind, ClaimResult
from tests.cases.tables import table


def claimed(numbers, kind=ClaimKind.ERROR_IN_PRINT, **bounds):
    claim = Claim(
        "key", kind, lambda: numbers, "somewhere", "at most 12%", "It is at most 12%.", **bounds
    )
    return ClaimResult(claim, numbers, 0.0)


# Bounds, numbers that are inside, and numbers that are not.
BOUNDS = table("""
    {"low": 288, "high": 288} | [[288]] | [[287], [288.001], [NaN]] |
    {"low": [45, 62], "high": [45, 62]} | [[45, 62]] | [[45, 61], [62, 45]] |
    {"high": 12} | [[12], [-Infinity]] | [[12.001], [Infinity], [NaN]] |
    {"low": 1} | [[1], [Infinity], [1, 2]] | [[0.999], [NaN], [1, 0.9]] |
    {"low": 30, "high": 400} | [[30, 400]] | [[29, 400], [30, 401]] |
""")


@pytest.mark.parametrize(("bounds", "inside", "outside", "_"), BOUNDS)
def test_the_bounds_decide_whether_a_claim_holds_and_the_claim_of_what_kind_it_is_if_not(
    bounds, inside, outside, _
):
    for kind in (ClaimKind.ERROR_IN_PRINT, ClaimKind.NOT_PUBLIC):
        assert {claimed(numbers, kind, **bounds).kind for numbers in inside} == {ClaimKind.HOLDS}
        assert {claimed(numbers, kind, **bounds).kind for numbers in outside} == {kind}
        assert claimed(None, kind, **bounds).kind is ClaimKind.MISSING


def test_ours_is_written_as_people_do():
    assert claimed(None).ours == "" and claimed((-46.76,)).ours == "−46.76"
    assert claimed((0.02739, 33.7012), unit="%").ours == "0.02739% and 33.7%"
    assert claimed((889.22264,), digits=6).ours == "889.223"
