"""The exponential mechanisms of the Theil-Sen family with a zCDP budget."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from ...privacy import ZCDP, Guarantee, rho_of
from ..family import BudgetSplit
from .exponential import DPExpTheilSen, DPWideTheilSen
from .joint import JointTheilSen

_RANGE = "range η gives (η²/8)-zCDP: Cesar and Rogers 2021"


class BoundedRange:
    """An exponential mechanism charged in zCDP: rho = epsilon^2 / 2 for all of its releases.

    With weight exp(-eta u / (2 D)) and D the sensitivity of u, the log ratio L of the densities on two neighbours lies
    in an interval of length eta, as its normaliser is constant and (eta / (2 D)) |u - u'| <= eta / 2. Then D_a =
    log(E exp((a-1) L)) / (a-1) <= E L + (a-1) eta^2/8 by Hoeffding's lemma, and E L <= eta^2/8 by the same lemma for
    1 = E exp(-L): D_a <= a eta^2/8, that is (eta^2/8)-zCDP. So each of r releases may have eta = sqrt(8 rho / r).
    """

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def share(self, epsilon: float, releases: int) -> float:
        """eta of each of so many independent releases that cost rho together."""
        return 2 * (epsilon / sqrt(releases))  # sqrt(8 rho / releases), and epsilon^2 may overflow


@dataclass(frozen=True)
class DPExpTheilSenZCDP(BoundedRange, DPExpTheilSen):
    """DPExpTheilSen with a zCDP budget: ρ/m for each of m points is 2√m times its ε/m.

    $$
    \\text{density}(r)\\propto \\exp\\Bigl(-\\tfrac{\\eta}{4k}\\,
    \\bigl|\\#\\{z>r\\}-\\#\\{z<r\\}\\bigr|\\Bigr)\\text{ on }[\\text{lower},\\text{upper}],\\qquad
    \\eta=\\sqrt{8\\rho/m},\\; \\rho=\\varepsilon^2/2
    $$

    The log density ratio between neighbours lies in an interval of length η, so that a draw costs η²/8 in zCDP. The
    promise is weaker than ε-differential privacy: compare it with other algorithms that promise zCDP.
    """

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.EQUAL_RHO
    source: ClassVar[str] = f"{DPExpTheilSen.source}; {_RANGE}"
    in_paper: ClassVar[bool] = False


@dataclass(frozen=True)
class DPWideTheilSenZCDP(BoundedRange, DPWideTheilSen):
    """DPWideTheilSen with a zCDP budget: ρ/m for each of m points is 2√m times its ε/m.

    $$
    u(r)=\\min_{|a-r|\\le\\theta}\\bigl|\\#\\{z>a\\}-\\#\\{z<a\\}\\bigr|,\\qquad
    \\text{density}(r)\\propto e^{-\\eta u(r)/(4k)},\\qquad \\eta=\\sqrt{8\\rho/m},\\; \\rho=\\varepsilon^2/2
    $$

    As for DPExpTheilSenZCDP, a draw costs η²/8 in zCDP. The promise is weaker than ε-differential privacy.
    """

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.EQUAL_RHO
    source: ClassVar[str] = f"{DPWideTheilSen.source}; {_RANGE}"
    in_paper: ClassVar[bool] = False


@dataclass(frozen=True)
class JointTheilSenZCDP(BoundedRange, JointTheilSen):
    """JointTheilSen with a zCDP budget, which is worth twice its ε.

    $$
    \\text{density}(p_1,\\dots,p_m)\\propto \\exp\\Bigl(-\\tfrac{\\eta}{4k}\\,\\max_j
    \\bigl|\\#\\{z_j>p_j\\}-\\#\\{z_j<p_j\\}\\bigr|\\Bigr),\\qquad \\eta=\\sqrt{8\\rho},\\; \\rho=\\varepsilon^2/2
    $$

    One draw for all points costs η²/8 in zCDP. The promise is weaker than ε-differential privacy.
    """

    source: ClassVar[str] = f"{JointTheilSen.source}; {_RANGE}"
