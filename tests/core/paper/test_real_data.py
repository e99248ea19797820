"""Figures on people and public data against by_group, compare, the law of failures and the numbers in print."""

import numpy as np
import pytest

from dpslr_core import pool_areas
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.real_data import (
    EPSILONS,
    POOLED,
    PURE,
    PooledTracts,
    data_with,
    lines_of_tracts,
    tracts,
)
from dpslr_core.sources.tracts import ILLINOIS
from dpslr_core.support.run import stream
from tests.cases.paper import few


def test_every_algorithm_runs_in_tracts_of_both_states_and_the_oi_method_looks_at_all_of_them():
    figure = figure_named("tracts")
    settings, more = few(figure, 4), few(figure, 60)
    tasks, many = (
        [t for t in figure.tasks(s) if not isinstance(t, PooledTracts)] for s in (settings, more)
    )
    chi = {task.panel: task.mechanisms[-1].chi for task in tasks}
    assert [sum(len(task.datasets) for task in tasks if task.panel == panel) for panel in chi] == [
        4,
        4,
    ]
    assert {task.panel: task.mechanisms[-1].chi for task in many} == chi
    panels = figure.panels(figure.compute(settings), settings)
    drawn = set(panels["Illinois"]["datasets"]["curves"]["algorithm"])
    assert drawn == {*PURE, "DPGDApprox", "DPGDzCDP", "MaximumObservedSensitivity", POOLED}


def test_pooled_bounds_hold_the_errors_about_the_line_of_everybody_in_68_percent_of_all_tracts():
    """OLS on a tract's records is away from the true line by one standard error, in root mean square."""
    figure, datasets = figure_named("tracts"), tracts(ILLINOIS, 0)
    task = next(task for task in figure.tasks(few(figure, 0)) if isinstance(task, PooledTracts))
    assert task.labels == tuple(datasets)
    rows, lines = task.measured().set_index("group"), lines_of_tracts(ILLINOIS, 0)
    assert (rows["error"] <= rows["c68"]).mean() == pytest.approx(0.68, abs=0.03)
    true = (lines["intercept"] + 0.25 * lines["slope"])[rows.index]
    ols = np.array([data.predict([0.25])[0] for data in datasets.values()])
    assert np.sqrt(np.mean(((ols - true) / rows["standard_error"]) ** 2)) == pytest.approx(
        1, abs=0.05
    )
    ones = {
        label: CenteredStats().release_statistics(
            data, 16.0, 1, rng=stream(0, "pooled areas", label)
        )
        for label, data in datasets.items()
    }
    pooled = pool_areas(ones, [0.25, 0.75], level=0.68)
    pooled = pooled[pooled["at"] == 0.25].set_index("group")
    np.testing.assert_allclose(
        rows["c68"], (pooled["high"] - pooled["pooled"])[rows.index], rtol=1e-9
    )
    np.testing.assert_allclose(
        rows["error"], (pooled["pooled"] - true).abs()[rows.index], rtol=1e-9
    )


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
    assert "Our numbers differ" in figure.agrees(frame, figure.settings())
