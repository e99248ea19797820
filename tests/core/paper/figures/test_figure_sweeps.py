"""The sweeps of figures against sweep itself, and what becomes of infinite errors."""

import numpy as np
import pandas as pd
import pytest
from paper_cases import few

from dpslr_core import sweep
from dpslr_core.experiments.sweep.paper_sweeps import PAPER_SWEEPS
from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.figures.sweeps import averaged, panels_of

COLUMNS = ["mean", "median", "infinite_share"]


@pytest.fixture(scope="module")
def products() -> pd.DataFrame:
    """The panels of few records."""
    figure = figure_named("synthetic-products")
    settings = few(figure, datasets=6, trials=20)
    tasks = [task for task in figure.tasks(settings) if "800" not in task.panel]
    return figure.joined([figure.measure(task) for task in tasks], settings)


@pytest.mark.parametrize(("key", "panel"), [("40-var-e", "the residual variance"), ("216-x-new", "x")])
def test_a_panel_has_the_numbers_of_sweep(products, key, panel):
    paper = next(each for each in PAPER_SWEEPS if each.key == key)
    wanted = sweep(paper.parameter, paper.values, paper.base, paper.base.mechanisms, datasets=6, trials=20)
    mine = products[products["panel"] == f"ε n var(x) = {key.split('-')[0]}, varying {panel}"]
    mine = mine.rename(columns={"algorithm": "mechanism"}).set_index(["value", "mechanism"]).sort_index()
    wanted = wanted.set_index(["value", "mechanism"]).sort_index()
    np.testing.assert_array_equal(mine[COLUMNS], wanted[COLUMNS])


def test_parts_cover_every_data_set_once(products):
    figure = figure_named("synthetic-products")
    tasks = figure.tasks(few(figure, datasets=6))
    numbers = [
        (task.panel, setting.value, number) for task in tasks for setting in task.group for number in task.numbers
    ]
    assert len(numbers) == len(set(numbers)) == 6 * 3 * (9 + 11)
    assert (products["datasets"] == 6).all()


def test_an_infinite_error_makes_the_mean_infinite_and_leaves_the_median_as_an_open_circle():
    rows = [("p", "n", value, "NoisyStats", i, error) for value, errors in ((10, [1, 2, np.inf]), (20, [1, 2, 3]))
            for i, error in enumerate(errors)]  # fmt: skip
    frame = averaged(pd.DataFrame(rows, columns=["panel", "parameter", "value", "algorithm", "number", "error"]), None)
    assert frame["mean"].tolist() == [np.inf, 2] and frame["median"].tolist() == [2, 2]
    assert frame["infinite_share"].tolist() == [1 / 3, 0] and np.isnan(frame["monte_carlo_error"][0])
    assert frame["monte_carlo_error"][1] == pytest.approx(1 / np.sqrt(3))
    open_dots = panels_of(frame, None)["p"].open_dots
    assert open_dots[["x", "y"]].to_numpy().tolist() == [[10, 2]]
