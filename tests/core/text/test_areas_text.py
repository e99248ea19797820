"""What is said of many areas, on frames made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
from readable import check_readable

from dpslr_core.mechanisms import DPExpTheilSen, MaximumObservedSensitivity, NoisyStats, NoisyStatsGaussian
from dpslr_core.scenario import Scenario
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.areas import (
    compared_with,
    context,
    cost_sentence,
    failure_sentence,
    headline,
    picture_sentence,
    ranked_shares,
    ratio_sentence,
    table_sentence,
)
from dpslr_core.text.view import View

FOUR = (NoisyStats(), DPExpTheilSen(), NoisyStatsGaussian(), MaximumObservedSensitivity())


def measured(standard_error=0.1, **ratios: list[float]) -> pd.DataFrame:
    """Rows of by_group at one point: for each algorithm its ratios, area by area."""
    rows = [
        {"group": f"T{i}", "mechanism": name, "at": 0.25, "ratio": ratio, "c68": ratio * 0.1, "failure_rate": 0.0}
        for name, theirs in ratios.items()
        for i, ratio in enumerate(theirs)
    ]
    return pd.DataFrame(rows).assign(standard_error=standard_error)


def said(areas: int, frame: pd.DataFrame) -> str:
    text = ratio_sentence(ranked_shares(frame, FOUR, 16.0), areas)
    check_readable(text)
    return text


def test_the_private_ones_are_first_and_the_best_first():
    frame = measured(MaximumObservedSensitivity=[0.1] * 2, NoisyStats=[0.5, 2], DPExpTheilSen=[0.5, 0.9])
    ranked = ranked_shares(frame, FOUR, 16.0)
    assert list(ranked["mechanism"]) == ["DPExpTheilSen", "NoisyStats", "MaximumObservedSensitivity"]
    assert list(ranked["private"]) == [True, True, False]
    assert list(ranked["below"]) == [1, 0.5, 1]


def test_299_of_300_areas_are_not_all():
    frame = measured(DPExpTheilSen=[0.5] * 299 + [2.0], NoisyStats=[2.0] * 299 + [0.5])
    assert said(300, frame) == (
        "In more than 99% of 300 areas the noise of DPExpTheilSen is below the sampling error. "
        "Next: NoisyStats less than 1%."
    )
    assert said(1500, measured(DPExpTheilSen=[0.5] * 1500)).startswith("In 100% of 1,500 areas")


def test_pure_algorithms_come_first_and_a_weaker_promise_that_does_better_is_said():
    frame = measured(NoisyStatsGaussian=[0.5, 0.5], NoisyStats=[0.5, 2])
    assert said(2, frame) == (
        "In 50% of 2 areas the noise of NoisyStats is below the sampling error. Next: NoisyStatsGaussian 100%. "
        "NoisyStatsGaussian reaches 100%. Its guarantee (ρ = 128 zCDP) is weaker than pure ε-differential privacy."
    )
    alone = said(2, frame[frame["mechanism"] != "NoisyStats"])
    assert "noise of NoisyStatsGaussian is" in alone and alone.endswith("is weaker than pure ε-differential privacy.")
    assert "weaker" not in said(2, measured(NoisyStats=[0.5], NoisyStatsGaussian=[0.5]))


def first_line(areas: int, frame: pd.DataFrame) -> str:
    text = headline(ranked_shares(frame, FOUR, 16.0), areas)
    check_readable(text)
    return text


def test_the_headline_counts_areas():
    frame = measured(DPExpTheilSen=[0.5] * 3 + [2.0], NoisyStats=[0.5] + [np.inf] * 3)
    assert first_line(4, frame) == (
        "In 3 of 4 areas DPExpTheilSen’s noise is below the sampling error; with NoisyStats in 1."
    )
    assert first_line(4, frame[frame["mechanism"] == "NoisyStats"]) == (
        "In 1 of 4 areas NoisyStats’ noise is below the sampling error."
    )
    thousands = measured(NoisyStats=[0.5] * 1234, DPExpTheilSen=[0.5] * 1200 + [2.0] * 34)
    assert first_line(1234, thousands) == (
        "In 1,234 of 1,234 areas NoisyStats’ noise is below the sampling error; with DPExpTheilSen in 1,200."
    )


def test_the_headline_names_a_pure_algorithm_where_there_is_one():
    frame = measured(NoisyStatsGaussian=[0.5, 0.5], DPExpTheilSen=[0.5, 2])
    assert first_line(2, frame).startswith("In 1 of 2 areas DPExpTheilSen’s noise")
    weak = first_line(2, frame[frame["mechanism"] == "NoisyStatsGaussian"])
    assert weak.startswith("In 2 of 2 areas") and weak.endswith("weaker than pure ε-differential privacy.")


def test_what_the_first_is_compared_with():
    frame = measured(DPExpTheilSen=[0.1], NoisyStatsGaussian=[0.2], NoisyStats=[0.3])
    assert compared_with(ranked_shares(frame, FOUR, 16.0)) == "NoisyStats"
    frame = measured(NoisyStats=[0.1], DPExpTheilSen=[0.2])
    assert compared_with(ranked_shares(frame, FOUR, 16.0)) == "DPExpTheilSen"
    assert compared_with(ranked_shares(measured(NoisyStats=[0.1]), FOUR, 16.0)) is None
    open_one = measured(NoisyStats=[0.1], MaximumObservedSensitivity=[0.1])
    assert compared_with(ranked_shares(open_one, FOUR, 16.0)) is None


def test_nothing_to_say():
    for sentence in (said, first_line):
        assert "no differentially private" in sentence(2, measured(MaximumObservedSensitivity=[1.0, 1.0]))
        nothing = measured(standard_error=0.0, NoisyStats=[np.nan, np.nan])
        assert sentence(1200, nothing) == "None of 1,200 areas has a sampling error to compare with."


def test_the_picture_in_words():
    text = picture_sentence(
        measured(NoisyStats=[1, 2, 4], DPExpTheilSen=[0.5, 0.5, 2]), ["DPExpTheilSen", "NoisyStats"]
    )
    assert text.endswith("Median over 3 areas: DPExpTheilSen 0.5, NoisyStats 2.")
    check_readable(text)


def test_at_which_epsilon_half_of_the_areas_pass():
    best = measured(NoisyStats=[0.5, 0.5, 2.0, 3.0])
    assert table_sentence(best, None) == (
        "With the best algorithm of each area 2 of 4 areas pass: the noise is below the sampling error."
    )
    full = table_sentence(best.assign(passes_from=[1.0, 3.0, 5.0, np.nan]), 1000.0)
    assert full.endswith(" At ε = 4 half of the areas pass. 1 do not pass up to ε = 1,000.")
    check_readable(full)
    few = table_sentence(best.assign(passes_from=[1.0, 3.0, np.nan, np.nan]), 1000.0)
    assert "half" not in few and few.endswith(" 2 do not pass up to ε = 1,000.")


def test_how_often_noisy_stats_fails():
    text = failure_sentence(pd.DataFrame({"rate": [0.0, 0.05, 0.06, 0.5]}), 100)
    assert text.startswith("In 50% of 4 areas NoisyStats has no answer in more than 5% of 100 releases.")
    check_readable(text)


def tracts_view() -> View:
    grouped = load_sample("tracts")
    label = grouped.groups[0]
    return View(Scenario(epsilon=16), grouped, label, grouped.dataset(label), grouped.x, grouped.y)


def test_the_whole_release_costs_no_more_than_one_area():
    text = cost_sentence(tracts_view(), 1000)
    assert "the whole release costs ε = 16 too (parallel composition)" in text
    assert text.endswith("run 1,000 times in each area.")
    check_readable(text)


def test_what_the_headline_holds_for():
    view = tracts_view()
    ranked = ranked_shares(measured(NoisyStats=[1, 2]).assign(failure_rate=0.002), FOUR, 16.0)
    text = context(view, 0.25, ranked, 1, ["DPGDPure"])
    records = f"{len(view.grouped.groups)} areas, {len(view.grouped.frame):,} records; ε = 16 in each area; "
    assert f"{records}prediction at parent income rank = 0.25." in text
    assert "Releases without an answer: NoisyStats in less than 1%." in text
    assert "1 group is left out" in text and text.endswith("Not measured yet: DPGDPure.")
    check_readable(text)
    assert "left out" not in context(view, 0.25, ranked, 0)
