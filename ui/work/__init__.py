"""How the work of a page is metered, shared with other sessions, and asked about before it is long."""
