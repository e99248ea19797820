"""Which groups a regression can be fitted to: one rule for uploads, families and the areas of an experiment."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._types import Floats

SMALLEST = 3  # records that a line and its standard error need
NEARLY_EQUAL = 1e-12  # of the width of the bounds: a smaller range of x is rounding, not information
REASONS = {
    "unlabelled": "no group label",
    "small": "fewer than 3 records",
    "missing": "a missing or infinite value",
    "outside": "x or y outside [0, 1]",
    "constant": "x is constant",
}


def group_fault(x: Floats, y: Floats) -> str | None:
    """Why the records of a group, shapes (n,) in the unit square, cannot be regressed; None where they can."""
    if x.size < SMALLEST:
        return REASONS["small"]
    both = np.concatenate([x, y])
    if not np.isfinite(both).all():
        return REASONS["missing"]
    if both.min() < 0 or both.max() > 1:
        return REASONS["outside"]
    return REASONS["constant"] if np.ptp(x) <= NEARLY_EQUAL else None


def group_faults(labels: ArrayLike, x: ArrayLike, y: ArrayLike) -> dict[str, str]:
    """The groups that cannot be regressed, in order of appearance, with the reason; one label per record."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    rows = pd.Series(np.asarray(labels)).groupby(np.asarray(labels), sort=False).indices
    faults = {str(label): group_fault(x[mine], y[mine]) for label, mine in rows.items()}
    return {label: fault for label, fault in faults.items() if fault}
