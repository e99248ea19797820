"""Experiments: run mechanisms and measure them. Tidy pandas frames out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import bdtr

from .. import _validate
from .._types import Floats
from ..dataset import Dataset
from ..laws import Law
from ..mechanisms import Mechanism
from ..mechanisms.base import QUARTERS
from ..streams import stream


def error_bound(estimates: ArrayLike, center: float, q: float) -> float:
    """The empirical C(q): the smallest c with at least q% of the trials within c of center.

    estimates: shape (trials,); NaN = failed, infinitely far off, so inf where too many failed. q in [0, 100].
    """
    _validate.inside(0, 100, q=q)
    errors = _sorted_errors(estimates, center)
    needed = int(np.ceil(q / 100 * errors.size - 1e-9))
    return 0.0 if needed == 0 else float(errors[needed - 1])


def error_bound_interval(
    estimates: ArrayLike, center: float, q: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Order statistics of the errors that hold the true C(q) with at least this confidence.

    How many of the trials fall within C(q) is binomial(trials, q/100), whatever the law: no assumption.
    """
    errors = _sorted_errors(estimates, center)
    trials, tail = errors.size, (1 - confidence) / 2
    at_most = bdtr(np.arange(trials + 1, dtype=float), trials, q / 100)
    low = int(np.searchsorted(at_most, tail, side="right"))  # P(count < low) <= tail
    high = int(np.searchsorted(at_most, 1 - tail, side="left")) + 1  # P(count >= high) <= tail
    return (
        float(errors[low - 1]) if low >= 1 else 0.0,
        float(errors[high - 1]) if high <= trials else np.inf,
    )


def _sorted_errors(estimates: ArrayLike, center: float) -> Floats:
    """|estimates - center| in ascending order, failures as inf."""
    errors = np.abs(np.asarray(estimates, dtype=float) - center)
    if errors.ndim != 1 or errors.size == 0:
        raise ValueError(f"estimates must be one-dimensional and not empty, got shape {errors.shape}")
    return np.sort(np.where(np.isnan(errors), np.inf, errors))


@dataclass(frozen=True)
class Comparison:
    """What compare found.

    draws: mechanism, at, trial, estimate (NaN = failed). Draws from a seed illustrate and may not be published as a
    release.
    summary: mechanism, at, center (OLS), standard_error, c68, c68_low, c68_high, c95, ratio
    (c68 / standard_error), bias (median answer minus OLS), failure_rate, exact (read off an exact law), how (in
    words). c68_low and c68_high hold the true C(68) with 95% confidence; they are c68 where it is exact.
    """

    draws: pd.DataFrame
    summary: pd.DataFrame
    laws: dict[tuple[str, float], Law]


def compare(
    data: Dataset,
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    at: ArrayLike = QUARTERS,
    trials: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Run every mechanism on one data set and measure its error against OLS.

    Each mechanism draws from its own stream, so adding one never changes another's numbers. Draws from a seed
    illustrate what a release looks like and may not be published as one: whoever knows the seed can subtract the
    noise. Errors are in units of y. ValueError where two mechanisms share a name, or an argument is out of range.
    """
    at = _validate.points(at=at)
    _validate.integer(1, trials=trials)
    different_names(mechanisms)
    draws, rows = [], []
    laws: dict[tuple[str, float], Law] = {}
    for mechanism in mechanisms:
        released = mechanism.release(data, epsilon, at, trials, rng=release_stream(seed, data, mechanism, epsilon, at))
        draws.append(_draws_frame(mechanism.name, at, released))
        found = mechanism.law(data, epsilon, at)
        rows += _measured(data, mechanism.name, at, found, released)
        laws |= {(mechanism.name, float(p)): law for p, law in zip(at, found, strict=True) if law is not None}
    return Comparison(
        pd.concat(draws, ignore_index=True) if draws else _draws_frame("", at, np.empty((0, at.size))),
        pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS)),
        laws,
    )


def release_stream(seed: int, data: Dataset, mechanism: Mechanism, epsilon: float, at: Floats) -> np.random.Generator:
    """The generator of one experiment's draws, of its own for whatever determines the release.

    Were epsilon or at left out, releases at two budgets, or at two points, would share their noise, and the
    difference of both would give the data away. A seed that others know makes no noise: such draws illustrate.
    """
    return stream(seed, data.digest, repr(mechanism), float(epsilon), at.tolist())


def different_names(mechanisms: Sequence[Mechanism]) -> None:
    """ValueError where two mechanisms would share the rows of a table."""
    names = [mechanism.name for mechanism in mechanisms]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"mechanisms must have different names, got {sorted(doubled)} more than once")


def measure(
    data: Dataset, mechanism: Mechanism, epsilon: float, at: Floats, trials: int, seed: int
) -> list[dict[str, object]]:
    """The rows of compare's summary for one mechanism, drawing trials only where there is no law."""
    laws = mechanism.law(data, epsilon, at)
    released = None
    if any(law is None for law in laws):
        released = mechanism.release(data, epsilon, at, trials, rng=release_stream(seed, data, mechanism, epsilon, at))
    return _measured(data, mechanism.name, at, laws, released)


def _measured(
    data: Dataset, name: str, at: Floats, laws: Sequence[Law | None], released: Floats | None
) -> list[dict[str, object]]:
    """One row of SUMMARY_COLUMNS per point, off the law where there is one and off the trials where not."""
    centers, errors = data.kept(("OLS", *at.tolist()), lambda: (data.predict(at), data.standard_error(at)))
    known = [law for law in laws if law is not None]
    if len(known) == at.size:
        figures = type(known[0]).measure_together(known, (68, 95), centers.tolist())
        found = [_of_law(*one) for one in zip(known, figures, centers.tolist(), strict=True)]
    elif released is not None:
        found = [_of_trials(released[:, i], float(center)) for i, center in enumerate(centers)]
    rows: list[dict[str, object]] = []
    for point, center, error, measured in zip(at.tolist(), centers.tolist(), errors.tolist(), found, strict=True):
        c68, low, high, c95, median, failure, exact, how = measured
        ratio = c68 / error if error > 0 else (np.inf if c68 > 0 else np.nan)
        values = (name, point, center, error, c68, low, high, c95, ratio, median - center, failure, exact, how)
        rows.append(dict(zip(SUMMARY_COLUMNS, values, strict=True)))
    return rows


Measured = tuple[float, float, float, float, float, float, bool, str]


def _of_law(law: Law, figures: tuple[Floats, float], center: float) -> Measured:
    bounds, median = figures
    c68, c95 = bounds.tolist()
    low, high = (c68, c68) if law.exact else law.error_bound_interval(68, center)
    return c68, low, high, c95, median, law.failure, law.exact, law.how


def _of_trials(estimates: Floats, center: float) -> Measured:
    c68, c95 = error_bound(estimates, center, 68), error_bound(estimates, center, 95)
    low, high = error_bound_interval(estimates, center, 68)
    answered = estimates[~np.isnan(estimates)]
    median = float(np.median(answered)) if answered.size else np.nan
    failure = 1 - answered.size / estimates.size
    return c68, low, high, c95, median, failure, False, f"{estimates.size:,} trials"


SUMMARY_COLUMNS = (
    "mechanism", "at", "center", "standard_error", "c68", "c68_low", "c68_high", "c95", "ratio", "bias",
    "failure_rate", "exact", "how",
)  # fmt: skip


def _draws_frame(name: str, at: Floats, released: Floats) -> pd.DataFrame:
    """Releases of shape (trials, points) as tidy rows."""
    trials = len(released)
    draws = {"at": np.tile(at, trials), "trial": np.repeat(np.arange(trials), at.size), "estimate": released.ravel()}
    frame = pd.DataFrame(draws)
    frame.insert(0, "mechanism", pd.Series(name, index=frame.index, dtype="str"))
    return frame
