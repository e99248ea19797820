"""What an algorithm tells about its kind: its family, and how it splits the budget over the points."""

from __future__ import annotations

from enum import Enum


class MechanismFamily(Enum):
    """The kind of an algorithm: decides its colours and the reason that guidance gives; lists are in this order."""

    BASELINE = "exact estimates, not private"
    NOISY_STATISTICS = "OLS from noisy statistics"
    MEAN = "a noisy mean, whatever x is"
    THEIL_SEN = "private medians of pairwise estimates"
    DEPTH = "a line drawn by its regression depth"
    CHOICE = "an algorithm chosen by the data, privately"
    GRADIENT_DESCENT = "noisy gradient descent"
    OTHER = "private algorithms of another kind"
    NOT_PRIVATE = "noise without a guarantee"

    @property
    def place(self) -> int:
        """Its place in lists."""
        return list(type(self)).index(self)


class BudgetSplit(Enum):
    """What a release at several points spends on each of them."""

    NO_BUDGET = "nothing: epsilon is of no account"
    ONE_RELEASE = "all on one release, from which every point is read off"
    EQUAL_SHARES = "epsilon / len(at) on a release of its own for each point"
    EQUAL_RHO = "a release of its own for each point, each with the same share of a zCDP budget"
    TOGETHER = "anything else: the law at one point depends on how many others there are"

    @property
    def separate(self) -> bool:
        """Whether every point is a release of its own, independent of the others."""
        return self in (BudgetSplit.EQUAL_SHARES, BudgetSplit.EQUAL_RHO)

    def parts(self, points: int) -> int:
        """How many releases of their own a release at so many points consists of, as far as the split tells."""
        return 1 if self in (BudgetSplit.NO_BUDGET, BudgetSplit.ONE_RELEASE, BudgetSplit.TOGETHER) else points
