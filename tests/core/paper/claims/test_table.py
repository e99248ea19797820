"""The table of claims: what is stored is what is computed, and the kinds follow."""

import json
import random
from collections import Counter
from math import inf, nan

import pytest
from readable import check_readable

from dpslr_core.paper.claims import CLAIMS, STORED, Claim, Kind, compute, frame, load, measured, save, table
from dpslr_core.paper.claims.claim import equal
from dpslr_core.paper.claims.sections import NAMES, SECTIONS
from dpslr_core.sources.uci import DataUnavailable, find_uci
from dpslr_core.support.version import VERSION

RESULTS = {result.claim.key: result for result in load()}
OF_UCI = {
    "bikes": {"bikes-count", "bikes-sizes", "bikes-errors", "bikes-noise", "smooth-rarely", "widened-significantly"},
    "nanotubes": {"carbon-literal", "carbon-size", "stocks-noisier"},
    "stocks": {"stocks-size", "stocks-noisier", "stocks-noise", "stocks-classes"},
}
QUICK = [
    claim for name, section in zip(NAMES, SECTIONS, strict=True) for claim in section if not name.startswith("results.")
]
CHOSEN = random.Random(7).sample(["limit-descent", "limit-theil-sen", "rates", "threshold-indicator", "unbiased"], 2)


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


def test_most_claims_are_recomputed_in_each_run():
    assert len(QUICK) > len(CLAIMS) / 2


def test_there_are_claims_of_all_sections_that_hold_and_that_do_not():
    kinds = Counter(result.kind for result in RESULTS.values())
    assert len(CLAIMS) >= 120 and kinds[Kind.HOLDS] > 90 and kinds[Kind.ERROR_IN_PRINT] > 10
    assert set(kinds) == set(Kind) - {Kind.MISSING}
    assert [result.claim for result in RESULTS.values()] == list(CLAIMS)
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS) == sum(map(len, SECTIONS))


OF_KIND = {
    Kind.ERROR_IN_PRINT: {
        "noisy-stats-deviation", "two-medians", "matchings-odd", "algorithm-four", "theta-floor", "smooth-two-forms",
        "smooth-even-median", "smooth-dropping", "smooth-proof", "descent-printed-sign", "footnote-means",
        "zcdp-any-delta", "failure-low", "failure-printed-tract", "tracts-nvar-printed",
    },
    Kind.NOT_REPRODUCED: {"carbon-literal", "carbon-noise", "real-order"},
    Kind.NOT_PUBLIC: {
        "all-pairs-count", "tracts-typical", "tracts-sizes", "tracts-nvar", "tracts-best", "failure-tracts",
    },
    Kind.NOT_IN_PRINT: {
        "threshold-pure", "threshold-all", "threshold-all-pairs", "threshold-indicator", "descent-behind",
        "failure-high-illinois", "failure-high-north",
    },
    Kind.OUR_DEFAULTS: {"table-descent"},
}  # fmt: skip


@pytest.mark.parametrize("kind", OF_KIND, ids=lambda kind: kind.value)
def test_claims_that_do_not_hold_are_of_the_kind_that_the_paper_leaves_open(kind):
    """Each was read in the paper: whether its numbers follow from print, public data, or from what nobody else has."""
    assert {key for key, result in RESULTS.items() if result.kind is kind} == OF_KIND[kind]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_a_claim_can_come_out_either_way_and_says_why_where_it_differs(claim):
    assert not claim.expected.met_by(tuple(nan for _ in claim.expected.bounds))
    assert claim.expected.met_by(tuple(low if abs(low) < inf else high for low, high in claim.expected.bounds))
    assert claim.why or RESULTS[claim.key].kind is Kind.HOLDS
    for text in (claim.sentence, claim.why):
        check_readable(text)


def test_the_kind_of_a_row_is_made_from_its_numbers():
    rows = frame(list(RESULTS.values())).set_index("claim")
    for result in RESULTS.values():
        expected = Kind.HOLDS if result.claim.expected.met_by(result.numbers) else result.claim.otherwise
        assert rows.loc[result.claim.sentence, "kind"] == expected.value
    other = frame([table.Result(claim, (nan,) * len(claim.expected.bounds), 0.0) for claim in CLAIMS])
    assert Kind.HOLDS.value not in set(other["kind"])


def unavailable(*key):
    raise DataUnavailable("there is no network")


def test_a_claim_without_its_data_has_no_number():
    result = compute(Claim("key", "somewhere", "It is {}.", equal(1), unavailable))
    assert result.numbers is None and result.kind is Kind.MISSING
    row = frame([result]).iloc[0]
    assert row["ours"] == "" and row["kind"] == "needs the data set"


def test_results_survive_their_file(tmp_path):
    numbers = {claim.key: RESULTS[claim.key].numbers for claim in CLAIMS} | {"rates": None, "zcdp-any-delta": (nan,)}
    numbers["smooth-dropping"] = (inf,)
    made = [table.Result(claim, numbers[claim.key], 0.1) for claim in CLAIMS]
    save(made, tmp_path / "claims.json")
    again = {result.claim.key: result.numbers for result in load(tmp_path / "claims.json")}
    assert again["rates"] is None and again["smooth-dropping"] == (inf,)
    for key in set(numbers) - {"rates"}:
        assert again[key] == pytest.approx(numbers[key], rel=1e-11, nan_ok=True)


def test_the_stored_file_names_its_version_and_settings():
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert stored["version"] == VERSION and stored["settings"]["seed"] == 0


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON", '{"claims": {}}'])
def test_another_file_is_refused_by_its_name(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"other\.json is damaged: it holds no numbers for these claims; .* dpslr claims"
    ):
        load(path)
