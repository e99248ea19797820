"""The table of claims: what is stored is what is computed, and each claim that does not hold is of its kind."""

from math import nan

import numpy as np
import pytest

from dpslr_core.paper import measured
from dpslr_core.paper.claim import ClaimKind
from dpslr_core.paper.claims import CLAIMS, NUMBERS, SECTIONS
from dpslr_core.paper.results import compute, load
from dpslr_core.sources.samples import DataUnavailable
from tests.cases.readable import check_readable

RESULTS = {result.claim.key: result for result in load()}
LONG = [claim for section in SECTIONS[5:10] for claim in section]  # the paper's results


def marks(claim):
    """Those that take long, by themselves or by the sweeps that several share, are left to the night."""
    return [pytest.mark.night] if claim in LONG or RESULTS[claim.key].seconds > 0.15 else []


EACH = [pytest.param(claim, id=claim.key, marks=marks(claim)) for claim in CLAIMS]


def unavailable(*key):
    raise DataUnavailable("there is no network")


@pytest.mark.parametrize("claim", EACH)
def test_what_is_stored_is_what_is_computed(claim, monkeypatch):
    if (
        claim.kind is ClaimKind.ERROR_IN_PRINT
    ):  # what is called an error in print takes no data to see
        for name in ("state", "_uci"):
            monkeypatch.setattr(measured, name, unavailable)
    result = compute(claim)
    if result.numbers is None and claim.kind is not ClaimKind.ERROR_IN_PRINT:
        pytest.skip("its data are not on this machine")
    assert result.numbers == pytest.approx(
        RESULTS[claim.key].numbers, rel=1e-6, abs=1e-9, nan_ok=True
    )
    assert result.kind is RESULTS[claim.key].kind


def test_a_claim_can_come_out_either_way_and_says_why_where_it_differs():
    for claim in CLAIMS:
        low, high = np.atleast_1d(claim.low), np.atleast_1d(claim.high)
        assert not claim.agrees((nan,)), claim.key
        assert claim.agrees(tuple(np.where(np.isfinite(low), low, high))), claim.key
        assert claim.paper in claim.sentence, claim.key
        assert claim.why or RESULTS[claim.key].kind is ClaimKind.HOLDS, claim.key
        check_readable(claim.sentence)
        check_readable(claim.why)


def test_each_number_belongs_to_a_claim():
    assert [claim.key for claim in CLAIMS] == list(NUMBERS)
