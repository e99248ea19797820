"""How far apart two laws known by ranks are at least: a certain lower bound from a few hundred rank queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...support.types import Floats, Integers
from ..piecewise import PiecewiseUniform
from .staircase import StaircaseLaw

_QUERIES = 100  # cells at most where the rank of each law is asked for


class _Known(NamedTuple):
    """What is certain of a log density up to its normaliser at some outcomes, and of the normaliser's logarithm."""

    low: Floats
    high: Floats
    total_low: float
    total_high: float


def staircase_divergences(
    law: StaircaseLaw | PiecewiseUniform, other: StaircaseLaw | PiecewiseUniform
) -> tuple[float, float]:
    """Certain lower bounds on the suprema of log(density under law / density under other) and of its negative.

    Both sides of every edge of both staircases are outcomes, so that a jump is seen. Where ranks are not known there,
    some are asked for; and each normaliser lies between the masses under its two staircases, of which the one counts
    that makes the bound smaller.
    """
    edges = np.unique(np.concatenate([law.edges, other.edges]))
    outcomes = np.concatenate([edges[:-1], np.nextafter(edges[1:], -np.inf)])
    mine, theirs = _known(law, outcomes), _known(other, outcomes)
    asked = _asked(mine, theirs)
    mine, theirs = (_answered(*pair, outcomes, asked) for pair in ((law, mine), (other, theirs)))
    return _at_least(mine, theirs), _at_least(theirs, mine)


def _piece_of(edges: Floats, outcomes: Floats) -> Integers:
    return np.searchsorted(edges, outcomes, side="right") - 1


def _known(law: StaircaseLaw | PiecewiseUniform, outcomes: Floats) -> _Known:
    """The bounds that both staircases give; -inf outside the range of the law."""
    if isinstance(law, PiecewiseUniform):
        low, high = law, law
    else:
        low, high = PiecewiseUniform(law.edges, law.log_low), PiecewiseUniform(law.edges, law.log_high)
    piece = _piece_of(law.edges, outcomes)
    inside, piece = (piece >= 0) & (piece < low.log_density.size), np.clip(piece, 0, low.log_density.size - 1)
    at_low, at_high = (np.where(inside, staircase.log_density[piece], -np.inf) for staircase in (low, high))
    return _Known(at_low, at_high, low._log_total, high._log_total)


def _asked(mine: _Known, theirs: _Known) -> Integers:
    """The numbers of the outcomes to ask at: half where the ratio may be largest, half spread over the rest."""
    undecided = np.flatnonzero((mine.low < mine.high) | (theirs.low < theirs.high))
    if undecided.size <= _QUERIES:
        return undecided
    widest = np.maximum(mine.high[undecided] - theirs.low[undecided], theirs.high[undecided] - mine.low[undecided])
    top = np.argpartition(widest, -_QUERIES // 2)[-_QUERIES // 2 :]
    spread = np.linspace(0, undecided.size - 1, _QUERIES // 2).astype(int)
    return undecided[np.union1d(top, spread)]


def _answered(law: StaircaseLaw | PiecewiseUniform, known: _Known, outcomes: Floats, asked: Integers) -> _Known:
    """What is known once the exact density has been asked for at some outcomes."""
    asked = asked[known.low[asked] < known.high[asked]]
    if isinstance(law, PiecewiseUniform) or not asked.size:
        return known
    low, high = known.low.copy(), known.high.copy()
    low[asked] = high[asked] = law.log_density(outcomes[asked], _piece_of(law.edges, outcomes[asked]))
    return known._replace(low=low, high=high)


def _at_least(mine: _Known, theirs: _Known) -> float:
    """The largest log ratio that is certain, and 0 at least: no density is below another everywhere."""
    possible = mine.low > -np.inf
    ratios = mine.low[possible] - theirs.high[possible]
    return max(0.0, float(np.max(ratios, initial=-np.inf)) - mine.total_high + theirs.total_low)
