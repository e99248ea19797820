"""Intervals and a slope test: how sure a release is of the line.

Post-processing of what was released: ``equation`` (what a release says, normal theory and Fieller's method),
``critical`` (normal errors and Laplace noise together), ``bootstrap``, ``slope_test``, and ``of_release``, which
chooses. Intervals that cost budget of their own: ``depth_region`` on the exact law of ``depth_walk``, and
``quantile_interval``; both draw their ends by ``crossing``.
"""

from .of_release import METHODS, Released, confidence_interval, privacy_interval
from .result import Intervals, Method, Target
from .slope_test import slope_test

__all__ = [
    "METHODS",
    "Intervals",
    "Method",
    "Released",
    "Target",
    "confidence_interval",
    "privacy_interval",
    "slope_test",
]
