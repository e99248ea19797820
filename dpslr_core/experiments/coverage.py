"""Coverage of intervals, as counted on simulated data sets and stored, and exact limits of counted shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from ..audit.scores import clopper_pearson
from ..sources.samples import stored_file
from ..sources.stored import read_tables
from ..support.types import Floats, Integers

STORED = stored_file("coverage.json")
CERTAINTY = 0.95
COLUMNS = (
    "setting",
    "epsilon",
    "algorithm",
    "method",
    "target",
    "held",
    "datasets",
    "width",
    "identified",
)


def hypergeometric_limits(
    held: int, drawn: int, of: int, certainty: float = 0.95
) -> tuple[int, int]:
    """The exact limits of how many of ``of`` have something that ``held`` of those drawn at random from them have.

    The ends are the last numbers at which no tail beyond ``held`` is rarer than half of what is left uncertain. Drawn
    all, both are ``held``.
    """
    tail = (1 - certainty) / 2
    low, high = (
        held,
        of - drawn + held,
    )  # those that were seen are there, and so are those without it

    def first(enough: Callable[[int], bool], start: int, end: int) -> int:
        """The first number at which it is so; it is so from there on, at the end if nowhere before."""
        while start < end:
            middle = (start + end) // 2
            start, end = (start, middle) if enough(middle) else (middle + 1, end)
        return start

    def at_most(count: int, having: int) -> float:
        seen = np.arange(max(0, drawn - of + having), min(count, having, drawn) + 1)
        logs = (
            _log_choose(having, seen)
            + _log_choose(of - having, drawn - seen)
            - _log_choose(of, np.array(drawn))
        )
        return float(np.exp(logs).sum())

    fewest = first(lambda having: 1 - at_most(held - 1, having) > tail, low, high) if held else 0
    most = first(lambda having: at_most(held, having) <= tail, low, high + 1) - 1
    return fewest, max(most, fewest)


def _log_choose(n: int, k: Integers) -> Floats:
    chosen: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return chosen


def joined(releases: Sequence[Any]) -> Any:
    """Releases of one kind from several data sets of one size as one; what is not an array is the first's."""
    first = releases[0]
    arrays = [f.name for f in fields(first) if isinstance(getattr(first, f.name), np.ndarray)]
    parts = {name: np.concatenate([getattr(each, name) for each in releases]) for name in arrays}
    return type(first)(**{f.name: parts.get(f.name, getattr(first, f.name)) for f in fields(first)})


def load(path: Path = STORED) -> pd.DataFrame:
    """The stored table with the columns coverage, low and high (of Clopper and Pearson); a width without end is inf.

    Damaged, a ValueError, where the file is missing or holds another.
    """
    columns = {"coverage": COLUMNS}
    table = read_tables(
        path, columns, "coverage of intervals", "python -m benchmarks coverage --save"
    )["coverage"]
    low, high = clopper_pearson(table["held"], table["datasets"], 1 - CERTAINTY)
    return table.assign(coverage=table["held"] / table["datasets"], low=low, high=high)
