"""Exact output distributions of mechanisms on one fixed data set.

``base`` says what a law offers and measures several together, with the search of ``solver``; ``named`` has point mass,
Laplace, Gaussian and Student-t; ``quadrature`` what laws of noisy sums share, ``ratio`` those of NoisyStats and
``centered`` those of centred sums; ``piecewise``, ``medians`` and ``by_rank`` those of private medians, from sorted
lists and from rank queries; ``cells`` those of lines on a grid; ``mixture`` laws made of others; ``joint`` those of
several numbers; ``divergence`` how far apart two are.
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
