"""Numeric claim of the paper, the numbers that would agree with the claim, and the result that is computed here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from ..support.readable import format_amount
from ..text.phrases import listed


class ClaimKind(Enum):
    """Whether a claim holds and, if it does not, why our numbers differ."""

    HOLDS = "holds"
    ERROR_IN_PRINT = "error in print"
    NOT_REPRODUCED = "not reproduced (public data)"
    NOT_PUBLIC = "data not public (our simulator)"
    NOT_IN_PRINT = "depends on what is not in print"
    OUR_DEFAULTS = "our defaults differ"
    MISSING = "needs the data set"


@dataclass(frozen=True)
class Claim:
    """Claim of the paper, as in claims.toml.

    Attributes
    ----------
    key : str
        Permanent name.
    kind : ClaimKind
        Kind of the claim if our numbers differ.
    compute : callable
        Computes our number or numbers.
    place : str
        Section, lemma, algorithm or figure of the paper.
    paper : str
        Numbers of the paper in words.
    sentence : str
        Claim, with the paper's numbers.
    low, high : float or list of float
        Bounds within which our numbers agree, both included; a list has one bound for each number.
    unit : str
        Unit, written behind each of our numbers.
    digits : int
        Significant digits of our numbers.
    why : str
        Reason why ours differ, or how they were computed; may be empty if they agree.
    """

    key: str
    kind: ClaimKind
    compute: Callable[[], ArrayLike]
    place: str
    paper: str
    sentence: str
    low: float | list[float] = -inf
    high: float | list[float] = inf
    unit: str = ""
    digits: int = 4
    why: str = ""

    def agrees(self, numbers: tuple[float, ...]) -> bool:
        """Tell whether all numbers lie within the bounds; NaN never does."""
        return bool(np.all((self.low <= np.array(numbers)) & (np.array(numbers) <= self.high)))


@dataclass(frozen=True)
class ClaimResult:
    """Numbers that were computed for a claim.

    Attributes
    ----------
    claim : Claim
        Claim of the paper.
    numbers : tuple of float or None
        Our numbers; None without the data set.
    seconds : float
        Processor time.
    """

    claim: Claim
    numbers: tuple[float, ...] | None
    seconds: float

    @property
    def kind(self) -> ClaimKind:
        """MISSING without numbers, HOLDS if the numbers agree, else the kind of the claim."""
        if self.numbers is None:
            return ClaimKind.MISSING
        return ClaimKind.HOLDS if self.claim.agrees(self.numbers) else self.claim.kind

    @property
    def ours(self) -> str:
        """Our numbers in words; empty without numbers."""
        if self.numbers is None:
            return ""
        digits, unit = self.claim.digits, self.claim.unit
        return listed(
            format_amount(number, digits).replace("-", "−") + unit for number in self.numbers
        )
