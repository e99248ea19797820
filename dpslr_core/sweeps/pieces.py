"""Sweeps: how the error of each algorithm changes with one parameter, averaged over simulated data sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby, pairwise

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats
from ..confidence import Z95
from ..dataset import Dataset
from ..mechanisms import Mechanism
from ..scenario import Scenario
from ..workers import in_order, one_thread
from .measure import measured
from .settings import OF_DATA, Setting, settings

COLUMNS = (
    "parameter", "value", "mechanism", "mean", "monte_carlo_error", "low", "high", "median", "infinite_share",
    "datasets", "exact",
)  # fmt: skip
BLOCK = 5  # simulated data sets in one piece of work


def sweep(
    parameter: str,
    values: ArrayLike,
    base: Scenario,
    mechanisms: Sequence[Mechanism],
    datasets: int = 500,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
    progress: Callable[[int, int], None] | None = None,
    *,
    data: Dataset | None = None,
) -> pd.DataFrame:
    """The error of each mechanism in standard errors as one parameter varies: a row per value and mechanism.

    parameter: one of PARAMETERS. x_new is the first point of base.at, where the error is measured; width that of
    [lower, upper] about its middle; a hyperparameter changes every mechanism that has it and no other. epsilon
    pays for all points of base.at together. Of base only source, n, var_x, var_e, slope, intercept, epsilon and at
    are read.

    Simulated data (base.source "synthetic"): C_true(68) / sigma(p^) for each of ``datasets`` data sets, averaged.
    C_true(68) is the smallest c with P(|p~ - p| <= c) >= 68% for p = slope x_new + intercept, given the data set;
    sigma(p^) = sqrt(var_e (1/n + (x_new - mean x)^2 / nvar(x))) is the true standard deviation of the OLS prediction
    given x. The paper's figures say sigma, without the hat that Equation 3's estimate wears: the truth is known here,
    and an estimate from few records would add its own error to every curve. The truth is that of the line, whatever
    clipping y to [0, 1] does to the data. C_true is read off the exact law wherever there is one; otherwise (gradient
    descent, k random matchings) it is that of ``trials`` draws, as in the paper: of 50 the 34th smallest error, about
    3% below C_true on average.

    Loaded data (``data``): C(68) about OLS / standard error (Equation 3), not averaged: low and high hold it with 95%
    confidence where it is drawn or where matchings are.

    Common random numbers: data set j has its own stream of uniforms and one of normals, the same for all values, so
    that n records are the first n of any larger set; its draws come from a third stream and its matchings from a
    fourth, the same for all values and mechanisms. So curves are compared on the same data sets, and a piece of the
    work depends on nothing but its value and its data sets. The numbers are the same bit for bit whatever the workers
    (see by_group).

    Columns: parameter, value, mechanism, mean, monte_carlo_error (standard error of the mean), low, high (its 95%
    interval), median, infinite_share (of the data sets where more than 32% of the releases fail), datasets, exact
    (read off exact laws). One infinite ratio makes the mean infinite, as it is; the median stays. attrs hold the
    standard errors of paired differences that crossings needs. progress(done, all) counts data sets times values.
    ValueError names the argument that cannot be. Source: Sections "Error Metric" and "Synthetic Data".
    """
    pieces = []
    done, all_ = 0, np.size(values) * (datasets if data is None else 1)
    for piece in sweep_chunks(parameter, values, base, mechanisms, datasets, trials, seed, workers, data=data):
        pieces.append(piece)
        done += len(piece.measured)
        if progress:
            progress(done, all_)
    return combine(pieces)


@dataclass(frozen=True, eq=False)
class Piece:
    """What was measured at one value on some data sets: a part of a sweep that can be kept.

    measured: shape (data sets, mechanisms, 4): the ratio, the ends of its interval, 1 where it was drawn or 0.
    averaged: whether there are other data sets to average over. Pieces depend on the arguments of the sweep other
    than values, datasets and workers; ``key`` tells those of one sweep apart.
    """

    parameter: str
    value: float
    first: int
    names: tuple[str, ...]
    measured: Floats
    averaged: bool

    @property
    def key(self) -> tuple[float, int, int]:
        """The value, the number of the first data set, and how many there are."""
        return self.value, self.first, len(self.measured)


def sweep_chunks(
    parameter: str,
    values: ArrayLike,
    base: Scenario,
    mechanisms: Sequence[Mechanism],
    datasets: int = 500,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
    *,
    data: Dataset | None = None,
    done: Collection[tuple[float, int, int]] = (),
    block: int = BLOCK,
) -> Iterator[Piece]:
    """The pieces of a sweep as they arrive: all values of a few data sets, then of the next.

    done: keys of pieces that are there already and are left out. block: data sets in a piece; fewer arrive sooner.
    Closing the iterator stops the work; combine makes a frame of any pieces. Raises as sweep does, at once.
    """
    _validate.integer(1, datasets=datasets, trials=trials, block=block)
    _validate.integer(0, seed=seed)
    plan = settings(parameter, values, base, mechanisms, data)
    shared = data is None and parameter not in OF_DATA
    groups: list[tuple[Setting, ...]] = [plan] if shared else [(s,) for s in plan]
    batches = list(_batches(groups, spans(datasets if data is None else 1, block), set(done)))
    names = tuple(mechanism.name for mechanism in mechanisms)
    task = partial(_measure, parameter=parameter, names=names, trials=trials, seed=seed, data=data)
    return (piece for pieces in in_order(task, batches, workers) for piece in pieces)


Batch = tuple[tuple[Setting, ...], int, int]


def spans(datasets: int, block: int = BLOCK) -> list[tuple[int, int]]:
    """The number of the first data set of each piece of one value, and how many there are: ends of their keys."""
    return [(first, min(block, datasets - first)) for first in range(0, datasets, block)]


def _batches(
    groups: list[tuple[Setting, ...]], parts: list[tuple[int, int]], done: Collection[tuple[float, int, int]]
) -> Iterator[Batch]:
    """Settings that have their data in common, the number of the first data set, and how many there are."""
    for first, count in parts:
        for group in groups:
            if left := tuple(setting for setting in group if (setting.value, first, count) not in done):
                yield left, first, count


def _measure(
    batch: Batch, parameter: str, names: tuple[str, ...], trials: int, seed: int, data: Dataset | None
) -> list[Piece]:
    """The pieces of one batch."""
    group, first, count = batch
    with one_thread():
        found = np.array([measured(group, number, trials, seed, data) for number in range(first, first + count)])
    return [Piece(parameter, s.value, first, names, found[:, i], data is None) for i, s in enumerate(group)]


def combine(pieces: Iterable[Piece]) -> pd.DataFrame:
    """The frame of sweep from pieces of one sweep, in any order; of some of them, what they tell.

    ValueError where the pieces are of different sweeps, or hold a data set twice.
    """
    ordered = sorted(pieces, key=lambda piece: (piece.value, piece.first))
    if len({(piece.parameter, piece.names) for piece in ordered}) > 1:
        raise ValueError("pieces must be of one sweep, got different parameters or mechanisms")
    rows: list[tuple[object, ...]] = []
    paired: dict[str, dict[float, float]] = {}
    for value, same in groupby(ordered, key=lambda piece: piece.value):
        found = _joined(list(same))
        rows += _rows(found)
        for first, second in combinations(range(len(found.names)), 2):
            names = f"{found.names[first]}|{found.names[second]}"
            paired.setdefault(names, {})[value] = _difference_error(found, first, second)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame.attrs["paired"] = paired
    return frame


def _joined(pieces: list[Piece]) -> Piece:
    """The pieces of one value as one, their data sets in order."""
    for one, after in pairwise(pieces):
        if after.first < one.first + len(one.measured):
            raise ValueError(f"pieces must not share data sets, got data set {after.first} twice at {one.value:g}")
    one = pieces[0]
    found = np.concatenate([piece.measured for piece in pieces])
    return Piece(one.parameter, one.value, one.first, one.names, found, one.averaged)


def _rows(found: Piece) -> list[tuple[object, ...]]:
    """The rows of one value."""
    rows: list[tuple[object, ...]] = []
    for name, (ratios, lows, highs, drawn) in zip(found.names, found.measured.transpose(1, 2, 0), strict=True):
        infinite, mean = float(np.isinf(ratios).mean()), float(np.mean(ratios))
        error = _error(ratios) if found.averaged else (highs[0] - lows[0]) / (2 * Z95) if infinite == 0 else np.nan
        low, high = (mean - Z95 * error, mean + Z95 * error) if found.averaged else (lows[0], highs[0])
        if infinite:
            low = high = np.inf
        median, exact = float(np.median(ratios)), not drawn.any()
        rows.append((found.parameter, found.value, name, mean, error, low, high, median, infinite, ratios.size, exact))
    return rows


def _error(numbers: Floats) -> float:
    """The standard error of a mean of independent numbers; NaN of one alone, or where one is infinite."""
    known = numbers.size > 1 and np.isfinite(numbers).all()
    return float(np.std(numbers, ddof=1) / np.sqrt(numbers.size)) if known else np.nan


def _difference_error(found: Piece, first: int, second: int) -> float:
    """The standard error of the difference of two means, over the same data sets; inf where it is not known."""
    one, two = found.measured[:, [first, second]].transpose(1, 2, 0)
    if not (np.isfinite(one[0]) & np.isfinite(two[0])).all():
        return np.inf
    if not found.averaged:
        return float(np.hypot(one[2] - one[1], two[2] - two[1])[0] / (2 * Z95))
    return _error(one[0] - two[0]) if len(one[0]) > 1 else np.inf
