"""Privacy loss: how far apart the releases of two neighbouring data sets are, against what is promised.

The loss of an outcome is |log of (its density on one data set / its density on the other)|; epsilon bounds its
supremum over all outcomes, failure among them. Where the noise is Gaussian that supremum is infinite, and the
loss is measured as the zCDP parameter rho instead.
"""

from ..laws.divergence import max_divergences, privacy_loss
from ..mechanisms.theil_sen.matchings import MAX_MATCHED
from .loss import Loss, WorstLoss, audit, crossover_at, worst_loss
from .search import worst_neighbour
from .trained import trained_loss

__all__ = [
    "MAX_MATCHED",
    "Loss",
    "WorstLoss",
    "audit",
    "crossover_at",
    "max_divergences",
    "privacy_loss",
    "trained_loss",
    "worst_loss",
    "worst_neighbour",
]
