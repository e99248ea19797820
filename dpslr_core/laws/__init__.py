"""Exact output distributions of mechanisms on one fixed data set.

``base`` has the face of a law and the named ones; ``noisy`` (with ``ratio_*``) the ratios of NoisyStats; ``piecewise``
and ``staircase`` private medians, from sorted lists and from rank queries; ``mixtures`` and ``either`` laws of laws;
``quantile_search`` finds error bounds and medians of several laws together.
"""

from .base import Laplace, Law, PointMass, StudentT

__all__ = [
    "Laplace",
    "Law",
    "PointMass",
    "StudentT",
]
