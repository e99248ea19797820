"""Which groups a regression can be fitted to: one rule for uploads, families and the areas of an experiment."""

from __future__ import annotations

from typing import Any

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


def group_faults(labels: ArrayLike, x: Floats, y: Floats) -> dict[Any, str]:
    """The groups that cannot be regressed, in order of appearance, with the reason.

    labels, x, y: shape (n,), a label and a point of the unit square for each record.
    """
    records = pd.DataFrame({"x": x, "y": y})
    records["missing"] = ~np.isfinite(records[["x", "y"]]).all(axis=1)
    records["outside"] = ((records[["x", "y"]] < 0) | (records[["x", "y"]] > 1)).any(axis=1)
    groups = records.groupby(np.asarray(labels), sort=False)
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        spread = groups["x"].max() - groups["x"].min()
    tests = {
        "small": groups.size() < SMALLEST,
        "missing": groups["missing"].any(),
        "outside": groups["outside"].any(),
        "constant": spread <= NEARLY_EQUAL,
    }
    reasons = np.select(list(tests.values()), [REASONS[name] for name in tests], "")
    return {label: reason for label, reason in zip(spread.index.tolist(), reasons.tolist(), strict=True) if reason}
