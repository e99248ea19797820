"""The verdict: who wins, by how much, and when nobody can say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from readable import check_readable

from dpslr_core.experiments import compare
from dpslr_core.experiments.ranking import PRIVATE, lead_among, ranking
from dpslr_core.lesson.settings import POINT, students
from dpslr_core.mechanisms import (
    OLS,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    JointTheilSen,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.privacy import ZCDP
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X, UNIT_Y, Axis
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.compare import compare_context, convention_sentence, headline, lines_sentence, verdict_sentence
from dpslr_core.text.data import View
from dpslr_core.text.phrases import listed


def summary(**c68: tuple[float, float, float]) -> pd.DataFrame:
    """Rows with C(68) and its interval; an interval of one value is an exact law."""
    rows = [
        {
            "mechanism": name,
            "at": 0.25,
            "c68": c,
            "c68_low": low,
            "c68_high": high,
            "ratio": c / 0.1,
            "standard_error": 0.1,
            "gap": 0.0,
            "noise": c,
            "exact": low == high,
        }
        for name, (c, low, high) in c68.items()
    ]
    return pd.DataFrame(rows)


def bikes(**settings: object) -> View:
    grouped = load_sample("bikes")
    return View(Scenario(**settings), grouped, grouped.groups[0], grouped.dataset(), grouped.x, grouped.y)


class verdict:
    def __init__(self, rows, *args):
        rows = rows.assign(c95=1.0, bias=0.0, failure_rate=0.0, how="")
        self.ranked = ranking(rows, *args)
        lead = lead_among(self.ranked, PRIVATE)
        self.winner, self.too_close, self.tied = lead.mechanism, lead.too_close, lead.tied

    def sentence(self, y=UNIT_Y, x=UNIT_X):
        return verdict_sentence(self.ranked, y, x)


THREE = [OLS(), NoisyStats(), DPExpTheilSen(), DPGDzCDP()]


def test_the_smallest_private_error_wins_and_the_margin_is_said():
    found = verdict(
        summary(OLS=(0, 0, 0), NoisyStats=(0.2, 0.2, 0.2), DPExpTheilSen=(0.05, 0.05, 0.05)), THREE, 0.25, 2.0
    )
    assert found.winner == "DPExpTheilSen"
    assert not found.too_close
    text = found.sentence(Axis("rides", "", 0, 1000))
    assert text.startswith("On this data set, at x = 0.25, DPExpTheilSen has the smallest error: 68% of its releases")
    assert "are within ±50 in rides of OLS" in text
    assert "That is 0.5 standard errors, less than the sampling error." in text
    assert text.endswith("Next is NoisyStats, 4.0 times as large.")
    check_readable(text)


def test_the_point_is_in_the_units_of_x():
    rows = summary(DPExpTheilSen=(0.05, 0.05, 0.05))
    text = verdict(rows, THREE, 0.25, 2.0).sentence(x=Axis("age", "years", 20, 100))
    assert text.startswith("On this data set, at age = 40 years, DPExpTheilSen")


def test_overlapping_intervals_are_too_close_to_call():
    rows = summary(NoisyStats=(0.20, 0.18, 0.22), DPGDzCDP=(0.21, 0.19, 0.23), DPExpTheilSen=(0.5, 0.5, 0.5))
    found = verdict(rows, THREE, 0.25, 2.0)
    assert found.too_close
    assert "Too close to call: NoisyStats and DPGDzCDP" in found.sentence()


def test_exact_errors_are_a_tie_only_where_they_are_the_same():
    rows = summary(NoisyStats=(0.2, 0.2, 0.2), DPExpTheilSen=(0.2000001, 0.2000001, 0.2000001))
    same = verdict(rows, THREE, 0.25, 2.0)
    assert same.sentence().startswith("The same error: NoisyStats and DPExpTheilSen. On this data set")
    assert "NoisyStats has the smallest error" in same.sentence()
    rows = summary(NoisyStats=(0.2, 0.2, 0.2), DPExpTheilSen=(0.201, 0.201, 0.201))
    assert not verdict(rows, THREE, 0.25, 2.0).too_close


def test_a_tie_with_one_further_down_is_told():
    """The exact second is larger; the drawn third may be the smallest."""
    rows = summary(NoisyStats=(0.2, 0.2, 0.2), DPExpTheilSen=(0.21, 0.21, 0.21), DPGDzCDP=(0.22, 0.19, 0.25))
    found = verdict(rows, THREE, 0.25, 2.0)
    assert found.tied == ("NoisyStats", "DPGDzCDP")
    assert "Next is DPExpTheilSen, 5% larger." in found.sentence()


def test_a_weaker_guarantee_is_said():
    rows = summary(NoisyStats=(0.2, 0.2, 0.2), DPGDzCDP=(0.1, 0.09, 0.11))
    assert "weaker than pure" in verdict(rows, THREE, 0.25, 2.0).sentence()
    rows = summary(NoisyStats=(0.1, 0.1, 0.1), DPGDzCDP=(0.2, 0.19, 0.21))
    assert "weaker" not in verdict(rows, THREE, 0.25, 2.0).sentence()


def test_nobody_wins_where_nobody_answers():
    found = verdict(summary(NoisyStats=(np.inf, np.inf, np.inf)), THREE, 0.25, 2.0)
    assert found.winner is None
    assert "No private algorithm answers" in found.sentence()
    assert (
        "No differentially private algorithm is chosen" in verdict(summary(OLS=(0, 0, 0)), THREE, 0.25, 2.0).sentence()
    )


@pytest.mark.parametrize(
    ("c68", "said"),
    [(0.05, "0.5 standard errors, less than"), (0.09999, "0.9999 standard errors, less than"),
     (0.1001, "1.001 standard errors, more than"), (0.1, "1 standard errors, equal to"),
     (150.0, "1,500 standard errors, more than")],
)  # fmt: skip
def test_the_error_is_told_beside_the_sampling_error(c68, said):
    assert f"That is {said} the sampling error." in verdict(summary(NoisyStats=(c68,) * 3), THREE, 0.25, 2.0).sentence()


def test_the_context_names_data_budget_and_bounds():
    view = bikes(epsilon=2.5, at=(0.25, 0.5, 0.75))
    text = compare_context(view)
    assert f"n = {view.data.n:,}, ε = 2.5 for all 3 points together" in text
    assert "Public bounds: temperature (°C) -8 to 39, rides per hour 0 to 1,000." in text
    assert "for both points together" in compare_context(bikes())
    assert "for the point." in compare_context(bikes(at=(0.5,)))
    check_readable(text)


def test_private_lines_name_the_point_and_who_is_best_there():
    best = verdict(summary(NoisyStats=(0.2,) * 3, DPExpTheilSen=(0.1,) * 3), THREE, 0.25, 2.0)
    text = lines_sentence(bikes(), best.ranked, 20)
    assert text.startswith("20 lines through the released predictions per algorithm")
    assert text.endswith("At temperature = 3.75 °C, DPExpTheilSen has the smallest error.")
    assert "20 released predictions per" in lines_sentence(bikes(at=(0.25,)), best.ranked, 20)
    check_readable(text)


def test_private_lines_agree_with_the_verdict():
    close = verdict(summary(NoisyStats=(0.20, 0.18, 0.22), DPGDzCDP=(0.21, 0.19, 0.23)), THREE, 0.25, 2.0)
    assert lines_sentence(bikes(), close.ranked, 20).endswith("NoisyStats and DPGDzCDP are too close to call.")
    none = verdict(summary(NoisyStats=(np.inf,) * 3), THREE, 0.25, 2.0)
    assert lines_sentence(bikes(), none.ranked, 20).endswith("release would look like.")


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (16.0, "At ε = 16 the paper's convention gives Gaussian noise 2.83 times too small for the same privacy."),
        (8.0, "At ε = 8 the paper's convention gives Gaussian noise 2 times too small for the same privacy."),
        (1.0, "At ε = 1 the paper's convention gives Gaussian noise 1.04 times too small for the same privacy."),
        (0.01, "At ε = 0.01 the paper's convention gives the same privacy, to half a per cent of the noise."),
    ],
)
def test_what_the_papers_convention_gives_away(epsilon, said):
    for mechanism in (DPGDzCDP(), NoisyStatsGaussian()):
        assert convention_sentence(epsilon, [NoisyStats(), mechanism]) == said
    check_readable(said)


class InZCDP(DPExpTheilSen):
    def guarantee(self, epsilon):
        return ZCDP(epsilon**2 / 2)


def test_the_convention_of_other_noise_and_of_none():
    assert "a budget 2.83 times too large for the same privacy" in convention_sentence(16.0, [InZCDP()])
    assert "Gaussian noise 2.83 times too small" in convention_sentence(16.0, [InZCDP(), DPGDzCDP()])
    assert convention_sentence(16.0, [OLS(), NoisyStats(), DPGDApprox()]) == ""


@pytest.mark.parametrize(
    ("accounting", "weak"), [("paper", True), ("implied", True), ("attack", False), (ZCDP(1.0), False)]
)
def test_a_guarantee_that_all_have_is_not_called_weaker(accounting, weak):
    rows = summary(OLS=(0, 0, 0), NoisyStats=(0.2, 0.2, 0.2), DPGDzCDP=(0.1, 0.09, 0.11))
    rows = rows.assign(c95=1.0, bias=0.0, failure_rate=0.0, how="")
    assert ("weaker than pure" in verdict(rows, THREE, 0.25, 2.0, accounting).sentence()) is weak
    ranked = ranking(rows, THREE, 0.25, 2.0, accounting)
    assert lead_among(ranked).mechanism == ("NoisyStats" if weak else "DPGDzCDP")
    assert ("weaker" in headline(ranked, Axis("y", "", 0, 1))) is weak
    assert (ranked["guarantee_class"] == "the same guarantee").sum() == (0 if weak else 2)
    assert ranked["guarantee_class"].iloc[-1] == "not private"


POINTS = Axis("score", "points", 0, 100)


def ranked_in_class(count: int, epsilon: float, mechanisms: list) -> pd.DataFrame:
    data = students(count, 10.0)
    return ranking(compare(data, mechanisms, epsilon, (POINT, 0.25)).summary, mechanisms, POINT, epsilon)


def test_the_headline_says_what_part_of_the_error_is_no_noise():
    """300 students at epsilon 2: an error of 1.01 points of which .63 is the gap, counted here directly."""
    ranked, data = ranked_in_class(300, 2.0, [DPExpTheilSen()]), students(300, 10.0)
    lines = [
        data.y[i] + (data.y[j] - data.y[i]) / (data.x[j] - data.x[i]) * (POINT - data.x[i])
        for i in range(data.n)
        for j in range(i)
    ]
    gap = 100 * abs(np.median(lines) - data.predict(POINT)[0])
    share = ranked["c68"].iloc[0] / data.standard_error(POINT)[0]
    said = headline(ranked, POINTS)
    assert said.startswith("Best here: DPExpTheilSen. Its error, ±1.01 points, is ")
    if share >= 1:
        assert f"is {share:.3g} times the standard error." in said
    else:
        assert f"is {share:.0%} of the standard error." in said
    assert said.endswith(f"Part of it is no noise: DPExpTheilSen aims at Theil–Sen, {gap:.3g} points from OLS here.")
    check_readable(said)


def test_the_headline_says_where_more_epsilon_will_not_help():
    """The mean of y is far from the line, whatever epsilon is."""
    for epsilon in (1.0, 1e6):
        ranked, data = ranked_in_class(100, epsilon, [NoisyIntercept()]), students(100, 10.0)
        gap, unit = 100 * abs(data.y.mean() - data.predict(POINT)[0]), 100 * data.standard_error(POINT)[0]
        assert gap > unit
        said = headline(ranked, POINTS)
        told = f"aims at the mean of y, {gap:.3g} points from OLS: more than the standard error."
        assert told in said and said.endswith("More ε will not help it.")
        check_readable(said)


def test_an_error_without_a_gap_is_all_noise():
    said = headline(ranked_in_class(100, 4.0, [NoisyStats()]), POINTS)
    assert "no noise" not in said and "More ε" not in said


def test_the_headline_tells_a_tie():
    """At one point JointTheilSen is DPExpTheilSen; drawn errors overlap."""
    data, both = students(100, 10.0), [DPExpTheilSen(), JointTheilSen(), NoisyStats()]
    ranked = ranking(compare(data, both, 2.0, POINT).summary, both, POINT, 2.0)
    names = listed(ranked["algorithm"][:2])
    assert set(ranked["algorithm"][:2]) == {"DPExpTheilSen", "JointTheilSen"}
    assert headline(ranked, POINTS).startswith(f"Best here: {names}, with the same error. Their error, about ±")
    rows = summary(NoisyStats=(0.20, 0.18, 0.22), DPGDPure=(0.21, 0.19, 0.23), DPExpTheilSen=(0.5, 0.5, 0.5))
    rows = rows.assign(c95=1.0, bias=0.0, failure_rate=0.0, how="")
    said = headline(ranking(rows, [NoisyStats(), DPGDPure(), DPExpTheilSen()], 0.25, 2.0), POINTS)
    assert said.startswith("Best here: NoisyStats and DPGDPure, too close to call. Their error, about ±20 points,")
    check_readable(said)
