"""How errors change with one parameter, on simulated data, and where the curves of two algorithms cross."""

from .pieces import BLOCK, COLUMNS, Piece, combine, spans, sweep, sweep_chunks

__all__ = [
    "BLOCK",
    "COLUMNS",
    "Piece",
    "combine",
    "spans",
    "sweep",
    "sweep_chunks",
]
