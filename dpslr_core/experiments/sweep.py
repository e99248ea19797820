"""Sweeps: how errors change with one parameter, on simulated data or one data set, batch by batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache, partial
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import pairs
from ..dataset import Dataset
from ..laws.base import Law
from ..mechanisms.base import Mechanism, different_names
from ..mechanisms.pairwise import MatchingMechanism
from ..pairs.grid import PublicGrid
from ..pairs.matchings import matched_lists
from ..privacy import Budget
from ..privacy.accounting import AccountingLike, admitted, paid
from ..scenario import Scenario
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import Z95, Run, stream
from ..support.tables import joined_rows
from ..support.types import Floats
from ..support.workers import in_order, one_thread
from .errors import refuse_without_sampling_error, summarise
from .expected import SPREAD, ExpectedError, expected_errors, spreads_of

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
PARAMETERS = (
    *OF_DATA,
    "epsilon",
    "x_new",
    "theta",
    "beta",
    "df",
    "k",
    "lower",
    "upper",
    "width",
    "steps",
    "clip",
    "delta",
)
WHOLE = ("n", "k", "steps")


@dataclass(frozen=True)
class Setting:
    """Value of the parameter put where it belongs: the data or their model, the budget and the mechanisms.

    The error is measured at the first point of the budget.
    """

    value: float
    source: LinearModel | Dataset
    budget: Budget
    mechanisms: tuple[Mechanism, ...]


@dataclass(frozen=True)
class SweepPlan:
    """Settings for every value of a parameter; ``names`` are the names of the mechanisms, the same at all values."""

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
    """Make a setting for every value of a parameter.

    Parameters
    ----------
    parameter : str
        Name in PARAMETERS.
    values : array, shape (v,)
        Values of the parameter, all different.
    source : LinearModel or Dataset
        Model of the data, or a data set.
    budget : Budget
        Epsilon, the points and the accounting; the error is measured at the first point.
    mechanisms : sequence of Mechanism
        Algorithms with different names; those that the accounting leaves out at some value are not run.

    Raises
    ------
    ValueError
        Names the argument that is not allowed.
    """
    if parameter not in PARAMETERS:
        raise ValueError(f"parameter must be one of {list(PARAMETERS)}, got {parameter!r}")
    if isinstance(source, Dataset) and parameter in OF_DATA:
        raise ValueError(f"parameter can be {parameter!r} for simulated data only, not with data")
    mechanisms = different_names(mechanisms)
    if not mechanisms:
        raise ValueError("mechanisms must hold one or more mechanisms")
    numbers = validate.points(values=values).tolist()
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"values must be different, got {numbers}")
    base = Setting(numbers[0], source, budget, tuple(mechanisms))
    settings = tuple(_at_value(parameter, value, base) for value in numbers)
    for setting in settings:
        refuse_without_sampling_error(setting.source)
    kept = [
        i
        for i in range(len(mechanisms))
        if all(admitted(s.mechanisms[i : i + 1], s.budget) for s in settings)
    ]
    if not kept:
        raise ValueError(
            f"mechanisms must hold one that is run under the accounting {budget.accounting}"
        )
    run = tuple(replace(s, mechanisms=tuple(s.mechanisms[i] for i in kept)) for s in settings)
    return SweepPlan(parameter, tuple(mechanisms[i].name for i in kept), run)


def _at_value(parameter: str, value: float, base: Setting) -> Setting:
    """Change the base to this value of the parameter, as a whole number where it must be one."""
    if parameter in WHOLE:
        if value % 1:
            raise ValueError(f"values must be whole numbers for {parameter}, got {value!r}")
        value = int(value)
    base, budget = replace(base, value=value), base.budget
    if parameter == "epsilon":
        return replace(base, budget=replace(budget, epsilon=value))
    if parameter == "x_new":
        return replace(base, budget=replace(budget, at=(value, *budget.at[1:])))
    if parameter in OF_DATA:
        return replace(base, source=replace(base.source, **{parameter: value}))  # type: ignore[arg-type]
    has = "lower" if parameter == "width" else parameter
    if not any(has in numeric_hyperparameters(mechanism) for mechanism in base.mechanisms):
        raise ValueError(
            f"parameter {parameter!r} must be a hyperparameter of one of the mechanisms"
        )
    mechanisms = list(base.mechanisms)
    for i, mechanism in enumerate(mechanisms):
        if has in numeric_hyperparameters(mechanism):
            changes = {parameter: value}
            if parameter == "width":
                validate.positive(width=value)
                middle = 0.5 * (mechanism.lower + mechanism.upper)  # type: ignore[attr-defined]
                changes = {"lower": middle - 0.5 * value, "upper": middle + 0.5 * value}
            mechanisms[i] = replace(mechanism, **changes)
    return replace(base, mechanisms=tuple(mechanisms))


def numeric_hyperparameters(mechanism: Mechanism) -> set[str]:
    """Return the names of the hyperparameters that a sweep can vary: switches, which are on or off, are left out."""
    return {f.name for f in fields(mechanism) if not isinstance(getattr(mechanism, f.name), bool)}


COLUMNS = (
    "parameter", "value", "mechanism", "error", "monte_carlo_error", "low", "high", "mean", "median", "infinite_share",
    "datasets", "exact",
)  # fmt: skip
BatchKey = tuple[float, int, int]
# Settings with data in common, the number of the first data set, and the number of data sets.
SweepPart = tuple[tuple[Setting, ...], int, int]


@dataclass(frozen=True, eq=False)
class SweepBatch:
    """Errors measured at one value on some data sets: a part of a sweep.

    Batches depend on the arguments of the sweep other than values, datasets and workers; ``key`` tells the batches of a
    sweep apart.

    Attributes
    ----------
    first : int
        Number of the first data set.
    ratios : array of RATIO, shape (data sets, mechanisms)
        Errors in standard errors.
    spreads : array of SPREAD, shape (data sets, mechanisms, points), or None
        Distances of the releases; None for a loaded data set, which is alone.
    """

    parameter: str
    value: float
    first: int
    names: tuple[str, ...]
    ratios: np.ndarray
    spreads: np.ndarray | None

    @property
    def key(self) -> BatchKey:
        """Value, number of the first data set, and number of data sets."""
        return self.value, self.first, len(self.ratios)

    @cached_property
    def expected(self) -> dict[str, ExpectedError]:
        """Expected error of each mechanism over simulated data sets; empty for a loaded one."""
        if self.spreads is None:
            return {}
        return dict(zip(self.names, expected_errors(self.spreads), strict=True))

    def only(self, names: Sequence[str]) -> SweepBatch:
        """Return the batch with these mechanisms alone."""
        columns = [self.names.index(name) for name in names]
        spreads = None if self.spreads is None else self.spreads[:, columns]
        return replace(self, names=tuple(names), ratios=self.ratios[:, columns], spreads=spreads)

    def frame(self) -> pd.DataFrame:
        """Form a frame of COLUMNS, with a row for each mechanism."""
        rows: list[tuple[object, ...]] = []
        for name, ratios in zip(self.names, self.ratios.T, strict=True):
            of_each = ratios["ratio"]
            error, low, high = (float(ratios[column][0]) for column in ("ratio", "low", "high"))
            monte_carlo_error = (high - low) / (2 * Z95) if np.isfinite(error) else np.nan
            if self.spreads is not None:
                error, monte_carlo_error = (
                    self.expected[name].value,
                    self.expected[name].monte_carlo_error,
                )
                low, high = error - Z95 * monte_carlo_error, error + Z95 * monte_carlo_error
            if np.isinf(error):
                low = high = np.inf
            of_each = (
                float(of_each.mean()),
                float(np.median(of_each)),
                float(np.isinf(of_each).mean()),
                of_each.size,
            )
            numbers = (error, monte_carlo_error, low, high, *of_each, bool(ratios["exact"].all()))
            rows.append((self.parameter, self.value, name, *numbers))
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def difference_error(self, first: str, second: str) -> float:
        """Return the standard error of the difference of two errors, over the same data sets; inf if unknown.

        ValueError where one of the mechanisms was not measured.
        """
        a, b = (self.ratios[:, self.names.index(name)] for name in (first, second))
        if self.spreads is not None:
            return self.expected[first].difference_error(self.expected[second])
        if not (np.isfinite(a["ratio"]) & np.isfinite(b["ratio"])).all():
            return np.inf
        first_width, second_width = (ratios["high"][0] - ratios["low"][0] for ratios in (a, b))
        return math.hypot(first_width, second_width) / (2 * Z95)


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """Sweep as far as it has been measured; ``batches`` has one batch per value, in order of the values."""

    batches: tuple[SweepBatch, ...]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Errors as the frame that sweep returns."""
        frames = [batch.frame() for batch in self.batches]
        return joined_rows(frames, COLUMNS)

    @property
    def parameter(self) -> str:
        """Name of the parameter that varies."""
        return self.batches[0].parameter

    def at(self, value: float) -> SweepBatch:
        """Return the errors measured at this value."""
        return next(batch for batch in self.batches if batch.value == value)


def combine(batches: Iterable[SweepBatch]) -> Sweep:
    """Join batches, in any order, to a sweep.

    ValueError where the batches are of different sweeps, or hold a data set twice.
    """
    ordered = sorted(batches, key=lambda batch: (batch.value, batch.first))
    if len({(batch.parameter, batch.names) for batch in ordered}) > 1:
        raise ValueError("batches must be of one sweep, got different parameters or mechanisms")
    for batch, after in pairwise(ordered):
        if batch.value == after.value and after.first < batch.first + len(batch.ratios):
            raise ValueError(
                f"batches must not share data sets, got data set {after.first} twice at "
                f"{batch.value:g}"
            )
    by_value = (list(same) for _, same in groupby(ordered, key=lambda batch: batch.value))
    return Sweep(tuple(_joined(same) for same in by_value))


def _joined(batches: Sequence[SweepBatch]) -> SweepBatch:
    """Join the batches of all data sets at a value."""
    ratios = np.concatenate([batch.ratios for batch in batches])
    spreads = [batch.spreads for batch in batches if batch.spreads is not None]
    return replace(batches[0], ratios=ratios, spreads=np.concatenate(spreads) if spreads else None)


# C(68) over the standard error with the ends of its interval, and whether it is exact: one element of an array. The
# mean over data sets is the paper's measure; of simulated data sets the ends are C(68) itself.
RATIO = np.dtype([("ratio", float), ("low", float), ("high", float), ("exact", bool)])
_CHUNK = 1 << 16  # pairwise estimates formed at a time: what is done with them stays in the cache


class Release(NamedTuple):
    """Mechanism and its budget; the error is measured at the first point."""

    mechanism: Mechanism
    budget: Budget


def _releases(mechanism: Mechanism, setting: Setting, all_points: bool) -> list[Release]:
    """Return the releases that measure a mechanism: a single one, or with random matchings one for each point."""
    budget, at = setting.budget, setting.budget.at
    matched = isinstance(mechanism, MatchingMechanism) and not pairs.is_complete(
        setting.source.n, mechanism.k
    )
    if all_points and not matched:
        return [Release(mechanism, paid(mechanism, budget))]
    in_turn = [
        replace(budget, at=(at[i], *at[:i], *at[i + 1 :]))
        for i in range(len(at) if all_points else 1)
    ]
    return [
        Release(mechanism, mechanism.first_point_alone(paid(mechanism, spent))) for spent in in_turn
    ]


KEPT_RECORDS = 500  # twenty data sets of this size hold some 100 MB of pairs


def simulated(model: LinearModel, seed: int, numbers: Iterable[int]) -> list[Dataset]:
    """Simulate data sets from a model, by their numbers.

    The last small ones are kept with what was computed of them: a step of epsilon sorts no pairs again.
    """
    make = _kept if model.n <= KEPT_RECORDS else LinearModel.replicate
    return [make(model, seed, number) for number in numbers]


_kept = lru_cache(20)(LinearModel.replicate)


def error_ratios(
    group: tuple[Setting, ...],
    numbers: Sequence[int],
    run: Run,
    all_points: bool = False,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Measure each setting and mechanism on some data sets, which the settings have in common.

    Errors are about the truth in units of its standard deviation where the source is a model (see sweep), else about
    OLS in standard errors. What else the settings share, matchings too, is made once. Source: Section "Error Metric".

    Parameters
    ----------
    all_points : bool
        Whether all points of the budget count, over which ratios are averaged, and not the first alone.

    Returns
    -------
    tuple of array
        RATIO, shape (numbers, settings, mechanisms), and SPREAD, shape (numbers, settings, mechanisms, points), None
        for a loaded data set.
    """
    source = group[0].source
    releases_of = [
        [_releases(mechanism, setting, all_points) for mechanism in setting.mechanisms]
        for setting in group
    ]
    releases = list(
        dict.fromkeys(
            release for row in releases_of for of_mechanism in row for release in of_mechanism
        )
    )
    if isinstance(source, Dataset):
        datasets, matched = [source], [dict[Release, Floats]()]
    else:
        datasets = simulated(source, run.seed, numbers)
        matched = [
            _matching_draws(data, releases, number, run)
            for data, number in zip(datasets, numbers, strict=True)
        ]
    measured = {
        release: _measured(release, source, datasets, numbers, run, all_points, matched)
        for release in releases
    }
    ratios = np.empty((len(datasets), len(group), len(releases_of[0])), RATIO)
    for i, j in np.ndindex(ratios.shape[1:]):
        points = np.hstack([measured[release][0] for release in releases_of[i][j]])
        for name in ("ratio", "low", "high"):
            ratios[:, i, j][name] = points[name].mean(axis=1)
        ratios[:, i, j]["exact"] = points["exact"].all(axis=1)
    if not isinstance(source, LinearModel):
        return ratios, None
    of_settings = [
        [np.hstack([measured[release][1] for release in row]) for row in of_one]
        for of_one in releases_of
    ]
    return ratios, np.moveaxis(np.array(of_settings), 2, 0)


def _measured(
    release: Release,
    source: LinearModel | Dataset,
    datasets: Sequence[Dataset],
    numbers: Sequence[int],
    run: Run,
    all_points: bool,
    matched: Sequence[dict[Release, Floats]],
) -> tuple[np.ndarray, np.ndarray]:
    """Measure RATIO and SPREAD of a release on each data set, shapes (data sets, points).

    ``matched`` holds the draws of k random matchings on each data set, from _matching_draws.
    """
    mechanism, (epsilon, at) = release.mechanism, (release.budget.epsilon, release.budget.at)
    shown = at if all_points and release not in matched[0] else at[:1]
    laws: Sequence[Sequence[Law | None]] = [[None]] * len(datasets)
    if release in matched[0]:
        trials = {i: drawn[release][:, None] for i, drawn in enumerate(matched)}
    else:
        laws = [of_data[: len(shown)] for of_data in mechanism.laws(datasets, epsilon, at)]
        lawless = [i for i, of_data in enumerate(laws) if any(law is None for law in of_data)]
        rngs = [stream(run.seed, "trials", numbers[i]) for i in lawless]
        without = [datasets[i] for i in lawless]
        drawn = mechanism.releases(without, epsilon, at, run.trials, rngs)
        trials = {
            i: estimates[:, : len(shown)] for i, estimates in zip(lawless, drawn, strict=True)
        }
    if isinstance(source, Dataset):
        (errors,) = summarise(laws, trials, [source.predict(shown)])
        units = source.standard_error(shown).tolist()
        rows = [(*e.ratios(unit), e.exact) for e, unit in zip(errors, units, strict=True)]
        return np.array([rows], RATIO), np.empty((1, 0), SPREAD)
    centers = [source.truth(shown)] * len(datasets)
    spreads = spreads_of(
        laws, trials, centers, [source.standard_error(shown, data) for data in datasets]
    )
    ratios = np.empty(spreads.shape, RATIO)
    for name in ("ratio", "low", "high"):
        ratios[name] = spreads["c68"]
    for i, of_data in enumerate(laws):
        ratios[i]["exact"] = i not in trials and all(law.exact for law in of_data if law)
    return ratios, spreads


def _matching_draws(
    data: Dataset, releases: Iterable[Release], number: int, run: Run
) -> dict[Release, Floats]:
    """Draw the trials of all releases from k random matchings at their first point, shape (trials,), by release.

    Releases with the same k have the same matchings; each takes its noise from its own copy of one stream. An average
    of conditional laws would take too many matchings for hundreds of data sets, and an average of few has too small a
    C.
    """
    alike: dict[
        tuple[int, tuple[float, ...], int], list[tuple[Release, MatchingMechanism, PublicGrid]]
    ] = {}
    for release in releases:
        mechanism, at = release.mechanism, release.budget.at
        if isinstance(mechanism, MatchingMechanism) and not pairs.is_complete(data.n, mechanism.k):
            grid = mechanism.grid(np.array(at))
            alike.setdefault((int(mechanism.k or 0), at, grid.bits), []).append(
                (release, mechanism, grid)
            )
    drawn: dict[Release, list[Floats]] = {}
    for (k, _, _), group in alike.items():
        grid = group[0][2]  # grids differ in their ranges only, which are of no account yet
        noises = {release: stream(run.seed, "trials", number) for release, _, _ in group}
        drawn |= {release: [] for release, _, _ in group}
        rng = stream(run.seed, "matchings", number)
        x, y, per_trial = (
            grid.positions(data.x),
            grid.positions(data.y),
            pairs.pair_count(data.n, k) * grid.at.size,
        )
        size = max(1, _CHUNK // per_trial)  # trials formed at a time, which fit into the cache
        for start in range(0, run.trials, size):
            some = min(size, run.trials - start)
            estimates = matched_lists(x, y, k, some, grid.estimates, rng, grid.spacing)
            for release, mechanism, own_grid in group:
                medians = mechanism.medians(
                    estimates, release.budget.epsilon, k, own_grid, noises[release]
                )
                drawn[release].append(medians[0])
    return {release: np.concatenate(arrays) for release, arrays in drawn.items()}


MOST_DATASETS = 10**6
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
    accounting: AccountingLike | None = None,
) -> pd.DataFrame:
    """Measure the error of each mechanism in standard errors as one parameter varies: a row per value and mechanism.

    Simulated data (base.source "synthetic"): 68% of all releases on all ``datasets`` data sets are within ``error`` of
    the true line, each in standard errors of its own data set: the smallest c with P(|p~ - p| <= c sigma(p^)) >= 68%
    over data sets and noise, for p = slope x_new + intercept. By that measure OLS has 1. sigma(p^) = sqrt(var_e (1/n +
    (x_new - mean x)^2 / nvar(x))) is the true standard deviation of the OLS prediction given x. The paper's figures say
    sigma, without the hat that Equation 3's estimate wears: the truth is known here, and an estimate from few records
    would add its own error to every curve. The truth is the line itself, whatever clipping y to [0, 1] does to the
    data. Releases are read off the exact law wherever there is one; otherwise (gradient descent, k random matchings)
    they are ``trials`` draws on each data set. See expected_error.

    The paper's own measure is ``mean``: C_true(68) / sigma(p^) of each data set alone, averaged. By that OLS has 0.8,
    the mean of |z|, as given its data set its release is one number. C_true of 50 draws is the 34th smallest error,
    some 2% below C_true of the law on average (the share of releases within it is 34/51 on average).

    Loaded data (``data``): C(68) about OLS / standard error (Equation 3), not averaged: low and high hold it with 95%
    confidence where it is drawn or where matchings are.

    Common random numbers: data set j has its own stream of uniforms and one of normals, the same for all values. The
    errors of OLS's mean and slope are spread evenly over the data sets (LinearModel.replicate), so that few of them do,
    and monte_carlo_error, computed as if they were independent, is on the safe side. Draws come from a third stream and
    matchings from a fourth, the same for all values and mechanisms. So curves are compared on the same data sets, and a
    batch of the work depends on nothing but its value and its data sets. The numbers are the same bit for bit whatever
    the workers (see by_group). Crossings are computed from the result of run_sweep.

    Source: Sections "Error Metric" and "Synthetic Data".

    Parameters
    ----------
    parameter : str
        Name in PARAMETERS. x_new is the first point of base.at, where the error is measured; width the width of
        [lower, upper] about its middle; a hyperparameter changes every mechanism that has it and no other.
    values : array, shape (v,)
        Values of the parameter, all different.
    base : Scenario
        Model of the data and the budget; only source, epsilon (for all points together), at and accounting are read.
    mechanisms : sequence of Mechanism
        Algorithms to compare, with different names.
    datasets : int
        Number of simulated data sets, 1 or more.
    trials : int
        Number of draws where a mechanism has no law, 1 or more.
    seed : int
        Seed of data and draws, 0 or more.
    workers : int or str
        As in by_group.
    progress : callable, optional
        progress(done, all) is called as batches arrive; it counts data sets times values.
    data : Dataset, optional
        Loaded data set where base.source is not "synthetic".
    accounting : AccountingLike, optional
        What each algorithm may spend, as in compare; by default the accounting of base.

    Returns
    -------
    DataFrame
        Columns parameter, value, mechanism, error, monte_carlo_error (standard error of the error), low, high (its 95%
        interval), mean and median (over data sets, of C(68) in standard errors), infinite_share (share of the data sets
        where more than 32% of the releases fail), datasets, exact (whether from exact laws). error is infinite where
        more than 32% of all releases fail, mean where they do on one data set.

    Raises
    ------
    ValueError
        Names the argument that is not allowed.

    Examples
    --------
    >>> from dpslr_core.mechanisms import NoisyIntercept
    >>> frame = sweep("epsilon", [0.1, 10], Scenario(n=20), [NoisyIntercept()], datasets=2)
    >>> frame["value"].tolist(), bool(frame["error"].is_monotonic_decreasing), frame["exact"].tolist()
    ([0.1, 10.0], True, [True, True])
    """
    validate.instance(Scenario, base=base)
    mechanisms = different_names(mechanisms)
    if data is not None:
        validate.instance(Dataset, data=data)
    if data is None and base.source.kind != "synthetic":
        raise ValueError(
            f"data must be the loaded data set where base.source is {base.source.kind!r}"
        )
    budget = Budget(base.epsilon, base.at, base.accounting if accounting is None else accounting)
    plan = plan_sweep(
        parameter, values, base.linear_model if data is None else data, budget, mechanisms
    )
    return run_sweep(plan, Run(trials, seed, workers), datasets, progress).frame


def run_sweep(
    plan: SweepPlan,
    run: Run,
    datasets: int = 500,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Run a sweep, from which crossings and leads can be computed.

    ValueError where datasets is not a whole number, 1 or more, or the workers cannot be had.
    """
    batches: list[SweepBatch] = []
    for batch in sweep_batches(plan, run, datasets):
        batches.append(batch)
        if progress:
            done = sum(len(measured.ratios) for measured in batches)
            progress(done, len(plan.settings) * (datasets if plan.averaged else 1))
    return combine(batches)


def sweep_batches(
    plan: SweepPlan,
    run: Run,
    datasets: int = 500,
    *,
    done: Collection[BatchKey] = (),
    block: int = BLOCK,
) -> Iterator[SweepBatch]:
    """Yield the batches of a sweep as they arrive: all values of a few data sets, then of the next.

    Closing the iterator stops the work; combine makes a Sweep of any batches.

    Parameters
    ----------
    plan : SweepPlan
        Settings to measure.
    run : Run
        Trials, seed and workers.
    datasets : int
        Number of simulated data sets at each value, 1 or more.
    done : collection of BatchKey
        Keys of batches that are there already and are left out.
    block : int
        Number of data sets in a batch, 1 or more; fewer arrive sooner.

    Raises
    ------
    ValueError
        At once, where datasets or block is out of range.
    """
    validate.integer(1, MOST_DATASETS, datasets=datasets, block=block)
    tasks = sweep_parts(plan, datasets, block, done)
    arriving = in_order(partial(measure_part, plan=plan, run=run), tasks, run.workers)
    return (batch for batches in arriving for batch in batches)


def sweep_parts(
    plan: SweepPlan, datasets: int, block: int = BLOCK, done: Collection[BatchKey] = ()
) -> list[SweepPart]:
    """List the parts of the work, all values of a few data sets and then of the next; arguments as of sweep_batches."""
    shared = plan.averaged and plan.parameter not in OF_DATA
    groups = [plan.settings] if shared else [(setting,) for setting in plan.settings]
    finished, tasks = set(done), []
    for first, count in batch_ranges(datasets if plan.averaged else 1, block):
        for group in groups:
            if unfinished := tuple(
                setting for setting in group if (setting.value, first, count) not in finished
            ):
                tasks.append((unfinished, first, count))
    return tasks


def batch_ranges(datasets: int, block: int = BLOCK) -> list[tuple[int, int]]:
    """Return (first, count) of the data sets in each batch of one value: the ends of the batches' keys."""
    return [(first, min(block, datasets - first)) for first in range(0, datasets, block)]


def measure_part(
    part: SweepPart,
    plan: SweepPlan,
    run: Run,
    all_points: bool = False,
) -> list[SweepBatch]:
    """Measure one part of a sweep, one batch for each value; all_points as in error_ratios."""
    group, first, count = part
    with one_thread():
        ratios, spreads = error_ratios(group, range(first, first + count), run, all_points)
    of_settings = [None] * len(group) if spreads is None else np.moveaxis(spreads, 1, 0)
    return [
        SweepBatch(plan.parameter, setting.value, first, plan.names, ratios[:, i], of_settings[i])
        for i, setting in enumerate(group)
    ]
