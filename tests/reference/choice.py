"""A literal, slow transcription of ChooseByCenteredStats, one trial at a time; nothing shared with dpslr_core."""

from __future__ import annotations

import itertools
import math

import numpy as np

B = (3.1, 3.4, 1.2, 0.83, 1.95)
C = 0.1


def centred_sums(x, y):
    """Of u, w, u^2, uw and w^2, with u = x - 1/2 and w = y - 1/2."""
    pairs = [(a - 0.5, b - 0.5) for a, b in zip(x, y, strict=True)]
    return [sum(part) for part in zip(*((u, w, u * u, u * w, w * w) for u, w in pairs), strict=True)]


def with_noise(sums, epsilon, noise):
    """Sums with b / epsilon times this noise."""
    return [s + b / epsilon * e for s, b, e in zip(sums, B, noise, strict=True)]


def weighted(one, other, first, rest):
    """(first^2 T1 + rest^2 T2) / (first^2 + rest^2)."""
    return [(first**2 * s + rest**2 * t) / (first**2 + rest**2) for s, t in zip(one, other, strict=True)]


def plan_of_sums(n, sums, first, rest, grid, lower, upper):
    """What the first sums of (u, w, u^2, uw, w^2) lead to: None for sums again, else the matrix W.

    first, rest: the epsilon of the first sums and of what follows.
    """
    u_mean, w_mean = sums[0] / n, sums[1] / n
    nvar, ncov, nvar_y = sums[2] - n * u_mean**2, sums[3] - n * u_mean * w_mean, sums[4] - n * w_mean**2
    if nvar <= 0:
        return [[1.0, 0.0], [0.0, 1.0]]
    scales, width = [each / first for each in B], upper - lower
    sigma = max(math.sqrt(max(nvar_y - ncov**2 / nvar, 0) / (n - 2)), 1e-6)
    nvar = max(nvar, scales[2])
    slope = min(max(ncov / nvar, -2 * width), 2 * width)
    rate = rest * n / 4 * math.erf(C / sigma / math.sqrt(2)) / C
    of_sums, noise, inefficiency = np.zeros((3, 2, 2))
    away = [z - u_mean for z in (-0.25, 0.25)]
    moves = [
        [h * (2 * slope * u_mean - w_mean) - slope / n, 1 / n - h * u_mean, -h * slope, h]
        for h in (away[0] / nvar, away[1] / nvar)
    ]
    for i, j in itertools.product((0, 1), (0, 1)):
        tilt = away[i] * away[j] / (nvar / n)
        of_sums[i, j] = sum(2 * scales[k] ** 2 * moves[i][k] * moves[j][k] for k in range(4))
        noise[i, j] = ((16 + 3 * math.pi) + (16 + 5 * math.pi) * tilt) / (4 + math.pi) / rate**2
        inefficiency[i, j] = (math.pi / 2 - 1) * sigma**2 / n * (1 + tilt)

    def within(errors):
        return errors / (1 + np.trace(errors) / 2 / (width**2 / 12))

    noise = within(noise) + np.eye(2) * (width / grid) ** 2 / 6
    weight = within(of_sums) @ np.linalg.inv(within(of_sums) + noise)
    again = within(of_sums * first**2 / (first**2 + rest**2))
    of_both = weight @ noise + weight @ within(inefficiency) @ weight.T
    return None if np.trace(again) < np.trace(of_both) else weight.tolist()


def line_of_sums(n, sums):
    """The line that sums of (u, w, u^2, uw) make, as a function of x; flat where n var(x) is not above 0."""
    u_mean, w_mean = sums[0] / n, sums[1] / n
    nvar, ncov = sums[2] - n * u_mean**2, sums[3] - n * u_mean * w_mean
    slope = ncov / nvar if nvar > 0 else 0.0
    return lambda x: 0.5 + w_mean + slope * (x - 0.5 - u_mean)


def trials(x, y, mechanism, epsilon, at, size, rng, drawn_lines):
    """(releases at these points, shape (size, m), and whether sums were released again, shape (size,)).

    The noise of the first sums is drawn first, then that of the second ones, then drawn_lines(epsilon, how many): the
    values of lines at 1/4 and 3/4.
    """
    first, rest, n, sums = mechanism.share * epsilon, (1 - mechanism.share) * epsilon, len(x), centred_sums(x, y)
    released = [with_noise(sums, first, noise) for noise in rng.laplace(size=(5, size)).T.tolist()]
    public = mechanism.grid, mechanism.lower, mechanism.upper
    weights = [plan_of_sums(n, each, first, rest, *public) for each in released]
    again = rng.laplace(size=(5, weights.count(None))).T.tolist() if None in weights else []
    lines = iter(drawn_lines(rest, size - len(again)) if len(again) < size else [])
    answers, second = [], iter(again)
    for each, weight in zip(released, weights, strict=True):
        if weight is None:
            both = weighted(each, with_noise(sums, rest, next(second)), first, rest)
            answers.append([line_of_sums(n, both)(point) for point in at])
            continue
        known = [min(max(line_of_sums(n, each)(end), public[1]), public[2]) for end in (0.25, 0.75)]
        off = [end - near for end, near in zip(next(lines), known, strict=True)]
        ends = [near + row[0] * off[0] + row[1] * off[1] for near, row in zip(known, weight, strict=True)]
        answers.append([2 * (ends[0] * (0.75 - point) + ends[1] * (point - 0.25)) for point in at])
    return np.array(answers), np.array([weight is None for weight in weights])
