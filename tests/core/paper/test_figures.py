"""All figures: their list, parameters, panels and claims; every kind of panel can be drawn."""

import numpy as np
import pytest

from dpslr_core.charts.vega import written
from dpslr_core.paper import results
from dpslr_core.paper.figures import FIGURES, figure_named
from dpslr_core.paper.pictures import for_page
from tests.cases.paper import few, uci_or_skip

OF_UCI = {
    "bikes": "bikes",
    "bikes-widened": "bikes",
    "bike-records": "bikes",
    "stocks": "stocks",
    "stock-records": "stocks",
    "nanotubes": "nanotubes",
    "nanotube-records": "nanotubes",
}


def test_a_changed_parameter_is_told_and_a_wrong_one_refused():
    figure = figure_named("bikes")
    changed = figure.settings({"epsilon": 3})
    assert changed["epsilon"] == 3 and figure.changed_from_print(changed) == "ε = 3"
    for name, value in {"epsilon": 0, "lower": float("nan"), "steps": 2.5}.items():
        with pytest.raises(ValueError, match=name):
            figure.settings({name: value})
    with pytest.raises(ValueError, match="has the parameters"):
        figure.settings({"sigma": 1})
    with pytest.raises(ValueError, match="seed"):
        figure.settings(seed=-1)


@pytest.mark.slow
@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_each_panel_runs(figure, monkeypatch):
    """Each panel of few data sets and trials is drawn, with numbers on more than half of every curve."""
    if figure.name in OF_UCI:
        uci_or_skip(monkeypatch, OF_UCI[figure.name])
    settings = few(figure, 2, trials=10)
    frame = figure.compute(settings)
    panels = figure.panels(frame, settings)
    assert panels and results.said_of(figure, frame, settings)
    for panel in panels.values():
        written(for_page(panel), ".svg")
        for rows in panel["datasets"].values():
            if {"algorithm", "y"} <= set(rows):
                known = np.isfinite(rows["y"]).groupby(rows["algorithm"]).mean()
                assert (known > 0.5).all(), known


def test_a_figure_has_claims_or_a_sentence_of_its_own():
    for figure in FIGURES:
        assert bool(figure.claims) != (figure.sentence is not None), figure.name
