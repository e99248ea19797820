"""The algorithm to use, from public guesses alone: the answer, the reasons, the switch points, the winner map."""

from .evidence import MOST
from .recommendation import Recommendation, private_mechanisms, recommend

__all__ = [
    "MOST",
    "Recommendation",
    "private_mechanisms",
    "recommend",
]
