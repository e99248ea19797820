"""One algorithm on two neighbours: what its guarantee allows, and what can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log, sqrt

import numpy as np
import pandas as pd

from ..experiments.moved import AFTER, BEFORE, MovedRecord, OutputChange, output_change
from ..mechanisms.accounting import paid
from ..mechanisms.base import Mechanism
from ..privacy import ZCDP, ApproxDP, Guarantee, Losses, NotPrivate, PureDP, gaussian_epsilon, losses
from ..sources.axis import UNIT_Y, Axis
from ..support.run import Budget
from .losses import NEGLIGIBLE, LargestLoss, atoms, largest_loss, loss_curve
from .tradeoff import best_tests

MOST_LEFT_OUT = 1e-3  # probability of far outcomes whose loss is not known, in what is said of one number
_WIDENED, _BEYOND = 40, 1.3  # steps at most by which a picture is widened, and the loss in epsilons that it shows


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
        """Of the algorithm."""
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
                return min(gaussian_epsilon(self.known.mu, self.slack), self.known.epsilon, from_rho)
        return gaussian_epsilon(self.known.mu, self.slack)

    @cached_property
    def window(self) -> tuple[float, float]:
        """What is drawn, in units of y; it does not change with the move.

        Where nothing is promised it is widened until the loss at its ends is beyond epsilon, if that can be.
        """
        low, high = self.change.window()
        if self.bound < inf:
            return low, high
        middle, half = (low + high) / 2, (high - low) / 2
        for widened in half * 1.25 ** np.arange(_WIDENED):
            ends = middle - widened, middle + widened
            if loss_curve(self.change.before, self.change.after, ends)["loss"].abs().max() > _BEYOND * self.epsilon:
                return ends
        return low, high

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The densities and the loss over the window, as of losses.loss_curve."""
        return loss_curve(self.change.before, self.change.after, self.window)

    def table(self, y: Axis = UNIT_Y) -> pd.DataFrame:
        """The curve in the units of y: estimate, the densities before and after, loss."""
        curve = self.curve
        densities = {name: curve[name] / y.scale for name in (BEFORE, AFTER)}
        return curve.assign(estimate=y.from_unit(curve["estimate"]), **densities)

    @cached_property
    def atoms(self) -> pd.DataFrame:
        """Outcomes with a probability of their own, as of losses.atoms."""
        return atoms(self.change.before, self.change.after)

    @cached_property
    def largest(self) -> LargestLoss:
        """The largest losses of this one number; the curve's own points are among those looked at.

        Where too few outcomes are known (MOST_LEFT_OUT) those of all points together, an upper bound, if exact.
        """
        largest = largest_loss(self.change.before, self.change.after)
        joint = self.change.loss
        few_known = not largest.complete or largest.left_out > MOST_LEFT_OUT
        if few_known and joint.unit == "ε" and self.change.before.exact and np.isfinite(joint.measured):
            return LargestLoss(joint.measured, joint.measured)
        seen = self.curve["loss"].to_numpy()
        rise, fall = (float(np.nanmax(signed, initial=0.0)) for signed in (seen, -seen))
        return largest._replace(rise=max(largest.rise, rise), fall=max(largest.fall, fall))

    @cached_property
    def tests(self) -> pd.DataFrame:
        """The corners of the trade-off curve, as of tradeoff.best_tests."""
        return best_tests(self.change.before, self.change.after)


def pair_of(moved: MovedRecord, mechanism: Mechanism, budget: Budget, number: int = 0) -> Pair | None:
    """The pair at the point of this number, from 0; None where no output distribution is known.

    ValueError where the rule of the budget leaves the mechanism out.
    """
    change = output_change(moved, mechanism, budget, number)
    if change is None:
        return None
    epsilon = paid(mechanism, budget).epsilon
    guarantee = mechanism.guarantee(epsilon)
    points = len(budget.at)
    return Pair(change, epsilon, guarantee, losses(mechanism.draws(epsilon, points)), points)
