"""Parameters that a sweep can vary: their names, limits and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from ..mechanisms import OLS, Mechanism, TheilSen
from ..scenario import Scenario
from ..sources.axis import Axis
from ..support.readable import in_full
from .crossings import LINEAR
from .sweep import OF_DATA, WHOLE, numeric_hyperparameters

MOST_VALUES, USUAL_VALUES = 25, 8
DATASETS = (20, 50, 100, 200, 500)
USUAL_DATASETS = 20  # few enough that the page need not ask first
TRIALS, USUAL_TRIALS = (20, 50, 100, 200, 500, 1000), 50
LOADED_TRIALS = 1000  # on one loaded data set there is time for more trials than on hundreds


@dataclass(frozen=True)
class Range:
    """Name of a parameter on the page and in the link, with its allowed and its usual ends."""

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
    """List the parameters that can be varied: of the budget, of the mechanisms and, if simulated, of the data."""
    names = {name for mechanism in mechanisms for name in numeric_hyperparameters(mechanism)}
    names |= (
        {"epsilon", "x_new"}
        | ({"width"} if "lower" in names else set())
        | (set() if loaded else set(OF_DATA))
    )
    return [parameter for parameter in RANGES if parameter in names]


def allowed(parameter: str, x: Axis) -> tuple[float, float]:
    """Return the limits of a parameter; x_new lies inside the public bounds, in the user's units."""
    limits = RANGES[parameter]
    return (x.lower, x.upper) if parameter == "x_new" else (limits.lowest, limits.highest)


def spaced(parameter: str, low: float, high: float, count: int) -> tuple[float, ...]:
    """Return rounded values from low to high, by equal ratios or, in LINEAR, by equal steps."""
    grid = np.linspace(low, high, count) if parameter in LINEAR else np.geomspace(low, high, count)
    if parameter in WHOLE:
        return tuple(sorted({*(float(round(value)) for value in grid[1:-1]), low, high}))
    inner = (
        float(f"{value:.3g}") if parameter not in LINEAR else float(f"{value:.6g}")
        for value in grid[1:-1]
    )
    return tuple(sorted({low, high, *inner}))


def check_each(parameter: str, values: Sequence[float], x: Axis) -> None:
    """Raise ValueError, with a sentence, where a value is not allowed for the parameter."""
    lowest, highest = allowed(parameter, x)
    name = RANGES[parameter].name
    for value in values:
        if not isfinite(value) or not lowest <= value <= highest:
            raise ValueError(
                f"{name} must lie between {in_full(lowest)} and {in_full(highest)}, got "
                f"{in_full(value)}"
            )
        if parameter in WHOLE and value % 1:
            raise ValueError(f"{name} must be a whole number, got {in_full(value)}")


def listed_values(parameter: str, typed: Sequence[float], x: Axis) -> tuple[float, ...]:
    """Sort values that were typed; ValueError, with a sentence, where they are not allowed."""
    check_each(parameter, typed, x)
    if not 2 <= len(set(typed)) <= MOST_VALUES:
        what = f"different values of {RANGES[parameter].name}"
        raise ValueError(f"there must be 2 to {MOST_VALUES} {what}, got {len(set(typed))}")
    return tuple(sorted(set(typed)))


def values_between(
    parameter: str, ends: tuple[float, float], count: int, x: Axis
) -> tuple[float, ...]:
    """Return evenly spaced values; ValueError, with a sentence, where the ends are not allowed."""
    check_each(parameter, ends, x)
    low, high = ends
    if not low < high:
        raise ValueError(f"'from' must be below 'to', got {in_full(low)} and {in_full(high)}")
    return spaced(parameter, low, high, count)


def swept_mechanisms(scenario: Scenario, parameter: str) -> tuple[Mechanism, ...]:
    """Return the baselines, then the scenario's algorithms, without repetition where k is varied.

    On loaded data errors are measured against OLS, which is left out because its own error is 0.
    """
    synthetic, chosen = scenario.source.kind == "synthetic", scenario.admitted
    if parameter == "k":
        chosen = tuple(
            dict.fromkeys(replace(m, **{"k": None}) if hasattr(m, "k") else m for m in chosen)
        )
    baselines: list[Mechanism] = [OLS()] if synthetic else []
    if TheilSen not in map(type, chosen):
        baselines.append(TheilSen())
    return tuple(dict.fromkeys((*baselines, *(m for m in chosen if synthetic or m != OLS()))))
