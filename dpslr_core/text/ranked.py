"""What the rows of a ranked picture say: sizes in the units of y, and words for errors that no axis shows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..sources.axis import Axis
from .phrases import format_amount, format_share

BEYOND = 1e5  # in standard errors: in place of an infinite error, beyond the edge of every picture


def drawable_rows(ranked: pd.DataFrame, y: Axis) -> pd.DataFrame:
    """The rows of a ranking with sizes in the units of y, and words for errors that no logarithmic axis shows."""
    drawn = np.isfinite(ranked["ratio"]) & (ranked["ratio"] > 0)
    words = [
        "" if visible else _instead(bound, rate)
        for visible, bound, rate in zip(drawn, ranked["c68"], ranked["failure_rate"], strict=True)
    ]
    unit = f" {y.unit}" if y.unit else ""
    columns = ["algorithm", "promise", "guarantee", "failure_rate"]
    return ranked[columns].assign(
        words=words,
        ratio=ranked["ratio"].where(drawn),
        ratio95=ranked["ratio95"].where(drawn).replace(np.inf, BEYOND),
        size68=[f"±{format_amount(bound * y.scale)}{unit}" for bound in ranked["c68"]],
        size95=[f"±{format_amount(bound * y.scale)}{unit}" for bound in ranked["c95"]],
    )


def _instead(bound: float, failure_rate: float) -> str:
    """What stands in place of an error that has no place on the axis."""
    if bound == 0:
        return "no noise"
    if np.isfinite(bound):
        return "no sampling error to compare with"
    return f"does not answer in {format_share(failure_rate)} of releases"
