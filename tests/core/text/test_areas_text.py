"""What is said of many areas, on frames made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
from readable import check_readable

from dpslr_core.experiments.ranking import ranked_shares
from dpslr_core.mechanisms import (
    DPExpTheilSen,
    MaximumObservedSensitivity,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.scenario import Scenario
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.areas import (
    PASSES,
    compared_with,
    context,
    cost_sentence,
    failure_sentence,
    headline,
    no_smaller,
    passing_sentence,
    picture_sentence,
    ratio_sentence,
    table_sentence,
    verdicts,
)
from dpslr_core.text.data import View

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
        "In more than 99% of 300 areas the error of DPExpTheilSen is below the sampling error. "
        "Next: NoisyStats less than 1%."
    )
    assert said(1500, measured(DPExpTheilSen=[0.5] * 1500)).startswith("In 100% of 1,500 areas")


def test_pure_algorithms_come_first_and_a_weaker_promise_that_does_better_is_said():
    frame = measured(NoisyStatsGaussian=[0.5, 0.5], NoisyStats=[0.5, 2])
    assert said(2, frame) == (
        "In 50% of 2 areas the error of NoisyStats is below the sampling error. Next: NoisyStatsGaussian 100%. "
        "NoisyStatsGaussian reaches 100%. Its guarantee (ρ = 128 zCDP) is weaker than pure ε-differential privacy."
    )
    alone = said(2, frame[frame["mechanism"] != "NoisyStats"])
    assert "error of NoisyStatsGaussian is" in alone and alone.endswith("is weaker than pure ε-differential privacy.")
    assert "weaker" not in said(2, measured(NoisyStats=[0.5], NoisyStatsGaussian=[0.5]))


def first_line(areas: int, frame: pd.DataFrame) -> str:
    text = headline(ranked_shares(frame, FOUR, 16.0), areas)
    check_readable(text)
    return text


def test_the_headline_counts_areas():
    frame = measured(DPExpTheilSen=[0.5] * 3 + [2.0], NoisyStats=[0.5] + [np.inf] * 3)
    assert first_line(4, frame) == (
        "In 3 of 4 areas DPExpTheilSen’s error is below the sampling error; with NoisyStats in 1."
    )
    assert first_line(4, frame[frame["mechanism"] == "NoisyStats"]) == (
        "In 1 of 4 areas NoisyStats’ error is below the sampling error."
    )
    tie = measured(DPExpTheilSen=[0.5, 0.5, 2.0], NoisyStats=[2.0, 0.6, 0.5])
    assert first_line(3, tie) == (
        "In 2 of 3 areas each, the errors of DPExpTheilSen and NoisyStats are below the sampling error."
    )
    thousands = measured(NoisyStats=[0.5] * 1234, DPExpTheilSen=[0.5] * 1200 + [2.0] * 34)
    assert first_line(1234, thousands) == (
        "In 1,234 of 1,234 areas NoisyStats’ error is below the sampling error; with DPExpTheilSen in 1,200."
    )


def test_the_headline_names_a_pure_algorithm_where_there_is_one():
    frame = measured(NoisyStatsGaussian=[0.5, 0.5], DPExpTheilSen=[0.5, 2])
    assert first_line(2, frame).startswith("In 1 of 2 areas DPExpTheilSen’s error")
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


NO_PROCEDURE = "No private procedure reaches this count: which algorithm is best is read off the true data."


def epsilons(standard_error=0.1, **passes_from: list[float]) -> pd.DataFrame:
    """Rows of passing_epsilons: the smallest epsilons of each algorithm, area by area; a minus: of a flat line."""
    rows = [
        {"group": f"T{i}", "mechanism": name, "standard_error": standard_error, "flat_from": abs(value), "gaps": (),
         "passes_from": np.inf if value < 0 else value}
        for name, theirs in passes_from.items()
        for i, value in enumerate(theirs)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def passing(frame: pd.DataFrame, epsilon: float, flat_lines: bool = False) -> str:
    text = passing_sentence(frame, epsilon, flat_lines)
    check_readable(text)
    return text


def test_before_epsilons_are_sought_the_sentence_counts_what_was_measured():
    text = table_sentence(measured(NoisyStats=[0.5, 0.5, 2.0, 3.0]))
    assert text == (f"2 of 4 areas pass, each with its best algorithm. {NO_PROCEDURE}")
    check_readable(text)


def test_from_which_epsilon_half_of_the_areas_pass():
    two = epsilons(NoisyStats=[1.0, 7.0, 5.0, np.inf], DPExpTheilSen=[2.0, 3.001, np.inf, np.inf])
    assert passing(two, 16.0) == (
        "At ε = 16, 3 of 4 areas pass, each with its best algorithm. Half of the areas pass from ε = 3.01. "
        f"1 area does not pass up to ε = 1,000. {NO_PROCEDURE}"
    )
    assert passing(two, 0.5).startswith("At ε = 0.5, 0 of 4 areas pass, each")
    assert passing(two, 2e4).startswith("Half of the areas pass from ε = 3.01.")  # beyond what is looked at
    alone = passing(two[two["mechanism"] == "DPExpTheilSen"], 16.0)
    assert alone.startswith("At ε = 16, 2 of 4 areas pass, with DPExpTheilSen. Half of the areas pass from ε = 3.01.")
    assert "2 areas do not pass up to ε = 1,000." in alone and "procedure" not in alone
    few = passing(epsilons(NoisyStats=[1.0, np.inf, np.inf, np.inf]), 16.0)
    assert "Half" not in few and "3 areas do not pass" in few
    assert passing(epsilons(NoisyStats=[1.0]), 16.0).startswith("At ε = 16, 1 of 1 area passes, with NoisyStats.")


def test_flat_lines_are_told_apart():
    frame = epsilons(NoisyIntercept=[-1.0, -1.0, -30.0], NoisyStats=[2.0, 20.0, 40.0])
    text = passing(frame, 16.0)
    assert text.startswith("At ε = 16, 1 of 3 areas pass") and "Half of the areas pass from ε = 20." in text
    assert "1 area would pass by a flat line alone, which has no slope: not counted." in text
    counted = passing(frame, 16.0, flat_lines=True)
    assert counted.startswith("At ε = 16, 2 of 3 areas pass") and "flat" not in counted


def test_what_is_not_sought_is_said():
    frame = epsilons(NoisyStats=[1.0, 2.0], DPGDPure=[np.nan, np.nan])
    assert passing(frame, 16.0).endswith("No ε is sought for DPGDPure: no exact output distribution.")
    assert passing(frame[2:], 16.0) == "No ε is sought for DPGDPure: no exact output distribution."


def test_an_epsilon_is_rounded_up():
    assert [no_smaller(e) for e in (1.0, 1.0001, 2.02, 2.0201, 0.012345, 999.1, 1000)] == [
        "1", "1.01", "2.02", "2.03", "0.0124", "1,000", "1,000",
    ]  # fmt: skip


def test_a_flat_line_is_no_pass():
    frame = pd.concat([measured(NoisyIntercept=[0.5, 0.5]).assign(flat=True), measured(NoisyStats=[0.9, 3.0])])
    four = (*FOUR, NoisyIntercept())
    ranked = ranked_shares(frame.fillna({"flat": False}), four, 16.0)
    assert ranked[["mechanism", "areas_below", "flat", "counts"]].values.tolist() == [
        ["NoisyStats", 1, 0, True], ["NoisyIntercept", 0, 2, False],
    ]  # fmt: skip
    assert headline(ranked, 2) == "In 1 of 2 areas NoisyStats’ error is below the sampling error."
    assert "NoisyIntercept" not in ratio_sentence(ranked, 2)
    text = context(tracts_view(), 0.25, ranked, 0)
    assert "A flat line, which has no slope, is not counted: NoisyIntercept." in text
    check_readable(text)
    counted = ranked_shares(frame.fillna({"flat": False}), four, 16.0, flat_lines=True)
    assert headline(counted, 2).startswith("In 2 of 2 areas NoisyIntercept’s error")
    alone = ranked_shares(frame[frame["mechanism"] == "NoisyIntercept"], four, 16.0)
    for said_of in (headline(alone, 2), ratio_sentence(alone, 2)):
        assert said_of == "Only flat lines, which have no slope, are released: none of 2 areas passes."
    assert verdicts(frame.fillna({"flat": False})) == ["flat: no slope"] * 2 + ["pass", "fail"]
    flat = "pass, flat: no slope"
    assert verdicts(frame.fillna({"flat": False}), flat_lines=True) == [flat, flat, "pass", "fail"]
    check_readable(PASSES)


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
