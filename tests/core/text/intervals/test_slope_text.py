"""What is said of the slope, on tables made by hand."""

import numpy as np
import pandas as pd
import pytest
from readable import check_readable

from dpslr_core.experiments.released_intervals import POWER_COLUMNS, SLOPE_COLUMNS, slope_costs
from dpslr_core.mechanisms import DPExpTheilSen, DPExpTheilSenZCDP
from dpslr_core.privacy import Budget, ReleaseKind
from dpslr_core.sources.axis import UNIT_X, UNIT_Y, Axis
from dpslr_core.text.intervals import power_sentence, slope_cost_sentence, slope_interval_sentence


def told(*powers: float) -> str:
    rows = [(100 * 2**i, 0.5, 2.0, power, power - 0.05, power + 0.05) for i, power in enumerate(powers)]
    rows += [(100 * 2**i, 0.5, 4.0, 1.0, 1.0, 1.0) for i in range(len(powers))]
    said = power_sentence(pd.DataFrame(rows, columns=POWER_COLUMNS), 200, 2.0, "CenteredStats", "0.5")
    check_readable(said)
    return said


def test_power_now_and_from_where_it_is_enough():
    said = told(0.3, 0.6, 0.95)
    assert "finds a slope of 0.5 in 60% of simulated data sets at n = 200, ε = 2." in said
    assert "The 95% limits of that share are 55% and 65%." in said
    assert said.endswith("80% is reached between n = 200 and 400.")


@pytest.mark.parametrize(
    ("powers", "end"),
    [
        ((0.1, 0.2, 0.3), "No n up to 400 reaches 80% at this ε."),
        ((0.9, 0.95, 1.0), "Every n from 100 on reaches 80%."),
        ((0.9, 0.95, 0.7), "No n up to 400 reaches 80% at this ε."),
    ],
)
def test_where_it_never_or_always_is_enough(powers, end):
    assert told(*powers).endswith(end)


def test_an_interval_stands_beside_that_of_ols_in_the_units_of_the_axes():
    row = pd.Series(dict(zip(SLOPE_COLUMNS, ("DPExpTheilSen", 0.2, 0.8, 0.6, 1.0), strict=True)))
    said = slope_interval_sentence(row, (0.4, 0.6), Axis("x", "hours", 0, 10), Axis("y", "points", 0, 100))
    assert "interval for the slope in this release: 2 to 8, 3 times as wide as that of OLS in the median." in said
    check_readable(said)
    open_ended = pd.Series(dict(zip(SLOPE_COLUMNS, ("DPExpTheilSen", -np.inf, 0.8, np.inf, 0.1), strict=True)))
    assert slope_interval_sentence(open_ended, (0.4, 0.6), UNIT_X, UNIT_Y).endswith("lacks an end in this release.")


def test_the_cost_is_the_ledgers():
    said = slope_cost_sentence(*slope_costs(DPExpTheilSen(), Budget(8.0)))
    assert "costs ε = 8. Of that the lower end ε = 4 and the upper end ε = 4." in said
    check_readable(said)


def test_the_ends_of_an_interval_in_zcdp_cost_rho():
    """rho / 2 each, a range of sqrt(2) epsilon; not epsilon / 2, which would be rho / 4."""
    said = slope_cost_sentence(*slope_costs(DPExpTheilSenZCDP(), Budget(8.0)))
    assert "costs ρ = 32 zCDP. Of that the lower end ρ = 16 zCDP and the upper end ρ = 16 zCDP." in said
    lower, upper = DPExpTheilSenZCDP().draws(8.0, 1, ReleaseKind.SLOPE_INTERVAL)
    assert lower == upper and lower.size == pytest.approx(8 * 2**0.5) and lower.size**2 / 8 == pytest.approx(16)
    check_readable(said)
