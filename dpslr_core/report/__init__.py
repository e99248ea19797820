"""A report to hand on: what the Compare page or the Small areas page says, as a page of HTML or a Word file."""
