"""A report to hand on: what the Compare page says, as one page of HTML or a Word file."""
