"""How far the five centred sums of one release can move together when one record is replaced.

Let u = x - 1/2 and w = y - 1/2, both in [-1/2, 1/2], d = |u - u'| and e = |w - w'| for a record (u, w) and the one
that replaces it. As u + u' is twice the larger of both less d, and likewise from below, |u + u'| <= 1 - d. So

    |u^2 - u'^2| = d |u + u'| <= d (1 - d),    |w^2 - w'^2| <= e (1 - e),
    |uw - u'w'| = |(u - u')(w + w') + (u + u')(w - w')| / 2 <= (d (1 - e) + (1 - d) e) / 2,

all reached together by u = w = 1/2, u' = 1/2 - d, w' = 1/2 - e. The sums move by what one record moves.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...support.types import Floats

_CLOSE = 1e-8  # relative, by which the bound may be above the maximum
_ROUNDING = 1e-12
_START = 8  # cells along each side at first


@cache
def sensitivity(b: tuple[float, ...], power: int) -> float:
    """max over 0 <= d, e <= 1 of (sum_j (shift_j(d, e) / b_j)^power)^(1/power), or up to 10^-8 of it more.

    b: the noise scales of (u, w, u^2, uw, w^2), shape (5,), each above 0.
    power: 1, or 2 for the Euclidean norm.

    Branch and bound: on a square cell with centre c and half side r a function with gradient g is at most
    f(c) + r |g|_1 + r^2 (M_dd + 2 M_de + M_ee) / 2, where M bounds the second derivatives. Cells whose bound is below
    the largest value seen are left out, the others cut into four, until the largest bound is that value.
    """
    scales, half = np.array(b)[:, None], 0.5 / _START
    d, e = (side.ravel() for side in np.meshgrid(*[half * (2 * np.arange(_START) + 1)] * 2))
    bend, best = 0.5 * _second_derivatives(scales.ravel(), power), 0.0
    while True:
        value, by_d, by_e = _value_and_gradient(d, e, scales, power)
        bound = value + half * (np.abs(by_d) + np.abs(by_e)) + half**2 * bend
        corner = _value_and_gradient(d + half * np.sign(by_d), e + half * np.sign(by_e), scales, power)[0]
        best = max(best, float(value.max()), float(corner.max()))
        if bound.max() <= best * (1 + _CLOSE):
            return float(max(bound.max(), best) ** (1 / power)) * (1 + _ROUNDING)
        open_cells, half = bound > best, 0.5 * half
        d, e = (
            (side[open_cells, None] + half * np.array(signs)).ravel()
            for side, signs in ((d, (-1, -1, 1, 1)), (e, (-1, 1, -1, 1)))
        )


def shifts(d: Floats, e: Floats) -> Floats:
    """The largest shifts of (u, w, u^2, uw, w^2) in absolute value, shape (5, m); d and e of shape (m,)."""
    return np.array([d, e, d * (1 - d), 0.5 * (d * (1 - e) + (1 - d) * e), e * (1 - e)])


def _value_and_gradient(d: Floats, e: Floats, scales: Floats, power: int) -> tuple[Floats, Floats, Floats]:
    """sum_j (shift_j / b_j)^power and its derivatives by d and by e, each of shape (m,)."""
    zero, one = np.zeros_like(d), np.ones_like(d)
    terms = shifts(d, e) / scales
    by_d = np.array([one, zero, 1 - 2 * d, 0.5 - e, zero]) / scales
    by_e = np.array([zero, one, zero, 0.5 - d, 1 - 2 * e]) / scales
    outer = power * terms ** (power - 1)
    return (terms**power).sum(axis=0), (outer * by_d).sum(axis=0), (outer * by_e).sum(axis=0)


def _second_derivatives(b: Floats, power: int) -> float:
    """M_dd + 2 M_de + M_ee: d (1 - d) bends by 2 and so does its square, that of uw by 1/2 and, mixed, by 3/2."""
    if power == 1:
        return float(2 / b[2] + 2 / b[3] + 2 / b[4])
    along = 2 / b[0] ** 2 + 2 / b[1] ** 2 + 2 / b[2] ** 2 + 2 / b[4] ** 2
    return float(along + (0.5 + 2 * 1.5 + 0.5) / b[3] ** 2)
