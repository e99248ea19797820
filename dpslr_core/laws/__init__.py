"""Exact output distributions of mechanisms on one fixed data set.

``base`` says what a law offers; ``named`` has point mass, Laplace, Gaussian and Student-t; ``ratio`` the laws of
NoisyStats; ``piecewise`` and ``by_rank`` those of private medians, from sorted lists and from rank queries; ``mixture``
weighted averages of laws; ``derived`` laws that are clipped or have a fallback. ``quantile_search`` solves jointly for
error bounds and medians of several laws, by ``roots``.
"""

from .base import Law
from .named import Gaussian, Laplace, PointMass, StudentT

__all__ = [
    "Gaussian",
    "Laplace",
    "Law",
    "PointMass",
    "StudentT",
]
