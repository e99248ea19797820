"""Sentences on pooled areas: what pooling gains, what it rests on, and what it is not for."""

from __future__ import annotations

import pandas as pd

from ..experiments.pooling import ENOUGH_AREAS
from .phrases import format_amount, format_share, in_full, joined

FREE = (
    "Pooling costs no further budget: each record lies in one area, and what follows from the releases is "
    "post-processing."
)
REHEARSAL = (
    "A rehearsal: the releases are drawn from a seed, and with the seed anyone can subtract the noise. Do not publish "
    "it as a release."
)
FEW = (
    f"Measured coverage holds from {ENOUGH_AREAS} areas on; with {{areas:,}} it varies more from one data set to the "
    "next."
)


def pooled_sentence(pooled: pd.DataFrame, mechanism: str, epsilon: float) -> str:
    """Number of areas, and at each point the median standard error and how much of a line is the area's own.

    pooled: of pool_areas, in the units that are to be read.
    """
    areas = pooled["group"].nunique()
    said = [
        f"At {in_full(float(point))} the median standard error of a pooled prediction is "
        f"{format_amount(float(rows['standard_error'].median()))}, and the median area's own release counts for "
        f"{format_share(float(rows['weight'].median()))} of it."
        for point, rows in pooled.groupby("at", sort=False)
    ]
    return joined(
        f"{areas:,} areas, each released once with {mechanism} at ε = {in_full(epsilon)}, then pooled.", *said
    )


def common_sentence(pooled: pd.DataFrame) -> str:
    """The common line of the areas, and how far their own lines are from it; pooled: as for pooled_sentence."""
    common = {name: format_amount(float(value)) for name, value in pooled.attrs.items()}
    return (
        f"The common line is {common['height']} high at {common['origin']} and has the slope {common['slope']}. Areas "
        f"differ from it by a standard deviation of {common['spread_of_height']} in height and "
        f"{common['spread_of_slope']} in slope."
    )


def few_areas(areas: int) -> str:
    """What to know where there are few areas; nothing where there are enough."""
    return FEW.format(areas=areas) if areas < ENOUGH_AREAS else ""
