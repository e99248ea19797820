"""Pairs of records and their Theil-Sen estimates: matchings, middles of lists, and rank queries for large n."""

from .grid import PublicGrid
from .matchings import (
    all_pairs,
    clip_and_place_ties,
    is_complete,
    lines_through,
    lipschitz,
    matched_estimates,
    pair_count,
    round_count,
    rounds,
    with_ends,
)

__all__ = [
    "PublicGrid",
    "all_pairs",
    "clip_and_place_ties",
    "is_complete",
    "lines_through",
    "lipschitz",
    "matched_estimates",
    "pair_count",
    "round_count",
    "rounds",
    "with_ends",
]
