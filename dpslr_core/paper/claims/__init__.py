"""The paper's numeric claims, each beside the number that is computed here."""

from .claim import Claim, Expected, Kind, Result
from .sections import CLAIMS
from .table import STORED, compute, compute_all, frame, load, save, stored_version

__all__ = [
    "CLAIMS",
    "STORED",
    "Claim",
    "Expected",
    "Kind",
    "Result",
    "compute",
    "compute_all",
    "frame",
    "load",
    "save",
    "stored_version",
]
