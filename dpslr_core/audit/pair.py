"""One algorithm on two neighbours: the privacy loss of each outcome, tests between the two, and what is promised;
and the limits that a guarantee sets: to such tests, and to odds after a release.

An outcome of a release is a number, no answer, or another that has a probability of its own. A test says "after" or
"before" on seeing a release. False alarm: it says "after" and the data are those before; a miss: it says "before" and
they are those after.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr, ndtri

from ..laws.base import Law
from ..laws.divergence import max_divergences
from ..laws.named import Gaussian, Laplace, PointMass, StudentT
from ..laws.piecewise import PiecewiseUniform, Staircase
from ..mechanisms.base import Mechanism
from ..privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    Guarantee,
    Losses,
    NotPrivate,
    PureDP,
    gaussian_epsilon,
    losses,
    zcdp_epsilon,
)
from ..privacy.accounting import paid
from ..sources.axis import UNIT_Y, Axis
from ..support import validate
from ..support.types import Floats
from .moved import AFTER, BEFORE, MovedRecord, OutputChange, density, output_change

NO_ANSWER, FALLBACK, LOWER, UPPER = "no answer", "fallback", "lower end", "upper end"
RARE = 1e-3  # the probability of an outcome below which a picture leaves it out
NEGLIGIBLE = (
    1e-6  # the probability of the outcomes that are left aside where no bound holds for all
)
_POINTS = 400
_SHARES = expit(
    np.linspace(1, -1, 61) * np.log(NEGLIGIBLE / 2)
)  # of quantiles of either law, ascending
_STEPS = 12  # between neighbouring ones
_CLOSED = (PiecewiseUniform, Laplace, StudentT, PointMass)
_APART = 0.01  # of the logarithms of two bounds
_MOST_LEFT_OUT = (
    1e-3  # probability of far outcomes whose loss is not known, in what is said of one number
)
_WIDENED, _BEYOND = (
    40,
    1.3,
)  # steps at most by which a picture is widened, and the loss in epsilons that it shows


def loss_curve(before: Law, after: Law, window: tuple[float, float]) -> pd.DataFrame:
    """Columns estimate, before, after (densities) and loss = log(after / before), at even steps over a window.

    NaN where neither law can be there, or a law has no density; infinite where one of them cannot.
    """
    estimate = np.linspace(*window, _POINTS)
    densities = {name: density(law, estimate) for name, law in ((BEFORE, before), (AFTER, after))}
    return pd.DataFrame(
        {"estimate": estimate, **densities, "loss": _losses(before, after, estimate)[0]}
    )


def _losses(before: Law, after: Law, t: Floats) -> tuple[Floats, np.ndarray]:
    """log(after / before) at each t, NaN where either density is not known, and where both are; same shape.

    A density that is computed as a sum is not known in tails of less than its least_tail, where it has no digits left;
    nor is one between bounds that are further apart than one per cent.
    """
    known = np.ones(t.shape, dtype=bool)
    for law in (before, after):
        if isinstance(law, Staircase):
            piece = np.clip(
                np.searchsorted(law.edges, t, side="right") - 1, 0, law.log_low.size - 1
            )
            known &= law.log_high[piece] - law.log_low[piece] <= _APART
        elif not isinstance(law, (*_CLOSED, Gaussian)):
            low, high = law.ppf(np.array([law.least_tail, 1 - law.least_tail]) * (1 - law.failure))
            known &= ~((t < low) | (t > high))
    return np.where(known, _log_ratio(before.logpdf(t), after.logpdf(t)), np.nan), known


def _log_ratio(log_before: Floats, log_after: Floats) -> Floats:
    """log_after - log_before; NaN where neither is possible, or either has no density."""
    with np.errstate(invalid="ignore"):
        return np.where((log_after == inf) | (log_before == inf), np.nan, log_after - log_before)


def atoms(before: Law, after: Law) -> pd.DataFrame:
    """Outcomes with a probability of their own: columns outcome, before, after, loss.

    No answer, a fallback, and the ends that answers are moved to; those that neither law can have are left out. That
    there was a fallback is an outcome where the release tells it; the number alone tells no more.
    """

    def chances(law: Law) -> list[float]:
        ends = [getattr(law, name, np.nan) for name in ("lower", "upper")]
        masses = [
            0.0 if np.isnan(t) else float(law.cdf(t) - law.cdf(np.nextafter(t, -inf))) for t in ends
        ]
        return [law.failure, float(law.fallback), *masses]

    frame = pd.DataFrame(
        {"outcome": [NO_ANSWER, FALLBACK, LOWER, UPPER], "before": chances(before)}
    )
    frame = (
        frame.assign(after=chances(after)).query("before > 0 or after > 0").reset_index(drop=True)
    )
    with np.errstate(divide="ignore"):
        return frame.assign(
            loss=_log_ratio(*np.log(frame[["before", "after"]].to_numpy(dtype=float)).T)
        )


class LargestLoss(NamedTuple):
    """The factors by which an outcome becomes likelier by a move, and less likely, at most; both as logarithms.

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
    outcomes = _central_outcomes(before, after)
    losses, known = _losses(before, after, outcomes)
    if not known.any():
        return LargestLoss(0.0, 0.0, 1.0, complete=False)
    first, last = np.flatnonzero(known)[[0, -1]]
    low, high = outcomes[[first, last]]
    left_out = max(float(law.cdf(low) + 1 - law.failure - law.cdf(high)) for law in (before, after))
    likely = atoms(before, after).query("before + after > @NEGLIGIBLE")["loss"]
    return LargestLoss(
        *_extremes(np.append(losses, likely)), left_out, bool(known[first : last + 1].all())
    )


def _extremes(losses: Floats) -> tuple[float, float]:
    """The largest loss and the largest of their negatives, 0 or more."""
    return float(np.nanmax(losses, initial=0.0)), float(np.nanmax(-losses, initial=0.0))


def _central_outcomes(before: Law, after: Law) -> Floats:
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


# ---------------------------------------------------------------- tests between the two


def best_tests(before: Law, after: Law) -> pd.DataFrame:
    """Columns false_alarms and misses, rising and falling: the corners of the trade-off curve between two laws.

    By the lemma of Neyman and Pearson the best tests say "after" where after / before is largest. The line is cut into
    cells whose probabilities are exact under both laws, so that the curve is that of the outcomes as seen in cells:
    exact for piecewise uniform laws, and otherwise above the true one by no more than the cells are wide.
    """
    mine, theirs = _cells(before, after)
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-theirs / mine, kind="stable")
    false_alarms, power = (np.append(0.0, np.cumsum(masses[order])) for masses in (mine, theirs))
    return pd.DataFrame(
        {"false_alarms": np.minimum(false_alarms, 1), "misses": np.maximum(1 - power, 0)}
    )


def misses_at(tests: pd.DataFrame, false_alarms: ArrayLike) -> Floats:
    """The fewest misses at these shares of false alarms, between the corners of best_tests; same shape."""
    return np.asarray(
        np.interp(np.asarray(false_alarms, dtype=float), tests["false_alarms"], tests["misses"])
    )


def _cells(before: Law, after: Law) -> tuple[Floats, Floats]:
    """The probabilities of each cell, and of the outcomes with one of their own, under both laws; none of both is 0."""
    outcomes = atoms(before, after)
    outcomes = outcomes[outcomes["outcome"] != FALLBACK]
    edges = _central_outcomes(before, after)
    masses = []
    for name, law in (("before", before), ("after", after)):
        cdf = np.concatenate([[0.0], law.cdf(edges), [1 - law.failure]])
        for end, outcome in (
            ("lower", LOWER),
            ("upper", UPPER),
        ):  # mass at an end has a row of its own
            at, share = (
                getattr(law, end, np.nan),
                outcomes.loc[outcomes["outcome"] == outcome, name],
            )
            cdf[1:-1][edges >= at] -= share.sum()
            cdf[-1] -= share.sum()
        masses.append(np.append(np.maximum(np.diff(cdf), 0.0), outcomes[name]))
    mine, theirs = masses
    possible = (mine > 0) | (theirs > 0)
    return mine[possible] / mine.sum(), theirs[possible] / theirs.sum()


def share_beyond(before: Law, after: Law, epsilon: float) -> float:
    """The share of releases after whose loss is beyond +-epsilon, in the cells of best_tests."""
    mine, theirs = _cells(before, after)
    with np.errstate(divide="ignore"):
        loss = np.abs(np.log(theirs) - np.log(mine))
    return float(theirs[loss > epsilon * (1 + 1e-6)].sum())


def attack_success(tests: pd.DataFrame) -> float:
    """The share of right guesses of the best test where both data sets are equally likely: 1 - min (a + b) / 2."""
    return float(1 - (tests["false_alarms"] + tests["misses"]).min() / 2)


# ---------------------------------------------------------------- beside the guarantee


@dataclass(frozen=True)
class Pair:
    """The output distributions of one number before and after a move, and the guarantee for one record.

    change: both distributions, and the loss of all points together. epsilon: what the algorithm spends. guarantee:
    its own at that epsilon. known: what follows from its noise as well. points: how many are released together.
    """

    change: OutputChange
    epsilon: float
    guarantee: Guarantee
    known: Losses
    points: int = 1

    @property
    def name(self) -> str:
        """Name of the algorithm."""
        return self.change.mechanism.name

    @property
    def slack(self) -> float:
        """The probability delta up to which ``bound`` holds; 0 where it holds for every outcome."""
        if self.guarantee.pure or not self.guarantee.private:
            return 0.0
        return self.guarantee.delta if isinstance(self.guarantee, ApproxDP) else NEGLIGIBLE

    @property
    def bound(self) -> float:
        """The largest loss that the guarantee allows; inf where it allows any.

        epsilon; of weaker guarantees the epsilon that they have with the delta of ``slack``: P(E) <= e^epsilon P'(E) +
        delta, from mu exactly, otherwise from rho by rho + 2 sqrt(rho log(1 / delta)) (Bun and Steinke 2016,
        Proposition 3).
        """
        match self.guarantee:
            case NotPrivate():
                return inf
            case PureDP(epsilon) | ApproxDP(epsilon, _):
                return epsilon
            case ZCDP(rho):
                from_rho = rho + 2 * sqrt(rho * -log(self.slack))
                return min(
                    gaussian_epsilon(self.known.mu, self.slack), self.known.epsilon, from_rho
                )
        return gaussian_epsilon(self.known.mu, self.slack)

    @cached_property
    def window(self) -> tuple[float, float]:
        """Range of outcomes that is drawn, in units of y; the same wherever the record is moved.

        Where nothing is promised it is widened until the loss at its ends is beyond epsilon, if that can be.
        """
        low, high = self.change.window()
        if self.bound < inf:
            return low, high
        middle, half = (low + high) / 2, (high - low) / 2
        for widened in half * 1.25 ** np.arange(_WIDENED):
            ends = middle - widened, middle + widened
            if (
                loss_curve(self.change.before, self.change.after, ends)["loss"].abs().max()
                > _BEYOND * self.epsilon
            ):
                return ends
        return low, high

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The densities and the loss over the window, as of loss_curve."""
        return loss_curve(self.change.before, self.change.after, self.window)

    def table(self, y: Axis = UNIT_Y) -> pd.DataFrame:
        """The curve in the units of y: estimate, the densities before and after, loss."""
        curve = self.curve
        densities = {name: curve[name] / y.scale for name in (BEFORE, AFTER)}
        return curve.assign(estimate=y.from_unit(curve["estimate"]), **densities)

    @cached_property
    def atoms(self) -> pd.DataFrame:
        """Outcomes with a probability of their own, as of atoms."""
        return atoms(self.change.before, self.change.after)

    @property
    def likely_atoms(self) -> pd.DataFrame:
        """Losses of atoms worth a look: not rarer than RARE both before and after, or with the largest loss."""
        likely = self.atoms[["before", "after"]].max(axis=1) >= RARE
        return self.atoms[likely | (self.atoms["loss"].abs() >= self.largest.loss)].reset_index(
            drop=True
        )

    @cached_property
    def largest(self) -> LargestLoss:
        """The largest losses of this one number; the curve's own points are among those looked at.

        Where too few outcomes are known those of all points together, an upper bound, if exact.
        """
        largest, joint = largest_loss(self.change.before, self.change.after), self.change.loss
        few_known = not largest.complete or largest.left_out > _MOST_LEFT_OUT
        if (
            few_known
            and joint.unit == "ε"
            and self.change.before.exact
            and np.isfinite(joint.measured)
        ):
            return LargestLoss(joint.measured, joint.measured)
        rise, fall = _extremes(self.curve["loss"].to_numpy())
        return largest._replace(rise=max(largest.rise, rise), fall=max(largest.fall, fall))

    @cached_property
    def tests(self) -> pd.DataFrame:
        """The corners of the trade-off curve, as of best_tests."""
        return best_tests(self.change.before, self.change.after)


def pair_of(
    moved: MovedRecord, mechanism: Mechanism, budget: Budget, number: int = 0
) -> Pair | None:
    """The pair at the point of this number, from 0; None where no output distribution is known.

    ValueError where the rule of the budget leaves the mechanism out.
    """
    change = output_change(moved, mechanism, budget, number)
    if change is None:
        return None
    epsilon, points = paid(mechanism, budget).epsilon, len(budget.at)
    return Pair(
        change,
        epsilon,
        mechanism.guarantee(epsilon),
        losses(mechanism.draws(epsilon, points)),
        points,
    )


# ---------------------------------------------------------------- limits of tests, by Dong, Roth and Su (2022)


def allowed_misses(guarantee: Guarantee, known: Losses, false_alarms: ArrayLike) -> Floats:
    """The fewest misses that a guarantee leaves possible at each share of false alarms; same shape.

    known: what is known of the noise as well (privacy.losses): epsilon and mu are used, rho only where
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
        epsilon = zcdp_epsilon(guarantee.rho, NEGLIGIBLE)
        bounds.append(approximate_curve(epsilon, NEGLIGIBLE, alpha))
    return np.max(bounds, axis=0)


def approximate_curve(epsilon: float, delta: float, false_alarms: ArrayLike) -> Floats:
    """f_(epsilon, delta)(a) = max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)); same shape as a.

    P(after says "after") <= e^epsilon P(before says "after") + delta, and the same of "before".
    """
    alpha = np.asarray(false_alarms, dtype=float)
    steep = 1 - delta - np.exp(min(epsilon, 700.0)) * alpha
    return np.maximum(0.0, np.maximum(steep, np.exp(-epsilon) * (1 - delta - alpha)))


def gaussian_curve(mu: float, false_alarms: ArrayLike) -> Floats:
    """G_mu(a) = Phi(Phi^-1(1 - a) - mu); same shape as a."""
    return np.asarray(ndtr(-ndtri(np.asarray(false_alarms, dtype=float)) - mu))


def largest_success(guarantee: Guarantee, known: Losses) -> float:
    """The largest attack_success that a guarantee leaves possible."""
    alpha = np.concatenate([np.geomspace(1e-9, 0.01, 500), np.linspace(0.01, 1, 2000)])
    return float(1 - (alpha + allowed_misses(guarantee, known, alpha)).min() / 2)


# ---------------------------------------------------------------- odds


class Beliefs(NamedTuple):
    """The probability of a claim before a release, and the least and the largest that it may have afterwards."""

    prior: float
    least: float
    largest: float


def posterior(prior: float, log_factor: ArrayLike) -> Floats:
    """The probability of a claim after an outcome that is e^log_factor times as likely if it is true.

    Odds after = odds before times the factor (Bayes). Same shape as log_factor. ValueError unless 0 < prior < 1.

    >>> float(posterior(0.1, np.log(6)))
    0.4
    """
    validate.inside(0, 1, closed="neither", prior=prior)
    return np.asarray(expit(logit(prior) + np.asarray(log_factor, dtype=float)))


def beliefs(prior: float, rise: float, fall: float | None = None) -> Beliefs:
    """The least and the largest probability of a claim after a release.

    rise, fall: an outcome is at most e^rise times as likely if the claim is true, and at least e^-fall times; fall is
    rise where only one number is given. ValueError where prior is not between 0 and 1, or rise or fall is negative.
    """
    fall = rise if fall is None else fall
    validate.inside(0, np.inf, rise=rise, fall=fall)
    return Beliefs(prior, *posterior(prior, [-fall, rise]).tolist())
