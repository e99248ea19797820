"""Which algorithm to use, from public guesses alone: the answer, the reasons, the flips, the winner map."""

from .recommendation import MOST, Recommendation, private_mechanisms, recommend

__all__ = [
    "MOST",
    "Recommendation",
    "private_mechanisms",
    "recommend",
]
