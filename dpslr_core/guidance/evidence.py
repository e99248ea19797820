"""The error of algorithms on simulated data sets like yours, and the evidence for a recommendation that it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..dataset import Dataset
from ..experiments.errors import draw, ols
from ..experiments.expected import spreads_of
from ..experiments.ranking import NOT_PRIVATE, by_error
from ..experiments.sweep import Sweep, SweepBatch, SweepPlan, combine, measure_part, sweep_parts
from ..mechanisms.base import Mechanism
from ..mechanisms.baselines import OLS, TheilSen
from ..privacy import Budget
from ..privacy.accounting import guarantee, paid
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import Z95, Run
from ..support.workers import in_order

DATASETS = 50
TRIALS = 50  # per data set, for algorithms without a law


def simulated_errors(plan: SweepPlan, run: Run, datasets: int = DATASETS, first: int = 0) -> Sweep:
    """The errors of each mechanism about the true line, on each data set at all points of the budget.

    plan: of plan_sweep with a LinearModel. The data sets, numbered from ``first``, and the noise are those of sweep,
    the same for all values. ValueError where datasets is below 1.
    """
    validate.integer(1, datasets=datasets)
    parts = [(group, first + number, count) for group, number, count in sweep_parts(plan, datasets)]
    measure_one = partial(measure_part, plan=plan, run=run, all_points=True)
    return combine(chain.from_iterable(in_order(measure_one, parts, run.workers)))


def about_ols(
    model: LinearModel, budget: Budget, mechanism: Mechanism, datasets: Iterable[Dataset], run: Run
) -> np.ndarray:
    """How far releases are from each data set's OLS prediction, of dtype SPREAD, shape (data sets, m).

    model: of the data sets, from which sigma, the true standard deviation of the OLS prediction, comes as in sweep.
    datasets: simulated from the model, one or more. run: trials where there is no law, and the seed.
    """
    return np.concatenate(
        [spreads[:1] for spreads in _spreads(model, budget, mechanism, datasets, run, noise=False)]
    )


def error_and_noise(
    model: LinearModel, budget: Budget, mechanism: Mechanism, datasets: Iterable[Dataset], run: Run
) -> np.ndarray:
    """How far releases are from OLS, and from the algorithm's own target, shape (data sets, 2, m).

    Arguments and dtype as of about_ols. The first is the error about OLS; the second is the noise alone, without the
    gap between the target and OLS; without a target it is the first.
    """
    return np.array(list(_spreads(model, budget, mechanism, datasets, run, noise=True)))


def _spreads(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    datasets: Iterable[Dataset],
    run: Run,
    noise: bool,
) -> Iterator[np.ndarray]:
    """About OLS, and with noise about the algorithm's own target, shape (1 or 2, m), of each data set."""
    budget = paid(mechanism, budget)
    for data in datasets:
        laws = mechanism.law(data, budget.epsilon, budget.at)
        centers, units = ols(data, budget)[0], model.standard_error(budget.at, data)
        both = [centers]
        if noise:
            target = mechanism.target(data, budget.at)
            both.append(np.where(np.isnan(target), centers, target))
        trials = {}
        if any(law is None for law in laws):
            (drawn,) = draw([data], mechanism, budget, run)
            trials = dict.fromkeys(range(len(both)), drawn)
        yield spreads_of([laws] * len(both), trials, both, [units] * len(both))


RACE = 10  # data sets after which algorithms far behind the best are run on no more
CLOSE = 0.03  # errors this near to each other, relative, are as good as equal
FAR = 0.5  # behind the best, relative, with 95% confidence
MOST = 5  # times as many data sets are simulated where the best are too close to call

# The errors of mechanisms on data sets: the number of the first, and how many.
Measure = Callable[[Sequence[Mechanism], int, int], SweepBatch]


def gathered_evidence(
    measured: Measure,
    private: Sequence[Mechanism],
    candidates: Sequence[Mechanism],
    budget: Budget,
    datasets: int,
    race_after: int = RACE,
    decide: bool = True,
) -> pd.DataFrame:
    """Measure all algorithms on the first data sets, and those that are not far behind on the others.

    Parameters
    ----------
    measured : callable
        Errors of algorithms on data sets.
    private, candidates : sequence of Mechanism
        Algorithms that are measured, and those of them that may be recommended.
    budget : Budget
        Budget of each release.
    datasets, race_after : int
        Number of data sets, and of those after which algorithms far behind are run on no more.
    decide : bool
        Whether algorithms too close to the best to call are run on more data sets.
    """
    first = min(race_after, datasets)
    batches = [measured([OLS(), TheilSen(), *private], 0, first)]

    def evidence() -> pd.DataFrame:
        return _evidence(batches, private, candidates, budget)

    if first < datasets:
        near = _not_far_behind(evidence())
        batches.append(
            measured([OLS(), *(m for m in private if m.name in near)], first, datasets - first)
        )
        leader = best_candidate(_compared(batches, batches[-1].names, candidates))
        if not np.isfinite(leader["error"]):  # one of those far behind may answer more often
            batches[1] = measured([OLS(), TheilSen(), *private], first, datasets - first)
    for start in range(datasets, MOST * datasets if decide else 0, datasets):
        close = unsettled(evidence()) & set(batches[-1].names)
        if len(close) < 2:
            break
        batches.append(measured([m for m in candidates if m.name in close], start, datasets))
    return evidence()


def _not_far_behind(evidence: pd.DataFrame) -> set[str]:
    """The algorithms that may still be near to the best; all of them where it has no finite error."""
    wide = stdtrit(
        evidence["datasets"] - 1, 0.975
    )  # on few data sets errors are themselves hardly known
    surely_behind = evidence["behind"] - wide * evidence["behind_error"]
    return set(evidence.loc[~(surely_behind > FAR), "mechanism"])


def _evidence(
    batches: Sequence[SweepBatch],
    private: Sequence[Mechanism],
    candidates: Sequence[Mechanism],
    budget: Budget,
) -> pd.DataFrame:
    """The rows of the evidence, best first.

    Each batch has fewer algorithms than the one before. What was run on the first batches alone is as far behind the
    best as on the data sets that they share.
    """
    best = best_candidate(
        _compared(batches, batches[-1].names, candidates)
    )  # of those run on all data sets
    frames = []
    for count, batch in enumerate(batches, 1):
        ended = set(batch.names) - set(batches[count].names if count < len(batches) else ())
        rows = _compared(batches[:count], batch.names, candidates, str(best["mechanism"]))
        if count < len(batches) and np.isfinite(best["error"]):
            shared = float(rows.loc[rows["mechanism"] == best["mechanism"], "error"].iloc[0])
            rows["error"] += best["error"] - shared
            rows["monte_carlo_error"] = np.hypot(
                best["monte_carlo_error"], shared * rows["behind_error"]
            )
            rows["behind"] = rows["error"] / best["error"] - 1
        frames.append(rows[rows["mechanism"].isin(ended)])
    frame = pd.concat([rows for rows in frames if len(rows)])
    guarantees = {m.name: str(guarantee(m, budget)) for m in private}
    frame["guarantee"] = frame["mechanism"].map(guarantees).fillna(NOT_PRIVATE)
    frame = by_error(frame).reset_index(drop=True)
    frame["times"] = frame["error"] / frame.loc[frame["mechanism"] == OLS().name, "error"].iloc[0]
    return frame[
        [
            "mechanism",
            "error",
            "times",
            "monte_carlo_error",
            "behind",
            "behind_error",
            "infinite_share",
            "datasets",
            "exact",
            "guarantee",
            "candidate",
        ]
    ]


def _compared(
    batches: Sequence[SweepBatch],
    names: Sequence[str],
    candidates: Sequence[Mechanism],
    best: str | None = None,
) -> pd.DataFrame:
    """Errors, and how far each is behind the best of the candidates, with the error of the paired difference."""
    sweep = combine(batch.only(names) for batch in batches)
    (batch,) = sweep.batches
    frame = sweep.frame
    frame["candidate"] = frame["mechanism"].isin([m.name for m in candidates])
    best = best or str(best_candidate(frame)["mechanism"])
    error = float(frame.loc[frame["mechanism"] == best, "error"].iloc[0])
    known = np.isfinite(error) and error > 0
    frame["behind"] = frame["error"] / error - 1 if known else np.nan
    paired = np.array(
        [0.0 if name == best else batch.difference_error(best, name) for name in frame["mechanism"]]
    )
    frame["behind_error"] = np.where(np.isfinite(paired), paired, 0.0) / error if known else np.nan
    return frame


def best_candidate(frame: pd.DataFrame) -> pd.Series:
    """The candidate with the smallest error."""
    return by_error(frame[frame["candidate"]]).iloc[0]


def unsettled(evidence: pd.DataFrame) -> set[str]:
    """Names of the best candidate and of those not far behind, neither distinguished from it nor as good; or none."""
    rows = evidence[evidence["candidate"]]
    behind, margin = rows["behind"], Z95 * rows["behind_error"]
    unsure = rows[(behind <= np.minimum(margin, FAR)) & (behind + margin > CLOSE)]
    return {rows["mechanism"].iloc[0], *unsure["mechanism"]} if len(unsure) else set()
