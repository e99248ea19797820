"""FIGURES: the figures of the paper in its order, then pictures of what it describes in words."""

from .areas import BIKES, BIKES_BY_ERROR, TRACTS
from .compared import HYPERPARAMETERS_TABLE
from .diagrams import DESCENT, EXPONENTIAL, RATIO, STRETCHES, WIDENED
from .failures import ALL_FAILURES, CAROLINA_FAILURES, ILLINOIS_FAILURES
from .figure import Agreement, Amount, Effort, Figure, Parameter, Settings
from .outputs import NANOTUBES, STOCKS
from .scatters import BIKE_RECORDS, NANOTUBE_RECORDS, STOCK_RECORDS
from .synthetic import BETA_FIGURE, PRODUCT, SYNTHETIC, THETA_FIGURE

FIGURES: tuple[Figure, ...] = (
    EXPONENTIAL,
    WIDENED,
    BIKE_RECORDS,
    NANOTUBE_RECORDS,
    STOCK_RECORDS,
    HYPERPARAMETERS_TABLE,
    TRACTS,
    BIKES,
    STOCKS,
    NANOTUBES,
    SYNTHETIC,
    PRODUCT,
    BIKES_BY_ERROR,
    ILLINOIS_FAILURES,
    CAROLINA_FAILURES,
    ALL_FAILURES,
    THETA_FIGURE,
    STRETCHES,
    BETA_FIGURE,
    DESCENT,
    RATIO,
)


def figure_named(name: str) -> Figure:
    """The figure of this name; ValueError names those there are."""
    named = {figure.name: figure for figure in FIGURES}
    if name not in named:
        raise ValueError(f"figure must be one of {list(named)}, got {name!r}")
    return named[name]


__all__ = ["FIGURES", "Agreement", "Amount", "Effort", "Figure", "Parameter", "Settings", "figure_named"]
