"""Numbers and turns of phrase that sentences share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.text import phrases
from tests.cases.tables import table as cases

AMOUNTS = cases("""
    0.012345 | 0.0123
    12345.6 | 12,346
    999.6 | 1,000
    -1234.5 | -1,234
    -0.0 | 0
    0.0001 | 0.0001
    9.3e-10 | 9.3 × 10⁻¹⁰
    1e300 | 1 × 10³⁰⁰
    Infinity | ∞
    -Infinity | −∞
    NaN | undefined
""")
SHARES = cases("""
    0 | 0%
    0.0001 | less than 1%
    0.00499 | less than 1%
    0.994 | 99%
    0.9967 | more than 99%
    1 | 100%
    1.5 | 150%
    12 | 1,200%
    NaN | an undefined share
""")
LARGER = cases("""
    0.2 | 20% larger
    0.001 | less than 1% larger
    0.999 | 2.0 times as large
    3 | 4.0 times as large
    5000 | 5,001.0 times as large
    Infinity | without bound
""")


@pytest.mark.parametrize(
    ("written", "table"),
    [(phrases.format_amount, AMOUNTS), (phrases.format_share, SHARES), (phrases.more, LARGER)],
)
def test_numbers_are_written_as_people_read_them(written, table):
    for value, text in table:
        assert written(value) == text, value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_amounts_can_be_read_back(value):
    text = phrases.format_amount(value)
    assert "e" not in text
    if "×" not in text:
        assert float(text.replace(",", "")) == pytest.approx(value, rel=0.005001)


@given(st.floats(0, 1))
def test_only_none_is_0_and_only_all_is_100_per_cent(share):
    assert (phrases.format_share(share) == "0%") == (share == 0)
    assert (phrases.format_share(share) == "100%") == (share == 1)
