"""Which groups a regression can be fitted to: one rule for uploads, grouped data and the areas of an experiment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..support.types import Floats

SMALLEST = 3  # records that a line and its standard error need
NEARLY_EQUAL = 1e-12  # of the width of the bounds: a smaller range of x is rounding, not information
REASONS = {
    "unlabelled": "no group label",
    "small": "fewer than 3 records",
    "missing": "a missing or infinite value",
    "outside": "x or y outside [0, 1]",
    "constant": "x is constant",
}


def group_faults(labels: ArrayLike | pd.Series, x: Floats, y: Floats) -> dict[Any, str]:
    """The groups that cannot be regressed, in order of appearance, with the reason.

    labels, x, y: shape (n,), a label and a point of the unit square for each record.
    """
    # A series stays one: as an array, each of its texts would be an object.
    code, groups = pd.factorize(labels if isinstance(labels, pd.Series) else np.asarray(labels))
    labelled = code >= 0
    x, y = np.asarray(x), np.asarray(y)
    if not labelled.all():
        code, x, y = code[labelled], x[labelled], y[labelled]
    low, high = np.full(groups.size, np.inf), np.full(groups.size, -np.inf)

    def any_record(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether a record of each group has the flag."""
        return np.bincount(code, flags, groups.size) > 0

    with np.errstate(invalid="ignore"):  # a missing value; infinity minus infinity
        np.minimum.at(low, code, x)
        np.maximum.at(high, code, x)
        tests = {
            "small": np.bincount(code, minlength=groups.size) < SMALLEST,
            "missing": any_record(~(np.isfinite(x) & np.isfinite(y))),
            "outside": any_record((x < 0) | (x > 1) | (y < 0) | (y > 1)),
            "constant": high - low <= NEARLY_EQUAL,
        }
    reasons = np.select(list(tests.values()), [REASONS[name] for name in tests], "")
    return {label: reason for label, reason in zip(groups.tolist(), reasons.tolist(), strict=True) if reason}
