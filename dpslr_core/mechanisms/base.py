"""What every mechanism offers. A mechanism is a frozen dataclass; its fields are its public hyperparameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats
from ..dataset import Dataset
from ..laws import Law
from ..laws.divergence import JointLaw
from ..privacy import Guarantee, Spend
from ..run import Budget
from .family import BudgetSplit, MechanismFamily

QUARTERS = (0.25, 0.75)


def hyperparameter(
    default: Any = MISSING,
    *,
    help: str,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
) -> Any:
    """A dataclass field with what a form needs to offer it: help text, allowed range, step."""
    return field(default=default, metadata={"help": help, "low": low, "high": high, "step": step})


class View(NamedTuple):
    """What an audit compares: a data set and the joint law of one release from it, all points together."""

    data: Dataset
    law: JointLaw


@dataclass(frozen=True)
class Mechanism(ABC):
    """Predictions at the points of ``at``, released together under one total epsilon.

    Neighbours differ by replacing one record; n is public. The data, epsilon and the generator are arguments;
    whatever is a field is public.
    """

    family: ClassVar[MechanismFamily] = MechanismFamily.OTHER
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.TOGETHER
    strength: ClassVar[str] = ""  # what sets it apart in its family, to end the sentence on why it is recommended
    source: ClassVar[str] = ""  # where the algorithm is defined
    corrections: ClassVar[tuple[str, ...]] = ()  # what is wrong in print, and what is done here instead
    compared: ClassVar[str] = "law of the release"  # what ``loss`` compares
    by_ranks: ClassVar[bool] = False  # whether laws of many records are computed from rank queries

    def __post_init__(self) -> None:
        """Refuse values that cannot be, and make 1, 1.0 and numpy's 1.0 the same: repr is the key of a stream."""
        self._check()
        for f in fields(self):
            kind = f.type.__name__ if isinstance(f.type, type) else f.type
            object.__setattr__(self, f.name, _plain(getattr(self, f.name), str(kind)))

    def _check(self) -> None:
        """ValueError names the hyperparameter that cannot be; without hyperparameters there is nothing to check."""
        return

    @property
    def name(self) -> str:
        """The name used in tables and charts."""
        return type(self).__name__

    @abstractmethod
    def guarantee(self, epsilon: float) -> Guarantee:
        """The privacy guarantee of one release with this epsilon."""

    @abstractmethod
    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """Rows (what is released, share of the budget); the shares add up to epsilon."""

    def first_point_alone(self, budget: Budget) -> Budget:
        """The least budget that gives the first point the law that it has in a release at all points."""
        first = budget.at[:1]
        match self.budget_split:
            case BudgetSplit.NO_BUDGET:
                return Budget(1.0, first)  # the same for every epsilon
            case BudgetSplit.ONE_RELEASE:
                return Budget(budget.epsilon, first)
            case BudgetSplit.EQUAL_SHARES:
                return Budget(budget.epsilon / len(budget.at), first)
        return budget

    def release(
        self,
        data: Dataset,
        epsilon: float,
        at: ArrayLike = QUARTERS,
        size: int = 1000,
        *,
        rng: np.random.Generator,
    ) -> Floats:
        """size independent releases, shape (size, len(at)), in units of y; NaN = the mechanism failed.

        ValueError names the argument where epsilon <= 0, at is empty or not finite, size < 1, or rng is not
        a numpy.random.Generator.
        """
        _validate.positive(epsilon=epsilon)
        _validate.integer(1, size=size)
        _validate.generator(rng=rng)
        return self._draw(data, float(epsilon), _validate.points(at=at), int(size), rng)

    def law(self, data: Dataset, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Law | None, ...]:
        """The exact law of the release at each point; None where there is no exact law."""
        _validate.positive(epsilon=epsilon)
        return tuple(self._laws(data, float(epsilon), _validate.points(at=at)))

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        """What ``loss`` compares; without a law where none is known, or where noisy numbers are compared instead."""
        return View(data, JointLaw.independent(self._laws(data, epsilon, at)))

    def loss(self, mine: View, theirs: View, epsilon: float) -> float:
        """The privacy loss of one release between two views at the same points and epsilon; NaN where none is known.

        The supremum of |log density ratio|; the zCDP parameter rho where the noise is Gaussian.
        """
        return max(mine.law.divergences(theirs.law))

    def informed_by(self, groups: Sequence[Dataset], at: ArrayLike) -> Mechanism:
        """The mechanism to use on each of many groups; only one that is not private may look at the others."""
        return self

    @abstractmethod
    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        """release, with its arguments checked."""

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        """law, with its arguments checked."""
        return [None] * at.size


def _plain(value: Any, kind: str) -> Any:
    """A checked hyperparameter as Python's own int, float or tuple of floats, by its annotation."""
    if value is None:
        return None
    if kind.startswith("tuple"):
        return tuple(float(part) for part in value)
    return {"int": int, "float": float, "bool": bool}[kind.split(" |")[0]](value)


def point_ledger(what: str, epsilon: float, at: ArrayLike) -> tuple[Spend, ...]:
    """The ledger of a mechanism that gives each point an equal share."""
    points = _validate.points(at=at)
    return tuple(Spend(f"{what} at x = {point:.4g}", epsilon / points.size) for point in points)
