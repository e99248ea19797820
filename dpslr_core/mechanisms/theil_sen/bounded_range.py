"""Exponential mechanisms charged by the range of their log density ratios, in zCDP."""

from __future__ import annotations

from math import sqrt

from ...privacy import ZCDP, Guarantee, rho_of

RANGE_SOURCE = "range η gives (η²/8)-zCDP: Cesar and Rogers 2021"


class BoundedRange:
    """An exponential mechanism charged in zCDP: rho = epsilon^2 / 2 for all of its releases.

    With weight exp(-eta u / (2 D)) and D the sensitivity of u, the log ratio of the densities on two neighbours lies in
    an interval of length eta: its normaliser is constant, and (eta / (2 D)) |u - u'| <= eta / 2. That costs eta^2 / 8
    in zCDP (proof: privacy.bounded_range_rho), and rho adds up: each of r releases may have eta = sqrt(8 rho / r).
    """

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def share(self, epsilon: float, releases: int) -> float:
        """eta of each of so many independent releases that cost rho together."""
        return 2 * (epsilon / sqrt(releases))  # sqrt(8 rho / releases), and epsilon^2 may overflow
