"""Tests between two neighbours: the fewest misses for each share of false alarms, and what a guarantee allows.

A test says "after" or "before" on seeing a release. False alarm: it says "after" and the data are those before; a miss:
it says "before" and they are those after. Source: Dong, Roth and Su (2022).
"""

from __future__ import annotations

from math import inf

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr, ndtri

from ..laws.base import Law
from ..privacy import ZCDP, ApproxDP, Guarantee, Losses
from ..support.types import Floats
from .losses import LOWER, NO_ANSWER, UPPER, atoms, central_outcomes


def best_tests(before: Law, after: Law) -> pd.DataFrame:
    """Columns false_alarms and misses, rising and falling: the corners of the trade-off curve between two laws.

    By the lemma of Neyman and Pearson the best tests say "after" where after / before is largest. The line is cut into
    cells whose probabilities are exact under both laws, so that the curve is that of the outcomes as seen in cells:
    exact for piecewise uniform laws, and otherwise above the true one by no more than the cells are wide.
    """
    mine, theirs = _cells(before, after)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = theirs / mine
    order = np.argsort(-ratio, kind="stable")
    false_alarms, power = (np.append(0.0, np.cumsum(masses[order])) for masses in (mine, theirs))
    return pd.DataFrame({"false_alarms": np.minimum(false_alarms, 1), "misses": np.maximum(1 - power, 0)})


def misses_at(tests: pd.DataFrame, false_alarms: ArrayLike) -> Floats:
    """The fewest misses at these shares of false alarms, between the corners of best_tests; same shape."""
    return np.asarray(np.interp(np.asarray(false_alarms, dtype=float), tests["false_alarms"], tests["misses"]))


def _cells(before: Law, after: Law) -> tuple[Floats, Floats]:
    """The probabilities of each cell, and of the outcomes with one of their own, under both laws; none of both is 0."""
    outcomes = atoms(before, after)
    outcomes = outcomes[outcomes["outcome"].isin((NO_ANSWER, LOWER, UPPER))]
    edges = central_outcomes(before, after)
    masses = []
    for name, law in (("before", before), ("after", after)):
        cdf = np.concatenate([[0.0], law.cdf(edges), [1 - law.failure]])
        for end, outcome in (("lower", LOWER), ("upper", UPPER)):  # mass at an end has a row of its own
            at, share = getattr(law, end, np.nan), outcomes.loc[outcomes["outcome"] == outcome, name]
            cdf[1:-1][edges >= at] -= share.sum()
            cdf[-1] -= share.sum()
        masses.append(np.append(np.maximum(np.diff(cdf), 0.0), outcomes[name]))
    mine, theirs = masses
    possible = (mine > 0) | (theirs > 0)
    return mine[possible] / mine.sum(), theirs[possible] / theirs.sum()


def allowed_misses(guarantee: Guarantee, known: Losses, false_alarms: ArrayLike) -> Floats:
    """The fewest misses that a guarantee leaves possible at each share of false alarms; same shape.

    known: what is known of the noise beside the guarantee (privacy.losses): epsilon and mu are used, rho only where
    they are infinite. Each bound holds, so the largest does; 0 where nothing is promised.
    """
    alpha = np.asarray(false_alarms, dtype=float)
    bounds = [np.zeros_like(alpha)]
    if known.epsilon < inf:
        bounds.append(approximate_curve(known.epsilon, 0.0, alpha))
    if known.mu < inf:
        bounds.append(gaussian_curve(known.mu, alpha))
    if isinstance(guarantee, ApproxDP):
        bounds.append(approximate_curve(guarantee.epsilon, guarantee.delta, alpha))
    if isinstance(guarantee, ZCDP) and known.mu == inf:
        bounds.append(concentrated_curve(guarantee.rho, alpha))
    return np.max(bounds, axis=0)


def approximate_curve(epsilon: float, delta: float, false_alarms: ArrayLike) -> Floats:
    """f_(epsilon, delta)(a) = max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)); same shape as a.

    P(after says "after") <= e^epsilon P(before says "after") + delta, and the same of "before".
    """
    alpha = np.asarray(false_alarms, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        steep = 1 - delta - np.where(alpha > 0, np.exp(np.minimum(epsilon, 700.0)) * alpha, 0.0)
    return np.maximum(0.0, np.maximum(steep, np.exp(-epsilon) * (1 - delta - alpha)))


def gaussian_curve(mu: float, false_alarms: ArrayLike) -> Floats:
    """G_mu(a) = Phi(Phi^-1(1 - a) - mu); same shape as a."""
    return np.asarray(ndtr(-ndtri(np.asarray(false_alarms, dtype=float)) - mu))


def concentrated_curve(rho: float, false_alarms: ArrayLike) -> Floats:
    """A lower bound on the misses of rho-zCDP; same shape as the shares of false alarms a.

    An event with probability q on one side and s on the other has s^c q^(1-c) <= e^((c-1) rho c) for each order c > 1,
    so that s <= S(q), the least e^((1 - 1/c) log q + (c-1) rho) over many orders. So 1 - misses <= S(a), and
    1 - a <= S(misses).
    """
    alpha = np.asarray(false_alarms, dtype=float)
    grid = expit(np.linspace(-30, 30, 2001))  # of misses; the one below the solution is taken
    solved = np.append(0.0, grid)[np.searchsorted(_largest_power(grid, rho), 1 - alpha)]
    return np.asarray(np.maximum(1 - _largest_power(alpha, rho), solved))


def _largest_power(level: Floats, rho: float) -> Floats:
    """S of concentrated_curve at levels of shape (m,)."""
    orders = 1 + np.geomspace(1e-3, 1e3, 600)
    with np.errstate(divide="ignore", over="ignore"):
        logs = np.multiply.outer(np.log(level), 1 - 1 / orders) + (orders - 1) * rho
    return np.asarray(np.exp(np.minimum(logs.min(axis=-1), 0.0)))


def share_beyond(before: Law, after: Law, epsilon: float) -> float:
    """The share of releases after whose loss is beyond +-epsilon, in the cells of best_tests."""
    mine, theirs = _cells(before, after)
    with np.errstate(divide="ignore"):
        loss = np.abs(np.log(theirs) - np.log(mine))
    return float(theirs[loss > epsilon * (1 + 1e-6)].sum())


def attack_success(tests: pd.DataFrame) -> float:
    """The share of right guesses of the best test where both data sets are equally likely: 1 - min (a + b) / 2."""
    return float(1 - (tests["false_alarms"] + tests["misses"]).min() / 2)


def largest_success(guarantee: Guarantee, known: Losses) -> float:
    """The largest attack_success that a guarantee leaves possible."""
    alpha = np.concatenate([np.geomspace(1e-9, 0.01, 500), np.linspace(0.01, 1, 2000)])
    return float(1 - (alpha + allowed_misses(guarantee, known, alpha)).min() / 2)
