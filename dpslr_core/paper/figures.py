"""FIGURES: the figures of the paper in its order, then pictures of what it describes in words; and its Table 1."""

from __future__ import annotations

from dataclasses import fields

import pandas as pd

from ..mechanisms.base import Mechanism
from ..support.readable import in_full
from ..text.phrases import listed
from . import pictures
from .areas import ALL_FAILURES, BIKES, BIKES_BY_ERROR, CAROLINA_FAILURES, ILLINOIS_FAILURES, TRACTS
from .datasets import BIKE_RECORDS, NANOTUBE_RECORDS, NANOTUBES, STOCK_RECORDS, STOCKS
from .diagrams import DESCENT, EXPONENTIAL, RATIO, STRETCHES, WIDENED
from .figure import PRIVATE, Agreement, Amount, Effort, Figure, Parameter, Settings, agreement
from .synthetic import BETA_FIGURE, PRODUCT, SYNTHETIC, THETA_FIGURE

_RANGE = {"lower": -0.5, "upper": 1.5}
PRINTED: dict[str, dict[str, float]] = {
    "DPExpTheilSen": _RANGE,
    "DPWideTheilSen": _RANGE | {"theta": 0.01},
    "DPSSTheilSen": _RANGE | {"df": 3.0},
    "DPGDPure": {"clip": 1.0, "steps": 80},
    "DPGDApprox": {"clip": 1.0, "steps": 80},
    "DPGDzCDP": {"clip": 1.0, "steps": 80},
}  # for the data of Opportunity Insights and UCI; on synthetic data the range is [-2, 2]
SYNTHETIC_RANGE = "[-2, 2]"
SYMBOLS = {"theta": "θ", "df": "d", "clip": "τ", "steps": "T"}


def measure_table(settings: Settings) -> pd.DataFrame:
    """A row per algorithm: in print, as run on this page, and the default elsewhere."""
    rows = []
    for algorithm in PRIVATE:
        names = list(PRINTED.get(algorithm.__name__, {}))
        rows.append({
            "algorithm": algorithm.__name__,
            "in print": _written(PRINTED.get(algorithm.__name__, {})),
            "in these figures": _written(_values(algorithm().as_in_paper(), names)),
            "default elsewhere": _written(_values(algorithm(), names)),
        })  # fmt: skip
    return pd.DataFrame(rows)


def _values(mechanism: Mechanism, names: list[str]) -> dict[str, float]:
    """These hyperparameters of a mechanism."""
    return {f.name: float(getattr(mechanism, f.name)) for f in fields(mechanism) if f.name in names}


def _written(values: dict[str, float]) -> str:
    """Hyperparameters as Table 1 writes them: "range [-0.5, 1.5], θ = 0.01"; "none" without any."""
    ends = [f"range [{in_full(values['lower'])}, {in_full(values['upper'])}]"] if "lower" in values else []
    others = [f"{SYMBOLS[name]} = {in_full(values[name])}" for name in SYMBOLS if name in values]
    return ", ".join([*ends, *others]) or "none"


def _agrees(frame: pd.DataFrame, settings: Settings) -> Agreement:
    same = frame["in print"] == frame["in these figures"]
    other = frame.loc[frame["in print"] != frame["default elsewhere"], "algorithm"].tolist()
    elsewhere = (
        f"Elsewhere in the app {listed(other)} have other defaults." if other else "So does the rest of the app."
    )
    return agreement(f"these figures use the hyperparameters in print for {same.sum()} of {len(frame)} algorithms. "
                     f"{elsewhere}", bool(same.all()))  # fmt: skip


HYPERPARAMETERS_TABLE = Figure(
    "hyperparameters", "Table 1", "Hyperparameters",
    "NoisyStats and NoisyIntercept need none; the others have a range, θ, d, or τ and T.",
    lambda settings: [settings], measure_table, lambda frame, settings: {"Hyperparameters": pictures.table(frame)},
    _agrees, quick=Amount(1, 1), full=Amount(1, 1), as_table=True, width=760,
    note=f"For the tract, bike share, stock exchange and nanotube data. On synthetic data the range is "
    f"{SYNTHETIC_RANGE}.",
)  # fmt: skip
FIGURES: tuple[Figure, ...] = (
    EXPONENTIAL, WIDENED, BIKE_RECORDS, NANOTUBE_RECORDS, STOCK_RECORDS, HYPERPARAMETERS_TABLE, TRACTS, BIKES, STOCKS,
    NANOTUBES, SYNTHETIC, PRODUCT, BIKES_BY_ERROR, ILLINOIS_FAILURES, CAROLINA_FAILURES, ALL_FAILURES, THETA_FIGURE,
    STRETCHES, BETA_FIGURE, DESCENT, RATIO,
)  # fmt: skip


def figure_named(name: str) -> Figure:
    """The figure of this name; ValueError names those there are."""
    named = {figure.name: figure for figure in FIGURES}
    if name not in named:
        raise ValueError(f"figure must be one of {list(named)}, got {name!r}")
    return named[name]


__all__ = ["FIGURES", "Amount", "Effort", "Figure", "Parameter", "Settings", "figure_named"]
