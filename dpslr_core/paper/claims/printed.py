"""What stands in print and is wrong, transcribed, so that it can be run beside what is right."""

from __future__ import annotations

import math

import numpy as np

from ...dataset import Dataset
from ...support.types import Floats


def descent(data: Dataset, sign: float, steps: int = 80, clip: float = 1.0) -> Floats:
    """Algorithm 6 without noise: the averaged predictions at 1/4 and 3/4, shape (2,).

    sign: of the step; -1 as printed, 1 as it must be, since the gradients are proportional to y - fit. The step is
    1 over the root of the sum of squared norms.
    """
    weights = np.stack([0.75 - data.x, data.x - 0.25])
    p, squares, path = np.array([0.5, 0.5]), 0.0, []
    for _ in range(steps):
        path.append(p)
        residual = data.y - 2 * p @ weights
        gradient = np.clip(2 * residual * weights, -clip, clip).sum(axis=1)
        squares += float(gradient @ gradient)
        p = p + sign * gradient / math.sqrt(squares)
    return np.mean(path[steps // 2 :], axis=0)


def widened_edges(z: Floats, theta: float, lower: float, upper: float) -> Floats:
    """The entries of Algorithm 4 after its loop, ends of the range included; z sorted, of shape (N,), N odd.

    The line for the upper half reads z[n - i - 1] = min(z_u, z[i] + theta), where z[i] has just been moved down.
    """
    moved, n = z.copy(), z.size
    for i in range(n // 2 + 1):
        moved[i] = max(lower, moved[i] - theta)
        moved[n - i - 1] = min(upper, moved[i] + theta)
    return np.concatenate([[lower], moved, [upper]])


def exponential_log_masses(z: Floats, epsilon: float, lower: float, upper: float) -> Floats:
    """The scores of Algorithm 3 without their noise: logarithms of interval masses up to one constant.

    z: sorted, inside the range, shape (N,); the result has the shape (N + 1,).
    """
    ends = np.concatenate([[lower], z, [upper]])
    n = ends.size
    i = np.arange(1, n)
    return np.log(np.diff(ends)) - epsilon / 2 * np.ceil(np.abs(i - n / 2))


def main_text_sensitivity(z: Floats, k: int, t: float, lower: float, upper: float) -> float:
    """The lemma on smooth sensitivity as the main text has it: z[m+s] - z[m-(k(l+1)+s)] from l = 1 on; z sorted."""
    m = math.ceil(z.size / 2) - 1

    def entry(places: np.ndarray) -> Floats:
        inside = z[np.clip(places, 0, z.size - 1)]
        return np.where(places < 0, lower, np.where(places >= z.size, upper, inside))

    best = float(max(entry(np.array(m + k)) - z[m], z[m] - entry(np.array(m - k))))
    for level in range(1, 2 * z.size + 2):
        width = k * (level + 1)
        s = np.arange(width + 1)
        best = max(best, math.exp(-level * t) * float(np.max(entry(m + s) - entry(m - width - s))))
    return best
