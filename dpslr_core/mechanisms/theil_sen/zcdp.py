"""DPExpTheilSen and DPWideTheilSen with a zCDP budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..family import BudgetSplit
from .bounded_range import RANGE_SOURCE, BoundedRange
from .exponential import DPExpTheilSen, DPWideTheilSen


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
    source: ClassVar[str] = f"{DPExpTheilSen.source}; {RANGE_SOURCE}"
    corrections: ClassVar[tuple[str, ...]] = ()
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
    source: ClassVar[str] = f"{DPWideTheilSen.source}; {RANGE_SOURCE}"
    corrections: ClassVar[tuple[str, ...]] = ()
    in_paper: ClassVar[bool] = False
