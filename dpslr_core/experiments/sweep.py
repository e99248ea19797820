"""Sweeps: how errors change with one parameter, on simulated data or one data set, batch by batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import groupby, pairwise
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import pairs
from ..dataset import Dataset
from ..laws.base import Law
from ..mechanisms.base import Mechanism, different_names
from ..mechanisms.pairwise import MatchingMechanism
from ..pairs.grid import PublicGrid
from ..pairs.matchings import SortedEstimates, matched_lists
from ..privacy import Budget
from ..privacy.accounting import Rule, admitted, paid
from ..scenario import Scenario
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import Z95, Run, stream
from ..support.types import Floats
from ..support.workers import in_order, one_thread
from .errors import summarise

__all__ = [
    "BLOCK",
    "COLUMNS",
    "RATIO",
    "Sweep",
    "SweepBatch",
    "SweepPlan",
    "batch_ranges",
    "combine",
    "plan_sweep",
    "run_sweep",
    "sweep",
    "sweep_batches",
]

OF_DATA = ("n", "var_x", "var_e", "slope")
OF_RANGE = ("lower", "upper", "width")
PARAMETERS = (*OF_DATA, "epsilon", "x_new", "theta", "beta", "df", "k", *OF_RANGE, "steps", "clip", "delta")
WHOLE = ("n", "k", "steps")


@dataclass(frozen=True)
class Setting:
    """One value of the parameter put where it belongs: the data or their model, the budget and the mechanisms.

    The error is measured at the first point of the budget.
    """

    value: float
    source: LinearModel | Dataset
    budget: Budget
    mechanisms: tuple[Mechanism, ...]


@dataclass(frozen=True)
class SweepPlan:
    """A setting for every value of a parameter. names: of the mechanisms, the same at all values."""

    parameter: str
    names: tuple[str, ...]
    settings: tuple[Setting, ...]

    @property
    def averaged(self) -> bool:
        """Whether there are simulated data sets to average over."""
        return isinstance(self.settings[0].source, LinearModel)


def plan_sweep(
    parameter: str,
    values: ArrayLike,
    source: LinearModel | Dataset,
    budget: Budget,
    mechanisms: Sequence[Mechanism],
) -> SweepPlan:
    """A setting for every value of a parameter.

    parameter: one of PARAMETERS.
    values: of the parameter, all different, shape (v,).
    source: the model of the data, or a data set.
    budget: epsilon, the points and the accounting; the error is measured at the first point.
    mechanisms: one or more, with different names; those that the accounting leaves out at some value are not run.

    ValueError names the argument that cannot be.
    """
    if parameter not in PARAMETERS:
        raise ValueError(f"parameter must be one of {list(PARAMETERS)}, got {parameter!r}")
    if isinstance(source, Dataset) and parameter in OF_DATA:
        raise ValueError(f"parameter can be {parameter!r} for simulated data only, not with data")
    different_names(mechanisms)
    if not mechanisms:
        raise ValueError("mechanisms must hold one or more mechanisms")
    numbers = validate.points(values=values).tolist()
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"values must be different, got {values!r}")
    base = Setting(numbers[0], source, budget, tuple(mechanisms))
    settings = tuple(_at_value(parameter, value, base) for value in numbers)
    for setting in settings:
        if isinstance(setting.source, LinearModel):
            validate.positive(var_x=setting.source.var_x, var_e=setting.source.var_e)
    places = [i for i in range(len(mechanisms)) if all(admitted(s.mechanisms[i : i + 1], s.budget) for s in settings)]
    if not places:
        raise ValueError(f"mechanisms must hold one that is run under the accounting {budget.accounting}")
    run = tuple(replace(s, mechanisms=tuple(s.mechanisms[i] for i in places)) for s in settings)
    return SweepPlan(parameter, tuple(mechanisms[i].name for i in places), run)


def _at_value(parameter: str, value: float, base: Setting) -> Setting:
    """The base with this value of the parameter, as a whole number where it must be one."""
    if parameter in WHOLE:
        if value != int(value):
            raise ValueError(f"values must be whole numbers for {parameter}, got {value!r}")
        value = int(value)
    base, budget = replace(base, value=value), base.budget
    if parameter == "epsilon":
        return replace(base, budget=replace(budget, epsilon=value))
    if parameter == "x_new":
        return replace(base, budget=replace(budget, at=(value, *budget.at[1:])))
    if parameter in OF_DATA:
        return replace(base, source=replace(base.source, **{parameter: value}))  # type: ignore[arg-type]
    changed = tuple(_changed(mechanism, parameter, value) for mechanism in base.mechanisms)
    if changed == base.mechanisms and not any(_has(mechanism, parameter) for mechanism in base.mechanisms):
        raise ValueError(f"parameter {parameter!r} must be a hyperparameter of one of the mechanisms")
    return replace(base, mechanisms=changed)


def numeric_hyperparameters(mechanism: Mechanism) -> set[str]:
    """The names of its hyperparameters that a sweep can vary: switches, which are on or off, are left out."""
    return {f.name for f in fields(mechanism) if not isinstance(getattr(mechanism, f.name), bool)}


def _has(mechanism: Mechanism, parameter: str) -> bool:
    return ("lower" if parameter == "width" else parameter) in numeric_hyperparameters(mechanism)


def _changed(mechanism: Mechanism, parameter: str, value: float) -> Mechanism:
    """The mechanism with this hyperparameter, itself where it has none of the name."""
    if not _has(mechanism, parameter):
        return mechanism
    if parameter != "width":
        return replace(mechanism, **{parameter: value})
    validate.positive(width=value)
    middle = 0.5 * (mechanism.lower + mechanism.upper)  # type: ignore[attr-defined]
    return replace(mechanism, lower=middle - 0.5 * value, upper=middle + 0.5 * value)  # type: ignore[call-arg]


COLUMNS = (
    "parameter", "value", "mechanism", "mean", "monte_carlo_error", "low", "high", "median", "infinite_share",
    "datasets", "exact",
)  # fmt: skip
BatchKey = tuple[float, int, int]


@dataclass(frozen=True, eq=False)
class SweepBatch:
    """What was measured at one value on some data sets: a part of a sweep.

    ratios: of dtype RATIO, shape (data sets, mechanisms). averaged: whether there are other data sets to average
    over. Batches depend on the arguments of the sweep other than values, datasets and workers; ``key`` tells those of
    one sweep apart.
    """

    parameter: str
    value: float
    first: int
    names: tuple[str, ...]
    ratios: np.ndarray
    averaged: bool

    @property
    def key(self) -> BatchKey:
        """The value, the number of the first data set, and how many there are."""
        return self.value, self.first, len(self.ratios)

    def rows(self) -> list[tuple[object, ...]]:
        """The rows of COLUMNS, one per mechanism."""
        return [
            (self.parameter, self.value, name, *self._numbers(ratios), bool(ratios["exact"].all()))
            for name, ratios in zip(self.names, self.ratios.T, strict=True)
        ]

    def _numbers(self, ratios: np.ndarray) -> tuple[float, ...]:
        """mean to datasets, of the ratios of one mechanism."""
        values, low, high = ratios["ratio"], ratios["low"][0], ratios["high"][0]
        infinite, mean = float(np.isinf(values).mean()), float(np.mean(values))
        error = _error(values) if self.averaged else (high - low) / (2 * Z95) if infinite == 0 else np.nan
        if self.averaged:
            low, high = mean - Z95 * error, mean + Z95 * error
        if infinite:
            low = high = np.inf
        return mean, error, low, high, float(np.median(values)), infinite, values.size

    def difference_error(self, first: str, second: str) -> float:
        """The standard error of the difference of two means, over the same data sets; inf where it is not known.

        ValueError where one of the mechanisms was not measured.
        """
        a, b = (self.ratios[:, self.names.index(name)] for name in (first, second))
        if not (np.isfinite(a["ratio"]) & np.isfinite(b["ratio"])).all():
            return np.inf
        if not self.averaged:
            first_width, second_width = (one["high"][0] - one["low"][0] for one in (a, b))
            return math.hypot(first_width, second_width) / (2 * Z95)
        return _error(a["ratio"] - b["ratio"]) if len(a) > 1 else np.inf


def _error(numbers: Floats) -> float:
    """The standard error of a mean of independent numbers; NaN of one alone, or where one is infinite."""
    known = numbers.size > 1 and np.isfinite(numbers).all()
    return float(np.std(numbers, ddof=1) / np.sqrt(numbers.size)) if known else np.nan


@dataclass(frozen=True, eq=False)
class Sweep:
    """A sweep, or the part of it that has been measured. batches: one per value, in order of the values."""

    batches: tuple[SweepBatch, ...]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The frame that sweep returns."""
        return pd.DataFrame([row for batch in self.batches for row in batch.rows()], columns=list(COLUMNS))

    @property
    def parameter(self) -> str:
        """What varies."""
        return self.batches[0].parameter

    def at(self, value: float) -> SweepBatch:
        """What was measured at one of the values."""
        return next(batch for batch in self.batches if batch.value == value)

    def difference_errors(self, first: str, second: str) -> dict[float, float]:
        """By value the standard error of the difference of two mechanisms' means, paired over the data sets.

        inf where it is not known. ValueError names a mechanism that was not measured.
        """
        for name in (first, second):
            if any(name not in batch.names for batch in self.batches):
                raise ValueError(f"mechanism must be in the sweep, got {name!r}")
        return {batch.value: batch.difference_error(first, second) for batch in self.batches}


def combine(batches: Iterable[SweepBatch]) -> Sweep:
    """The sweep that batches of it, in any order, make.

    ValueError where the batches are of different sweeps, or hold a data set twice.
    """
    ordered = sorted(batches, key=lambda batch: (batch.value, batch.first))
    if len({(batch.parameter, batch.names) for batch in ordered}) > 1:
        raise ValueError("batches must be of one sweep, got different parameters or mechanisms")
    return Sweep(tuple(_joined(list(same)) for _, same in groupby(ordered, key=lambda batch: batch.value)))


def _joined(batches: list[SweepBatch]) -> SweepBatch:
    """The batches of one value as one, their data sets in order."""
    for batch, after in pairwise(batches):
        if after.first < batch.first + len(batch.ratios):
            raise ValueError(f"batches must not share data sets, got data set {after.first} twice at {batch.value:g}")
    return replace(batches[0], ratios=np.concatenate([batch.ratios for batch in batches]))


# C(68) over the standard error with the ends of its interval, and whether it is exact: one element of an array.
RATIO = np.dtype([("ratio", float), ("low", float), ("high", float), ("exact", bool)])
_CHUNK = 1 << 16  # pairwise estimates formed at a time: what is done with them stays in the cache
_HELD = 1 << 22  # and those held at a time
_LISTED = 1 << 17  # estimates listed at a time for each point: data sets in one computation


class Release(NamedTuple):
    """What is released by whom; the error is measured at the first point."""

    mechanism: Mechanism
    budget: Budget


def error_ratios(group: tuple[Setting, ...], numbers: Sequence[int], run: Run) -> np.ndarray:
    """The RATIO of each setting and mechanism on these data sets, shape (numbers, settings, mechanisms).

    The settings have their data in common; what they share beside, matchings too, is made once. Data sets are measured
    side by side, which changes no number. Source: Section "Error Metric".
    """
    together = _data_sets_at_a_time(group)
    if len(numbers) > together:
        parts = [numbers[start : start + together] for start in range(0, len(numbers), together)]
        return np.concatenate([error_ratios(group, part, run) for part in parts])
    source = group[0].source
    simulated = isinstance(source, LinearModel)
    datasets = [source.replicate(run.seed, j) if isinstance(source, LinearModel) else source for j in numbers]
    releases = [[Release(m, m.first_point_alone(paid(m, s.budget))) for m in s.mechanisms] for s in group]
    different = list(dict.fromkeys(release for row in releases for release in row))
    drawn: dict[Release, list[Floats]] = {}
    if simulated:
        matched = [_matching_draws(data, different, j, run) for data, j in zip(datasets, numbers, strict=True)]
        drawn = {release: [of_data[release] for of_data in matched] for release in matched[0]}
    known: dict[Release, list[tuple[float, float, float, bool]]] = {}
    for setting, row in zip(group, releases, strict=True):
        references = [_reference(data, setting) for data in datasets]
        for release in row:
            if release not in known:
                trials = drawn.get(release) or _laws_or_trials(datasets, release, numbers, run)
                laws = [[None if isinstance(each, np.ndarray) else each] for each in trials]
                columns = {i: each[:, None] for i, each in enumerate(trials) if isinstance(each, np.ndarray)}
                errors = summarise(laws, columns, [np.array([center]) for center, _ in references])
                known[release] = [
                    (*of_data.ratios(unit), of_data.exact)
                    for (of_data,), (_, unit) in zip(errors, references, strict=True)
                ]
    return np.array([[[known[release][i] for release in row] for row in releases] for i in range(len(numbers))], RATIO)


def _data_sets_at_a_time(group: tuple[Setting, ...]) -> int:
    """As many as a few lists of all their pairs fit into the cache, where these are listed."""
    listed = {
        pairs.pair_count(setting.source.n, mechanism.k)
        for setting in group
        for mechanism in setting.mechanisms
        if isinstance(mechanism, MatchingMechanism) and pairs.is_complete(setting.source.n, mechanism.k)
    }
    return max(1, _LISTED // max(listed, default=1))


def _reference(data: Dataset, setting: Setting) -> tuple[float, float]:
    """What the first point is measured against, and the standard deviation of OLS there (see sweep)."""
    x_new, model = setting.budget.at[0], setting.source
    if isinstance(model, LinearModel):
        return float(model.truth(x_new)[0]), float(model.standard_error(x_new, data)[0])
    return float(data.predict(x_new)[0]), float(data.standard_error(x_new)[0])


def _laws_or_trials(
    datasets: Sequence[Dataset], release: Release, numbers: Sequence[int], run: Run
) -> list[Law | Floats]:
    """For each data set the law at the first point, or trials of its own of shape (trials,) where there is none."""
    mechanism, (epsilon, at) = release.mechanism, (release.budget.epsilon, release.budget.at)
    laws: list[Law | None] = [first for first, *_ in mechanism.laws_of_all(datasets, epsilon, at)]
    lawless = [i for i, law in enumerate(laws) if law is None]
    generators = [stream(run.seed, "trials", numbers[i]) for i in lawless]
    released = mechanism.releases_of_all([datasets[i] for i in lawless], epsilon, at, run.trials, generators)
    trials = dict(zip(lawless, released, strict=True))
    return [trials[i][:, 0] if law is None else law for i, law in enumerate(laws)]


def _matching_draws(data: Dataset, releases: Iterable[Release], number: int, run: Run) -> dict[Release, Floats]:
    """Draws of shape (trials,) at the first point of all that k random matchings are asked for.

    The same matchings for the same k.

    An average of conditional laws would take too many matchings for each of hundreds of data sets, and that of a
    few has too small a C.
    """
    alike: dict[tuple[int, tuple[float, ...], int], dict[Release, None]] = {}
    for release in releases:
        mechanism, at = release.mechanism, release.budget.at
        if isinstance(mechanism, MatchingMechanism) and not pairs.is_complete(data.n, mechanism.k):
            bits = mechanism.grid(np.array(at)).bits
            alike.setdefault((int(mechanism.k or 0), at, bits), {})[release] = None
    drawn: dict[Release, Floats] = {}
    for (k, at, _), same in alike.items():
        drawn |= _on_matchings(data, k, np.array(at), list(same), number, run)
    return drawn


def _on_matchings(
    data: Dataset, k: int, at: Floats, releases: list[Release], number: int, run: Run
) -> dict[Release, Floats]:
    """The draws on one sequence of sets of k matchings; each takes its noise from its own copy of one stream.

    at: the points of the releases, shape (m,).
    """
    noises = {release: stream(run.seed, "trials", number) for release in releases}
    grids = {release: _matching(release).grid(at) for release in releases}
    grid = grids[releases[0]]  # they differ in their ranges only, which are of no account yet
    drawn: dict[Release, list[Floats]] = {release: [] for release in releases}
    rng = stream(run.seed, "matchings", number)
    for estimates in _lists_of_trials(data, k, grid, run.trials, rng):
        for release in releases:
            spent = release.budget.epsilon, k, grids[release], noises[release]
            drawn[release].append(_matching(release).medians(estimates, *spent)[0])
    return {release: np.concatenate(part) for release, part in drawn.items()}


def _lists_of_trials(
    data: Dataset, k: int, grid: PublicGrid, trials: int, rng: np.random.Generator
) -> Iterator[SortedEstimates]:
    """The sorted estimates of so many trials, formed in parts that fit into the cache, as many as fit into memory."""
    x, y, each = grid.positions(data.x), grid.positions(data.y), pairs.pair_count(data.n, k) * grid.at.size
    size = max(1, _CHUNK // each)
    together = size * max(1, _HELD // (size * each))
    for start in range(0, trials, together):
        some = min(together, trials - start)
        sizes = [min(size, some - first) for first in range(0, some, size)]
        yield matched_lists(x, y, k, sizes, grid.estimates, rng, grid.spacing)


def _matching(release: Release) -> MatchingMechanism:
    """The mechanism of a release that draws matchings."""
    return cast(MatchingMechanism, release.mechanism)


BLOCK = 5  # simulated data sets in one batch


def sweep(
    parameter: str,
    values: ArrayLike,
    base: Scenario,
    mechanisms: Sequence[Mechanism],
    datasets: int = 500,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
    progress: Callable[[int, int], None] | None = None,
    *,
    data: Dataset | None = None,
    accounting: Rule | None = None,
) -> pd.DataFrame:
    """The error of each mechanism in standard errors as one parameter varies: a row per value and mechanism.

    parameter: one of PARAMETERS. x_new is the first point of base.at, where the error is measured; width that of
    [lower, upper] about its middle; a hyperparameter changes every mechanism that has it and no other.
    values: of the parameter, all different, shape (v,).
    base: the model of the data and the budget; only source, epsilon (for all points together), at and accounting are
    read.
    mechanisms: those to compare, with different names.
    datasets: the number of simulated data sets, 1 or more.
    trials: the number of draws where a mechanism has no law, 1 or more.
    seed: 0 or more.
    workers: as in by_group.
    progress: progress(done, all) is called as batches arrive; it counts data sets times values.
    data: the loaded data set where base.source is not "synthetic".
    accounting: what each algorithm may spend, as in compare; by default that of base.

    Simulated data (base.source "synthetic"): C_true(68) / sigma(p^) for each of ``datasets`` data sets, averaged.
    C_true(68) is the smallest c with P(|p~ - p| <= c) >= 68% for p = slope x_new + intercept, given the data set;
    sigma(p^) = sqrt(var_e (1/n + (x_new - mean x)^2 / nvar(x))) is the true standard deviation of the OLS prediction
    given x. The paper's figures say sigma, without the hat that Equation 3's estimate wears: the truth is known here,
    and an estimate from few records would add its own error to every curve. The truth is that of the line, whatever
    clipping y to [0, 1] does to the data. C_true is read off the exact law wherever there is one; otherwise (gradient
    descent, k random matchings) it is that of ``trials`` draws, as in the paper: of 50 the 34th smallest error, some 2%
    below C_true on average (the share of releases within it is 34/51 on average).

    Loaded data (``data``): C(68) about OLS / standard error (Equation 3), not averaged: low and high hold it with 95%
    confidence where it is drawn or where matchings are.

    Common random numbers: data set j has its own stream of uniforms and one of normals, the same for all values, so
    that n records are the first n of any larger set; its draws come from a third stream and its matchings from a
    fourth, the same for all values and mechanisms. So curves are compared on the same data sets, and a batch of the
    work depends on nothing but its value and its data sets. The numbers are the same bit for bit whatever the workers
    (see by_group).

    Columns: parameter, value, mechanism, mean, monte_carlo_error (standard error of the mean), low, high (its 95%
    interval), median, infinite_share (of the data sets where more than 32% of the releases fail), datasets, exact
    (read off exact laws). One infinite ratio makes the mean infinite, as it is; the median stays.
    Crossings are computed from the result of run_sweep. ValueError names the argument that cannot be.
    Source: Sections "Error Metric" and "Synthetic Data".

    >>> from dpslr_core.mechanisms import NoisyIntercept
    >>> frame = sweep("epsilon", [0.1, 10], Scenario(n=20), [NoisyIntercept()], datasets=2)
    >>> frame["value"].tolist(), bool(frame["mean"].is_monotonic_decreasing), frame["exact"].tolist()
    ([0.1, 10.0], True, [True, True])
    """
    if not isinstance(base, Scenario):
        raise ValueError(f"base must be a Scenario, got {base!r}")
    if data is None and base.source.kind != "synthetic":
        raise ValueError(f"data must be the loaded data set where base.source is {base.source.kind!r}")
    budget = Budget(base.epsilon, base.at, base.accounting if accounting is None else accounting)
    plan = plan_sweep(parameter, values, base.linear_model if data is None else data, budget, mechanisms)
    return run_sweep(plan, Run(trials, seed, workers), datasets, progress).frame


def run_sweep(
    plan: SweepPlan, run: Run, datasets: int = 500, progress: Callable[[int, int], None] | None = None
) -> Sweep:
    """What sweep measures, as the value from which crossings and leads are computed.

    ValueError where datasets is not a whole number, 1 or more, or the workers cannot be had.
    """
    batches: list[SweepBatch] = []
    done, wanted = 0, len(plan.settings) * (datasets if plan.averaged else 1)
    for batch in sweep_batches(plan, run, datasets):
        batches.append(batch)
        done += len(batch.ratios)
        if progress:
            progress(done, wanted)
    return combine(batches)


def sweep_batches(
    plan: SweepPlan, run: Run, datasets: int = 500, *, done: Collection[BatchKey] = (), block: int = BLOCK
) -> Iterator[SweepBatch]:
    """The batches of a sweep as they arrive: all values of a few data sets, then of the next.

    plan: the settings, see plan_sweep.
    run: trials where there is no law, seed and workers.
    datasets: the number of simulated data sets for each value.
    done: keys of batches that are there already and are left out.
    block: data sets in a batch; fewer arrive sooner.

    Closing the iterator stops the work; combine makes a Sweep of any batches. ValueError where datasets or block is
    not a whole number, 1 or more, at once.
    """
    validate.integer(1, datasets=datasets, block=block)
    shared = plan.averaged and plan.parameter not in OF_DATA
    groups = [plan.settings] if shared else [(setting,) for setting in plan.settings]
    ranges = batch_ranges(datasets if plan.averaged else 1, block)
    tasks = list(_tasks(groups, ranges, set(done)))
    arriving = in_order(partial(_measure, plan=plan, run=run), tasks, run.workers)
    return (batch for batches in arriving for batch in batches)


Task = tuple[tuple[Setting, ...], int, int]


def batch_ranges(datasets: int, block: int = BLOCK) -> list[tuple[int, int]]:
    """The number of the first data set of each batch of one value, and how many there are: ends of their keys."""
    return [(first, min(block, datasets - first)) for first in range(0, datasets, block)]


def _tasks(
    groups: Sequence[tuple[Setting, ...]], ranges: Sequence[tuple[int, int]], done: Collection[BatchKey]
) -> Iterator[Task]:
    """Settings that have their data in common, the number of the first data set, and how many there are."""
    for first, count in ranges:
        for group in groups:
            if left := tuple(setting for setting in group if (setting.value, first, count) not in done):
                yield left, first, count


def _measure(task: Task, plan: SweepPlan, run: Run) -> list[SweepBatch]:
    """The batches of one task, one for each of its settings."""
    group, first, count = task
    with one_thread():
        ratios = error_ratios(group, range(first, first + count), run)
    return [
        SweepBatch(plan.parameter, setting.value, first, plan.names, ratios[:, i], plan.averaged)
        for i, setting in enumerate(group)
    ]
