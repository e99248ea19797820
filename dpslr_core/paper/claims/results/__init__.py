"""Claims of the section on results."""
