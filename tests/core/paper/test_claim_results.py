"""Results of claims: rows and their kinds, the stored file, and what is said about the table."""

import re
from pathlib import Path

from dpslr_core.paper import results
from dpslr_core.paper.claim import Claim, ClaimKind
from dpslr_core.paper.results import compute, frame, load
from dpslr_core.sources.samples import DataUnavailable
from tests.cases.readable import check_readable

README = Path(__file__).parents[3] / "README.md"


def test_the_numbers_add_up_and_the_readme_has_them():
    table, readme = frame(load()), " ".join(README.read_text(encoding="utf-8").split())
    held, count = (int(number) for number in re.findall(r"\d+", results.headline(table)))
    others = [int(number) for number in re.findall(r": (\d+)", results.others(table))]
    assert held + sum(others) == count == len(table)
    assert len(others) == table["kind"].nunique() - 1
    assert results.headline(table) in readme and results.others(table) in readme
    check_readable(results.others(table))


def test_a_claim_without_its_data_has_no_number():
    def unavailable():
        raise DataUnavailable("there is no network")

    result = compute(
        Claim("key", ClaimKind.NOT_REPRODUCED, unavailable, "somewhere", "1", "It is 1.")
    )
    assert result.numbers is None and result.kind is ClaimKind.MISSING
    row = frame([result]).iloc[0]
    assert row["ours"] == "" and row["kind"] == "needs the data set"
