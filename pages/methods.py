"""Methods: a card per algorithm, from its dataclass."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

from dpslr_core.mechanisms import algorithms
from ui.methods import card, conventions, not_built
from ui.page import answer, begin

begin("Methods", settings="none")
count = sum(algorithm().guarantee(1.0).private for algorithm in algorithms())
answer(f"{count} private algorithms, and {len(algorithms()) - count} that are not private, to compare with.")
conventions()
for algorithm in algorithms():
    card(algorithm)
not_built()
