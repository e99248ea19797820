"""Tables of where newer algorithms beat the paper's, over simulated data, bike share and a state; takes minutes.

``python -m benchmarks findings``. The table "held_out" has simulated data unlike those on which defaults were chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.areas import best_by_area, measured_groups, passing_rows, split_groups
from dpslr_core.experiments.sweep import plan_sweep
from dpslr_core.guidance.evidence import simulated_errors
from dpslr_core.guidance.findings import (
    AREA_COLUMNS,
    DATASETS,
    HELD_OUT_SEED,
    MAP,
    SEED,
    SHAPE_COLUMNS,
    TRACTS,
    VAR_E,
    VAR_X,
)
from dpslr_core.guidance.findings import STORED as STORED
from dpslr_core.guidance.maps import CELL, WinnerMap
from dpslr_core.mechanisms import MECHANISMS, DPGDPure
from dpslr_core.mechanisms.base import Mechanism, MechanismFamily
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import PublicData, SimulatedState, Source
from dpslr_core.sources.linear import ErrorShape, LinearModel, XShape
from dpslr_core.support.run import Run

from . import winner_map

ABOUT = {"digits": 4}
SHAPES: tuple[tuple[XShape, ErrorShape], ...] = (
    ("uniform", "normal"), ("uniform", "heavy tails"), ("uniform", "skewed"), ("uniform", "growing"),
    ("skewed", "normal"), ("leverage", "normal"),
)  # fmt: skip
SIZES = ((60, 1.0), (250, 2.0), (1_000, 2.0))  # n and epsilon
EPSILONS = (2.0, 8.0, 16.0)  # of the areas
# Data on which no default was chosen: other seeds, shapes, slopes, sizes and budgets. Lines through (1/2, 1/2).
HELD_OUT: tuple[tuple[XShape, ErrorShape, float], ...] = tuple(
    product(("normal", "skewed"), ("growing", "heavy tails"), (0.0, 1.0))
)
HELD_OUT_SIZES = ((80, 1.0), (300, 1.0), (800, 4.0))
SOURCES: dict[str, Source] = {
    "Bike share, by month and hour": PublicData(),
    "A simulated state": SimulatedState(tracts=TRACTS),
}


def made() -> dict[str, pd.DataFrame]:
    """Return the tables that ``load`` of dpslr_core.guidance.findings reads."""
    run = Run(100, SEED, -1)
    return {
        "map": map_rows(),
        "shapes": pd.DataFrame(shape_rows(DATASETS, run)),
        "held_out": pd.DataFrame(held_out_rows(DATASETS, run)),
        "areas": pd.DataFrame(
            area_row(name, split_groups(source.load().frame).datasets, epsilon, run)
            for name, source in SOURCES.items()
            for epsilon in EPSILONS
        ),
    }


def pure_mechanisms(in_paper: bool) -> list[Mechanism]:
    """Return the purely private algorithms of the paper, with the defaults here, or the newer ones."""
    mechanisms = [algorithm() for algorithm in MECHANISMS if algorithm.in_paper is in_paper]
    return [m for m in mechanisms if m.guarantee(1.0).pure]


def shape_rows(datasets: int, run: Run) -> Iterator[dict[str, object]]:
    """Yield a row of SHAPE_COLUMNS for each shape of x and errors and each size.

    The errors are expected_error about the true line, at x = 0.25 and 0.75 over ``datasets`` simulated data sets (1 or
    more, else ValueError), of the best algorithm of either kind.
    """
    for (x_shape, error_shape), (n, epsilon) in product(SHAPES, SIZES):
        model = LinearModel(n, VAR_X, VAR_E, x_shape=x_shape, error_shape=error_shape)
        yield _compared(model, epsilon, _errors(model, epsilon, _everyone(), datasets, run))


def held_out_rows(datasets: int, run: Run) -> Iterator[dict[str, object]]:
    """Yield a row of HELD_OUT_COLUMNS for each setting on which no default was chosen; arguments as of shape_rows.

    Column with_slope is the newer error over the error of the paper's best algorithm without NoisyIntercept, which
    releases no slope. Column descent is the error of DPGDPure with the defaults here over the error with the paper's
    steps and clipping.
    """
    sloped = [m for m in pure_mechanisms(True) if m.family is not MechanismFamily.MEAN]
    run = replace(run, seed=run.seed + HELD_OUT_SEED)
    for (x_shape, error_shape, slope), (n, epsilon) in product(HELD_OUT, HELD_OUT_SIZES):
        model = LinearModel(
            n, VAR_X, VAR_E, slope, (1 - slope) / 2, x_shape=x_shape, error_shape=error_shape
        )
        errors = _errors(model, epsilon, _everyone(), datasets, run)
        papers = _errors(model, epsilon, [DPGDPure().as_in_paper()], datasets, run)
        row = _compared(model, epsilon, errors)
        with_slope = row["newer_error"] / _smallest(errors, sloped)[1]
        yield {
            "slope": slope,
            **row,
            "with_slope": with_slope,
            "descent": float(errors["DPGDPure"] / papers.iloc[0]),
        }


def _everyone() -> list[Mechanism]:
    return [*pure_mechanisms(True), *pure_mechanisms(False)]


def _errors(
    model: LinearModel, epsilon: float, mechanisms: Sequence[Mechanism], datasets: int, run: Run
) -> pd.Series:
    """Measure the error of each mechanism over data sets, by its name."""
    plan = plan_sweep("n", [model.n], model, Budget(epsilon), mechanisms)
    return simulated_errors(plan, run, datasets).frame.set_index("mechanism")["error"]


def _compared(model: LinearModel, epsilon: float, errors: pd.Series) -> dict[str, Any]:
    """Form a row of SHAPE_COLUMNS from the errors of all algorithms."""
    (paper, least), (newer, error) = (
        _smallest(errors, pure_mechanisms(kind)) for kind in (True, False)
    )
    values = (
        model.x_shape,
        model.error_shape,
        model.n,
        epsilon,
        paper,
        least,
        newer,
        error,
        error / least,
    )
    return dict(zip(SHAPE_COLUMNS, values, strict=True))


def _smallest(errors: pd.Series, kind: Sequence[Mechanism]) -> tuple[str, float]:
    """Return the name and the error of the best algorithm of a kind."""
    of_kind = errors[[m.name for m in kind]]
    return str(of_kind.idxmin()), float(of_kind.min())


def area_row(
    name: str, datasets: Mapping[Any, Dataset], epsilon: float, run: Run
) -> dict[str, object]:
    """Compare the best newer algorithm with the paper's best over all areas, about OLS: a row of AREA_COLUMNS.

    Returns
    -------
    dict
        newer_better is the share of areas in which a newer algorithm has the smaller C(68), flat lines among them;
        median_ratio is the median of the newer C(68) over the paper's; paper_passes and newer_passes are the shares in
        which the error of the best line that is not flat is below the sampling error; newer names the newer algorithm
        that is best in most areas.
    """
    kinds = [pure_mechanisms(True), pure_mechanisms(False)]
    frames = measured_groups(datasets, _everyone(), Budget(epsilon), run, first_point_only=True)
    measured = pd.concat(list(frames), ignore_index=True)
    names = [{m.name for m in kind} for kind in kinds]
    paper, newer = (
        measured[measured["mechanism"].isin(kind)]
        .sort_values("c68", kind="stable")
        .drop_duplicates("group")
        .set_index("group")
        for kind in names
    )
    ratio = newer["c68"] / paper["c68"]
    passes = [float(passing_rows(best_by_area(measured, kind)).mean()) for kind in names]
    often = str(newer["mechanism"].mode().iloc[0])
    values = (
        name,
        epsilon,
        len(ratio),
        float((ratio < 1).mean()),
        float(np.nanmedian(ratio)),
        *passes,
        often,
    )
    return dict(zip(AREA_COLUMNS, values, strict=True))


def map_rows() -> pd.DataFrame:
    """Return newer_against_paper over the cells of MAP: for pure algorithms, then for all private ones (weaker)."""
    cells = winner_map.measured(MAP, -1)
    return pd.concat(
        [newer_against_paper(cells, weaker).assign(weaker=weaker) for weaker in (False, True)]
    )


def newer_against_paper(cells: WinnerMap, weaker: bool = False) -> pd.DataFrame:
    """Compare the best newer algorithm with the paper's best in every cell, under ``weaker`` as in winners.

    Columns CELL, n, paper, paper_error, newer, newer_error, ratio (the newer error over the paper's; below 1 the
    newer algorithm is better). NaN where neither kind has a finite error.
    """
    kinds = []
    for kind, in_paper in (("paper", True), ("newer", False)):
        won = cells.winners(weaker, in_paper).set_index([*CELL, "n"])[["winner", "error"]]
        kinds.append(won.rename(columns={"winner": kind, "error": f"{kind}_error"}))
    table = kinds[0].join(kinds[1])
    return table.assign(ratio=table["newer_error"] / table["paper_error"]).reset_index()
