"""What the rows of a ranked picture say: sizes in the units of y, and words for errors that no axis shows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..sources.axis import Axis
from ..support.types import Floats
from .phrases import format_amount, format_share

PARTS = (
    "Filled bar: noise alone, which more ε makes smaller. Hollow bar: what the gap adds. Dot: the error, C(68). Line: "
    "up to C(95). Tick: the gap, which no ε changes."
)
BEYOND = 1e5  # in standard errors: in place of an infinite error, beyond the edge of every picture


def drawable_rows(ranked: pd.DataFrame, y: Axis) -> pd.DataFrame:
    """The rows of a ranking with sizes in the units of y, and words for errors that no logarithmic axis shows.

    ratio, ratio95, noise (no more than the error, whose bar it fills) and gap: in standard errors.
    """
    ratio, ratio95 = ranked["ratio"].to_numpy(), ranked["ratio95"].to_numpy()
    drawn, rates = np.isfinite(ratio) & (ratio > 0), ranked["failure_rate"].to_numpy()
    c68, c95 = ranked["c68"].tolist(), ranked["c95"].tolist()
    words = [
        "" if visible else _instead(bound, rate)
        for visible, bound, rate in zip(drawn, c68, rates.tolist(), strict=True)
    ]
    unit = f" {y.unit}" if y.unit else ""
    rows = {name: ranked[name].array for name in ("algorithm", "promise", "guarantee")} | {
        "failure_rate": rates,
        "words": words,
        "ratio": np.where(drawn, ratio, np.nan),
        "ratio95": np.where(drawn, np.where(ratio95 == np.inf, BEYOND, ratio95), np.nan),
        "noise": np.minimum(_over(ranked["noise"].to_numpy(dtype=float), ranked, drawn), ratio),
        "gap": _over(ranked["gap"].to_numpy(dtype=float), ranked, drawn),
        "size68": [f"±{format_amount(bound * y.scale)}{unit}" for bound in c68],
        "size95": [f"±{format_amount(bound * y.scale)}{unit}" for bound in c95],
        "noise_size": [f"±{format_amount(noise * y.scale)}{unit}" for noise in ranked["noise"].tolist()],
        "gap_size": [f"{format_amount(gap * y.scale)}{unit}" for gap in ranked["gap"].tolist()],
    }
    return pd.DataFrame(rows, index=ranked.index)


def _over(sizes: Floats, ranked: pd.DataFrame, drawn: np.ndarray) -> Floats:
    """Sizes in standard errors where the row is drawn, and NaN elsewhere."""
    standard_errors = ranked["standard_error"].to_numpy(dtype=float)
    return np.divide(sizes, standard_errors, out=np.full(sizes.shape, np.nan), where=drawn & (standard_errors > 0))


def _instead(bound: float, failure_rate: float) -> str:
    """What stands in place of an error that has no place on the axis."""
    if bound == 0:
        return "no noise"
    if np.isfinite(bound):
        return "no sampling error to compare with"
    return f"does not answer in {format_share(failure_rate)} of releases"
