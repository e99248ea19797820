"""Sentences on intervals: who is narrowest and promises what, what has no end, how often they are right."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core.mechanisms import MECHANISMS, DeepestLine, NoisyIntercept, NoisyStats
from dpslr_core.sources.axis import UNIT_X, UNIT_Y, Axis
from dpslr_core.text import intervals as sentences

BY_NAME = {kind().name: kind for kind in MECHANISMS}
PURE, WEAKER = "pure ε-differential privacy", "a weaker guarantee"


def rows(**widths):
    """Algorithms with a median width, or a width and a promise."""
    made = []
    for name, width in widths.items():
        width, promise = width if isinstance(width, tuple) else (width, PURE)
        told = (BY_NAME[name].flat_interval, BY_NAME[name].interval_remark)
        numbers = (0.3, 0.2, np.inf if np.isinf(width) else 0.4, width, 1.0, 0.25)
        made.append((name, *numbers, promise, "2-zCDP", *told))
    columns = ["algorithm", "estimate", "low", "high", "width", "two_ends", "at"]
    columns += ["guarantee_class", "guarantee", "flat", "remark"]
    return pd.DataFrame(made, columns=columns)


def said(table, ols=0.05, y=UNIT_Y):
    return sentences.release_sentence(table, ols, UNIT_X, y)


def test_the_narrowest_with_a_full_guarantee_is_named_and_then_a_weaker_one():
    text = said(
        rows(CenteredStats=0.1, NoisyStats=0.4, CenteredStatsGaussian=(0.06, WEAKER)), y=Axis("wage", "$", 0, 50)
    )
    assert text == (
        "At x = 0.25, the narrowest 95% interval is that of CenteredStats, 5 $ wide in the median, 2 times that of "
        "OLS. With a weaker guarantee (2-zCDP), narrower: CenteredStatsGaussian, 3 $ wide in the median, 1.2 times "
        "that of OLS."
    )


def test_a_weaker_guarantee_that_is_no_narrower_is_not_named():
    assert "weaker" not in said(rows(CenteredStats=0.1, CenteredStatsGaussian=(0.2, WEAKER)))
    assert "times" not in said(rows(CenteredStats=0.1), ols=np.nan)


def test_the_flat_interval_of_noisy_intercept_never_wins():
    table = rows(NoisyIntercept=0.01, CenteredStats=0.1)
    assert "is that of CenteredStats" in said(table)
    assert sentences.ranked_by_width(table)["algorithm"].tolist() == ["CenteredStats", "NoisyIntercept"]


def test_where_no_interval_has_two_ends_it_says_so():
    assert "the slope is not identified" in said(rows(CenteredStats=np.inf, NoisyIntercept=0.1))
    assert "no interval with pure" in said(rows(CenteredStats=np.inf, CenteredStatsGaussian=(0.1, WEAKER)))
    lacking = sentences.open_sentence(rows(CenteredStats=np.inf, NoisyStats=0.1))
    assert "interval of CenteredStats lacks an end" in lacking
    assert "CenteredStats and NoisyStats lack an" in sentences.open_sentence(
        rows(CenteredStats=np.inf, NoisyStats=np.inf)
    )
    assert sentences.open_sentence(rows(NoisyStats=0.1)) == ""


@pytest.mark.parametrize(("held", "text"), [(96, "4 miss it"), (99, "1 misses it"), (100, "0 miss it")])
def test_a_hundred_intervals_are_counted(held, text):
    table = pd.DataFrame({"low": 0.0, "high": 1.0, "held": [i < held for i in range(100)]})
    sentence = sentences.hundred_sentence(table, "CenteredStats", 0.95)
    assert sentence.startswith(f"{held} of 100 intervals by CenteredStats hold") and text in sentence
    assert sentence.endswith("At 95%, 95 should.")
    assert sentences.hundred_sentence(table.assign(high=np.inf), "CenteredStats", 0.95).endswith("100 have no end.")


def stored(*shares):
    """A table of coverage with normal errors for all shares of 2,000 but the last, beside OLS at 70%."""
    settings = [f"setting {i}, normal errors" for i in range(len(shares) - 1)] + ["the last"]
    made = [("CenteredStats", "fieller", *row) for row in zip(settings, shares, strict=True)]
    made += [("OLS", "t", setting, 0.7) for setting in settings]
    table = pd.DataFrame(made, columns=["algorithm", "method", "setting", "coverage"])
    return table.assign(target="true line", datasets=2_000, high=table["coverage"] + 0.01)


def test_what_holds_the_line_too_rarely_is_said_with_its_number_and_place():
    text = sentences.coverage_sentence(stored(0.95, 0.97, 0.83), "CenteredStats", "fieller")
    assert "held the line in 95% to 97% of simulated data sets with normal errors." in text
    assert "At worst it was 83% of 2,000, where OLS had 70%: the last." in text
    text = sentences.coverage_sentence(stored(0.95, 0.945), "CenteredStats", "fieller")
    assert "94.5% or more of 2,000 simulated data sets, in each of 2 settings" in text
    assert "line in nearly all of 2,000" in sentences.coverage_sentence(stored(1.0, 1.0), "CenteredStats", "fieller")
    assert sentences.coverage_sentence(stored(0.95), "NoisyStats", "fieller") == ""


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0025, "p = 0.0025, the least it can be. A slope of 0 would be surprising."),
        (0.04, "p = 0.04. A slope of 0 would be surprising."),
        (0.3, "p = 0.3. A slope of 0 would not be surprising."),
    ],
)
def test_the_slope_test_is_told_with_its_p_value(p, text):
    assert text in sentences.slope_sentence(p, "CenteredStats", 399)


def test_remarks_are_for_the_algorithms_shown():
    assert sentences.remarks(rows(CenteredStats=0.1)) == []
    table = rows(NoisyStats=0.1, NoisyStatsGaussian=0.1, NoisyIntercept=0.1, DeepestLine=0.1)
    assert sentences.remarks(table) == [
        m.interval_remark for m in (NoisyStats(), NoisyIntercept(), DeepestLine())
    ]  # fmt: skip


def test_those_that_offer_intervals_are_named_where_none_is_chosen():
    assert "CenteredStats" in sentences.NONE and "DeepestLine" in sentences.NONE and "DPExp" not in sentences.NONE


def test_twice_the_records_and_twice_the_budget_are_told():
    table = pd.DataFrame({"n": [50, 100, 50], "epsilon": [2.0, 2.0, 4.0], "width": [np.inf, 0.2, 0.1]})
    text = sentences.width_sentence(table, 50, 2.0, "CenteredStats", Axis("wage", "$", 0, 50))
    assert text.endswith("interval with twice as many records like these: 10 $; with twice ε: 5 $.")
    endless = sentences.width_sentence(table.assign(width=np.inf), 50, 2.0, "CenteredStats", UNIT_Y)
    assert endless.endswith("with twice ε: without end.")


def test_widths_by_guesses_are_told_beside_ols():
    table = pd.DataFrame({"n": [50, 100, 50], "epsilon": [2.0, 2.0, 4.0], "width": [0.3, 0.2, 0.1], "ols": 0.1})
    text = sentences.guessed_width_sentence(table, 50, 2.0, "CenteredStats", Axis("wage", "$", 0, 50))
    assert text.startswith(
        "At these guesses the median 95% interval of CenteredStats is 15 $ wide, 3 times that of OLS."
    )
    assert text.endswith("with twice as many records like these: 10 $; with twice ε: 5 $.")
    endless = sentences.guessed_width_sentence(table.assign(width=np.inf), 50, 2.0, "CenteredStats", UNIT_Y)
    assert endless.startswith("At these guesses most 95% intervals of CenteredStats lack an end.")
