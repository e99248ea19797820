"""Algorithms that beat the paper's, and where: measured over other shapes of data and real areas, stored as a file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..mechanisms import (
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    DPSSTheilSen,
    DPWideTheilSen,
    NoisyStats,
)
from ..mechanisms.base import Mechanism
from ..sources.samples import stored_file
from ..sources.stored import read_tables
from .maps import MapSettings

STORED = stored_file("findings.json")
VAR_X, VAR_E = 0.03, 0.01
# Of the stored tables: data sets per setting, tracts of the simulated state, seed of all draws.
DATASETS, TRACTS, SEED = 20, 300, 0
HELD_OUT_SEED = 7_000  # of data on which no default was chosen; added to that of all draws
MAP = MapSettings(  # n from 20 to 2,560
    epsilon=1.0,
    var_x=VAR_X,
    products=tuple(0.6 * 2.0**i for i in range(8)),
    var_es=(1e-4, 1e-3, 3e-3, 0.01, 0.03),
    datasets=20,
)
SHAPE_COLUMNS = [
    "x_shape",
    "error_shape",
    "n",
    "epsilon",
    "paper",
    "paper_error",
    "newer",
    "newer_error",
    "ratio",
]
AREA_COLUMNS = [
    "data",
    "epsilon",
    "areas",
    "newer_better",
    "median_ratio",
    "paper_passes",
    "newer_passes",
    "newer",
]

HELD_OUT_COLUMNS = ["slope", *SHAPE_COLUMNS, "with_slope", "descent"]
MAP_COLUMNS = [
    "epsilon_nvar",
    "var_e",
    "n",
    "paper",
    "paper_error",
    "newer",
    "newer_error",
    "ratio",
    "weaker",
]
COLUMNS = {
    "map": MAP_COLUMNS,
    "shapes": SHAPE_COLUMNS,
    "held_out": HELD_OUT_COLUMNS,
    "areas": AREA_COLUMNS,
}

# On what each default of the algorithms on this page was chosen, as far as that is written down.
_TRACTS, _LINES = (
    "the paper's tracts at ε = 16, not public",
    "simulated data: uniform x, Gaussian errors, slope 1/2",
)
CHOSEN_ON: tuple[tuple[type[Mechanism], tuple[str, ...], str], ...] = (
    (DPExpTheilSen, ("lower", "upper"), _TRACTS),
    (DPWideTheilSen, ("theta",), _TRACTS),
    (DPSSTheilSen, ("df",), _TRACTS),
    (
        DPSSTheilSen,
        ("beta",),
        "the paper's simulated data: normal x, Gaussian errors, slope 1/2, n = 30",
    ),
    (NoisyStats, ("split",), "no data: three equal parts, as in Algorithm 1"),
    (DPGDPure, ("steps", "clip"), f"{_LINES}; six settings, among them n = 100 at ε = 1"),
    (DPGDPure, ("start",), "no data: the middle of [0, 1]"),
    (
        CenteredStats,
        ("b",),
        f"{_LINES}; n = 250 at ε = 2; then checked on simulated tracts at ε = 16",
    ),
    (
        DeepestLine,
        ("c", "grid"),
        f"{_LINES}; seven settings, n from 30 to 1,000, ε from 0.5 to 2; 72 bike-share sets",
    ),
)


def load(path: Path = STORED) -> dict[str, pd.DataFrame]:
    """Read the tables of COLUMNS by name; Damaged, a ValueError, where the file is missing or holds others."""
    return read_tables(path, COLUMNS, "findings", "python -m benchmarks findings --save")
