"""Where the constants of the two simulated states come from: tracts fitted to their published ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from dpslr_core.sources.tracts import CHILD_SD, _log_income
from dpslr_core.support.types import Floats


def fit_tracts(table: pd.DataFrame) -> pd.DataFrame:
    """Tracts with alpha and the one beta of a state that give its published child_rank; columns mu, alpha, beta.

    child_rank is the expected rank, in the state that is simulated, of a child in tract t whose parents are
    at the 25th percentile q of the state: with u_t = alpha_t + beta q
        mean over s of Phi((u_t - u_s - beta (E_s - q)) / sqrt(beta^2 V_s + 2 0.2^2)) = child_rank_t for every t.
    For a given beta the right u is the fixed point of u <- inverse of the left side at child_rank; that map
    keeps order and commutes with shifts, so it settles up to one common drift per step. All children's ranks
    average 1/2, so the child ranks also determine the one beta that all tracts share: where the drift is 0.
    A shift of all alpha changes no rank: it is set so that ln(child) and ln(parent) have the same mean.
    A rank in the nation, as the Opportunity Atlas publishes (in percent), is taken for one in the state.
    """
    goal, (mean, variance) = table["child_rank"].to_numpy(), _log_income(table["mu"].to_numpy())
    sd, weight = np.sqrt(variance), np.full(goal.size, 1 / goal.size)
    ends = (mean - 9 * sd).min(), (mean + 9 * sd).max()
    low_parent = float(brentq(lambda q: weight @ ndtr((q - mean) / sd) - 0.25, *ends))

    def child_rank(at: Floats, level: Floats, beta: float) -> Floats:
        """Expected rank of a child whose ln(income) is N(at, 0.2^2), in a state with these u; shape (len(at),)."""
        center, spread = (
            level + beta * (mean - low_parent),
            np.sqrt(beta**2 * variance + 2 * CHILD_SD**2),
        )
        return np.asarray(ndtr((at[:, None] - center) / spread) @ weight)

    def settle(beta: float) -> tuple[Floats, float]:
        """The fixed point u with weighted mean 0, shape (tracts,), and its drift per step."""
        reach = np.sqrt(beta**2 * variance.mean() + 2 * CHILD_SD**2)
        level, drift = reach * ndtri(goal), 0.0
        for _ in range(60):
            number = int(8 * (np.ptp(level) / reach + 2))
            knots = np.linspace(level.min() - reach, level.max() + reach, number)
            # On normal scales the mixture is nearly a straight line, so few knots are enough.
            moved = np.interp(ndtri(goal), ndtri(child_rank(knots, level, beta)), knots)
            step, drift = moved - level, float(weight @ (moved - level))
            level = moved - weight @ moved
            if np.ptp(step) < 1e-8:
                break
        return level, drift

    beta = float(brentq(lambda beta: settle(beta)[1], 0.0, 0.3, xtol=1e-9))
    level = settle(beta)[0]
    alpha = level - beta * low_parent
    alpha += weight @ ((1 - beta) * mean - alpha)
    return table.assign(alpha=alpha, beta=beta)
