"""Pairs of records and their Theil-Sen estimates: matchings, middles of lists, and rank queries for large n."""

from .grid import PublicGrid
from .matchings import (
    all_pairs,
    estimates,
    is_complete,
    lines_through,
    lipschitz,
    matched_estimates,
    median_of_sorted,
    pair_count,
    random_matchings,
    round_count,
    rounds,
    within,
)

__all__ = [
    "PublicGrid",
    "all_pairs",
    "estimates",
    "is_complete",
    "lines_through",
    "lipschitz",
    "matched_estimates",
    "median_of_sorted",
    "pair_count",
    "random_matchings",
    "round_count",
    "rounds",
    "within",
]
