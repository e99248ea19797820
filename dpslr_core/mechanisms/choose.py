"""ChooseByNoisyVariance: the paper's rule for the choice of an algorithm, paid for out of the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..laws.base import Law
from ..laws.divergence import joint_divergences
from ..laws.mixture import Mixture
from ..privacy import Guarantee, PureDP, Spend
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import Mechanism, View, hyperparameter, point_ledger
from .family import MechanismFamily
from .noisy_stats import NoisyStats
from .theil_sen.exponential import DPExpTheilSen
from .theil_sen.matchings import LOWER_HELP, UPPER_HELP

_NEGLIGIBLE = 1e-17  # a choice less likely than this is left out of the law


@dataclass(frozen=True)
class ChooseByNoisyVariance(Mechanism):
    """NoisyStats where a noisy n var(x) is large, else DPExpTheilSen; a share of ε pays for that number.

    $$
    V = \\mathrm{nvar}(x) + \\mathrm{Lap}\\Bigl(\\tfrac{1-1/n}{\\text{share}\\cdot\\varepsilon}\\Bigr),\\qquad
    \\varepsilon' = (1-\\text{share})\\,\\varepsilon,\\qquad
    \\tilde p = \\begin{cases}\\text{NoisyStats with }\\varepsilon' & \\text{if } \\varepsilon' V >
    \\text{threshold}\\\\ \\text{DPExpTheilSen with }\\varepsilon' & \\text{otherwise}\\end{cases}
    $$

    Private by adaptive composition: nvar(x) moves by at most 1 − 1/n when one record is replaced, so V is
    (share · ε)-differentially private; whatever V is, the algorithm that it chooses is ε′-differentially private;
    together they spend share · ε + (1 − share) ε = ε. Choosing by the true n var(x) would leak it.
    """

    share: float = hyperparameter(
        0.1, help="Share of ε that pays for the noisy n var(x) of the choice.", low=0.01, high=0.99, step=0.05
    )
    threshold: float = hyperparameter(
        400.0, help="NoisyStats is chosen where the rest of ε times the noisy n var(x) is larger.", low=1.0, step=50.0
    )
    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)

    family: ClassVar[MechanismFamily] = MechanismFamily.CHOICE
    source: ClassVar[str] = (
        "the rule, NoisyStats once ε n var(x) is above about 400, is in Section 'Robustness vs. Non-robustness: "
        "Guidance for Algorithm Selection'; the mechanism that pays for it is this project's own"
    )

    compared: ClassVar[str] = "choice and what is chosen"
    by_ranks: ClassVar[bool] = True

    def _check(self) -> None:
        validate.inside(0, 1, closed="neither", share=self.share)
        validate.positive(threshold=self.threshold)
        validate.ordered(lower=self.lower, upper=self.upper)

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        choice = Spend("noisy n var(x), by which the algorithm is chosen", self.share * epsilon)
        return choice, *point_ledger("what the chosen algorithm releases", self.rest(epsilon), at)

    @property
    def candidates(self) -> tuple[NoisyStats, DPExpTheilSen]:
        """The algorithm chosen where the noisy n var(x) is large, and the other."""
        return NoisyStats(), DPExpTheilSen(self.lower, self.upper)

    def rest(self, epsilon: float) -> float:
        """What the chosen algorithm may spend."""
        return (1 - self.share) * epsilon

    def margin(self, data: Dataset, epsilon: float) -> float:
        """How far V must rise above nvar(x) for NoisyStats to be chosen, in scales of the noise on V."""
        spent = self.share * epsilon
        return (self.threshold * (spent / self.rest(epsilon)) - data.nvar * spent) / (1 - 1 / data.n)

    def log_chances(self, data: Dataset, epsilon: float) -> tuple[float, float]:
        """The logarithms of the probabilities with which the candidates are chosen, each as exact as the other."""
        margin = self.margin(data, epsilon)
        return _log_tail(margin), _log_tail(-margin)

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        """The law is that of DPExpTheilSen, which is released where NoisyStats is not chosen."""
        return self.candidates[1].view(data, self.rest(epsilon), at)

    def loss(self, mine: View, theirs: View, epsilon: float) -> float:
        """Of the choice together with what the chosen algorithm releases."""
        choice = np.subtract(self.log_chances(mine.data, epsilon), self.log_chances(theirs.data, epsilon))
        noisy = abs(choice[0]) + self.candidates[0].loss(mine, theirs, self.rest(epsilon))
        forth, back = joint_divergences(mine.law, theirs.law)
        return float(np.max([noisy, choice[1] + forth, back - choice[1]]))

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        above = rng.laplace(size=size) > self.margin(data, epsilon)
        released = np.empty((size, at.size))
        for mechanism, chosen in zip(self.candidates, (above, ~above), strict=True):
            if count := int(np.count_nonzero(chosen)):
                released[chosen] = mechanism._draw(data, self.rest(epsilon), at, count, rng)
        return released

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        """The choice has noise of its own, so that the law is the mixture of both, weighted by their chances."""
        chances = [exp(chance) for chance in self.log_chances(data, epsilon)]
        rest, (noisy, robust) = self.rest(epsilon), self.candidates
        if chances[0] < _NEGLIGIBLE:
            return robust._laws(data, rest, at)
        if chances[1] < _NEGLIGIBLE:
            return noisy._laws(data, rest, at)
        both = zip(noisy._laws(data, rest, at), robust._laws(data, rest, at), strict=True)
        return [Mixture(cast("tuple[Law, Law]", laws), np.array(chances)) for laws in both]


def _log_tail(margin: float) -> float:
    """The logarithm of the probability that Laplace noise of scale one exceeds the margin."""
    return log(0.5) - margin if margin > 0 else log1p(-0.5 * exp(margin))
