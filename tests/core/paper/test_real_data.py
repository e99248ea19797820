"""Figures on people and public data against by_group, compare, the law of failures and the numbers in print."""

import numpy as np
import pytest

from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.real_data import EPSILONS, data_with
from tests.cases.paper import few


def test_tracts_are_of_both_states_and_the_oi_method_looks_at_all_of_them():
    figure = figure_named("tracts")
    settings, more = few(figure, 4), few(figure, 60)
    tasks, many = figure.tasks(settings), figure.tasks(more)
    chi = {task.panel: task.mechanisms[-1].chi for task in tasks}
    assert [sum(len(task.datasets) for task in tasks if task.panel == panel) for panel in chi] == [
        4,
        4,
    ]
    assert {task.panel: task.mechanisms[-1].chi for task in many} == chi


@pytest.mark.parametrize(("n", "nvar"), [(39, 0.0245), (381, 28.002), (433, 31.154), (4, 0.5)])
def test_the_data_have_the_n_var_x_in_print(n, nvar):
    data = data_with(n, nvar)
    assert data.n == n and data.nvar == pytest.approx(nvar, rel=1e-12)
    with pytest.raises(ValueError, match="x must lie in"):
        data_with(n, n / 3.9)


@pytest.mark.parametrize("name", ["failures-illinois", "failures-north-carolina"])
def test_counted_rates_follow_the_laplace_tail(name):
    figure = figure_named(name)
    frame = figure.compute(few(figure, 2, trials=4000))
    exact = 0.5 * np.exp(-frame["nvar"] * frame["epsilon"] / (3 * (1 - 1 / frame["n"])))
    np.testing.assert_allclose(frame["exact"], exact, rtol=1e-9)
    assert (
        np.abs(frame["failed"] - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 4000) + 1e-3
    ).all()
    assert (
        sorted(set(frame["epsilon"])) == list(EPSILONS)
        and EPSILONS[0] == 2**-7
        and EPSILONS[-1] == 8
    )
