"""An audit of scores: a lower bound on the loss of a release from draws on two neighbouring data sets, of any program.

>>> import numpy as np
>>> from dpslr_core.audit import audit_scores
>>> from dpslr_core.privacy import PureDP
>>> rng = np.random.default_rng(0)
>>> before, after = rng.laplace(0.0, 0.5, 20_000), rng.laplace(1.0, 0.5, 20_000)  # twice the budget of epsilon = 1
>>> shown = audit_scores(before, after, PureDP(1.0))
>>> shown.holds, 1.7 < shown.measured <= 2
(False, True)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from ..privacy import ZCDP, ApproxDP, GaussianDP, Guarantee
from ..support import validate
from ..support.types import Floats
from .loss import Loss

CONFIDENCE = 0.999_999
_LEAST = 4  # fewest scores on either side
_THRESHOLDS = 199
_ORDERS = np.concatenate([[1.0], 1 + np.geomspace(1e-3, 200, 60)])  # orders of Rényi divergences


class ScoreAudit(NamedTuple):
    """A lower bound on the loss of a release, and the event that shows it.

    Attributes
    ----------
    measured : float
        Lower bound on the loss, in `unit`.
    promised : float
        Bound of the guarantee.
    unit : str
        Unit as in ``Loss``.
    confidence : float
        Probability that ``measured`` does not exceed the true loss.
    event : str
        Outcomes that are likelier on one of both data sets, in words.
    """

    measured: float
    promised: float
    unit: str
    confidence: float
    event: str

    @property
    def holds(self) -> bool:
        """Whether the scores do not contradict the guarantee."""
        return self.measured <= self.promised


def audit_scores(
    before: ArrayLike, after: ArrayLike, guarantee: Guarantee, confidence: float = CONFIDENCE
) -> ScoreAudit:
    """Bound the loss of a release from below by scores of draws on two neighbouring data sets.

    The first half of the scores chooses the event, that a score is at most, or above, a threshold. The second half
    counts the event, and Clopper-Pearson limits bound its probabilities P and Q. Then epsilon >= log(P / Q), or
    log((P - delta) / Q) for (epsilon, delta)-privacy; rho >= D_a(P, Q) / a for every order a >= 1, D_a the Rényi
    divergence of two coins; mu >= Phi^-1(P) - Phi^-1(Q).

    Parameters
    ----------
    before, after : array_like, shapes (n,) and (m,)
        Scores of independent draws on either data set, 4 or more; NaN for a draw without an answer, which is an outcome
        too. A score is any fixed function of the released value.
    guarantee : Guarantee
        Promise for neighbours that differ in one record.
    confidence : float
        Probability that the bound holds, between 0 and 1.

    Returns
    -------
    ScoreAudit
        The bound in the unit of the guarantee, and the event.

    Raises
    ------
    ValueError
        There are too few scores, they are not numbers in one row, or confidence is not between 0 and 1.

    Examples
    --------
    >>> from dpslr_core.privacy import PureDP
    >>> rng = np.random.default_rng(1)
    >>> audit_scores(rng.laplace(0, 1, 1000), rng.laplace(1, 1, 1000), PureDP(1.0)).holds
    True
    """
    validate.inside(0, 1, closed="neither", confidence=confidence)
    scores = [_scores("before", before), _scores("after", after)]
    choosing, counting = (
        [side[: side.size // 2] for side in scores],
        [side[side.size // 2 :] for side in scores],
    )
    thresholds = np.quantile(
        np.concatenate(choosing), np.linspace(0, 1, _THRESHOLDS + 2)[1:-1], method="nearest"
    )
    chosen = int(np.argmax(_bounds(choosing, thresholds, guarantee, 1 - confidence)))
    measured = float(_bounds(counting, thresholds, guarantee, 1 - confidence).flat[chosen])
    kind, threshold = divmod(chosen, _THRESHOLDS)
    direction, likelier = (
        ("at most", "at most", "above", "above")[kind],
        ("before", "after")[kind % 2],
    )
    event = f"a score {direction} {thresholds[threshold]:.6g}, likelier {likelier}"
    return ScoreAudit(measured, *Loss.against(measured, guarantee)[1:], confidence, event)


def _scores(name: str, given: ArrayLike) -> Floats:
    """Check scores and return numbers in one row; a draw without an answer becomes -inf."""
    scores = np.asarray(given, dtype=float)
    if scores.ndim != 1 or scores.size < _LEAST:
        raise ValueError(
            f"{name} must hold {_LEAST} scores or more in one row, got an array of shape "
            f"{scores.shape}"
        )
    return np.where(np.isnan(scores), -np.inf, scores)


def _bounds(scores: list[Floats], thresholds: Floats, guarantee: Guarantee, error: float) -> Floats:
    """Bound the loss by every event, shape (4, thresholds).

    The rows are scores up to each threshold, likelier before, then likelier after; then scores above, in the same
    order.
    """
    below = [np.searchsorted(np.sort(row), thresholds, side="right") for row in scores]
    bounds = []
    for hits in (below, [row.size - count for row, count in zip(scores, below, strict=True)]):
        limits = [
            clopper_pearson(count, row.size, error) for row, count in zip(scores, hits, strict=True)
        ]
        for likely, unlikely in (limits, limits[::-1]):
            bounds.append(lower_bound(likely[0], unlikely[1], guarantee))
    return np.array(bounds)


def clopper_pearson(hits: ArrayLike, trials: ArrayLike, error: float) -> tuple[Floats, Floats]:
    """Compute lower and upper limits of the probability of a hit, both wrong with a chance of at most error / 2.

    The limits have the shape of hits. Source: Clopper and Pearson (1934).
    """
    hits, trials = np.asarray(hits, dtype=float), np.asarray(trials, dtype=float)
    low = betaincinv(np.maximum(hits, 1), trials - np.maximum(hits, 1) + 1, error / 2)
    high = betaincinv(
        np.minimum(hits, trials - 1) + 1, trials - np.minimum(hits, trials - 1), 1 - error / 2
    )
    return np.where(hits > 0, low, 0.0), np.where(hits < trials, high, 1.0)


def lower_bound(p: ArrayLike, q: ArrayLike, guarantee: Guarantee) -> Floats:
    """Compute the least epsilon, rho or mu that allows an event the probabilities >= p and <= q on two neighbours.

    The result has the common shape of p and q. rho is the largest D_a(p, q) / a of two coins; D_1 is the divergence of
    Kullback and Leibler.
    """
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    more = np.maximum(p, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(guarantee, ZCDP):
            a = _ORDERS[1:].reshape(-1, *[1] * p.ndim)
            yes, no = np.log(more / q), np.log1p(-more) - np.log1p(-q)
            first = more * yes + np.where(more < 1, (1 - more) * no, 0.0)
            of_no = np.where(more < 1, np.log1p(-more) + (a - 1) * no, -np.inf)
            renyi = np.logaddexp(np.log(more) + (a - 1) * yes, of_no) / (a - 1)
            return np.where(p > q, np.maximum(first, (renyi / a).max(axis=0)), 0.0)
        if isinstance(guarantee, GaussianDP):
            return np.where(p > q, ndtri(more) - ndtri(q), 0.0)
        delta = guarantee.delta if isinstance(guarantee, ApproxDP) else 0.0
        return np.maximum(np.log(np.maximum(p - delta, 0.0) / q), 0.0)
