"""Coverage of intervals: counted on simulated data sets, stored as a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaincinv, gammaln, stdtrit

from ..intervals import METHODS, Target, confidence_interval, privacy_interval
from ..mechanisms import (
    CenteredStats,
    CenteredStatsGaussian,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from ..sources.linear import LinearModel
from ..sources.samples import stored_file
from ..sources.stored import read_stored, rounded, write_stored
from ..support import validate
from ..support.run import QUARTERS, stream
from ..support.types import Floats, Integers
from ..support.workers import in_order

STORED = stored_file("coverage.json")
LEVEL, CERTAINTY = 0.95, 0.95
COLUMNS = ("setting", "epsilon", "algorithm", "method", "target", "held", "datasets", "width", "identified")
_GROWING = "errors that grow with x, at large x"
_BLOCK = 100  # data sets held at a time
_STATISTICS: tuple[Any, ...] = (
    CenteredStats(), CenteredStatsGaussian(), NoisyStats(), NoisyStatsGaussian(), NoisyIntercept(),
)  # fmt: skip


@dataclass(frozen=True)
class CoverageSetting:
    """Simulated data of one kind and the budget for two points.

    words: what is special about the data. point: the number of the one of QUARTERS that is looked at.
    """

    model: LinearModel
    epsilon: float
    words: str = "normal errors"
    point: int = 0  # of QUARTERS

    @property
    def name(self) -> str:
        """The setting in words."""
        model = self.model
        size = f"n = {model.n:,}, σₓ² = {model.var_x:g}, σₑ² = {model.var_e:g}, ε = {self.epsilon:g}"
        return f"{size}, {self.words}"


def _normal(*rows: tuple[int, float, float, float]) -> tuple[CoverageSetting, ...]:
    return tuple(CoverageSetting(LinearModel(n, var_x, var_e), epsilon) for n, var_x, var_e, epsilon in rows)


SETTINGS = (
    *_normal(
        (30, 0.03, 0.01, 2), (30, 0.03, 0.01, 8), (30, 0.01, 0.01, 16), (60, 0.03, 0.01, 4), (100, 0.03, 0.01, 1),
        (100, 0.03, 0.01, 4), (100, 0.03, 0.0025, 16), (250, 0.03, 0.01, 0.5), (250, 0.03, 0.01, 2),
        (250, 0.01, 0.0025, 2), (300, 0.03, 0.01, 1), (1_000, 0.03, 0.01, 0.5), (1_000, 0.03, 0.01, 1),
        (1_000, 0.03, 0.01, 4), (3_000, 0.01, 0.01, 1), (10_000, 0.03, 0.01, 0.5), (10_000, 0.03, 0.01, 2),
    ),
    CoverageSetting(LinearModel(100, 0.03, 0.01, error_shape="heavy tails"), 4, "errors with heavy tails"),
    CoverageSetting(LinearModel(1_000, 0.03, 0.01, error_shape="heavy tails"), 1, "errors with heavy tails"),
    CoverageSetting(LinearModel(250, 0.03, 0.01, error_shape="growing"), 4, _GROWING, 1),
    CoverageSetting(LinearModel(1_000, 0.03, 0.01, error_shape="growing"), 2, _GROWING, 1),
    CoverageSetting(LinearModel(10_000, 0.03, 0.01, error_shape="growing"), 1, _GROWING, 1),
    CoverageSetting(LinearModel(250, 0.03, 0.01, error_shape="skewed"), 4, "errors skewed to the right"),
    CoverageSetting(LinearModel(250, 0.03, 0.01, x_shape="skewed"), 4, "skewed x"),
    CoverageSetting(LinearModel(1_000, 0.01, 0.01, x_shape="skewed"), 2, "skewed x"),
    CoverageSetting(LinearModel(250, 0.01, 0.01, x_shape="leverage"), 4, "one x in twenty far out"),
    CoverageSetting(LinearModel(250, 0.03, 0.09), 4, "data piled up at both bounds of y"),
    CoverageSetting(LinearModel(1_000, 0.03, 0.04, slope=0.8, intercept=0.5), 2, "data piled up at one bound of y"),
)  # fmt: skip


def binomial_limits(held: int, trials: int, certainty: float = CERTAINTY) -> tuple[float, float]:
    """The exact limits of the probability of a success seen ``held`` times in trials (Clopper and Pearson, 1934)."""
    tail = (1 - certainty) / 2
    low = float(betaincinv(held, trials - held + 1, tail)) if held else 0.0
    high = float(betaincinv(held + 1, trials - held, 1 - tail)) if held < trials else 1.0
    return low, high


def hypergeometric_limits(held: int, drawn: int, of: int, certainty: float = 0.95) -> tuple[int, int]:
    """The exact limits of how many of ``of`` have something that ``held`` of those drawn at random from them have.

    The ends are the last numbers at which no tail beyond ``held`` is rarer than half of what is left uncertain. Drawn
    all, both are ``held``.
    """
    tail = (1 - certainty) / 2
    low, high = held, of - drawn + held  # those that were seen are there, and so are those without it

    def first(enough: Callable[[int], bool], start: int, end: int) -> int:
        """The first number at which it is so; it is so from there on, at the end if nowhere before."""
        while start < end:
            middle = (start + end) // 2
            start, end = (start, middle) if enough(middle) else (middle + 1, end)
        return start

    def at_most(count: int, having: int) -> float:
        seen = np.arange(max(0, drawn - of + having), min(count, having, drawn) + 1)
        logs = _log_choose(having, seen) + _log_choose(of - having, drawn - seen) - _log_choose(of, np.array(drawn))
        return float(np.exp(logs).sum())

    fewest = first(lambda having: 1 - at_most(held - 1, having) > tail, low, high) if held else 0
    most = first(lambda having: at_most(held, having) <= tail, low, high + 1) - 1
    return fewest, max(most, fewest)


def _log_choose(n: int, k: Integers) -> Floats:
    chosen: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return chosen


def coverage(setting: CoverageSetting, datasets: int, seed: int = 0) -> pd.DataFrame:
    """Coverage of each kind of interval at one of two points released together; rows of COLUMNS.

    datasets: simulated data sets, 1 or more, with one release of every algorithm each; seed: 0 or more.
    width: the median; identified: the share of intervals with two ends. ValueError where a number cannot be.
    """
    validate.integer(1, datasets=datasets)
    starts = range(0, datasets, _BLOCK)
    blocks = [_block(setting, range(start, min(start + _BLOCK, datasets)), seed) for start in starts]
    rows = []
    for key in blocks[0]:
        seen = np.concatenate([block[key] for block in blocks], axis=1)
        held, width = seen[..., min(setting.point, seen.shape[2] - 1)]
        counted = (int(held.sum()), held.size, float(np.median(width)), float(np.isfinite(width).mean()))
        rows.append((setting.name, setting.epsilon, *key, *counted))
    return pd.DataFrame(rows, columns=COLUMNS)


Key = tuple[str, str, str]  # algorithm, method, target


def _block(setting: CoverageSetting, numbers: Sequence[int], seed: int) -> dict[Key, Floats]:
    """Whether each interval holds its target and its width, shape (2, data sets, points)."""
    model, epsilon, rng = setting.model, setting.epsilon, stream(seed, "coverage", repr(setting), numbers[0])
    groups = [model.replicate(seed, number, even=False) for number in numbers]  # as binomial limits ask for
    truth, ols = model.truth(QUARTERS), np.array([data.predict(QUARTERS) for data in groups])
    half = stdtrit(model.n - 2, (1 + LEVEL) / 2) * np.array([data.standard_error(QUARTERS) for data in groups])
    seen = {("OLS", "t", Target.TRUE_LINE.value): _seen(ols - half, ols + half, truth)}
    for mechanism in _STATISTICS:
        release = joined([mechanism.release_statistics(data, epsilon, 1, rng=rng) for data in groups])
        for method in METHODS if hasattr(release, "simulated") else METHODS[:2]:
            for interval, target in ((confidence_interval, truth), (privacy_interval, ols)):
                made = interval(release, QUARTERS, LEVEL, method, rng=rng)
                seen[mechanism.name, method, made.target.value] = _seen(made.low, made.high, target)
    return seen


def _seen(low: Floats, high: Floats, value: Floats) -> Floats:
    """Whether low <= value <= high, and the width, shape (2, data sets, points)."""
    return np.array([(low <= value) & (value <= high), high - low])


def joined(releases: Sequence[Any]) -> Any:
    """Releases of one kind from several data sets of one size as one; what is not an array is the first's."""
    first = releases[0]
    arrays = [f.name for f in fields(first) if isinstance(getattr(first, f.name), np.ndarray)]
    parts: Mapping[str, Floats] = {name: np.concatenate([getattr(each, name) for each in releases]) for name in arrays}
    return type(first)(**{f.name: parts.get(f.name, getattr(first, f.name)) for f in fields(first)})


def measured(datasets: int, seed: int = 0, workers: int | str = 1) -> Iterator[pd.DataFrame]:
    """The table of every setting, one after the other."""
    return in_order(partial(coverage, datasets=datasets, seed=seed), list(SETTINGS), workers)


def save(table: pd.DataFrame, path: Path = STORED) -> None:
    """Write a table, widths to four digits, a row on a line; Unwritable where the file cannot be written."""
    names = list(dict.fromkeys(table["setting"]))
    rows = [[names.index(row[0]), *row[1:]] for row in table[list(COLUMNS)].itertuples(index=False)]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rounded(rows, 4))
    text = f'{{"settings": {json.dumps(names, ensure_ascii=False, indent=1)},\n"rows": [\n{lines}\n]}}\n'
    write_stored(text, path)


def load(path: Path = STORED) -> pd.DataFrame:
    """The stored table with the columns coverage, low and high (binomial limits); a width without end is inf.

    Damaged, a ValueError, where the file is missing or holds another.
    """

    def read(stored: Any) -> pd.DataFrame:
        table = pd.DataFrame(stored["rows"], columns=COLUMNS)
        return table.assign(setting=[stored["settings"][number] for number in table["setting"]])

    table = read_stored(path, read, "coverage of intervals", "python -m benchmarks coverage")
    limits = [binomial_limits(held, of) for held, of in zip(table["held"], table["datasets"], strict=True)]
    low, high = zip(*limits, strict=True)
    return table.assign(
        width=table["width"].astype(float).fillna(np.inf),
        coverage=table["held"] / table["datasets"],
        low=low,
        high=high,
    )
