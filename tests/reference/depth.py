"""Literal, slow transcriptions of the depth score and of the exponential mechanism over a grid of lines."""

from fractions import Fraction

import numpy as np


def score(x, y, p, q, c):
    """M of the line through p at 1/4 and q at 3/4, in rational numbers.

    c = 0: the signs of the residuals; those below 10^-12, which on paper are 0, have none.
    """
    x, y, p, q, c = ([Fraction(v) for v in x], [Fraction(v) for v in y], *map(Fraction, (p, q, c)))
    shares = []
    for a, b in zip(x, y, strict=True):
        residual = b - (2 * (Fraction(3, 4) - a) * p + 2 * (a - Fraction(1, 4)) * q)
        if c == 0:
            shares.append((residual > 1e-12) - (residual < -1e-12))
        else:
            shares.append(max(Fraction(-1), min(Fraction(1), residual / c)))
    sums = [sum(s if a <= t else -s for a, s in zip(x, shares, strict=True)) for t in [-1, *x]]
    return max(abs(each) for each in sums)


def centres(side, lower, upper):
    return [
        Fraction(lower) + (Fraction(upper) - Fraction(lower)) * Fraction(2 * i + 1, 2 * side)
        for i in range(side)
    ]


def scores(x, y, c, side, lower, upper):
    """M of all cells, shape (side, side), in rational numbers."""
    middle = centres(side, lower, upper)
    return np.array([[float(score(x, y, p, q, c)) for q in middle] for p in middle])


def float_scores(x, y, c, side, lower, upper):
    """M of all cells, shape (side, side), in floating-point numbers; for residuals that are not 0 exactly."""
    middle = np.array([float(each) for each in centres(side, lower, upper)])
    p, q = middle[:, None, None], middle[None, :, None]
    residuals = y - (2 * (0.75 - x) * p + 2 * (x - 0.25) * q)
    shares = np.sign(residuals) if c == 0 else np.clip(residuals / c, -1, 1)
    sides = np.where(x <= np.append(-1, x)[:, None], 1.0, -1.0)
    return np.abs(shares @ sides.T).max(axis=-1)


def chances(M, weight):
    """The chances of the cells, same shape."""
    masses = np.exp(-weight * (M - M.min()))
    return masses / masses.sum()


def prediction_cdf(t, probabilities, lower, upper, at):
    """P(prediction at a point <= t): for each cell the cdf of a sum of two independent uniform numbers."""
    side = len(probabilities)
    cell, first, second = (upper - lower) / side, 2 * (0.75 - at), 2 * (at - 0.25)
    total = 0.0
    for i in range(side):
        for j in range(side):
            ends = [
                sorted(w * (lower + k * cell) for k in (number, number + 1))
                for w, number in ((first, i), (second, j))
            ]
            total += probabilities[i, j] * sum_of_uniforms_cdf(t, *ends)
    return total


def sum_of_uniforms_cdf(t, one, other):
    """P(U + V <= t), U uniform on one interval and V on the other."""
    low, (a, b) = one[0] + other[0], sorted((one[1] - one[0], other[1] - other[0]))
    z = t - low
    if a == 0:
        return min(max(z / b, 0.0), 1.0)
    if z <= 0 or z >= a + b:
        return float(z > 0)
    if z < a:
        return z * z / (2 * a * b)
    return (z - a / 2) / b if z < b else 1 - (a + b - z) ** 2 / (2 * a * b)
