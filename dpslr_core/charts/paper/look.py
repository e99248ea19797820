"""What a panel of a figure holds, as values: rows and axes. How it is drawn is in panels."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

HEIGHT = 300  # pixels
GAUSSIAN, EXACT = "standard error", "exact rate"  # curves of no algorithm
Ends = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """An axis: its title, its ends (those of the data where there are none), and whether it is logarithmic."""

    title: str
    ends: Ends | None = None
    log: bool = False
    format: str = ",.4~r"


@dataclass(frozen=True)
class Look:
    """How a panel looks beside its data.

    at_x, at_y: where a dotted line stands. band: from one x to another, grey. step: whether curves are steps.
    """

    x: Scale
    y: Scale
    at_x: float | None = None
    at_y: float | None = None
    band: Ends | None = None
    step: bool = False


@dataclass(frozen=True, eq=False)
class Curves:
    """A curve for each algorithm; NaN in y is a gap, where open_dots stand in. Both frames: algorithm, x, y."""

    frame: pd.DataFrame
    look: Look
    open_dots: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class Dots:
    """A dot for each row: algorithm, x, y. size: of a dot, in square pixels."""

    frame: pd.DataFrame
    look: Look
    size: int = 28


@dataclass(frozen=True, eq=False)
class Records:
    """Records with the OLS line: x, y in the unit square; slope, of all records, the same in all rows."""

    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Table:
    """A table of texts."""

    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Density:
    """Densities as steps (algorithm, x, y), and a tick for each estimate (x)."""

    frame: pd.DataFrame
    estimates: pd.DataFrame
    ends: Ends


@dataclass(frozen=True, eq=False)
class Stretches:
    """The widest stretch for each number of changed records: records, low, high, value (discounted), decides."""

    frame: pd.DataFrame
    estimates: pd.DataFrame
    ends: Ends


@dataclass(frozen=True, eq=False)
class Path:
    """The way of descents in the plane of both predictions (algorithm, step, x, y), and answers (name, x, y)."""

    frame: pd.DataFrame
    answers: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Ratio:
    """Noisy numerators y over noisy denominators x, with the outcome; slope: y / x without noise."""

    frame: pd.DataFrame
    slope: float


Panel = Curves | Dots | Records | Table | Density | Stretches | Path | Ratio
