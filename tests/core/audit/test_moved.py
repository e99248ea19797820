"""One record moved: neighbours, lines and output distributions, against numbers computed another way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from dpslr_core import Dataset
from dpslr_core.audit import audit
from dpslr_core.audit.moved import MovedRecord, output_change
from dpslr_core.mechanisms import DPGDPure, NoisyIntercept, NoisyStats
from dpslr_core.privacy import Budget

RNG = np.random.default_rng(5)
DATA = Dataset(RNG.uniform(0.1, 0.9, 30), RNG.uniform(0.2, 0.8, 30))
MOVED = MovedRecord(DATA, 4, 0.95, 0.0)


def test_the_neighbour_differs_in_the_one_record():
    assert DATA.replaced(MOVED.after) == (MOVED.old, (0.95, 0.0))
    assert MOVED.old == (DATA.x[4], DATA.y[4]) and MOVED.moved
    still = MovedRecord(DATA, 4, *MOVED.old)
    assert not still.moved and still.after == DATA
    for wrong in ((30, 0.5, 0.5), (-1, 0.5, 0.5), (0, 1.5, 0.5), (0, 0.5, np.nan)):
        with pytest.raises(ValueError, match=r"place|x must|y must"):
            MovedRecord(DATA, *wrong)


def test_both_lines_are_those_of_the_two_data_sets():
    """Theil-Sen's through its predictions at 1/4 and 3/4."""
    low, high = np.array([[1.5, -0.5], [-0.5, 1.5]])
    lines = MOVED.lines()
    for name, data in (("before", DATA), ("after", MOVED.after)):
        rows = lines[lines["data"] == name]
        assert rows["x"].tolist() == [0, 1]
        np.testing.assert_allclose(rows["ols"], data.predict([0, 1]), atol=1e-12)
        np.testing.assert_allclose(
            rows["theil_sen"], data.theil_sen([0.25, 0.75]) @ [low, high], atol=1e-12
        )


def test_the_distributions_are_the_laws_and_the_loss_is_the_audits():
    budget, mechanism, t = Budget(2.0, (0.75, 0.25)), NoisyStats(), np.linspace(0.2, 0.8, 7)
    change = output_change(MOVED, mechanism, budget)
    for law, data in ((change.before, DATA), (change.after, MOVED.after)):
        np.testing.assert_allclose(
            law.cdf(t), mechanism.law(data, 2.0, budget.at)[0].cdf(t), atol=1e-9
        )
    assert change.loss == audit(mechanism, DATA, MOVED.after, 2.0, budget.at)
    assert output_change(MOVED, DPGDPure(), budget) is None  # without an exact distribution


def test_the_densities_hold_the_mass_of_the_window_which_the_move_does_not_change():
    change = output_change(MOVED, NoisyIntercept(), Budget(2.0))
    window = change.window()
    rows = change.odds(window)
    for name, law in (("before", change.before), ("after", change.after)):
        low, high = law.cdf(np.array(window))
        assert trapezoid(rows[name], rows["estimate"]) == pytest.approx(high - low, abs=2e-3)
    elsewhere = output_change(MovedRecord(DATA, 7, 0.0, 1.0), NoisyIntercept(), Budget(2.0))
    assert elsewhere.window() == window


def test_results_of_different_moves_have_different_keys():
    assert (
        len(
            {
                MovedRecord(DATA, place, x, 0.5).digest
                for place in (0, 1)
                for x in (0.1, np.nextafter(0.1, 1))
            }
        )
        == 4
    )
