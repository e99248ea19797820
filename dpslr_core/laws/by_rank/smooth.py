"""The smooth sensitivity of the median of all pairwise estimates by rank queries."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, exp, log
from typing import NamedTuple

import numpy as np

from ...pairs.cell_counts import CellCounts
from ...pairs.inversions import sort_whole
from ...pairs.matchings import pair_count
from ...support.run import checkpoint
from ...support.types import Floats, Integers
from .. import medians

_LISTED = 60_000_000  # estimates listed for a smooth sensitivity at most: all pairs of 10,954 records; 0.5 GB


def levels_needed(n: int, cells: int, t: float, least: float) -> int:
    """The last l whose e^(-l t) W((n-1)(l+1)) can exceed least, whatever the data; W is at most cells."""
    last = -(-(pair_count(n, None) + 1) // (n - 1)) - 1
    return last if log(max(cells / least, 1)) >= last * t else ceil(log(max(cells / least, 1)) / t)


def within_reach(n: int, cells: int, t: float, least: float) -> bool:
    """Whether smooth_median may be asked for: decided by public numbers alone."""
    return t == 0 or 2 * _width(n, levels_needed(n, cells, t, least)) <= _LISTED or pair_count(n, None) <= _LISTED


def smooth_median(counts: CellCounts, t: float, least: float) -> tuple[int, float]:
    """medians.lower_median and medians.smooth_sensitivity of all pairwise estimates, as positions; exact.

    least > 0, in spacings. The estimates that the largest window can need are listed; where ranks further out do not
    certify that no wider window is larger, more are, up to as many as levels_needed says.
    Source: Algorithm 5 and the lemma on smooth sensitivity.
    """
    n, total, middle = counts.ranks.n, counts.total, (counts.total + 1) // 2 - 1
    value = counts.position(middle)
    if t == 0:  # the widest window is as good as any
        return value, max(least, float(counts.cells))
    most, run = levels_needed(n, counts.cells, t, least), _Run(value, counts.up_to(value - 1), counts.up_to(value))
    # A window has no width before it reaches an end of the run of entries equal to z_m.
    levels = min(most, min(middle - run.start, run.stop - middle) // (n - 1) + ceil(3.5 / t))
    while True:
        width = _width(n, levels)
        if 2 * width >= total:
            z = _entries(counts, run, 0, total)
            return value, float(medians.smooth_sensitivity(z, n - 1, t, 0, counts.cells, least))
        z = _entries(counts, run, middle - width, middle + width + 1)
        # Beyond the list its own ends stand in: no more than what is there.
        spread = float(medians.smooth_sensitivity(z, n - 1, t, z[0], z[-1], least))
        if levels == most or _no_wider_window(counts, t, levels, most, spread):
            return value, spread
        levels = min(most, 2 * levels)


class _Run(NamedTuple):
    """The entries equal to one value: numbers start .. stop - 1 of the sorted estimates."""

    value: int
    start: int
    stop: int


def _width(n: int, level: int) -> int:
    """The width of the window of a level: how many estimates that many replaced records change, and one more."""
    return (n - 1) * (level + 1)


def _entries(counts: CellCounts, run: _Run, first: int, last: int) -> Floats:
    """The sorted estimates number first .. last - 1, the run's among them, as positions, shape (last - first,)."""
    low, high = counts.position(first), counts.position(last - 1)
    z = np.full(last - first, float(run.value))
    if low < run.value:
        _fill(z[: run.start - first], low, counts.up_to(low) - first, counts.between(low, run.value))
    if high > run.value:
        _fill(z[run.stop - first :], high, 0, counts.between(run.value, high))
    return z


def _fill(z: Floats, rest: int, start: int, parts: Iterator[Integers]) -> None:
    """Put the parts into z from start on, sorted, and the rest before and after them."""
    stop = start
    for part in parts:
        z[stop : stop + part.size] = part
        stop += part.size
    z[:start] = z[stop:] = rest
    z[start:stop] = sort_whole(z[start:stop])


def _no_wider_window(counts: CellCounts, t: float, level: int, most: int, spread: float) -> bool:
    """Whether e^(-l t) W(w) <= spread for level < l <= most, as W(w) <= z[m+w] - z[m-w] and W grows with w."""
    middle, n = (counts.total + 1) // 2 - 1, counts.ranks.n
    while level < most and exp(-(level + 1) * t) * counts.cells > spread:
        checkpoint()
        end = min(most, level + 1 + level // 4)
        high, low = middle + _width(n, end), middle - _width(n, end)
        widest = spread * exp((level + 1) * t)
        top = counts.bracket(high, widest / 16)[1] if high < counts.total else counts.cells
        bottom = counts.bracket(low, widest / 16)[0] if low >= 0 else 0
        if top - bottom > widest:
            return False
        level = end
    return True
