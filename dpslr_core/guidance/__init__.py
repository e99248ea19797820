"""Which algorithm to use, from public guesses alone: the answer, the reasons, the switch points, the winner map."""

from .answer import recommend
from .candidates import private_mechanisms
from .evidence import MOST
from .recommendation import Recommendation

__all__ = [
    "MOST",
    "Recommendation",
    "private_mechanisms",
    "recommend",
]
