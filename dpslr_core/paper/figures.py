"""FIGURES: the figures of the paper in its order, then pictures of what the paper describes in words."""

from __future__ import annotations

from . import diagrams, real_data, synthetic
from .figure import Amount, Effort, Figure, Parameter, Settings

FIGURES: tuple[Figure, ...] = (
    diagrams.EXPONENTIAL, diagrams.WIDENED, real_data.BIKE_RECORDS, real_data.NANOTUBE_RECORDS, real_data.STOCK_RECORDS,
    real_data.TRACTS, real_data.BIKES, real_data.STOCKS, real_data.NANOTUBES,
    synthetic.ALL, synthetic.PRODUCT, real_data.BIKES_BY_ERROR, *real_data.TWO_TRACTS, real_data.ALL_FAILURES,
    synthetic.THETA_FIGURE, diagrams.STRETCHES, synthetic.BETA_FIGURE, diagrams.DESCENT, diagrams.RATIO,
)  # fmt: skip


def figure_named(name: str) -> Figure:
    """Return the figure of a name; the ValueError of an unknown name lists all names."""
    named = {figure.name: figure for figure in FIGURES}
    if name not in named:
        raise ValueError(f"figure must be one of {list(named)}, got {name!r}")
    return named[name]


__all__ = ["FIGURES", "Amount", "Effort", "Figure", "Parameter", "Settings", "figure_named"]
