"""Findings: what beats the paper's algorithms, and where; where the evidence differs from the paper's guidance."""

from ui.first import note_address

note_address()  # the other imports may take seconds

from ui.findings import against_the_paper, newer, stored, tables_by_name
from ui.page import begin

begin(settings="none")
tables = stored(tables_by_name)
if tables is None:
    against_the_paper({})
else:
    newer(tables)
