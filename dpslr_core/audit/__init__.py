"""The audit: whether what an algorithm draws is what it promises.

The loss of an outcome is |log of (its density on one data set / its density on the other)|; epsilon bounds its
supremum over all outcomes, failure among them. Where the noise is Gaussian that supremum is infinite, and the
loss is measured as the zCDP parameter rho instead.

``loss`` compares the laws of neighbours, or draws alone; ``pair`` all outcomes of one pair. ``draws`` compares releases
with these laws or with the declared noise. ``spending`` compares single draws with
their declared sizes, and these with every rule of accounting. ``suite`` says on which data and puts the parts together:
``examine(mechanism, AuditPlan())`` gives one row for each.
"""

from ..laws.divergence import max_divergences, privacy_loss
from ..mechanisms.pairwise import MAX_MATCHED
from .loss import Loss, WorstLoss, audit, crossover_at, trained_loss, worst_loss, worst_neighbour
from .suite import AuditPlan, Row, examine

__all__ = [
    "MAX_MATCHED",
    "AuditPlan",
    "Loss",
    "Row",
    "WorstLoss",
    "audit",
    "crossover_at",
    "examine",
    "max_divergences",
    "privacy_loss",
    "trained_loss",
    "worst_loss",
    "worst_neighbour",
]
