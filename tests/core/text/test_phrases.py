"""Numbers and turns of phrase that sentences share."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.text import phrases


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.012345, "0.0123"),
        (12345.6, "12,346"),
        (999.6, "1,000"),
        (-1234.5, "-1,234"),
        (-0.0, "0"),
        (0.0001, "0.0001"),
        (9.3e-10, "9.3 × 10⁻¹⁰"),
        (1e300, "1 × 10³⁰⁰"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "undefined"),
    ],
)
def test_amounts_have_three_digits(value, text):
    assert phrases.format_amount(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_amounts_can_be_read_back(value):
    text = phrases.format_amount(value)
    assert "e" not in text
    if "×" not in text:
        assert float(text.replace(",", "")) == pytest.approx(value, rel=0.005001)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (0.0001, "less than 1%"),
        (0.00499, "less than 1%"),
        (0.994, "99%"),
        (299 / 300, "more than 99%"),
        (1, "100%"),
        (1.5, "150%"),
        (12, "1,200%"),
        (math.nan, "an undefined share"),
    ],
)
def test_shares_are_in_per_cent(share, text):
    assert phrases.format_share(share) == text


@given(st.floats(0, 1))
def test_only_none_is_0_and_only_all_is_100_per_cent(share):
    assert (phrases.format_share(share) == "0%") == (share == 0)
    assert (phrases.format_share(share) == "100%") == (share == 1)


@pytest.mark.parametrize(
    ("excess", "text"),
    [
        (0.2, "20% larger"),
        (0.001, "less than 1% larger"),
        (0.999, "2.0 times as large"),
        (3, "4.0 times as large"),
        (5000, "5,001.0 times as large"),
        (math.inf, "without bound"),
    ],
)
def test_how_much_larger(excess, text):
    assert phrases.more(excess) == text
