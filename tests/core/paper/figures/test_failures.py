"""Failure rates: data with the n var(x) in print, trials against the exact rate, verdicts that can differ."""

import numpy as np
import pandas as pd
import pytest
from paper_cases import few

from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.figures.failures import EPSILONS, HIGH, LOW, data_with
from dpslr_core.paper.figures.figure import Verdict


@pytest.mark.parametrize(("n", "nvar"), [(39, 0.0245), (381, 28.002), (433, 31.154), (4, 0.5)])
def test_the_data_have_the_n_var_x_in_print(n, nvar):
    data = data_with(n, nvar)
    assert data.n == n and data.nvar == pytest.approx(nvar, rel=1e-12)


def test_more_n_var_x_than_there_is_room_for_is_refused():
    with pytest.raises(ValueError, match="x must lie in"):
        data_with(10, 2.6)


@pytest.mark.parametrize("name", ["failures-illinois", "failures-north-carolina"])
def test_counted_rates_follow_the_laplace_tail(name):
    figure = figure_named(name)
    frame = figure.compute(few(figure, 2, trials=4000))
    exact = 0.5 * np.exp(-frame["nvar"] * frame["epsilon"] / (3 * (1 - 1 / frame["n"])))
    np.testing.assert_allclose(frame["exact"], exact, rtol=1e-9)
    assert (np.abs(frame["failed"] - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 4000) + 1e-3).all()
    assert sorted(set(frame["epsilon"])) == list(EPSILONS) and EPSILONS[0] == 2**-7 and EPSILONS[-1] == 8
    assert figure.agrees(frame, figure.settings()).verdict is Verdict.DIFFERS


def two(low: float, high: float) -> pd.DataFrame:
    return pd.DataFrame({"group": [LOW, HIGH], "exact": [low, high], "failed": [low, high]})


def test_the_figure_would_agree_with_the_rates_in_print():
    figure = figure_named("failures-illinois")
    assert figure.agrees(two(0.40, 0.01), figure.settings()).verdict is Verdict.AGREES
    assert figure.agrees(two(0.40, 0.2), figure.settings()).verdict is Verdict.PARTLY


def test_over_all_tracts_the_worst_decides():
    figure = figure_named("failures-all-tracts")

    def frame(worst: float) -> pd.DataFrame:
        return pd.DataFrame({"failed": [0, 0, worst], "exact": [0, 0, worst], "nvar": [9.0, 8, 1]})

    assert figure.agrees(frame(0.12), figure.settings()).verdict is Verdict.AGREES
    partly = figure.agrees(frame(0.3), figure.settings())
    assert partly.verdict is Verdict.PARTLY and "in the worst tract 30% fail" in partly.sentence


def test_all_tracts_of_the_simulated_state_are_there_at_epsilon_8():
    figure = figure_named("failures-all-tracts")
    tasks = figure.tasks(few(figure, 0, trials=5))
    assert len({failures.group for task in tasks for failures in task}) == 3108
    frame = figure.measure(tasks[0])
    assert len(frame) == len(tasks[0]) and set(frame["epsilon"]) == {8.0} and (frame["exact"] < 0.01).mean() > 0.5
