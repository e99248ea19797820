"""The same jobs from a terminal."""

from .audit_command import audit
from .commands import main

main.add_command(audit)

__all__ = [
    "main",
]
