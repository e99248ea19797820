"""Privacy guarantees as values, the conversions between them, and what a release of many parts loses in all.

Neighbouring data sets differ by *replacing one record*; n is public. This holds everywhere in the project; ``of_group``
says what follows where a person has several records.
"""

from .composition import (
    Draw,
    Losses,
    NoiseKind,
    ReleaseKind,
    equal_draws,
    known_draw,
    limits,
    losses,
    satisfies,
)
from .conversions import (
    bounded_range_mu,
    bounded_range_rho,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    laplace_mu,
    laplace_rho,
    largest,
    pure_epsilon,
    pure_mu,
    pure_rho,
    rho_of,
    zcdp_rho,
)
from .guarantees import (
    ZCDP,
    ApproxDP,
    ForPerson,
    GaussianDP,
    Guarantee,
    NotPrivate,
    PureDP,
    Spend,
    noise_loss,
    of_group,
)

__all__ = [
    "ZCDP",
    "ApproxDP",
    "Draw",
    "ForPerson",
    "GaussianDP",
    "Guarantee",
    "Losses",
    "NoiseKind",
    "NotPrivate",
    "PureDP",
    "ReleaseKind",
    "Spend",
    "bounded_range_mu",
    "bounded_range_rho",
    "equal_draws",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_mu",
    "known_draw",
    "laplace_mu",
    "laplace_rho",
    "largest",
    "limits",
    "losses",
    "noise_loss",
    "of_group",
    "pure_epsilon",
    "pure_mu",
    "pure_rho",
    "rho_of",
    "satisfies",
    "zcdp_rho",
]
