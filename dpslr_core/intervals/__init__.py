"""Intervals around the line of a release, and a test of its slope.

Post-processing of what was released: ``equation`` (Fieller's method, with normal errors and Laplace noise together)
and ``of_release`` (intervals and slope test).
"""

from .equation import Intervals, Target
from .of_release import Released, confidence_interval, privacy_interval, slope_test

__all__ = [
    "Intervals",
    "Released",
    "Target",
    "confidence_interval",
    "privacy_interval",
    "slope_test",
]
