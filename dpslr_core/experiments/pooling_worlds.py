"""Coverage of the intervals of pooled areas, and errors of pooled lines, as measured in simulated worlds and stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ..dataset import ROUNDING
from ..sources.samples import stored_file
from ..sources.stored import read_tables

STORED = stored_file("pooling.json")
HOLDS = (0.93, 0.975)  # the average coverage that intervals of 95% should have
ERRORS = ("ols_rms", "released_rms", "pooled_rms", "ols_median", "released_median", "pooled_median")
COLUMNS = ("world", "areas", "covariate", "epsilon", "times", "coverage", *ERRORS)


def broken(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose coverage is outside of HOLDS, the farthest first; column off is the signed distance."""
    off = np.maximum(HOLDS[0] - table["coverage"], 0) - np.maximum(table["coverage"] - HOLDS[1], 0)
    rows = table.assign(off=-off)[off.abs() > ROUNDING]
    return rows.sort_values(
        "off", key=lambda column: -column.abs(), kind="stable", ignore_index=True
    )


def load(path: Path = STORED) -> pd.DataFrame:
    """Read the stored table of COLUMNS; Damaged, a ValueError, where the file is missing or holds another table."""
    columns = {"worlds": COLUMNS}
    return read_tables(
        path, columns, "coverage of pooled areas", "python -m benchmarks pooling --save"
    )["worlds"]
