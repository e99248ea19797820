"""P(E <= z), averaged over the law of a noisy ratio.

z is linear in w = s / (1 + |s|) on either side of 0, over a breadth that is linear too, and 1 where unit is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...support.types import Floats, Integers
from .panels import Noise, Panels, RatioDensity, nodes, stacked

_CHUNK = 60_000  # nodes at a time; they fit into the cache
_NEGLIGIBLE = 1e-20  # share of the smaller side below which the tail on a panel counts as 0
_SHARP = 12.0  # change of the tail's exponent that one panel can follow
_LEAST = 1e-300  # slopes count as at least this
_CENTRAL = 1e-12  # where the smaller side is larger than this, the heavy panels suffice


class _Table(NamedTuple):
    """The panels of several laws, one after another; starts, counts: where those of each begin, and how many."""

    every: Sequence[RatioDensity]
    panels: Panels
    starts: Integers
    counts: Integers

    @classmethod
    def of(cls, every: Sequence[RatioDensity], parts: Sequence[Panels]) -> _Table:
        counts = np.array([part.total.size for part in parts])
        return cls(every, parts[0] if len(parts) == 1 else Panels.join(parts), np.cumsum(counts) - counts, counts)

    def slopes(self, row: Integers) -> RatioDensity:
        """The laws that these panels are of, as one."""
        return stacked(self.every, np.searchsorted(self.starts, row, side="right") - 1)


def averaged_tails(
    every: Sequence[RatioDensity], number: Integers, pull: Floats, steps: Floats, dense: bool = False
) -> Floats:
    """The averages over s of P(E <= z), P(E > z) and, if dense, of (1 - |w|) times the density of E at z.

    every: laws of s with one kind of noise; number: of the law that each average is over. z = steps (1 - |w|) - pull
    lever, lever = (s - reference) (1 - |w|); number, pull and steps of one shape (m,), the result of shape (2 or 3, m).
    Each panel of the ratio's density serves all of its averages. Where z changes sign or too much for a panel, that
    panel is cut and integrated again. No average depends on the others.
    """
    heavy = _Table.of(every, [slopes.heavy_panels for slopes in every])
    averages = over_panels(heavy, number, pull, steps, dense)
    light = np.array([slopes.has_light_panels for slopes in every])
    outer = np.flatnonzero(~(averages[:2].min(axis=0) > _CENTRAL) & light[number])
    if outer.size:
        table = _Table.of(every, [slopes.panels for slopes in every])
        averages[:, outer] = over_panels(table, number[outer], pull[outer], steps[outer], dense)
    return averages


def over_panels(table: _Table, number: Integers, pull: Floats, steps: Floats, dense: bool) -> Floats:
    """As averaged_tails, over these panels, some of them at a time."""
    shares = np.cumsum(table.counts[number] * table.panels.rest.shape[1]) // _CHUNK
    edges = [0, *(np.flatnonzero(np.diff(shares)) + 1).tolist(), steps.size]
    with np.errstate(under="ignore", over="ignore", invalid="ignore", divide="ignore"):
        parts = [_chunk(table, number[i:j], pull[i:j], steps[i:j], dense) for i, j in pairwise(edges)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _chunk(table: _Table, number: Integers, pull: Floats, steps: Floats, dense: bool) -> Floats:
    """As averaged_tails, over these panels, in one array: a row for each average and panel."""
    if not steps.size:
        return np.empty((2 + dense, 0))
    counts = table.counts[number]
    ends = np.cumsum(counts)
    target, noise = np.repeat(np.arange(steps.size), counts), table.every[0].noise
    row = np.arange(ends[-1]) + (table.starts[number] - ends + counts)[target]
    rest, lever, mass, total = (part[row] for part in table.panels[3:])
    z = steps[target, None] * rest - pull[target, None] * lever
    first, last, z = z[:, 0], z[:, -1], np.abs(z)
    tails, exponents = noise.tail(z), noise.exponent(z[:, :: z.shape[1] - 1])
    sums = np.empty((2 + dense, target.size))
    sums[0], sums[1] = _split(np.einsum("rn,rn->r", tails, mass), total, first + last <= 0)
    if dense:
        density = tails if noise.density is noise.tail else noise.density(z)
        sums[2] = np.einsum("rn,rn,rn->r", density, mass, rest)
    crossed = first * last < 0
    largest = np.where(crossed, 0.5, np.maximum(tails[:, 0], tails[:, -1]))
    smaller = np.add.reduceat(sums[:2], ends - counts, axis=1).min(axis=0)
    reach = total * largest > _NEGLIGIBLE * smaller[target]
    again = np.flatnonzero(reach & (crossed | (np.abs(exponents[:, 0] - exponents[:, 1]) > _SHARP)))
    sums[:, again] = _refined(table, row[again], first[again], last[again], dense)
    return np.add.reduceat(sums, ends - counts, axis=1)


def _split(tail: Floats, mass: Floats, negative: np.ndarray) -> tuple[Floats, Floats]:
    """The averages of P(E <= z) and P(E > z), where tail is that of P(E > |z|)."""
    rest = mass - tail
    return np.where(negative, tail, rest), np.where(negative, rest, tail)


def _refined(table: _Table, panel: Integers, first: Floats, last: Floats, dense: bool) -> Floats:
    """The two or three integrals over these panels; z is first at the panel's low end and last at its high end."""
    panels, noise = table.panels, table.every[0].noise
    low, high, anchor = panels.low[panel], panels.high[panel], panels.anchor.take(panel)
    breadth = table.slopes(panel).breadth(anchor.at(np.column_stack([low, high]))).T
    line = _Line.through(low, high, np.array([first, last]) * breadth)
    row, left, right = _cut(line, _Line.through(low, high, breadth), low, high, noise)
    offsets, weights = nodes(left, right)
    points, slopes = anchor.take(row).at(offsets), table.slopes(panel[row])
    mass = weights * slopes.density(points)
    breadth = slopes.breadth(points)
    z = line.take(row).at(offsets) / breadth
    size = np.abs(z)
    tails = noise.tail(size)
    values = [*_split(np.einsum("in,in->i", tails, mass), mass.sum(axis=1), z[:, 8] <= 0)]
    if dense:
        density = tails if noise.density is noise.tail else noise.density(size)
        values.append(np.einsum("in,in,in->i", density, mass, points.rest / breadth))
    return np.array([np.bincount(row, value, panel.size) for value in values])


class _Line(NamedTuple):
    """Linear functions of the offset, each value at fixed and a slope; arrays of one shape."""

    fixed: Floats
    value: Floats
    slope: Floats

    @classmethod
    def through(cls, low: Floats, high: Floats, values: Floats) -> _Line:
        """Those with these values, shape (2, m), at low and at high.

        Offsets and z are exact at the end next to the anchor; far out, z = 0 is a tiny offset from there.
        """
        by_low = np.abs(low) < np.abs(high)
        fixed, value = np.where(by_low, low, high), np.where(by_low, values[0], values[1]).astype(float)
        return cls(fixed, value, (values[1] - values[0]) / (high - low))

    def take(self, which: np.ndarray) -> _Line:
        """Those with these numbers, with one axis more."""
        return _Line(*(part[which, None] for part in self))

    def at(self, offset: Floats) -> Floats:
        """Their values at these offsets."""
        return self.value + self.slope * (offset - self.fixed)


def _cut(line: _Line, breadth: _Line, low: Floats, high: Floats, noise: Noise) -> tuple[np.ndarray, Floats, Floats]:
    """(row, left, right): every interval cut where |z| is least, and where z = line / breadth is a cut from there.

    z = z_least + c is where line - (z_least + c) breadth = 0, which is c breadth / (slope - (z_least + c) slope') off.
    """
    kink = np.minimum(np.maximum(line.fixed - line.value / line.slope, low), high)
    ends = np.abs(line.at(low) * breadth.at(high)) <= np.abs(line.at(high) * breadth.at(low))
    inside = (low < kink) & (kink < high) | (breadth.slope == 0)
    kink = np.where(inside, kink, np.where(ends, low, high))
    here = breadth.at(kink)
    rising = np.where(line.slope * here >= line.at(kink) * breadth.slope, 1.0, -1.0)[:, None]
    z = (line.at(kink) / here)[:, None] + rising * noise.cuts
    slope = np.maximum(rising * (line.slope[:, None] - z * breadth.slope[:, None]), _LEAST)
    low, high = low[:, None], high[:, None]
    inner = kink[:, None] + noise.cuts * here[:, None] / slope
    edges = np.concatenate([low, np.minimum(np.maximum(inner, low), high), high], axis=1)
    row, part = np.nonzero(edges[:, 1:] > edges[:, :-1])
    return row, edges[row, part], edges[row, part + 1]
