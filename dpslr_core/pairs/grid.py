"""The public grid of the Theil-Sen family: all compared numbers lie on it, so that equal values are exactly equal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log2

import numpy as np
from numpy.typing import ArrayLike

from ..support.types import Floats

MOST_BITS, LEAST_BITS = 24, 12  # spacing 6e-8 for ranges up to 8 wide; coarser than 2e-4 is refused


@dataclass(frozen=True, eq=False)
class PublicGrid:
    """Multiples of 2^-bits, to which records, points, thresholds and both ends of the range are rounded.

    ``bits`` depends on public numbers only: it is the largest number up to 24 with 2 bits + log2(P Q) <= 51, where P is
    the largest |y - r| and Q the largest |x - at|. Positions are whole numbers of spacings, held as floats. A pair's
    estimate counts as the grid point at or above it.

    Why every comparison is exact: let two estimates, or the quotients (y - r) / (x - at) by which ranks are counted,
    be the rationals a/b != c/d of positions with |a| <= P 2^bits, |d| <= Q 2^bits (or the other way round). They
    differ by at least 1/|b d|, which is a share 1/|a d| >= 2^-51 of a/b. A correctly rounded quotient moves by a
    share of at most 2^-53, so different rationals give different floats in the same order and equal ones equal floats;
    and no quotient within the range is rounded onto a position, nor past it, so that its ceiling is exact.

    Parameters
    ----------
    lower, upper : float
        Range of predictions.
    at : array, shape (m,)
        Points, in the unit square.

    Raises
    ------
    ValueError
        bits would be below 12, or the range is narrower than one spacing; the text names the arguments.
    """

    lower: float
    upper: float
    at: Floats

    def __post_init__(self) -> None:
        if self.bits < LEAST_BITS:
            raise ValueError(
                "lower, upper and at must be closer to the unit square: the largest distances of "
                "y from the range "
                f"and of x from at may have a product of at most {2 ** (51 - 2 * LEAST_BITS):,}, "
                "got "
                f"lower={self.lower:g}, upper={self.upper:g}, at={self.at.tolist()}"
            )
        if self.last <= self.first:
            raise ValueError(
                f"upper must be above lower by at least {2 * self.spacing:.2g}, twice the "
                "spacing of the public grid, "
                f"got lower={self.lower!r}, upper={self.upper!r}"
            )

    @cached_property
    def bits(self) -> int:
        """Number of binary digits after the point."""
        rise = max(1.0, *(abs(end - y) for end in (self.lower, self.upper) for y in (0, 1)))
        run = max(1.0, float(np.abs(self.at).max()), float(np.abs(1 - self.at).max()))
        return min(MOST_BITS, floor((51 - log2(rise) - log2(run)) / 2))

    @property
    def spacing(self) -> float:
        """Distance between neighbouring grid points, in units of y."""
        return 2.0**-self.bits

    @property
    def first(self) -> int:
        """Position of the lower end of the range, rounded inwards."""
        return ceil(self.lower * 2**self.bits)

    @property
    def last(self) -> int:
        """Position of the upper end of the range, rounded inwards."""
        return floor(self.upper * 2**self.bits)

    @property
    def range(self) -> tuple[float, float]:
        """Lower and upper end of the range after rounding to the grid, in units of y."""
        return self.first * self.spacing, self.last * self.spacing

    def positions(self, values: ArrayLike) -> Floats:
        """Round each value to the grid on its own: positions in whole spacings, same shape."""
        return np.rint(np.ldexp(values, self.bits))

    def rounded(self, value: float) -> float:
        """Round a value to the grid, in the units of the value."""
        return float(self.positions(value)) * self.spacing

    def estimates(
        self,
        x: tuple[Floats, Floats],
        y: tuple[Floats, Floats],
        point: int | list[int] | slice = slice(None),
    ) -> Floats:
        """Compute the positions of the estimates of pairs at some points, from the positions of two records each.

        An estimate is ceil of (y_0 (x_1 - at) - y_1 (x_0 - at)) / (x_1 - x_0). Every product and difference is a whole
        number below 2^53. From one point to another the numerator gains the way between them times y_1 - y_0.

        Parameters
        ----------
        x, y : pair of arrays, any shape
            Positions of both records of each pair.
        point : int, list of int or slice
            Indices into ``at``; by default all points.

        Returns
        -------
        array, shape (*at[point].shape, *x[0].shape)
            Positions; NaN where both x are equal.
        """
        at = self.positions(self.at[point])
        first, run = at.flat[0], x[1] - x[0]
        run[run == 0] = np.nan
        heights = y[0] * (x[1] - first) - y[1] * (x[0] - first)
        if at.size > 1:
            heights = np.multiply.outer(at - first, y[1] - y[0]) + heights
        heights = heights.reshape(*at.shape, *run.shape)
        heights /= run
        return np.ceil(heights, out=heights)

    def heights(self, x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Floats:
        """Compute the estimates at all points in units of y, shape (m, *x[0].shape); arguments as in estimates."""
        return self.estimates(x, y) * self.spacing

    def with_public_digits(self, heights: Floats, rng: np.random.Generator) -> Floats:
        """Replace the digits of numbers in the range below the grid's spacing by random digits; same shape, units of y.

        A number keeps the cell between two neighbouring grid points that it lies in, and nothing else. All results are
        multiples of 2^-(bits + digits); all multiples in the cell are equally likely, whatever the data. A density that
        is constant within every cell stays the same.
        """
        # A float holds this number of further digits everywhere in the range.
        digits = 52 - max(abs(self.first), abs(self.last)).bit_length()
        cells = np.clip(np.floor(np.ldexp(heights, self.bits)), self.first, self.last - 1)
        return np.ldexp(
            np.ldexp(cells, digits) + rng.integers(1 << digits, size=cells.shape),
            -self.bits - digits,
        )
