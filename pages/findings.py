"""Findings: what beats the paper's algorithms, and where; where the evidence differs from the paper's guidance."""

from dpslr_core.report.metadata import findings_metadata
from ui.findings import measured, stored
from ui.page import begin
from ui.takeaway import saved_as

begin("Findings")
saved_as.declare(findings_metadata())
tables = stored.findings()
if tables is not None:
    measured.newer(tables)
made = stored.winner_map()
if made is not None:
    measured.against_the_paper(made)
