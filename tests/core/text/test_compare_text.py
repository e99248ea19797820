"""What Compare says, in numbers: who leads, by how much, what part of the error is no noise."""

from __future__ import annotations

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core.experiments import compare
from dpslr_core.experiments.ranking import (
    STRONGEST,
    WEAKER,
)
from dpslr_core.lesson.settings import students
from dpslr_core.sources.axis import UNIT_X, Axis
from dpslr_core.text.compare import (
    answer,
    convention_sentence,
    releases_sentence,
)
from dpslr_core.text.intervals import release_sentence
from tests.golden.sentences import RANKED, Y, released

POINTS = Axis("score", "points", 0, 100)


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
        "CenteredStats": "2 times the width of OLS.",
        None: "2 times the width of OLS.",
    }.items():
        assert release_sentence(rows, 0.05, UNIT_X, Y, leader).endswith(ending)


def test_releases_nearer_to_ols_are_counted():
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


def test_what_the_papers_convention_gives_away():
    """Noise is proportional to 1 / sqrt(rho), and epsilon-DP implies rho = epsilon tanh(epsilon / 2)."""
    factor = f"{np.sqrt(8 / np.tanh(8)):.3g} times"
    said = convention_sentence(16.0, [dp.NoisyStats(), dp.DPGDzCDP(), dp.DPExpTheilSenZCDP()])
    assert f"the noise of DPGDzCDP and DPExpTheilSenZCDP would be {factor}" in said
    assert convention_sentence(0.01, [dp.DPGDzCDP()]) == ""
    assert convention_sentence(16.0, [dp.OLS(), dp.NoisyStats(), dp.DPGDApprox()]) == ""
