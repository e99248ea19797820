"""DeepestLine with its budget counted in zero-concentrated differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from ...privacy import ZCDP, Guarantee, rho_of
from ..base import View
from .deepest_line import DeepestLine


@dataclass(frozen=True)
class DeepestLineZCDP(DeepestLine):
    """As DeepestLine, with the budget counted in zero-concentrated differential privacy.

    $$
    \\text{density}(p)\\propto e^{-\\frac{\\eta}{4}M(p)},\\qquad \\eta=\\sqrt{8\\rho},\\qquad
    \\rho=\\frac{\\varepsilon^2}{2}
    $$

    Twice the weight that DeepestLine gives the scores at the same ε, for a weaker guarantee.

    ρ-zCDP: M moves by between −2 and 2, so the log ratio L of two chances lies in an interval of length η. Then
    K(a) = log E exp(a L), the mean under the second law, has K(0) = K(1) = 0 and K″ ≤ η²/4, so K(a) ≤ a (a − 1) η²/8:
    the Rényi divergence of order a, K(a)/(a − 1), is at most a η²/8 = a ρ.
    """

    strength: ClassVar[str] = "counted in zCDP the same ε buys half its noise"
    source: ClassVar[str] = DeepestLine.source + "; its zCDP is Cesar and Rogers's (2021)"
    compared: ClassVar[str] = "range of the log ratios of the whole line"

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def _size_of_draw(self, epsilon: float, draws: int) -> float:
        return 2 * epsilon / sqrt(draws)  # sqrt(8 rho / draws), of which rho may overflow

    def loss(self, mine: View, theirs: View, epsilon: float) -> float:
        """range^2 / 8, the range that of the log ratios over the cells: no Rényi divergence is more than that a."""
        return float(np.ptp(self._change(mine, theirs, epsilon)) ** 2 / 8)
