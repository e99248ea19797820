"""What a sweep can vary: names, limits and values of each parameter, and the panels of the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from ..mechanisms import (
    OLS,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    Mechanism,
    NoisyStats,
    TheilSen,
)
from ..scenario import Scenario
from ..sources.axis import Axis
from ..sources.choices import Synthetic
from ..support.readable import in_full
from .crossings import LINEAR
from .sweep import OF_DATA, WHOLE, numeric_hyperparameters

MOST_VALUES, USUAL_VALUES = 25, 8
DATASETS, USUAL_DATASETS = (20, 50, 100, 200, 500), 20  # at first few enough that the page need not ask
TRIALS, USUAL_TRIALS = (20, 50, 100, 200, 500, 1000), 50
LOADED_TRIALS = 1000  # on one loaded data set there is time for more trials than on hundreds


@dataclass(frozen=True)
class Range:
    """What a parameter is called on the page and in the link, its allowed and its usual ends."""

    name: str
    lowest: float
    highest: float
    first: float
    last: float


RANGES: dict[str, Range] = {
    "n": Range("n", 3, 100_000, 30, 500),
    "var_x": Range("variance of x", 1e-6, 1 / 12, 0.003, 0.08),
    "var_e": Range("variance of the noise", 1e-8, 1.0, 1e-4, 0.03),
    "slope": Range("slope", -10, 10, 0, 0.8),
    "epsilon": Range("epsilon", 1e-4, 1e4, 0.1, 10),
    "x_new": Range("x_new", 0, 1, 0, 1),
    "theta": Range("theta", 1e-6, 10, 0.001, 0.3),
    "beta": Range("beta", 0.01, 0.95, 0.05, 0.95),
    "df": Range("df", 0.5, 1000, 1, 30),
    "k": Range("k", 1, 1000, 1, 50),
    "width": Range("width of [lower, upper]", 0.01, 1e6, 1, 100),
    "steps": Range("steps", 2, 2000, 5, 500),
    "clip": Range("clip", 0.01, 100, 0.05, 5),
    "delta": Range("delta", 1e-15, 0.1, 1e-12, 0.001),
}
NAMED = {limits.name: parameter for parameter, limits in RANGES.items()}


def offered(mechanisms: Sequence[Mechanism], loaded: bool) -> list[str]:
    """The parameters that can be varied: hyperparameters that a mechanism has, those of the data if simulated."""
    theirs = {name for mechanism in mechanisms for name in numeric_hyperparameters(mechanism)}
    theirs |= {"epsilon", "x_new"} | ({"width"} if "lower" in theirs else set()) | (set() if loaded else set(OF_DATA))
    return [parameter for parameter in RANGES if parameter in theirs]


def allowed(parameter: str, x: Axis) -> tuple[float, float]:
    """The ends that a parameter may have; x_new lies inside the public bounds, in the user's units."""
    limits = RANGES[parameter]
    return (x.lower, x.upper) if parameter == "x_new" else (limits.lowest, limits.highest)


def spaced(parameter: str, low: float, high: float, count: int) -> tuple[float, ...]:
    """Values from low to high, by equal ratios or, in LINEAR, by equal steps; to three digits, whole ones whole."""
    grid = np.linspace(low, high, count) if parameter in LINEAR else np.geomspace(low, high, count)
    if parameter in WHOLE:
        return tuple(sorted({*(float(round(value)) for value in grid[1:-1]), low, high}))
    inner = (float(f"{value:.3g}") if parameter not in LINEAR else float(f"{value:.6g}") for value in grid[1:-1])
    return tuple(sorted({low, high, *inner}))


def check_each(parameter: str, values: Sequence[float], x: Axis) -> None:
    """ValueError, with a sentence, where a value cannot be one of the parameter."""
    lowest, highest = allowed(parameter, x)
    name = RANGES[parameter].name
    for value in values:
        if not isfinite(value) or not lowest <= value <= highest:
            raise ValueError(f"{name} must lie between {in_full(lowest)} and {in_full(highest)}, got {in_full(value)}")
        if parameter in WHOLE and value % 1:
            raise ValueError(f"{name} must be a whole number, got {in_full(value)}")


def listed_values(parameter: str, typed: Sequence[float], x: Axis) -> tuple[float, ...]:
    """Values that were typed one by one, in order; ValueError, with a sentence, where they cannot be."""
    check_each(parameter, typed, x)
    if not 2 <= len(set(typed)) <= MOST_VALUES:
        what = f"different values of {RANGES[parameter].name}"
        raise ValueError(f"there must be 2 to {MOST_VALUES} {what}, got {len(set(typed))}")
    return tuple(sorted(set(typed)))


def values_between(parameter: str, ends: tuple[float, float], count: int, x: Axis) -> tuple[float, ...]:
    """Evenly spaced values; ValueError, with a sentence, where the ends cannot be."""
    check_each(parameter, ends, x)
    low, high = ends
    if not low < high:
        raise ValueError(f"'from' must be below 'to', got {in_full(low)} and {in_full(high)}")
    return spaced(parameter, low, high, count)


def swept_mechanisms(scenario: Scenario, parameter: str) -> tuple[Mechanism, ...]:
    """The baselines, then the scenario's algorithms; each once where k is what varies.

    On loaded data errors are measured against OLS, which is left out because its own is 0.
    """
    synthetic, chosen = scenario.source.kind == "synthetic", scenario.admitted
    if parameter == "k":
        chosen = tuple(dict.fromkeys(replace(m, **{"k": None}) if hasattr(m, "k") else m for m in chosen))
    baselines: list[Mechanism] = [OLS()] if synthetic else []
    if TheilSen not in map(type, chosen):
        baselines.append(TheilSen())
    return tuple(dict.fromkeys((*baselines, *(m for m in chosen if synthetic or m != OLS()))))


# The ends of n, var_x and epsilon are in print, "all varied on a logarithmic scale"; ten values each.
VALUES: dict[str, tuple[float, ...]] = {
    "n": (30, 57, 109, 207, 395, 753, 1437, 2742, 5233, 10_000),
    "var_x": (0.003, 0.00387, 0.005, 0.00646, 0.00834, 0.0108, 0.0139, 0.018, 0.0232, 0.03),
    "epsilon": (0.01, 0.0215, 0.0464, 0.1, 0.215, 0.464, 1.0, 2.15, 4.64, 10.0),
    "var_e": (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.03),  # above, too many y are clipped to the unit square
    "x_new": tuple(i / 10 for i in range(11)),
}


@dataclass(frozen=True)
class PaperSweep:
    """One panel of the paper's figures on synthetic data, as arguments of sweep."""

    key: str
    title: str
    parameter: str
    values: tuple[float, ...]
    base: Scenario
    trials: int
    datasets: int = 500


_RANGE = {"lower": -2.0, "upper": 2.0}
_COMPARED = (OLS(), TheilSen(k=10), NoisyStats(), DPExpTheilSen(**_RANGE, k=10))
_ALL_COMPARED = (
    *_COMPARED,
    DPWideTheilSen(**_RANGE, k=10, theta=0.01),
    DPSSTheilSen(**_RANGE, k=10),
    *(descent().as_in_paper() for descent in (DPGDPure, DPGDApprox, DPGDzCDP)),
)
# Not in print, and chosen here: n = 1,000, sigma_x^2 = 0.03, sigma_e^2 = 0.01 and epsilon = 2 where they do not vary.
_BASE = Scenario(source=Synthetic(n=1000, var_x=0.03, var_e=0.01), epsilon=2.0, mechanisms=_ALL_COMPARED)
# In print is the product alone; here epsilon = 8, which the paper uses elsewhere, sigma_x^2 = 0.02, and n as follows.
_PRODUCTS = {40: 250, 216: 1350, 800: 5000}


def _product_sweeps(product: int, n: int) -> tuple[PaperSweep, PaperSweep]:
    """The two panels at one epsilon n sigma_x^2."""
    base = Scenario(source=Synthetic(n=n, var_x=0.02, var_e=0.01), epsilon=8.0, mechanisms=_COMPARED)
    title = f"ε n σₓ² = {product}"
    return (
        PaperSweep(f"{product}-var-e", f"{title}, varying σₑ²", "var_e", VALUES["var_e"], base, trials=20),
        PaperSweep(f"{product}-x-new", f"{title}, varying x", "x_new", VALUES["x_new"], base, trials=20),
    )


# Figures "Relative error (C_true / sigma) of DP and non-private algorithms on synthetic data" and "Comparing NoisyStats
# and DPExpTS10Match": epsilon pays for the predictions at 1/4 and 3/4 together, as the paper states its budgets.
PAPER_SWEEPS: tuple[PaperSweep, ...] = (
    PaperSweep("n", "Varying n", "n", VALUES["n"], _BASE, trials=50),
    PaperSweep("var-x", "Varying σₓ²", "var_x", VALUES["var_x"], _BASE, trials=50),
    PaperSweep("epsilon", "Varying ε", "epsilon", VALUES["epsilon"], _BASE, trials=50),
    *(panel for product, n in _PRODUCTS.items() for panel in _product_sweeps(product, n)),
)
