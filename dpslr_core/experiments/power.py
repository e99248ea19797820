"""The slope: how often its test finds one, and intervals for it that cost budget of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..dataset import Dataset
from ..intervals import Intervals, slope_test
from ..mechanisms import Mechanism
from ..mechanisms.centered import CenteredStats, CenteredSums
from ..privacy import Budget, Guarantee, ReleaseKind, Spend, booked
from ..privacy.accounting import paid
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import stream
from .coverage import binomial_limits, joined
from .how_sure import PAID_RELEASES

COLUMNS = ["n", "slope", "epsilon", "power", "low", "high"]
SLOPE_COLUMNS = ["algorithm", "low", "high", "width", "two_ends"]
LEVEL = 0.05
_FEWEST, _MOST, _RECORDS = 40, 300, 4_000_000  # data sets, and records in them


@runtime_checkable
class OffersSlopeIntervals(Protocol):
    """A mechanism that releases intervals for the slope."""

    def release_slope_intervals(
        self, data: Dataset, epsilon: float, level: float, size: int, *, rng: np.random.Generator
    ) -> Intervals:
        """size releases, each of which costs epsilon."""

    def interval_ledger(self, epsilon: float) -> tuple[Spend, ...]:
        """What each of them spends."""


def with_slope_intervals(mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """Those that offer intervals for the slope, in order."""
    return [m for m in mechanisms if isinstance(m, OffersSlopeIntervals)]


def slope_costs(mechanism: Mechanism, budget: Budget) -> tuple[Guarantee, list[tuple[str, Guarantee]]]:
    """What slope_release costs, and of that each end, as of privacy.booked.

    ValueError where the mechanism offers no interval for the slope.
    """
    if not isinstance(mechanism, OffersSlopeIntervals):
        raise ValueError(f"{mechanism.name} offers no intervals for the slope")
    epsilon = _paid(mechanism, budget).epsilon
    whole = mechanism.guarantee(epsilon)
    return whole, booked(mechanism.interval_ledger(epsilon), whole)


def slope_release(data: Dataset, mechanism: Mechanism, budget: Budget, seed: int, draw: int) -> pd.DataFrame:
    """Release number draw of an interval for the true slope, for all of the budget: a row of SLOPE_COLUMNS.

    In units of the unit square. width: the median over several releases; two_ends: the share of them that have both.
    ValueError where the mechanism offers none, or n is out of its reach.
    """
    if not isinstance(mechanism, OffersSlopeIntervals):
        raise ValueError(f"{mechanism.name} offers no intervals for the slope")
    rng, spent = stream(seed, "slope interval", data.digest, repr(mechanism)), _paid(mechanism, budget)
    made = mechanism.release_slope_intervals(data, spent.epsilon, 1 - LEVEL, PAID_RELEASES, rng=rng)
    i, width = draw % PAID_RELEASES, float(np.median(made.width))
    row = (mechanism.name, float(made.low[i, 0]), float(made.high[i, 0]), width, float(made.identified.mean()))
    return pd.DataFrame([row], columns=SLOPE_COLUMNS)


def _paid(mechanism: Mechanism, budget: Budget) -> Budget:
    return paid(mechanism, budget, ReleaseKind.SLOPE_INTERVAL)


def ols_slope_interval(data: Dataset) -> tuple[float, float]:
    """The usual interval of OLS for the true slope, which is not private; needs nvar > 0."""
    half = float(stdtrit(data.n - 2, 1 - LEVEL / 2)) * data.residual_sd / data.nvar**0.5
    slope = data.ncov / data.nvar
    return slope - half, slope + half


def slope_test_power(
    model: LinearModel,
    epsilon: float,
    mechanism: CenteredSums | None = None,
    datasets: int = 500,
    seed: int = 0,
    level: float = LEVEL,
) -> tuple[float, float, float]:
    """The share of simulated data sets with p <= level, one release each, and its exact 95% limits.

    At slope 0 it is the share of false alarms. mechanism: CenteredStats() where none is given. ValueError where a
    number cannot be.
    """
    mechanism = mechanism or CenteredStats()
    validate.integer(1, datasets=datasets)
    validate.inside(0, 1, closed="neither", level=level)
    rng = stream(seed, "slope test", repr(model), repr(mechanism), epsilon)
    releases = [
        mechanism.release_statistics(model.replicate(seed, number), epsilon, 1, rng=rng) for number in range(datasets)
    ]
    found = int((slope_test(joined(releases), rng=rng) <= level).sum())
    return found / datasets, *binomial_limits(found, datasets)


def with_slope(model: LinearModel, n: int, slope: float) -> LinearModel:
    """So many records about a line of another slope, which stays where it is at mean x."""
    height = model.intercept + (model.slope - slope) * model.x_mean
    return replace(model, n=n, slope=slope, intercept=height)


def power_settings(model: LinearModel, budget: Budget, slope: float) -> list[tuple[LinearModel, Budget, int]]:
    """Models and budgets of a curve of power over n for each of some epsilons, with the number of data sets.

    n from a quarter to four times that of the model; half, once and twice epsilon. Of many records fewer data sets.
    """
    sizes = dict.fromkeys(max(3, round(model.n * more)) for more in (0.25, 0.5, 1.0, 2.0, 4.0))
    return [
        (with_slope(model, n, slope), replace(budget, epsilon=budget.epsilon * richer), datasets_of(n))
        for richer in (0.5, 1.0, 2.0)
        for n in sizes
    ]


def datasets_of(n: int) -> int:
    """Simulated data sets of so many records each."""
    return max(_FEWEST, min(_MOST, _RECORDS // n))


def power_row(model: LinearModel, budget: Budget, mechanism: CenteredSums, datasets: int, seed: int) -> tuple:
    """A row of COLUMNS: slope_test_power with what the budget lets the mechanism spend."""
    spent = paid(mechanism, budget).epsilon
    return (model.n, model.slope, budget.epsilon, *slope_test_power(model, spent, mechanism, datasets, seed))


def power_table(
    model: LinearModel,
    sizes: Sequence[int],
    slopes: Sequence[float],
    epsilons: Sequence[float],
    datasets: int = 500,
    seed: int = 0,
) -> pd.DataFrame:
    """slope_test_power of CenteredStats for every n, slope and epsilon; the line stays where it is at mean x."""
    rows = []
    for n in sizes:
        for slope in slopes:
            changed = with_slope(model, n, slope)
            for epsilon in epsilons:
                rows.append((n, slope, epsilon, *slope_test_power(changed, epsilon, None, datasets, seed)))
    return pd.DataFrame(np.array(rows), columns=COLUMNS).astype({"n": int})
