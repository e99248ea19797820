"""A numeric claim of the paper, the numbers that would agree with it, and the result that is computed here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import inf, nextafter

from numpy.typing import ArrayLike

from ..support.readable import format_amount

DIGITS = 4
ROUNDING = 1e-9


class Kind(Enum):
    """Whether a claim holds; where it does not, why our numbers are others."""

    HOLDS = "holds"
    ERROR_IN_PRINT = "error in print"
    NOT_REPRODUCED = "not reproduced (public data)"
    NOT_PUBLIC = "data not public (our simulator)"
    NOT_IN_PRINT = "depends on what is not in print"
    OUR_DEFAULTS = "our defaults differ"
    MISSING = "needs the data set"


@dataclass(frozen=True)
class Expected:
    """Numbers of the paper as bounds: each of ours agrees that lies between its two, both included.

    text: the paper's numbers in words. bounds: one pair for each number. unit: written behind each number. digits: of
    our numbers.
    """

    text: str
    bounds: tuple[tuple[float, float], ...]
    unit: str = ""
    digits: int = DIGITS

    def met_by(self, numbers: tuple[float, ...]) -> bool:
        """Whether there is a number for each pair of bounds, within them; NaN is within none."""
        if len(numbers) != len(self.bounds):
            return False
        return all(low <= number <= high for number, (low, high) in zip(numbers, self.bounds, strict=True))

    def written(self, numbers: tuple[float, ...]) -> str:
        """Our numbers as the paper's are written."""
        return _written(numbers, self.unit, self.digits)


def equal(*numbers: float, within: float = 0.0, unit: str = "", digits: int = DIGITS) -> Expected:
    """Numbers, each up to a distance, which stands for the digits that are printed, or for simulation error."""
    bounds = tuple((number - within, number + within) for number in numbers)
    return Expected(_written(numbers, unit, digits), bounds, unit, digits)


def at_most(number: float, unit: str = "") -> Expected:
    """One number, no larger than this, rounding aside."""
    return Expected(f"at most {_written((number,), unit)}", ((-inf, number + ROUNDING),), unit)


def at_least(number: float, count: int = 1, unit: str = "") -> Expected:
    """Expectation of count numbers that none is smaller than number, rounding aside."""
    return Expected(f"at least {_written((number,), unit)}", ((number - ROUNDING, inf),) * count, unit)


def below(number: float, count: int = 1, unit: str = "") -> Expected:
    """Expectation of count numbers that each is smaller than number."""
    return Expected(f"less than {_written((number,), unit)}", ((-inf, nextafter(number, -inf)),) * count, unit)


def above(number: float, unit: str = "") -> Expected:
    """One number, larger than this."""
    return Expected(f"more than {_written((number,), unit)}", ((nextafter(number, inf), inf),), unit)


def between(low: float, high: float, count: int = 2, unit: str = "") -> Expected:
    """Expectation of count numbers, such as the ends of a list, that none is outside of low to high."""
    return Expected(f"between {_written((low, high), unit)}", ((low, high),) * count, unit)


def _written(numbers: tuple[float, ...], unit: str, digits: int = DIGITS) -> str:
    *first, last = (format_amount(number, digits).replace("-", "−") + unit for number in numbers)
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True)
class Claim:
    """One claim.

    key: its name, for good. otherwise: the kind of the claim where our numbers are others, by what these are computed
    from: what is in print, public data, simulated tracts in the place of the paper's, settings that are not in print,
    or the defaults of this project. where: the section, lemma, algorithm or figure of the paper. expected: the paper's
    numbers. compute: makes ours, one number or several. says: the claim in our words, {} in the place of the paper's
    numbers. why: why ours differ where they do, else how they were computed; may be empty where they agree.
    """

    key: str
    otherwise: Kind
    where: str
    expected: Expected
    compute: Callable[[], ArrayLike]
    says: str
    why: str = ""

    @property
    def sentence(self) -> str:
        """The claim with the paper's numbers in it."""
        return self.says.format(self.expected.text)


@dataclass(frozen=True)
class Result:
    """What was computed for a claim; numbers is None where a data set was not to be had. seconds: of processor time."""

    claim: Claim
    numbers: tuple[float, ...] | None
    seconds: float

    @property
    def kind(self) -> Kind:
        """HOLDS or MISSING from the numbers alone; where they are others, what the claim says of that."""
        if self.numbers is None:
            return Kind.MISSING
        return Kind.HOLDS if self.claim.expected.met_by(self.numbers) else self.claim.otherwise

    @property
    def ours(self) -> str:
        """Our numbers in words; empty where there are none."""
        return "" if self.numbers is None else self.claim.expected.written(self.numbers)
