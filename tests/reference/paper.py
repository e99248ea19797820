"""Literal, slow transcriptions of the definitions: loops over plain numbers, nothing shared with dpslr_core.

The fast code is compared with these. "Algorithm", "Lemma" and "Equation" refer to the paper; where the paper is
corrected, the correction is transcribed.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


# ---------------------------------------------------------------- ordinary least squares


def nvar(x):
    return sum((a - mean(x)) ** 2 for a in x)


def ncov(x, y):
    return sum((a - mean(x)) * (b - mean(y)) for a, b in zip(x, y, strict=True))


def ols(x, y):
    """Slope and intercept (Equation 2)."""
    slope = ncov(x, y) / nvar(x)
    return slope, mean(y) - slope * mean(x)


def predict(x, y, at):
    slope, intercept = ols(x, y)
    return slope * at + intercept


def standard_error(x, y, at):
    """Equation 3."""
    n, (slope, intercept) = len(x), ols(x, y)
    squares = sum((b - slope * a - intercept) ** 2 for a, b in zip(x, y, strict=True))
    return math.sqrt(squares) / math.sqrt(n - 2) * math.sqrt(1 / n + (at - mean(x)) ** 2 / nvar(x))


# ---------------------------------------------------------------- pairs


def estimate(first, second, at):
    """The prediction by the line through two records (Algorithm 2); None where they have the same x."""
    (x_j, y_j), (x_l, y_l) = first, second
    if x_l - x_j == 0:
        return None
    s = (y_l - y_j) / (x_l - x_j)
    return s * (at - (x_l + x_j) / 2) + (y_l + y_j) / 2


def pairwise_estimates(x, y, at, pairs=None):
    """One entry per pair, None where x is tied; all pairs unless pairs are given."""
    records = list(zip(x, y, strict=True))
    if pairs is None:
        pairs = itertools.combinations(range(len(records)), 2)
    return [estimate(records[i], records[j], at) for i, j in pairs]


def to_grid(value, bits=24):
    """The nearest multiple of 2^-bits, ties to even, as a fraction."""
    return Fraction(round(Fraction(value) * 2**bits), 2**bits)


def range_on_grid(lower, upper, bits=24):
    """Both ends of the range rounded inwards."""
    return math.ceil(Fraction(lower) * 2**bits) / 2**bits, math.floor(
        Fraction(upper) * 2**bits
    ) / 2**bits


def estimates_on_grid(x, y, at, pairs=None, bits=24):
    """As pairwise_estimates of records and a point on the grid, each moved up to the next grid point; exact."""
    x, y, at = [to_grid(a, bits) for a in x], [to_grid(b, bits) for b in y], to_grid(at, bits)
    found = pairwise_estimates(x, y, at, pairs)
    return [None if value is None else math.ceil(value * 2**bits) / 2**bits for value in found]


def private_list(x, y, at, lower, upper, pairs=None):
    """What the private medians work on: estimates on the grid, clipped, one per pair."""
    return kept_estimates(estimates_on_grid(x, y, at, pairs), *range_on_grid(lower, upper))


def kept_estimates(found, lower, upper):
    """Sorted: clipped to [lower, upper], the pairs with equal x at lower and upper in turn."""
    kept, ends = [], itertools.cycle([lower, upper])
    for value in found:
        kept.append(next(ends) if value is None else min(max(value, lower), upper))
    return sorted(kept)


def median(values):
    """None for no values; the mean of the two middle ones for an even number."""
    ordered = sorted(values)
    if not ordered:
        return None
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return (low + high) / 2


def theil_sen(x, y, at, pairs=None):
    return median([value for value in pairwise_estimates(x, y, at, pairs) if value is not None])


def rounds(n):
    """The circle method as a tournament plays it: one stays, the others move on by one seat after each round."""
    seats = list(range(n)) if n % 2 == 0 else [None, *range(n)]  # an odd n: the dummy stays
    played = []
    for _ in range(len(seats) - 1):
        half = len(seats) // 2
        meets = [(seats[i], seats[-1 - i]) for i in range(half)]
        played.append([frozenset(pair) for pair in meets if None not in pair])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return played


def random_pairs(n, k, rng):
    """k rounds without replacement of a randomly relabelled tournament."""
    label = list(rng.permutation(n))
    played = rounds(n)
    chosen = rng.choice(len(played), size=k, replace=False)
    return [tuple(int(label[i]) for i in pair) for r in chosen for pair in played[r]]


def all_pair_sets(n, k):
    """Every set of pairs that k rounds can give, whatever the labels."""
    found = set()
    for label in itertools.permutations(range(n)):
        for chosen in itertools.combinations(rounds(n), k):
            found.add(
                frozenset(frozenset(label[i] for i in pair) for played in chosen for pair in played)
            )
    return [[tuple(sorted(pair)) for pair in pairs] for pairs in found]


# ---------------------------------------------------------------- private medians


def utility(z, r):
    """|#above r - #below r|, r itself not counted."""
    above = below = 0
    for value in z:
        above += value > r
        below += value < r
    return abs(above - below)


def utility_just_above(z, r):
    """The same a hair above r, where the values equal to r lie below."""
    above = below = 0
    for value in z:
        above += value > r
        below += value <= r
    return abs(above - below)


def widened_utility(z, r, theta):
    """min over |a - r| <= theta of utility(z, a).

    It can only change at a value of z: so both ends of the window, every value in it, and what lies just above
    that value, if the window goes on there, are all there is to try.
    """
    tried = [utility(z, r - theta), utility(z, r + theta)]
    for value in z:
        if r - theta <= value <= r + theta:
            tried.append(utility(z, value))
            if value < r + theta:
                tried.append(utility_just_above(z, value))
    return min(tried)


def median_density(z, epsilon, lower, upper, theta=0.0):
    """The (widened) exponential mechanism: a list of (left, right, density), epsilon the budget per entry.

    The utility at a point can only change where a value enters or leaves the window around it. The density is
    taken in the middle of what lies between, with the best utility subtracted first.
    """
    bounds = {lower, upper}
    for value in z:
        for moved in (value - theta, value + theta):
            if lower < moved < upper:
                bounds.add(moved)
    pieces = []
    for left, right in itertools.pairwise(sorted(bounds)):
        pieces.append((left, right, widened_utility(z, (left + right) / 2, theta)))
    best = min(u for _, _, u in pieces)
    total = math.fsum(
        (right - left) * math.exp(-epsilon * (u - best) / 4) for left, right, u in pieces
    )
    return [(left, right, math.exp(-epsilon * (u - best) / 4) / total) for left, right, u in pieces]


def joint_density(lists, epsilon, lower, upper):
    """One draw for several points: cells of [lower, upper]^m as (sides, density), epsilon the budget per entry.

    A cell has one side (left, right) between neighbouring values for each list; its score is the largest utility.
    """
    sides = [[pair for pair in itertools.pairwise(sorted({lower, *z, upper}))] for z in lists]
    cells = []
    for cell in itertools.product(*sides):
        score = max(
            utility(z, (left + right) / 2) for z, (left, right) in zip(lists, cell, strict=True)
        )
        cells.append((cell, score))
    best = min(score for _, score in cells)
    weights = [math.exp(-epsilon * (score - best) / 4) for _, score in cells]
    volumes = [math.prod(right - left for left, right in cell) for cell, _ in cells]
    total = math.fsum(weight * volume for weight, volume in zip(weights, volumes, strict=True))
    return [(cell, weight / total) for (cell, _), weight in zip(cells, weights, strict=True)]


def density_at(cells, point):
    """The density at one point alone: (left, right, density) in order."""
    masses = {}
    for cell, density in cells:
        mass = density * math.prod(right - left for left, right in cell)
        masses[cell[point]] = masses.get(cell[point], 0.0) + mass
    return [(left, right, mass / (right - left)) for (left, right), mass in sorted(masses.items())]


def draw_from_density(pieces, rng):
    """One draw: a piece by its mass, then a point in it."""
    target = rng.random()
    for left, right, density in pieces:
        target -= (right - left) * density
        if target < 0:
            break
    return left + rng.random() * (right - left)


def lower_median(z):
    """z_m, m = ceil(N/2), counted from one."""
    return sorted(z)[math.ceil(len(z) / 2) - 1]


def smooth_sensitivity(z, k, t, lower, upper):
    """max over l of e^(-lt) max over s = 0 .. k(l+1) of z[m+s] - z[m-k(l+1)+s] (smooth sensitivity, appendix)."""
    z, count = sorted(z), len(z)
    m = math.ceil(count / 2)

    def entry(i):
        return lower if i < 1 else upper if i > count else z[i - 1]

    best = 0.0
    for level in range(2 * count + 2):
        width = k * (level + 1)
        for s in range(width + 1):
            best = max(best, math.exp(-level * t) * (entry(m + s) - entry(m - width + s)))
    return best


def student_noise(epsilon, df, beta):
    """t and s of Algorithm 5, with the share beta of the budget on smoothness."""
    t = epsilon * beta / (df + 1)
    return t, 2 * math.sqrt(df) * (epsilon - t * (df + 1)) / (df + 1)


# ---------------------------------------------------------------- noisy statistics


def noisy_stats(x, y, noise, at, scale, flat=False, ends=(-math.inf, math.inf)):
    """Algorithm 1 with three unit noises handed in; scale(sensitivity, number of the noise) is the noise scale.

    None = failed; with flat the mean of y takes its place. ends: what the prediction is clipped to.
    """
    n = len(x)
    noisy_nvar = nvar(x) + scale(1 - 1 / n, 0) * noise[0]
    noisy_ncov = ncov(x, y) + scale(1 - 1 / n, 1) * noise[1]
    if noisy_nvar > 0:
        slope = noisy_ncov / noisy_nvar
        intercept = mean(y) - slope * mean(x) + scale((1 + abs(slope)) / n, 2) * noise[2]
        return min(max(slope * at + intercept, ends[0]), ends[1])
    return min(max(mean(y) + scale(1 / n, 2) * noise[2], ends[0]), ends[1]) if flat else None


# ---------------------------------------------------------------- gradient descent


def clipped_gradient(x, y, p25, p75, bound):
    """Of one record, both parts clipped; the parameters may be arrays of one shape."""
    fit = 2 * (p25 * (3 / 4 - x) + p75 * (x - 1 / 4))
    return np.clip(2 * (y - fit) * (3 / 4 - x), -bound, bound), np.clip(
        2 * (y - fit) * (x - 1 / 4), -bound, bound
    )


def gradient_descent(x, y, noise, bound, start):
    """Algorithms 6 and 7, climbing corrected: noise[t] are the two noises of step t; returns (p25, p75).

    Each noise is a number, or an array of any number of descents that go side by side.
    """
    steps = len(noise)
    p25, p75 = start
    squares, kept = 0.0, []
    for t in range(steps):
        if t >= steps // 2:
            kept.append((p25, p75))
        g25, g75 = noise[t]
        for a, b in zip(x, y, strict=True):
            d25, d75 = clipped_gradient(a, b, p25, p75, bound)
            g25, g75 = g25 + d25, g75 + d75
        squares = squares + g25**2 + g75**2
        gamma = 1 / np.sqrt(squares)
        p25, p75 = p25 + gamma * g25, p75 + gamma * g75
    return mean([a for a, _ in kept]), mean([b for _, b in kept])


def on_line(p25, p75, at):
    """The line through (1/4, p25) and (3/4, p75)."""
    return p25 + (p75 - p25) * (at - 0.25) / 0.5


# ---------------------------------------------------------------- maximum observed sensitivity


def observed_sensitivity(x, y, at, grid):
    """n times the largest change of the prediction when one grid point is added, by refitting every time."""
    before, largest = predict(x, y, at), 0.0
    for i in range(grid):
        for j in range(grid):
            after = predict([*x, i / (grid - 1)], [*y, j / (grid - 1)], at)
            largest = max(largest, abs(after - before))
    return len(x) * largest
