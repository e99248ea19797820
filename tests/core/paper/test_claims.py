"""The table of claims: what is stored is what is computed, and each claim that does not hold is of its kind."""

import random
from math import inf, nan

import pytest

from dpslr_core.paper import claims, measured
from dpslr_core.paper.claim import Kind
from dpslr_core.paper.claims import CLAIMS, SECTIONS
from dpslr_core.paper.results import compute, load
from dpslr_core.sources.samples import DataUnavailable, find_uci
from tests.cases.readable import check_readable

RESULTS = {result.claim.key: result for result in load()}
OF_UCI = {
    "bikes": {"bikes-count", "bikes-sizes", "bikes-errors", "bikes-noise", "smooth-rarely", "widened-significantly"},
    "nanotubes": {"carbon-literal", "carbon-size", "stocks-noisier"},
    "stocks": {"stocks-size", "stocks-noisier", "stocks-noise", "stocks-classes"},
}
SLOW = {
    claim
    for section in (
        claims.RESULTS_ON_REAL_DATA,
        claims.RESULTS_ON_THE_PRODUCT,
        claims.RESULTS_ON_ROLES,
        claims.RESULTS_ON_TUNING,
        claims.RESULTS_ON_NON_ROBUST,
    )
    for claim in section
}
QUICK = [claim for claim in CLAIMS if claim not in SLOW]
CHOSEN = random.Random(7).sample(["limit-descent", "limit-theil-sen", "rates", "threshold-indicator", "unbiased"], 2)


def unavailable(*key):
    raise DataUnavailable("there is no network")


def recomputed(claim):
    if missing := [key for key, claims in OF_UCI.items() if claim.key in claims and find_uci(key) is None]:
        pytest.skip(f"no file of {missing[0]} on this machine")
    if (result := compute(claim)).numbers is None:
        pytest.skip("the file on this machine is an archive, and its CSV file is needed")
    return result


@pytest.mark.parametrize("claim", QUICK, ids=lambda claim: claim.key)
def test_what_is_stored_is_what_is_computed(claim, monkeypatch):
    if claim.otherwise is Kind.ERROR_IN_PRINT:  # what is called an error in print takes no data to see
        for name in ("state", "_uci"):
            monkeypatch.setattr(measured, name, unavailable)
    result = recomputed(claim)
    assert result.numbers == pytest.approx(RESULTS[claim.key].numbers, rel=1e-6, abs=1e-9, nan_ok=True)
    assert result.kind is RESULTS[claim.key].kind


@pytest.mark.parametrize("key", CHOSEN)
def test_so_it_is_for_some_of_the_results_which_take_longer(key):
    (claim,) = (claim for claim in CLAIMS if claim.key == key)
    assert recomputed(claim).numbers == pytest.approx(RESULTS[key].numbers, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("section", [claims.RESULTS_ON_REAL_DATA, claims.RESULTS_ON_TUNING], ids=["all", "tuning"])
def test_so_it_is_on_tracts_and_public_data(section):
    for claim in section:
        assert recomputed(claim).numbers == pytest.approx(RESULTS[claim.key].numbers, rel=1e-6), claim.key


def test_keys_are_claims_of_their_own():
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS) == sum(map(len, SECTIONS)) >= 120


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_a_claim_can_come_out_either_way_and_says_why_where_it_differs(claim):
    assert not claim.expected.met_by(tuple(nan for _ in claim.expected.bounds))
    assert claim.expected.met_by(tuple(low if abs(low) < inf else high for low, high in claim.expected.bounds))
    assert claim.why or RESULTS[claim.key].kind is Kind.HOLDS
    for text in (claim.sentence, claim.why):
        check_readable(text)
