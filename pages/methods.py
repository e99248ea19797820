"""Methods: a card per algorithm, from its dataclass."""

from dpslr_core.mechanisms import algorithms
from ui.cards import card, conventions, findings
from ui.settings import begin

begin("Methods")
conventions()
findings()
for algorithm in algorithms():
    card(algorithm)
