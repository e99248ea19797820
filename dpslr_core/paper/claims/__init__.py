"""The paper's numeric claims, each beside the number that is computed here."""

from .claim import AGREES, DIFFERS, MISSING, Claim, Expected, Result
from .sections import CLAIMS
from .table import STORED, compute, compute_all, frame, load, save, stored_version

__all__ = [
    "AGREES",
    "CLAIMS",
    "DIFFERS",
    "MISSING",
    "STORED",
    "Claim",
    "Expected",
    "Result",
    "compute",
    "compute_all",
    "frame",
    "load",
    "save",
    "stored_version",
]
