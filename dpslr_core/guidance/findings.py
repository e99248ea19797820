"""Algorithms that beat the paper's, and where: measured over other shapes of data and real areas, stored as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..experiments.areas import best_by_area, measured_groups, passing_rows
from ..experiments.sweep import plan_sweep
from ..mechanisms import (
    MECHANISMS,
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    DPSSTheilSen,
    DPWideTheilSen,
    NoisyStats,
)
from ..mechanisms.base import Mechanism, MechanismFamily
from ..privacy import Budget
from ..sources.linear import ErrorShape, LinearModel, XShape
from ..sources.samples import stored_file
from ..sources.stored import read_stored, rounded, write_stored
from ..support.run import Run
from .evidence import simulated_errors
from .maps import MapSettings, cells, joined

STORED = stored_file("findings.json")
SHAPES: tuple[tuple[XShape, ErrorShape], ...] = (
    ("uniform", "normal"), ("uniform", "heavy tails"), ("uniform", "skewed"), ("uniform", "growing"),
    ("skewed", "normal"), ("leverage", "normal"),
)  # fmt: skip
SIZES = ((60, 1.0), (250, 2.0), (1_000, 2.0))  # n and epsilon
EPSILONS = (2.0, 8.0, 16.0)  # of the areas
VAR_X, VAR_E = 0.03, 0.01
DATASETS, TRACTS, SEED = 20, 300, 0  # of the stored tables: per setting; of the simulated state; of all draws
# Data on which no default was chosen: other seeds, shapes, slopes, sizes and budgets. Lines through (1/2, 1/2).
HELD_OUT: tuple[tuple[XShape, ErrorShape, float], ...] = tuple(
    product(("normal", "skewed"), ("growing", "heavy tails"), (0.0, 1.0))
)
HELD_OUT_SIZES, HELD_OUT_SEED = ((80, 1.0), (300, 1.0), (800, 4.0)), 7_000  # the seed is added to that of all draws
MAP = MapSettings(  # n from 20 to 2,560
    epsilon=1.0, var_x=VAR_X, products=tuple(0.6 * 2.0**i for i in range(8)), var_es=(1e-4, 1e-3, 3e-3, 0.01, 0.03),
    datasets=20,
)  # fmt: skip
SHAPE_COLUMNS = ["x_shape", "error_shape", "n", "epsilon", "paper", "paper_error", "newer", "newer_error", "ratio"]
AREA_COLUMNS = ["data", "epsilon", "areas", "newer_better", "median_ratio", "paper_passes", "newer_passes", "newer"]

HELD_OUT_COLUMNS = ["slope", *SHAPE_COLUMNS, "with_slope", "descent"]
MAP_COLUMNS = ["epsilon_nvar", "var_e", "n", "paper", "paper_error", "newer", "newer_error", "ratio", "weaker"]
COLUMNS = {"map": MAP_COLUMNS, "shapes": SHAPE_COLUMNS, "held_out": HELD_OUT_COLUMNS, "areas": AREA_COLUMNS}

# On what each default of the algorithms on this page was chosen, as far as that is written down.
_TRACTS, _LINES = "the paper's tracts at ε = 16, not public", "simulated data: uniform x, Gaussian errors, slope 1/2"
CHOSEN_ON: tuple[tuple[type[Mechanism], tuple[str, ...], str], ...] = (
    (DPExpTheilSen, ("lower", "upper"), _TRACTS),
    (DPWideTheilSen, ("theta",), _TRACTS),
    (DPSSTheilSen, ("df",), _TRACTS),
    (DPSSTheilSen, ("beta",), "the paper's simulated data: normal x, Gaussian errors, slope 1/2, n = 30"),
    (NoisyStats, ("split",), "no data: three equal parts, as in Algorithm 1"),
    (DPGDPure, ("steps", "clip"), f"{_LINES}; six settings, among them n = 100 at ε = 1"),
    (DPGDPure, ("start",), "no data: the middle of [0, 1]"),
    (CenteredStats, ("b",), f"{_LINES}; n = 250 at ε = 2; then checked on simulated tracts at ε = 16"),
    (DeepestLine, ("c", "grid"), f"{_LINES}; seven settings, n from 30 to 1,000, ε from 0.5 to 2; 72 bike-share sets"),
)


def pure_mechanisms(in_paper: bool) -> list[Mechanism]:
    """The purely private algorithms of the paper, as they are by default here, or the newer ones."""
    made = [algorithm() for algorithm in MECHANISMS if algorithm.in_paper is in_paper]
    return [m for m in made if m.guarantee(1.0).pure]


def shape_rows(datasets: int, run: Run) -> Iterator[dict[str, object]]:
    """A row of SHAPE_COLUMNS for each shape of x and errors and each size.

    The errors are those of expected_error about the true line, at x = 0.25 and 0.75 over so many simulated data sets;
    of each kind the smallest. datasets: 1 or more, else ValueError.
    """
    for (x_shape, error_shape), (n, epsilon) in product(SHAPES, SIZES):
        model = LinearModel(n, VAR_X, VAR_E, x_shape=x_shape, error_shape=error_shape)
        yield _compared(model, epsilon, _errors(model, epsilon, _everyone(), datasets, run))


def held_out_rows(datasets: int, run: Run) -> Iterator[dict[str, object]]:
    """A row of HELD_OUT_COLUMNS for each setting on which no default was chosen; as shape_rows.

    with_slope: the newer error over that of the paper's best but NoisyIntercept, which releases no slope. descent: the
    error of DPGDPure with the defaults here over that with the paper's steps and clipping.
    """
    sloped = [m for m in pure_mechanisms(True) if m.family is not MechanismFamily.MEAN]
    run = replace(run, seed=run.seed + HELD_OUT_SEED)
    for (x_shape, error_shape, slope), (n, epsilon) in product(HELD_OUT, HELD_OUT_SIZES):
        model = LinearModel(n, VAR_X, VAR_E, slope, (1 - slope) / 2, x_shape=x_shape, error_shape=error_shape)
        errors = _errors(model, epsilon, _everyone(), datasets, run)
        papers = _errors(model, epsilon, [DPGDPure().as_in_paper()], datasets, run)
        row = _compared(model, epsilon, errors)
        with_slope = row["newer_error"] / _smallest(errors, sloped)[1]
        yield {"slope": slope, **row, "with_slope": with_slope, "descent": float(errors["DPGDPure"] / papers.iloc[0])}


def _everyone() -> list[Mechanism]:
    return [*pure_mechanisms(True), *pure_mechanisms(False)]


def _errors(model: LinearModel, epsilon: float, mechanisms: Sequence[Mechanism], datasets: int, run: Run) -> pd.Series:
    """The error of each mechanism over data sets, by its name."""
    plan = plan_sweep("n", [model.n], model, Budget(epsilon), mechanisms)
    return simulated_errors(plan, run, datasets).frame.set_index("mechanism")["error"]


def _compared(model: LinearModel, epsilon: float, errors: pd.Series) -> dict[str, Any]:
    """A row of SHAPE_COLUMNS."""
    (paper, least), (newer, error) = (_smallest(errors, pure_mechanisms(kind)) for kind in (True, False))
    values = (model.x_shape, model.error_shape, model.n, epsilon, paper, least, newer, error, error / least)
    return dict(zip(SHAPE_COLUMNS, values, strict=True))


def _smallest(errors: pd.Series, kind: Sequence[Mechanism]) -> tuple[str, float]:
    """The name and the error of the best algorithm of a kind."""
    theirs = errors[[m.name for m in kind]]
    return str(theirs.idxmin()), float(theirs.min())


def area_row(name: str, datasets: Mapping[Any, Dataset], epsilon: float, run: Run) -> dict[str, object]:
    """A row of AREA_COLUMNS: over all areas, the best newer algorithm against the best of the paper's, about OLS.

    newer_better: the share of areas in which a newer one has the smaller C(68), flat lines among them. median_ratio: of
    the newer C(68) over the paper's. paper_passes, newer_passes: the shares in which the error of the best line that is
    not flat is below the sampling error. newer: the algorithm that is most often the best newer one.
    """
    kinds = [pure_mechanisms(True), pure_mechanisms(False)]
    parts = measured_groups(datasets, _everyone(), Budget(epsilon), run, first_point_only=True)
    measured = pd.concat(list(parts), ignore_index=True)
    names = [{m.name for m in kind} for kind in kinds]
    paper, newer = (best_by_area(measured, kind, flat_lines=True).set_index("group") for kind in names)
    ratio = newer["c68"] / paper["c68"]
    passes = [float(passing_rows(best_by_area(measured, kind)).mean()) for kind in names]
    often = str(newer["mechanism"].mode().iloc[0])
    values = (name, epsilon, len(ratio), float((ratio < 1).mean()), float(np.nanmedian(ratio)), *passes, often)
    return dict(zip(AREA_COLUMNS, values, strict=True))


def map_rows(workers: int | str = 1) -> pd.DataFrame:
    """newer_against_paper over the cells of MAP: of the pure algorithms, then (column weaker) of all private ones."""
    made = joined(MAP, list(cells(MAP, workers)))
    return pd.concat([made.newer_against_paper(weaker).assign(weaker=weaker) for weaker in (False, True)])


def save(tables: Mapping[str, pd.DataFrame], path: Path = STORED) -> None:
    """Write the tables of COLUMNS, numbers to four digits; Unwritable where the file cannot be written."""
    rows = {name: rounded(tables[name].to_dict("records"), 4) for name in COLUMNS}
    write_stored(json.dumps(rows, indent=1), path)


def load(path: Path = STORED) -> dict[str, pd.DataFrame]:
    """The tables of COLUMNS by name; Damaged, a ValueError, where the file is missing or holds others."""

    def read(stored: Any) -> dict[str, pd.DataFrame]:
        return {name: pd.DataFrame(stored[name])[columns] for name, columns in COLUMNS.items()}

    return read_stored(path, read, "findings", "dpslr findings")
