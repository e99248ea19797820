"""Sources of data."""

from .linear import LinearModel, simulate_linear

__all__ = [
    "LinearModel",
    "simulate_linear",
]
