"""The error of algorithms on synthetic twins: simulated data that resemble yours as public guesses describe them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from .. import _validate
from .._types import Floats
from ..dataset import Dataset
from ..experiments import measure
from ..mechanisms import Mechanism
from ..run import Run
from ..scenario import Scenario
from ..sweeps import Piece
from ..sweeps.measure import measured, simulated
from ..sweeps.settings import Setting, settings
from ..workers import in_order, one_thread

TWINS = 50


def on_twins(
    parameter: str,
    values: Sequence[float],
    base: Scenario,
    mechanisms: Sequence[Mechanism],
    twins: int = TWINS,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
    first: int = 0,
) -> list[Piece]:
    """C_true(68) / sigma of each mechanism, averaged over the points of base.at, on each of ``twins`` data sets.

    One piece for each value of the parameter, as sweep_chunks makes them: combine makes a frame of them, of which
    crossings can be asked. The data sets, numbered from ``first``, and the noise are those of sweep, the same for
    all values. ValueError names the argument that cannot be.
    """
    _validate.integer(2, twins=twins)
    _validate.integer(1, trials=trials)
    _validate.integer(0, seed=seed)
    plan = settings(parameter, values, base, mechanisms)
    groups = [tuple(plan)] if parameter == "epsilon" else [(setting,) for setting in plan]
    tasks = [(group, number) for group in groups for number in range(first, first + twins)]
    found = list(in_order(partial(_on_one, trials=trials, seed=seed), tasks, workers))
    names = tuple(mechanism.name for mechanism in mechanisms)
    pieces = []
    for place, group in enumerate(groups):
        ratios = np.array(found[place * twins : (place + 1) * twins])
        pieces += [Piece(parameter, s.value, first, names, ratios[:, i], averaged=True) for i, s in enumerate(group)]
    return pieces


def _on_one(task: tuple[tuple[Setting, ...], int], trials: int, seed: int) -> np.ndarray:
    """The ratios on one twin, the same data for all settings; shape (settings, mechanisms, 4)."""
    group, number = task
    by_point = [[_moved(setting, place) for place in range(len(setting.at))] for setting in group]
    with one_thread():
        found = iter(measured(tuple(s for row in by_point for s in row), number, trials, seed))
    at_points = [np.array([next(found) for _ in row]) for row in by_point]
    return np.array([_averaged(ratios) for ratios in at_points])


def _moved(setting: Setting, place: int) -> Setting:
    """The setting with this one of its points first: that is the point where the error is measured."""
    at = setting.at
    return Setting(setting.value, setting.scenario, (at[place], *at[:place], *at[place + 1 :]), setting.mechanisms)


def _averaged(ratios: np.ndarray) -> np.ndarray:
    """Ratios and their intervals averaged over the points; exact only where all are."""
    mean = ratios.mean(axis=0)
    mean[:, 3] = ratios[:, :, 3].max(axis=0)
    return mean


def noise_on_twins(
    base: Scenario, mechanism: Mechanism, data: Iterable[Dataset], trials: int = 50, seed: int = 0
) -> Floats:
    """C(68) of the noise alone, about each twin's own OLS prediction, over sigma; averaged over twins, shape (m,)."""
    return np.mean([_noise_over_sigma(base, twin, mechanism, trials, seed) for twin in data], axis=0)


def twins_of(base: Scenario, twins: int, seed: int) -> Iterator[Dataset]:
    """The first synthetic twins, those of sweep."""
    return (simulated(base, seed, number) for number in range(twins))


def _noise_over_sigma(base: Scenario, data: Dataset, mechanism: Mechanism, trials: int, seed: int) -> Floats:
    """C(68) about OLS / sigma on one twin, shape (m,); sigma as in sweep."""
    errors = measure(data, mechanism, base.budget, Run(trials, seed))
    return np.array([e.c68 for e in errors]) / base.linear_model.standard_error(base.at, data)
