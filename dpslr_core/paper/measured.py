"""Numbers behind the claims that are measured: on a simulated state, on the UCI data and on synthetic data.

Errors are C(68) about OLS at x = 0.25, where epsilon pays for x = 0.25 and 0.75 together, unless a docstring says
otherwise. Measurements that several claims read are cached. A function for one claim alone has no docstring: its
sentence and its reason are in claims.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..experiments.areas import split_groups
from ..experiments.errors import measure
from ..experiments.sweep import Sweep, plan_sweep, run_sweep
from ..mechanisms import (
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    MaximumObservedSensitivity,
    Mechanism,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
    TheilSen,
)
from ..privacy import Budget
from ..sources.grouping import GroupedData
from ..sources.linear import LinearModel
from ..sources.numbers import read_numbers
from ..sources.samples import DataUnavailable, find_uci, load_uci
from ..sources.tracts import simulate_tracts
from ..support.run import QUARTERS, Run
from ..support.types import Floats
from .figure import DESCENTS, ROBUST
from .real_data import AreaTask
from .real_data import measure as measure_areas
from .synthetic import PAPER_PANELS, THETA_FIGURE

SEED, TRIALS = 0, 200  # seed, and number of draws where there is no exact law
# Simulated data sets for a panel of all algorithms, and for a panel of two algorithms.
ALL_DATASETS, PAIR_DATASETS = 40, 100
SETTINGS = {
    "seed": SEED,
    "trials": TRIALS,
    "data sets, all algorithms": ALL_DATASETS,
    "data sets, two algorithms": PAIR_DATASETS,
}
AT = QUARTERS[0]

STATS = "NoisyStats"
NON_ROBUST = (STATS, *DESCENTS)
MATCHED, BASELINES = "DPExpTheilSen10Match", ["OLS", "TheilSen10Match"]
_DESCENTS = tuple(descent().as_in_paper() for descent in (DPGDPure, DPGDApprox, DPGDzCDP))
_ROBUST = (DPExpTheilSen(), DPWideTheilSen(), DPSSTheilSen())
_NON_ROBUST = (NoisyStats(), *_DESCENTS)


# Tables of errors: a row for each data set or setting, a column for each algorithm.


def share_in_order(errors: pd.DataFrame, *groups: str | Sequence[str]) -> float:
    """Return the percentage of rows in which the smallest errors of column groups ascend in the given order.

    Parameters
    ----------
    errors : DataFrame
        A column of errors for each algorithm.
    *groups : str or sequence of str
        Columns of each group.
    """
    smallest = [_smallest(errors, group) for group in groups]
    return share(np.logical_and.reduce([first < second for first, second in pairwise(smallest)]))


def ratios(
    errors: pd.DataFrame, over: str | Sequence[str], under: str | Sequence[str]
) -> pd.Series:
    """Divide the smallest error of the columns `over` by the smallest error of the columns `under`, in each row."""
    return _smallest(errors, over) / _smallest(errors, under)


def over_the_best(errors: pd.DataFrame, *columns: str) -> pd.Series:
    """Divide the smallest error of the given columns by the smallest error of all columns, in each row."""
    return ratios(errors, columns, errors.columns)


def _smallest(errors: pd.DataFrame, columns: str | Sequence[str]) -> pd.Series:
    """Return the smallest error of the columns, in each row."""
    return errors[columns] if isinstance(columns, str) else errors[list(columns)].min(axis=1)


def share(holds: ArrayLike) -> float:
    """Return the percentage of true values."""
    return 100 * float(np.mean(np.asarray(holds, dtype=float)))


def ends(numbers: ArrayLike) -> tuple[float, float]:
    """Return the smallest and the largest number."""
    return float(np.min(numbers)), float(np.max(numbers))


def error_ratio(data: Dataset, mechanism: Mechanism, epsilon: float) -> float:
    """Return the error of an algorithm over the standard error, at x = 0.25."""
    return measure([data], mechanism, Budget(epsilon), Run(TRIALS, SEED))[0][
        0
    ].c68 / standard_error(data)


def standard_error(data: Dataset) -> float:
    """Return the standard error at x = 0.25."""
    return float(data.standard_error(AT)[0])


# The simulated state, which replaces the paper's tracts.


@cache
def state() -> Mapping[str, Dataset]:
    """Return a simulated state of 3,108 tracts, drawn as in the paper's appendix."""
    return split_groups(simulate_tracts(rng=np.random.default_rng(SEED))).datasets


def tracts(count: int | None = None) -> list[Dataset]:
    """Return the tracts of the state, or the first `count` of them."""
    return list(state().values())[:count]


def sizes() -> Floats:
    """Return the number of records of each tract."""
    return np.array([data.n for data in tracts()], dtype=float)


def nvars() -> Floats:
    """Return n var(x) of each tract."""
    return np.array([data.nvar for data in tracts()])


@cache
def state_errors() -> pd.DataFrame:
    """Measure errors in each tract at epsilon 16, with a column for each algorithm and for the standard error."""
    return _by_area(state(), (*_ROBUST, NoisyStats(), MaximumObservedSensitivity()), 16.0)


def _by_area(
    datasets: Mapping[Any, Dataset], mechanisms: tuple[Mechanism, ...], epsilon: float
) -> pd.DataFrame:
    """Measure errors in each area, with a column for each algorithm and for the standard error."""
    rows = measure_areas(AreaTask("", datasets, mechanisms, Budget(epsilon), Run(TRIALS, SEED)))
    errors = rows.pivot(index="group", columns="mechanism", values="c68")
    return errors.assign(standard_error=rows.groupby("group")["standard_error"].first())


def failure(nvar: float, n: int, epsilon: Floats | float) -> float:
    """Return P(nvar + L <= 0) in percent for the Laplace noise L of NoisyStats; for an array of epsilon the mean."""
    scale = NoisyStats().noise_scale(1 - 1 / n, 1.0) / np.asarray(epsilon)
    return 100 * float(np.mean(0.5 * np.exp(-nvar / scale)))


def failure_of_the_others() -> float:
    data, run = line(30, 0.01, 0.01), Run(TRIALS, SEED)
    mechanisms = (NoisyIntercept(), *_ROBUST, *_DESCENTS)
    return 100 * max(
        errors.failure for m in mechanisms for errors in measure([data], m, Budget(0.01), run)[0]
    )


def pairs_with_a_slope() -> float:
    all_pairs = equal_x = 0
    for data in tracts():
        counts = np.unique(data.x, return_counts=True)[1]
        all_pairs += data.n * (data.n - 1) // 2
        equal_x += int((counts * (counts - 1) // 2).sum())
    return 100 * (1 - equal_x / all_pairs)


def winsorized_share() -> float:
    grid = list(product(np.linspace(0, 1, 11), repeat=2))  # points to add

    def winsorized(records: Floats) -> Floats:
        low, high = np.quantile(records, [0.1, 0.9], axis=1)
        return np.clip(records, low[:, None], high[:, None])

    def largest_change(data: Dataset, prepared: Callable[[Floats], Floats]) -> float:
        records = np.array([data.x, data.y])
        versions = (records, *(np.column_stack([records, point]) for point in grid))
        before, *after = (Dataset(*prepared(version)).predict(AT)[0] for version in versions)
        return float(np.abs(np.subtract(after, before)).max())

    return min(
        largest_change(data, winsorized) / largest_change(data, np.asarray) for data in tracts(40)
    )


def coarse_over_fine() -> float:
    coarse, fine = (
        np.array(
            [
                MaximumObservedSensitivity(grid=grid).observed_sensitivity(data, AT)[0]
                for data in tracts(50)
            ]
        )
        for grid in (11, 101)
    )
    return float((coarse / fine).max())


def printed_over_default_tuning() -> float:
    mechanisms = DPGDzCDP().as_in_paper(), DPGDzCDP()
    medians = np.median(
        [[error_ratio(data, m, 16.0) for m in mechanisms] for data in tracts(200)], axis=0
    )
    return float(medians[0] / medians[1])


# The UCI data sets. All functions raise DataUnavailable if a file is missing and cannot be downloaded.


@cache
def _tried(key: str) -> GroupedData | DataUnavailable:
    try:
        return load_uci(key)
    except DataUnavailable as problem:
        return problem


def _uci(key: str) -> GroupedData:
    """Load a UCI data set once; a failed download is not tried again."""
    if isinstance(loaded := _tried(key), DataUnavailable):
        raise loaded
    return loaded


@cache
def bikes() -> Mapping[Any, Dataset]:
    """Return the bike-share data sets by month and hour."""
    return split_groups(_uci("bikes").frame).datasets


@cache
def bike_errors(epsilon: float) -> pd.DataFrame:
    """Measure errors on each bike-share data set, with a column for each algorithm and for the standard error."""
    return _by_area(bikes(), (*_ROBUST, NoisyStats()), epsilon)


@cache
def uci_dataset(key: str) -> Dataset:
    """Return the stock-exchange ("stocks") or the carbon-nanotube data ("nanotubes")."""
    return _uci(key).dataset()


@cache
def stock_ratios() -> pd.Series:
    """Measure errors over the standard error on the stock-exchange data at epsilon 2, by algorithm."""
    data = uci_dataset("stocks")
    return pd.Series({m.name: error_ratio(data, m, 2.0) for m in (*_ROBUST, *_NON_ROBUST)})


@cache
def carbon_ratios(epsilon: float, lower: float = -0.5, upper: float = 1.5) -> pd.Series:
    """Measure errors over the standard error on the nanotubes, by algorithm.

    Parameters
    ----------
    epsilon : float
        Budget for both points together.
    lower, upper : float
        Range of the robust algorithms, which use one matching.
    """
    data = uci_dataset("nanotubes")
    matched = [kind(lower, upper, k=1) for kind in (DPExpTheilSen, DPWideTheilSen, DPSSTheilSen)]
    return pd.Series(
        {
            m.name.removesuffix("1Match"): error_ratio(data, m, epsilon)
            for m in (*matched, *_NON_ROBUST)
        }
    )


def worst_over_best(errors: pd.Series, worst: Sequence[str], best: Sequence[str]) -> float:
    """Divide the largest error of the algorithms `worst` by the smallest error of the algorithms `best`."""
    return float(errors[list(worst)].max() / errors[list(best)].min())


def rankings() -> list[list[str]]:
    """Rank the algorithms by error on the paper's four real data sources; over areas by the median ratio."""
    families = (state_errors().drop(columns="MaximumObservedSensitivity"), bike_errors(10.0))
    medians = [
        f.drop(columns="standard_error").div(f["standard_error"], axis=0).median() for f in families
    ]
    return [
        errors.sort_values(kind="stable").index.tolist()
        for errors in (*medians, stock_ratios(), carbon_ratios(1))
    ]


def rows_within_the_square() -> float:
    """Count the rows of the nanotube file whose u and calculated u' lie in [0, 1].

    Raises
    ------
    DataUnavailable
        Without the CSV file.
    """
    path = find_uci("nanotubes")
    if path is None or path.suffix != ".csv":
        raise DataUnavailable("the CSV file of the nanotubes is not on this machine")
    table = pd.read_csv(path, sep=";", dtype="str", encoding="latin-1")
    names = [name for name in table.columns if "coordinate" in name and " u" in name]
    u, calculated = (read_numbers(table[name], name, others="comma").values for name in names)
    return int(np.count_nonzero((u >= 0) & (u <= 1) & (calculated >= 0) & (calculated <= 1)))


# Synthetic data. Errors of sweeps are measured as in the paper: C_true(68) / the deviation of OLS, averaged over data
# sets.


def line(n: int, var_x: float, var_e: float) -> Dataset:
    """Return a simulated data set of n records on the paper's line."""
    return LinearModel(n, var_x, var_e).replicate(SEED, 0)


@cache
def estimates(model: LinearModel, count: int) -> Floats:
    """Return OLS and Theil-Sen at x = 0.25 less the truth in `count` simulated data sets, shape (count, 2)."""
    sets = [model.replicate(SEED, number) for number in range(count)]
    predictions = np.array([[data.predict(AT)[0], data.theil_sen(AT)[0]] for data in sets])
    return np.asarray(predictions - model.truth(AT))


def standardised_variance() -> float:
    model = LinearModel(200, 0.02, 0.0004)
    # At this scatter no record is clipped.
    sets = (model.replicate(SEED, number) for number in range(4_000))
    return float(
        np.var([(data.predict(AT)[0] - model.truth(AT)[0]) / standard_error(data) for data in sets])
    )


@cache
def deviations() -> Floats:
    """Return root mean squared errors at x = 0.25 over 300 data sets, shape (2, 2).

    Rows are n = 50 and 800, columns OLS and Theil-Sen.
    """
    models = [LinearModel(n, 0.02, 0.0025) for n in (50, 800)]
    return np.array([np.sqrt(np.mean(estimates(model, 300) ** 2, axis=0)) for model in models])


def one_point_or_two() -> float:
    data = line(100, 0.03, 0.01)
    both, alone = (
        measure([data], NoisyStats(), Budget(2.0, at), Run())[0][0].c68
        for at in (QUARTERS, QUARTERS[:1])
    )
    return both / alone


def limit(mechanism: Mechanism) -> float:
    """Return the distance of the median release at a very large epsilon from OLS or Theil-Sen, in standard errors.

    The median is exact for DPExpTheilSen, else from 101 releases.
    """
    data = line(250, 0.03, 0.01)
    if isinstance(mechanism, DPExpTheilSen):
        law = mechanism.law(data, 1e9)[0]
        assert law is not None
        return float(abs(law.median - data.theil_sen(AT)[0]) / standard_error(data))
    released = mechanism.release(data, 1e9, size=101, rng=np.random.default_rng(SEED))
    return float(abs(np.median(released[:, 0]) - data.predict(AT)[0]) / standard_error(data))


@cache
def panel(key: str) -> Sweep:
    """Run the sweep of one panel of the paper's figures on synthetic data, a key of PAPER_PANELS."""
    paper = PAPER_PANELS[key]
    datasets = ALL_DATASETS if len(paper.mechanisms) > 4 else PAIR_DATASETS
    return run_sweep(paper.plan, Run(paper.trials, SEED), datasets)


def means(sweep: Sweep) -> pd.DataFrame:
    """Return the paper's errors of a sweep, means over data sets: a row per value, a column per algorithm."""
    return sweep.frame.pivot(index="value", columns="mechanism", values="mean")


@cache
def every_setting() -> pd.DataFrame:
    """Return errors of the private algorithms: a row for each of 30 settings, over n, var(x) and epsilon."""
    return pd.concat([means(panel(key)) for key in ("n", "var_x", "epsilon")]).drop(
        columns=BASELINES
    )


def _swept(
    n: Sequence[int],
    epsilon: float,
    mechanisms: Sequence[Mechanism],
    trials: int = 20,
    datasets: int = ALL_DATASETS,
) -> pd.DataFrame:
    """Measure errors at several n, where var(x) is 0.02 and sigma_e^2 is 0.01."""
    plan = plan_sweep("n", n, LinearModel(n[0], 0.02, 0.01), Budget(epsilon), mechanisms)
    return means(run_sweep(plan, Run(trials, SEED), datasets))


@cache
def large_products() -> pd.DataFrame:
    """Measure errors at epsilon n sigma_x^2 = 400, 800 and 1,600, epsilon 8, of NoisyStats and of DPExpTheilSen."""
    mechanisms = (NoisyStats(), DPExpTheilSen(-2, 2), DPExpTheilSen(-2, 2, k=10))
    return _swept([2500, 5000, 10_000], 8.0, mechanisms)


@cache
def large_products_of_non_robust() -> pd.DataFrame:
    """Measure errors at the same products of both versions of NoisyStats and of DPGDzCDP."""
    return _swept(
        [2500, 5000, 10_000], 8.0, (NoisyStats(), NoisyStatsGaussian(), _DESCENTS[2]), trials=50
    )


def spread_at_one_product() -> float:
    mechanisms = (NoisyStats(), DPExpTheilSen(-2, 2, k=10))
    tables = [
        _swept([round(200 / (epsilon * 0.02))], epsilon, mechanisms, datasets=20)
        for epsilon in (8.0, 2.0, 0.5)
    ]
    low, high = ends([ratios(table, STATS, MATCHED) for table in tables])
    return high / low


def without_a_slope() -> float:
    model = LinearModel(100, 0.02, 0.01, slope=0.0, intercept=0.5)
    plan = plan_sweep(
        "epsilon", [1.0], model, Budget(1.0), [NoisyIntercept(), *_ROBUST, NoisyStats()]
    )
    errors = means(run_sweep(plan, Run(TRIALS, SEED), 40))
    return float(ratios(errors, "NoisyIntercept", (*ROBUST, STATS)).iloc[0])


def above_the_threshold(without: Sequence[str] = ()) -> float:
    """Return the largest ratio of NoisyStats' error to the smallest error, where epsilon n sigma_x^2 > 400.

    These settings are n = 10,000 in the panel over n, and the panel of the largest product for sigma_e^2 >= 0.01. The
    algorithms `without` are left out.
    """
    tables = means(panel("n")).loc[[10_000]], means(panel("800-var_e")).loc[0.01:]
    compared = (table.drop(columns=[*BASELINES, *without], errors="ignore") for table in tables)
    return max(float(over_the_best(errors, STATS).max()) for errors in compared)


def cross_over() -> float:
    """Return the sigma_e^2 from which NoisyStats is ahead at epsilon n sigma_x^2 = 800; infinite if it never is."""
    errors = np.log(means(panel("800-var_e")))
    gap, var_e = (errors[STATS] - errors[MATCHED]).to_numpy(), errors.index.to_numpy(dtype=float)
    falls = np.flatnonzero((gap[:-1] > 0) & (gap[1:] <= 0))
    if not falls.size:
        return np.inf
    last = slice(falls[-1], falls[-1] + 2)
    return float(np.exp(np.interp(0.0, -gap[last], np.log(var_e[last]))))


def errors_by_point(product: int) -> pd.DataFrame:
    """Return C_true(68) in units of y over x_new at a product: a row per x_new, a column per algorithm."""
    errors = means(panel(f"{product}-x_new"))
    return errors.mul(PAPER_PANELS[f"{product}-x_new"].model.standard_error(errors.index), axis=0)


def growth(product: int, name: str) -> float:
    """Divide an algorithm's error at x_new = 0 by its error at 0.5."""
    errors = errors_by_point(product)[name]
    return float(errors.loc[0.0] / errors.loc[0.5])


def noise_over_gap() -> float:
    model = LinearModel(5000, 0.02, 0.01)
    sets = [model.replicate(SEED, number) for number in range(10)]
    noise, gap = (
        np.mean([error_ratio(d, m, 8.0) for d in sets]) for m in (NoisyStats(), TheilSen(k=10))
    )
    return float(noise / gap)


def beta_half() -> float:
    model, budget = LinearModel(30, 1e-4, 25e-6, x_shape="normal"), Budget(2.0)
    mechanisms = [DPSSTheilSen(beta=beta) for beta in (0.5, *np.linspace(0.05, 0.95, 19).tolist())]
    sets = [model.replicate(SEED, number) for number in range(50)]
    means = [
        np.mean([errors[0].c68 for errors in measure(sets, m, budget, Run())]) for m in mechanisms
    ]
    return float(means[0] / min(means))


def theta_spreads() -> tuple[float, ...]:
    errors = THETA_FIGURE.compute(THETA_FIGURE.settings()).query("algorithm == 'DPWideTheilSen'")
    return tuple(
        float(mean.max() / mean.min()) for _, mean in errors.groupby("panel", sort=False)["mean"]
    )
