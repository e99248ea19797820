"""Findings: what beats the paper's algorithms, and where; where the evidence differs from the paper's guidance."""

from ui.sessions.opened import note_address

note_address()  # the other imports may take seconds

from ui.findings import measured, stored
from ui.page import begin
from ui.takeaway.panel import take_away

begin("Findings", settings="none")
tables = stored.findings()
shown = measured.newer(tables) if tables is not None else None
made = stored.winner_map()
if made is not None:
    measured.against_the_paper(made)
if shown is not None:
    take_away(shown)
