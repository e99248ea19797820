"""An algorithm on two neighbours: loss of each outcome, tests between the two, and the limits of a guarantee.

An outcome of a release is a number, no answer, or another value that has a probability of its own. A test says
"after" or "before" on seeing a release. A false alarm is the answer "after" when the data are those before; a miss is
the answer "before" when the data are those after. The guarantee also limits the odds of a claim after a release.
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
RARE = 1e-3  # pictures leave out outcomes of a smaller probability
NEGLIGIBLE = 1e-6  # probability of the outcomes left aside where no bound holds for all
_POINTS = 400
# Ascending shares of the quantiles of either law.
_SHARES = expit(np.linspace(1, -1, 61) * np.log(NEGLIGIBLE / 2))
_STEPS = 12  # steps between neighbouring quantiles
_CLOSED = (PiecewiseUniform, Laplace, StudentT, PointMass)
_APART = 0.01  # largest difference of the log bounds of a density that counts as known
_MOST_LEFT_OUT = 1e-3  # probability of far outcomes of unknown loss, at most, for one number
_WIDENED, _BEYOND = 40, 1.3  # most steps of widening a picture; loss in epsilons at its ends


def loss_curve(before: Law, after: Law, window: tuple[float, float]) -> pd.DataFrame:
    """Tabulate densities and loss over a window: columns estimate, before, after and loss = log(after / before).

    The estimates have even steps. Values are NaN where neither law can be there, or a law has no density; the loss is
    infinite where only one law can be there.
    """
    estimate = np.linspace(*window, _POINTS)
    densities = {name: density(law, estimate) for name, law in ((BEFORE, before), (AFTER, after))}
    return pd.DataFrame(
        {"estimate": estimate, **densities, "loss": _losses(before, after, estimate)[0]}
    )


def _losses(before: Law, after: Law, t: Floats) -> tuple[Floats, np.ndarray]:
    """Compute log(after / before) at each t, and whether both densities are known; two arrays with the shape of t.

    The loss is NaN where a density is not known. A density that is computed as a sum has no digits left in tails of
    less than its least_tail; a density between bounds that differ by more than one per cent is not known either.
    """
    is_known = np.ones(t.shape, dtype=bool)
    for law in (before, after):
        if isinstance(law, Staircase):
            piece = np.clip(
                np.searchsorted(law.edges, t, side="right") - 1, 0, law.log_low.size - 1
            )
            is_known &= law.log_high[piece] - law.log_low[piece] <= _APART
        elif not isinstance(law, (*_CLOSED, Gaussian)):
            low, high = law.ppf(np.array([law.least_tail, 1 - law.least_tail]) * (1 - law.failure))
            is_known &= ~((t < low) | (t > high))
    ratio = _log_ratio(before.logpdf(t), after.logpdf(t))
    return np.where(is_known, ratio, np.nan), is_known


def _log_ratio(log_before: Floats, log_after: Floats) -> Floats:
    """Compute log_after - log_before; NaN where neither outcome is possible, or a law has no density."""
    with np.errstate(invalid="ignore"):
        return np.where((log_after == inf) | (log_before == inf), np.nan, log_after - log_before)


def atoms(before: Law, after: Law) -> pd.DataFrame:
    """Tabulate the outcomes with a probability of their own: columns outcome, before, after, loss.

    The outcomes are no answer, a fallback, and the ends that answers are moved to; impossible ones are left out. A
    fallback counts as an outcome where the release reveals it; the number alone reveals no more.
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
    """The largest losses by a move, as logarithms of the factors by which an outcome becomes more and less likely.

    Attributes
    ----------
    rise, fall : float
        Suprema of log(after / before) and of its negative, 0 or more.
    left_out : float
        Probability, on either data set, of the far outcomes that were not examined.
    complete : bool
        Whether the loss of each examined outcome is known; otherwise rise and fall are lower bounds.
    """

    rise: float
    fall: float
    left_out: float = 0.0
    complete: bool = True

    @property
    def loss(self) -> float:
        """Largest absolute value of log(after / before) over all outcomes: the larger of rise and fall."""
        return max(self.rise, self.fall)


def largest_loss(before: Law, after: Law) -> LargestLoss:
    """Find the largest losses of one released number, with no answer and fallback among the outcomes.

    In closed form all outcomes count. Otherwise the losses are read off a grid, without the tails of probability
    NEGLIGIBLE / 2 on either side and without tails in which a density has no digits; Gaussian noise has no bound there.
    """
    if type(before) is type(after) and isinstance(before, _CLOSED):
        fall, rise = max_divergences(before, after)
        return LargestLoss(rise, fall)
    outcomes = _central_outcomes(before, after)
    losses, is_known = _losses(before, after, outcomes)
    if not is_known.any():
        return LargestLoss(0.0, 0.0, 1.0, complete=False)
    first, last = np.flatnonzero(is_known)[[0, -1]]
    low, high = outcomes[[first, last]]
    left_out = max(float(law.cdf(low) + 1 - law.failure - law.cdf(high)) for law in (before, after))
    likely = atoms(before, after).query("before + after > @NEGLIGIBLE")["loss"]
    return LargestLoss(
        *_extremes(np.append(losses, likely)), left_out, bool(is_known[first : last + 1].all())
    )


def _extremes(losses: Floats) -> tuple[float, float]:
    """Return the largest loss and the largest negated loss, 0 or more."""
    return float(np.nanmax(losses, initial=0.0)), float(np.nanmax(-losses, initial=0.0))


def _central_outcomes(before: Law, after: Law) -> Floats:
    """List ascending outcomes in the centre of both laws, without tails of NEGLIGIBLE / 2: quantiles and steps.

    If both laws are piecewise uniform, list all of their edges.
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
    """Tabulate the corners of the trade-off curve between two laws: columns false_alarms, rising, and misses, falling.

    By the lemma of Neyman and Pearson the best tests say "after" where after / before is largest. The line is cut into
    cells whose probabilities are exact under both laws, and a test sees only the cell of an outcome. The curve is exact
    for piecewise uniform laws, and otherwise above the true one by no more than the cells are wide.
    """
    p, q = _cells(before, after)
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-q / p, kind="stable")
    false_alarms, power = (np.append(0.0, np.cumsum(masses[order])) for masses in (p, q))
    return pd.DataFrame(
        {"false_alarms": np.minimum(false_alarms, 1), "misses": np.maximum(1 - power, 0)}
    )


def misses_at(tests: pd.DataFrame, false_alarms: ArrayLike) -> Floats:
    """Interpolate the fewest misses at these shares of false alarms between the corners of best_tests; same shape."""
    return np.asarray(
        np.interp(np.asarray(false_alarms, dtype=float), tests["false_alarms"], tests["misses"])
    )


def _cells(before: Law, after: Law) -> tuple[Floats, Floats]:
    """Compute the probabilities of all cells and atoms under both laws; cells that neither law reaches are left out."""
    outcomes = atoms(before, after)
    outcomes = outcomes[outcomes["outcome"] != FALLBACK]
    edges = _central_outcomes(before, after)
    masses = []
    for name, law in (("before", before), ("after", after)):
        cdf = np.concatenate([[0.0], law.cdf(edges), [1 - law.failure]])
        # The mass at an end of the range has a row of its own.
        for end, outcome in (("lower", LOWER), ("upper", UPPER)):
            mass = outcomes.loc[outcomes["outcome"] == outcome, name].sum()
            cdf[1:-1][edges >= getattr(law, end, np.nan)] -= mass
            cdf[-1] -= mass
        masses.append(np.append(np.maximum(np.diff(cdf), 0.0), outcomes[name]))
    p, q = masses
    possible = (p > 0) | (q > 0)
    return p[possible] / p.sum(), q[possible] / q.sum()


def share_beyond(before: Law, after: Law, epsilon: float) -> float:
    """Compute the share of releases after the move whose loss is beyond +-epsilon, in the cells of best_tests."""
    p, q = _cells(before, after)
    with np.errstate(divide="ignore"):
        loss = np.abs(np.log(q) - np.log(p))
    return float(q[loss > epsilon * (1 + 1e-6)].sum())


def attack_success(tests: pd.DataFrame) -> float:
    """Compute the share of right guesses by the best test if both data sets are equally likely: 1 - min (a + b) / 2."""
    return float(1 - (tests["false_alarms"] + tests["misses"]).min() / 2)


# ---------------------------------------------------------------- beside the guarantee


@dataclass(frozen=True)
class Pair:
    """Output distributions of one number before and after a move, with the guarantee for one record.

    Attributes
    ----------
    change : OutputChange
        Both distributions, and the loss of all points together.
    epsilon : float
        Budget that the algorithm spends.
    guarantee : Guarantee
        Guarantee of the algorithm at that epsilon.
    noise_losses : Losses
        Losses that follow from the noise.
    points : int
        Number of points that are released together.
    """

    change: OutputChange
    epsilon: float
    guarantee: Guarantee
    noise_losses: Losses
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

        For pure privacy it is epsilon. For weaker guarantees it is the epsilon that they have with the delta of
        ``slack``: P(E) <= e^epsilon P'(E) + delta, from mu exactly, otherwise from rho by rho + 2 sqrt(rho log(1 /
        delta)) (Bun and Steinke 2016, Proposition 3).
        """
        match self.guarantee:
            case NotPrivate():
                return inf
            case PureDP(epsilon) | ApproxDP(epsilon, _):
                return epsilon
            case ZCDP(rho):
                from_rho = rho + 2 * sqrt(rho * -log(self.slack))
                return min(
                    gaussian_epsilon(self.noise_losses.mu, self.slack),
                    self.noise_losses.epsilon,
                    from_rho,
                )
        return gaussian_epsilon(self.noise_losses.mu, self.slack)

    @cached_property
    def window(self) -> tuple[float, float]:
        """Range of outcomes that is drawn, in units of y; the same wherever the record is moved.

        Without a promise it is widened until the loss at its ends is beyond epsilon, if possible.
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
        """Table of loss_curve over the window."""
        return loss_curve(self.change.before, self.change.after, self.window)

    def table(self, y: Axis = UNIT_Y) -> pd.DataFrame:
        """Convert the curve to the units of y: columns estimate, before, after and loss."""
        curve = self.curve
        densities = {name: curve[name] / y.scale for name in (BEFORE, AFTER)}
        return curve.assign(estimate=y.from_unit(curve["estimate"]), **densities)

    @cached_property
    def atoms(self) -> pd.DataFrame:
        """Table of the outcomes with a probability of their own, from the function ``atoms``."""
        return atoms(self.change.before, self.change.after)

    @property
    def likely_atoms(self) -> pd.DataFrame:
        """Rows of atoms to show: likelier than RARE before or after, or with the largest loss."""
        likely = self.atoms[["before", "after"]].max(axis=1) >= RARE
        return self.atoms[likely | (self.atoms["loss"].abs() >= self.largest.loss)].reset_index(
            drop=True
        )

    @cached_property
    def largest(self) -> LargestLoss:
        """The largest losses of this one number, with the points of the curve among the examined outcomes.

        If too few outcomes are known, the loss of all points together serves as an upper bound, provided it is exact.
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
        """Table of the corners of the trade-off curve, from best_tests."""
        return best_tests(self.change.before, self.change.after)


def pair_of(
    moved: MovedRecord, mechanism: Mechanism, budget: Budget, number: int = 0
) -> Pair | None:
    """Make the Pair at one point of the budget; None where no output distribution is known.

    Parameters
    ----------
    moved : MovedRecord
        Data and move.
    mechanism : Mechanism
        The algorithm.
    budget : Budget
        Budget and points; ValueError if its rule leaves the mechanism out.
    number : int
        Index of the point in the budget, from 0.
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


def allowed_misses(guarantee: Guarantee, noise_losses: Losses, false_alarms: ArrayLike) -> Floats:
    """Compute the fewest misses that a guarantee leaves possible at each share of false alarms; same shape.

    Several bounds hold, so that the largest one holds; 0 where nothing is promised.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of the algorithm.
    noise_losses : Losses
        Losses of its noise (privacy.losses): epsilon and mu are used, and rho of a zCDP guarantee if mu is infinite.
    false_alarms : array_like
        Shares of false alarms, from 0 to 1.
    """
    alpha = np.asarray(false_alarms, dtype=float)
    bounds = [np.zeros_like(alpha)]
    if noise_losses.epsilon < inf:
        bounds.append(approximate_curve(noise_losses.epsilon, 0.0, alpha))
    if noise_losses.mu < inf:
        bounds.append(gaussian_curve(noise_losses.mu, alpha))
    if isinstance(guarantee, ApproxDP):
        bounds.append(approximate_curve(guarantee.epsilon, guarantee.delta, alpha))
    if isinstance(guarantee, ZCDP) and noise_losses.mu == inf:
        epsilon = zcdp_epsilon(guarantee.rho, NEGLIGIBLE)
        bounds.append(approximate_curve(epsilon, NEGLIGIBLE, alpha))
    return np.max(bounds, axis=0)


def approximate_curve(epsilon: float, delta: float, false_alarms: ArrayLike) -> Floats:
    """Compute the trade-off curve of (epsilon, delta)-privacy at shares a, same shape as a.

    The curve is max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)), as P(after says "after") <= e^epsilon
    P(before says "after") + delta, and the same with "before".
    """
    alpha = np.asarray(false_alarms, dtype=float)
    steep = 1 - delta - np.exp(min(epsilon, 700.0)) * alpha
    return np.maximum(0.0, np.maximum(steep, np.exp(-epsilon) * (1 - delta - alpha)))


def gaussian_curve(mu: float, false_alarms: ArrayLike) -> Floats:
    """Compute the trade-off curve of mu-GDP at shares a, G_mu(a) = Phi(Phi^-1(1 - a) - mu); same shape as a."""
    return np.asarray(ndtr(-ndtri(np.asarray(false_alarms, dtype=float)) - mu))


def largest_success(guarantee: Guarantee, noise_losses: Losses) -> float:
    """Compute the largest attack_success that a guarantee leaves possible; arguments as in allowed_misses."""
    alpha = np.concatenate([np.geomspace(1e-9, 0.01, 500), np.linspace(0.01, 1, 2000)])
    return float(1 - (alpha + allowed_misses(guarantee, noise_losses, alpha)).min() / 2)


# ---------------------------------------------------------------- odds


class Beliefs(NamedTuple):
    """Probability of a claim before a release, and its least and its largest probability afterwards."""

    prior: float
    least: float
    largest: float


def posterior(prior: float, log_factor: ArrayLike) -> Floats:
    """Compute the probability of a claim after an outcome that is e^log_factor times as likely if the claim is true.

    Odds after = odds before times the factor (Bayes). Same shape as log_factor. ValueError unless 0 < prior < 1.

    >>> float(posterior(0.1, np.log(6)))
    0.4
    """
    validate.inside(0, 1, closed="neither", prior=prior)
    return np.asarray(expit(logit(prior) + np.asarray(log_factor, dtype=float)))


def beliefs(prior: float, rise: float, fall: float | None = None) -> Beliefs:
    """Compute the least and the largest probability of a claim after a release.

    Parameters
    ----------
    prior : float
        Probability of the claim before; ValueError unless between 0 and 1.
    rise, fall : float
        An outcome is at most e^rise times, and at least e^-fall times, as likely if the claim is true; fall is rise by
        default. ValueError if negative.
    """
    fall = rise if fall is None else fall
    validate.inside(0, np.inf, rise=rise, fall=fall)
    return Beliefs(prior, *posterior(prior, [-fall, rise]).tolist())
