"""Guidance sized so that its answer takes seconds, as the Guidance page and ``--scenario`` ask for it."""
