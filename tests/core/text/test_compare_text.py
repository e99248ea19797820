"""What Compare says, in numbers: who leads, by how much, what part of the error is no noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core.experiments import compare
from dpslr_core.experiments.ranking import (
    EQUAL,
    NOT_PRIVATE,
    STRONGEST,
    WEAKER,
    lead_among,
    ranking,
)
from dpslr_core.lesson.settings import POINT, students
from dpslr_core.privacy import ZCDP
from dpslr_core.sources.axis import UNIT_X, Axis
from dpslr_core.text.compare import (
    answer,
    convention_sentence,
    dots_sentence,
    headline,
    releases_sentence,
)
from dpslr_core.text.intervals import release_sentence
from tests.golden.sentences import RANKED, Y, ranked, released

POINTS = Axis("score", "points", 0, 100)


@pytest.mark.parametrize(
    ("accounting", "weak"),
    [("paper", True), ("implied", True), ("attack", False), (ZCDP(1.0), False)],
)
def test_a_guarantee_that_all_have_is_not_called_weaker(accounting, weak):
    rows = ranked(accounting, OLS=0.0, NoisyStats=0.2, DPGDzCDP=(0.1, 0.09, 0.11))
    assert lead_among(rows).mechanism == ("NoisyStats" if weak else "DPGDzCDP")
    assert ("weaker" in answer(rows, POINTS)) is weak
    assert (rows["guarantee_class"] == EQUAL).sum() == (0 if weak else 2)
    assert rows["guarantee_class"].iloc[-1] == NOT_PRIVATE


@pytest.mark.parametrize("case", RANKED)
def test_a_smaller_error_stands_only_after_the_words_with_a_weaker_guarantee(case):
    rows = RANKED[case]
    finite = rows[np.isfinite(rows["c68"])]
    strongest = finite[finite["guarantee_class"].isin(STRONGEST)]
    weaker = finite[finite["guarantee_class"] == WEAKER]
    weaker = weaker[~(weaker["c68"] >= strongest["c68"].min())]
    before, _, after = answer(rows, POINTS).partition("With a weaker guarantee (")
    assert weaker.empty is (after == "")
    assert not after or weaker["algorithm"].iloc[0] in after
    assert strongest.empty or strongest["algorithm"].iloc[0] in before
    assert not set(weaker["algorithm"]) & set(before.split())


def test_the_leader_by_error_is_named_beside_the_narrowest_interval():
    rows = released(CenteredStats=0.1, DeepestLine=0.3, NoisyStats=np.inf)
    for leader, ending in {
        "DeepestLine": "DeepestLine has the smallest error; its interval is 15 $ wide.",
        "NoisyStats": "NoisyStats has the smallest error, but no interval with two ends.",
        "CenteredStats": "2 times that of OLS.",
        None: "2 times that of OLS.",
    }.items():
        assert release_sentence(rows, 0.05, UNIT_X, Y, leader).endswith(ending)


def test_dots_and_releases_near_ols_are_counted():
    ols = pd.Series({"center": 0.5, "standard_error": 0.1})
    said = dots_sentence(
        pd.DataFrame({"estimate": [0.5, 0.41, 0.59, 0.7, np.nan]}), ols, "NoisyStats", POINTS
    )
    assert said.startswith("3 of 5 releases") and said.endswith("In 1 of 5 there is no answer.")
    result = compare(students(30, 10.0), [dp.NoisyStats(), dp.DPExpTheilSen()], 2.0, 0.5, trials=40)
    rows = result.draws.pivot(index="trial", columns="mechanism", values="estimate")[20:30]
    first, second = (
        np.abs(rows[name] - result.summary["center"][0]) for name in ("NoisyStats", "DPExpTheilSen")
    )
    closer = sum(a < b for a, b in zip(first, second.fillna(np.inf), strict=True))
    assert closer != 5 and releases_sentence(
        result, "NoisyStats", "DPExpTheilSen", 0.5, 30, 10
    ) == (
        f"30 releases drawn. In {closer} of the last 10, NoisyStats came closer to OLS than "
        "DPExpTheilSen."
    )


def test_the_headline_says_what_part_of_the_error_is_no_noise():
    """300 students at epsilon 2: an error of 1.01 points of which .63 is the gap, counted here directly."""
    data, mechanisms = students(300, 10.0), [dp.DPExpTheilSen()]
    rows = ranking(compare(data, mechanisms, 2.0, (POINT, 0.25)).summary, mechanisms, POINT, 2.0)
    lines = [
        data.y[i] + (data.y[j] - data.y[i]) / (data.x[j] - data.x[i]) * (POINT - data.x[i])
        for i in range(data.n)
        for j in range(i)
    ]
    gap = 100 * abs(np.median(lines) - data.predict(POINT)[0])
    share = rows["c68"].iloc[0] / data.standard_error(POINT)[0]
    said = headline(rows, POINTS)
    assert (
        said.startswith("DPExpTheilSen is best here: its error is ")
        and " are within ±1.01 points of the line" in said
    )
    assert (f"is {share:.3g} times the" if share >= 1 else f"is {share:.0%} of the") in said
    assert said.endswith(
        f"Part of it is no noise: DPExpTheilSen aims at Theil–Sen, {gap:.3g} points from OLS here."
    )


def test_what_the_papers_convention_gives_away():
    """Noise is proportional to 1 / sqrt(rho), and epsilon-DP implies rho = epsilon tanh(epsilon / 2)."""
    factor = f"{np.sqrt(8 / np.tanh(8)):.3g} times"
    said = convention_sentence(16.0, [dp.NoisyStats(), dp.DPGDzCDP(), dp.DPExpTheilSenZCDP()])
    assert f"the noise of DPGDzCDP and DPExpTheilSenZCDP would be {factor}" in said
    assert convention_sentence(0.01, [dp.DPGDzCDP()]) == ""
    assert convention_sentence(16.0, [dp.OLS(), dp.NoisyStats(), dp.DPGDApprox()]) == ""
