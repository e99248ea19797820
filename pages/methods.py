"""Methods: a card per algorithm, from its dataclass."""

from dpslr_core.mechanisms import MECHANISMS
from ui.cards import card, conventions
from ui.settings import begin

begin("Methods")
conventions()
for algorithm in MECHANISMS:
    card(algorithm)
