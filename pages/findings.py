"""Findings: what beats the paper's algorithms, and where; where the evidence differs from the paper's guidance."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

from ui.findings import against_the_paper, newer, stored_findings, stored_map
from ui.page import begin

begin("Findings", settings="none")
tables = stored_findings()
shown = newer(tables) if tables is not None else None
made = stored_map()
if made is not None:
    against_the_paper(made)
if shown is not None:
    shown()
