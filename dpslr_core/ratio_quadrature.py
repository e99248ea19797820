"""P(E <= z), averaged over the law of a noisy ratio: z is linear in w = s / (1 + |s|) on either side of 0."""

from __future__ import annotations

import numpy as np

from ._types import Floats
from .ratio_panels import Noise, RatioDensity, nodes

_CHUNK = 60_000  # nodes worked on at a time; stays in the cache
_NEGLIGIBLE = 1e-20  # share of the smaller side below which the tail on a panel counts as 0
_SHARP = 12.0  # change of the tail's exponent that one panel can follow


def averaged_tails(slopes: RatioDensity, pull: float, steps: Floats, dense: bool = False) -> Floats:
    """The averages over s of P(E <= z), P(E > z) and, if dense, of (1 - |w|) times the density of E at z.

    z = steps (1 - |w|) - pull (s - reference) (1 - |w|); shape (2 or 3, len(steps)). Each panel of the ratio's
    density serves all steps. Where z changes sign or too much for a panel, that panel is cut and done anew.
    """
    rows = max(1, _CHUNK // slopes.panels.mass.size)
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        parts = [_chunk(slopes, pull, steps[i : i + rows], dense) for i in range(0, max(steps.size, 1), rows)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _chunk(slopes: RatioDensity, pull: float, steps: Floats, dense: bool) -> Floats:
    noise, panels = slopes.noise, slopes.panels
    ends = steps[:, None, None] * panels.end_rest - pull * panels.end_lever
    tails = noise.tail(np.abs(ends))
    negative, crossed = ends.max(axis=2) <= 0, ends[..., 0] * ends[..., 1] < 0
    sharp = crossed | (np.abs(np.subtract(*np.moveaxis(noise.exponent(np.abs(ends)), 2, 0))) > _SHARP)
    halves = 0.5 * np.array([np.where((ends < 0) == below, tails, 1 - tails).sum(axis=2) for below in (True, False)])
    smaller = (halves @ panels.total).min(axis=0)
    reach = panels.total * np.where(crossed, 0.5, tails.max(axis=2)) > _NEGLIGIBLE * smaller[:, None]
    sums = np.zeros((3, *negative.shape))
    row, panel = np.nonzero(reach & ~sharp)
    z = np.abs(steps[row, None] * panels.rest[panel] - pull * panels.lever[panel])
    mass = panels.mass[panel]
    sums[:2, row, panel] = np.einsum("in,in->i", noise.tail(z), mass)
    sums[0], sums[1] = _split(sums[0], panels.total, negative)
    if dense:
        sums[2, row, panel] = np.einsum("in,in,in->i", noise.density(z), mass, panels.rest[panel])
    row, panel = np.nonzero(reach & sharp)
    sums[:, row, panel] = _anew(slopes, steps[row], panel, ends[row, panel], dense)
    return sums[: 2 + dense].sum(axis=2)


def _split(tail: Floats, mass: Floats, negative: np.ndarray) -> tuple[Floats, Floats]:
    """The averages of P(E <= z) and P(E > z), where tail is that of P(E > |z|)."""
    return np.where(negative, tail, mass - tail), np.where(negative, mass - tail, tail)


def _anew(slopes: RatioDensity, steps: Floats, panel: np.ndarray, ends: Floats, dense: bool) -> Floats:
    """The three integrals over these panels for these steps, one each; z at the panels' ends in ends."""
    noise, line, low, high = slopes.noise, slopes.panels.line, slopes.panels.low[panel], slopes.panels.high[panel]
    slope = (ends[:, 1] - ends[:, 0]) / (high - low)
    # Offsets and z are exact at the end where the panel hangs; far out, z = 0 is a tiny offset from there.
    by_low = np.abs(low) < np.abs(high)
    fixed, z_fixed = np.where(by_low, low, high), np.where(by_low, ends[:, 0], ends[:, 1])
    row, left, right = _cut(np.clip(fixed - z_fixed / slope, low, high), low, high, np.abs(slope), noise)
    offsets, weights = nodes(left, right)
    points = line.take(panel[row]).at(offsets)
    mass = weights * slopes.density(points)
    z = z_fixed[row, None] + slope[row, None] * (offsets - fixed[row, None])
    tail = np.einsum("in,in->i", noise.tail(np.abs(z)), mass)
    values = [*_split(tail, mass.sum(axis=1), z[:, 8] <= 0)]
    if dense:
        values.append(np.einsum("in,in->i", noise.density(np.abs(z)), mass * points.rest))
    found = np.zeros((3, panel.size))
    found[: len(values)] = [np.bincount(row, value, panel.size) for value in values]
    return found


def _cut(kink: Floats, low: Floats, high: Floats, slope: Floats, noise: Noise) -> tuple[np.ndarray, Floats, Floats]:
    """(row, left, right): every interval cut where |z| is least, and at the noise's cuts on either side of it."""
    cuts = np.array([-cut for cut in noise.cuts[::-1]] + [0.0, *noise.cuts])
    edges = np.empty((kink.size, cuts.size + 2))
    edges[:, 0], edges[:, -1] = low, high
    edges[:, 1:-1] = np.clip(kink[:, None] + cuts / slope[:, None], low[:, None], high[:, None])
    row, piece = np.nonzero(edges[:, 1:] > edges[:, :-1])
    return row, edges[row, piece], edges[row, piece + 1]
