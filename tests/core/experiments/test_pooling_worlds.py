"""Coverage of pooled areas in simulated worlds: what is stored, what is said of it, and the search over spreads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.experiments.pooling import _likely
from dpslr_core.experiments.pooling_worlds import COLUMNS, HOLDS, load
from dpslr_core.text.pooling import coverage_sentence, state_sentence


def table():
    rows = [
        ("A", 50, False, 1.0, 2, 0.95),
        ("B", 50, True, 1.0, 2, 0.9),
        ("A", 3108, False, 4.0, 1, 0.99),
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS[:6])
    return frame.assign(**dict.fromkeys(COLUMNS[6:], 0.1))


def test_on_average_over_worlds_the_intervals_hold_at_every_epsilon_and_number_of_areas_but_where_it_is_said():
    means = load().groupby(["areas", "epsilon"])["coverage"].mean()
    assert means.drop((50, 0.5)).between(*HOLDS).all()
    assert (means.loc[50] > HOLDS[0]).all()


def test_the_sentences_by_hand():
    assert coverage_sentence(table(), 60, 1.2) == (
        "In 2 simulated worlds of 50 areas at ε = 1, 90.0% to 95.0% of them hold it. Outside of "
        "93.0% to 97.5%: B with a public number 90.0%."
    )
    epsilons = [1.0, 2.0, 4.0]
    state = pd.DataFrame({
        "world": "A", "areas": 300, "covariate": False, "epsilon": epsilons, "pooled_rms": [0.05, 0.2, 0.04],
        "ols_rms": 0.1, "pooled_median": 0.02, "ols_median": 0.03,
    })  # fmt: skip
    assert "from ε = 4 on" in state_sentence(state, "A") and "0.04, of OLS 0.1." in state_sentence(
        state, "A"
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_search_over_spreads_gives_all_cells_that_are_not_unlikely(seed):
    rng = np.random.default_rng(seed)
    middle, width = rng.uniform(0, 20, 2), rng.uniform(0.3, 6, 2)
    scores = np.array(
        [
            [-0.5 * np.sum(((np.array([i, j]) - middle) / width) ** 2) for j in range(16)]
            for i in range(24)
        ]
    )
    seen = []

    def score(cell):
        seen.append(cell)
        return float(scores[cell])

    likely = _likely(score, scores.shape)
    expected = np.argwhere(scores > scores.max() + np.log(1e-5))
    assert [*likely] == [tuple(cell) for cell in expected.tolist()] and len(set(seen)) == len(seen)
