"""Checks of arguments, random streams, workers and the writing of numbers, for every floor; the version."""

import signal

VERSION = "0.2.0"  # of the project: pyproject.toml reads it here
ENDING = tuple(  # signals that end a run as Ctrl-C does
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)
