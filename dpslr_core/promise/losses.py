"""The privacy loss of each outcome of a release: a number, no answer, or another that has a probability of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from ..laws.base import Law
from ..laws.divergence import max_divergences
from ..laws.named import Gaussian, Laplace, PointMass, StudentT
from ..laws.piecewise import PiecewiseUniform, Staircase
from ..support.types import Floats

NO_ANSWER, FALLBACK, LOWER, UPPER = "no answer", "fallback", "lower end", "upper end"
NEGLIGIBLE = 1e-6  # the probability of the outcomes that are left aside where no bound holds for all
_POINTS = 400
_SHARES = expit(np.linspace(1, -1, 61) * np.log(NEGLIGIBLE / 2))  # of quantiles of either law, ascending
_STEPS = 12  # between neighbouring ones
_CLOSED = (PiecewiseUniform, Laplace, StudentT, PointMass)
_APART = 0.01  # of the logarithms of two bounds


def loss_curve(before: Law, after: Law, window: tuple[float, float]) -> pd.DataFrame:
    """Columns estimate, before, after (densities) and loss = log(after / before), at even steps over a window.

    NaN where neither law can be there, or a law has no density; infinite where one of them cannot.
    """
    estimate = np.linspace(*window, _POINTS)
    before_log, after_log = (law.logpdf(estimate) for law in (before, after))
    loss = losses_at(before, after, estimate)
    columns = {"before": _density(before_log), "after": _density(after_log), "loss": loss}
    return pd.DataFrame({"estimate": estimate, **columns})


def losses_at(before: Law, after: Law, t: Floats) -> Floats:
    """log(after / before) at each t, same shape; NaN where either density is not known.

    A density that is computed as a sum is not known in tails of less than its least_tail, where it has no digits left;
    nor is one between bounds that are further apart than one per cent.
    """
    return _losses_and_known(before, after, t)[0]


def _losses_and_known(before: Law, after: Law, t: Floats) -> tuple[Floats, np.ndarray]:
    """losses_at, and where both densities are known."""
    before_log, after_log = (law.logpdf(t) for law in (before, after))
    known = _known(before, t) & _known(after, t)
    return np.where(known, _difference(after_log, before_log), np.nan), known


def _known(law: Law, t: Floats) -> np.ndarray:
    """Where the density of a law is known to some digits."""
    if isinstance(law, Staircase):
        piece = np.clip(np.searchsorted(law.edges, t, side="right") - 1, 0, law.log_low.size - 1)
        return np.asarray(law.log_high[piece] - law.log_low[piece] <= _APART)
    if isinstance(law, (*_CLOSED, Gaussian)):
        return np.ones(t.shape, dtype=bool)
    low, high = law.ppf(np.array([law.least_tail, 1 - law.least_tail]) * (1 - law.failure))
    return np.asarray(~((t < low) | (t > high)))


def atoms(before: Law, after: Law) -> pd.DataFrame:
    """Outcomes with a probability of their own: columns outcome, before, after, loss.

    No answer, a fallback, and the ends that answers are moved to; those that neither law can have are left out. That
    there was a fallback is an outcome where the release tells it; the number alone tells no more.
    """
    rows = [(name, p, q) for name, p, q in _probabilities(before, after) if p > 0 or q > 0]
    frame = pd.DataFrame(rows, columns=["outcome", "before", "after"]).astype({"before": float, "after": float})
    with np.errstate(divide="ignore"):
        logs = np.log(frame[["before", "after"]].to_numpy(dtype=float))
    return frame.assign(loss=_difference(logs[:, 1], logs[:, 0]))


def _probabilities(before: Law, after: Law) -> Iterator[tuple[str, float, float]]:
    yield NO_ANSWER, before.failure, after.failure
    yield FALLBACK, float(getattr(before, "fallback", 0.0)), float(getattr(after, "fallback", 0.0))
    for name, end in ((LOWER, "lower"), (UPPER, "upper")):
        p, q = (mass_at(law, float(getattr(law, end, np.nan))) for law in (before, after))
        yield name, p, q


def mass_at(law: Law, t: float) -> float:
    """The probability of one number; 0 where it is NaN."""
    return 0.0 if np.isnan(t) else float(law.cdf(t) - law.cdf(np.nextafter(t, -np.inf)))


class LargestLoss(NamedTuple):
    """How much likelier an outcome becomes by a move, and how much less likely, at most; both as logarithms.

    rise, fall: the suprema of log(after / before) and of its negative, 0 or more. left_out: the probability, on either
    data set, of the far outcomes that were not looked at; 0 where all were. complete: whether the loss of each outcome
    looked at is known; otherwise rise and fall are lower bounds.
    """

    rise: float
    fall: float
    left_out: float = 0.0
    complete: bool = True

    @property
    def loss(self) -> float:
        """The larger of rise and fall."""
        return max(self.rise, self.fall)


def largest_loss(before: Law, after: Law) -> LargestLoss:
    """The largest losses of one released number, no answer and fallback among the outcomes.

    Of all outcomes where they have a closed form; otherwise read off a grid, without the tails of probability
    NEGLIGIBLE / 2 on either side, or those in which a density has no digits; Gaussian noise has no bound there.
    """
    if type(before) is type(after) and isinstance(before, _CLOSED):
        fall, rise = max_divergences(before, after)
        return LargestLoss(rise, fall)
    outcomes = central_outcomes(before, after)
    losses, known = _losses_and_known(before, after, outcomes)
    if not known.any():
        return LargestLoss(0.0, 0.0, 1.0, complete=False)
    first, last = np.flatnonzero(known)[[0, -1]]
    low, high = outcomes[[first, last]]
    left_out = max(float(law.cdf(low) + 1 - law.failure - law.cdf(high)) for law in (before, after))
    likely = atoms(before, after).query("before + after > @NEGLIGIBLE")["loss"]
    every = np.append(losses, likely)
    rise, fall = (float(np.nanmax(signed, initial=0.0)) for signed in (every, -every))
    return LargestLoss(rise, fall, left_out, bool(known[first : last + 1].all()))


def central_outcomes(before: Law, after: Law) -> Floats:
    """Ascending numbers about where either law is, tails of NEGLIGIBLE / 2 left out: quantiles, and steps between them.

    All edges where both laws are piecewise uniform.
    """
    if isinstance(before, PiecewiseUniform) and isinstance(after, PiecewiseUniform):
        return np.unique(np.concatenate([before.edges, after.edges]))
    quantiles = np.concatenate([law.ppf(_SHARES * (1 - law.failure)) for law in (before, after)])
    quantiles = np.unique(quantiles[np.isfinite(quantiles)])
    if quantiles.size < 2:
        return quantiles
    steps = np.arange((quantiles.size - 1) * _STEPS + 1) / _STEPS
    return np.asarray(np.interp(steps, np.arange(quantiles.size), quantiles))


def _difference(log_after: Floats, log_before: Floats) -> Floats:
    """log_after - log_before; NaN where neither is possible, or either has no density."""
    with np.errstate(invalid="ignore"):
        difference = log_after - log_before
    return np.where((log_after == np.inf) | (log_before == np.inf), np.nan, difference)


def _density(log_density: Floats) -> Floats:
    return np.where(log_density < np.inf, np.exp(np.minimum(log_density, 700.0)), np.nan)
