"""The audit: the information that a release gives about one record, compared with the promise of the algorithm.

The loss of an outcome is |log of (its density on one data set / its density on the other)|; epsilon bounds its
supremum over all outcomes, failure among them. Where the noise is Gaussian that supremum is infinite, and the
loss is measured as the zCDP parameter rho instead.

``loss`` compares the laws of neighbours; ``scores`` bounds a loss from draws alone, of any program; ``moved`` and
``pair`` show all outcomes of one pair of neighbours; ``spending`` lists the costs of the parts of a budget. The audit
of every algorithm is a suite of tests, ``pytest tests/audit``.
"""

from ..laws.divergence import max_divergences, privacy_loss
from ..mechanisms.pairwise import MAX_MATCHED
from .loss import Loss, WorstLoss, audit, worst_loss
from .scores import ScoreAudit, audit_scores

__all__ = [
    "MAX_MATCHED",
    "Loss",
    "ScoreAudit",
    "WorstLoss",
    "audit",
    "audit_scores",
    "max_divergences",
    "privacy_loss",
    "worst_loss",
]
