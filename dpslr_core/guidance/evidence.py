"""Errors of algorithms on simulated data sets like yours, and the evidence for a recommendation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..experiments.errors import draw, ols
from ..experiments.expected import spreads_of
from ..experiments.ranking import NOT_PRIVATE, by_error
from ..experiments.sweep import Sweep, SweepBatch, SweepPlan, combine, measure_part, sweep_parts
from ..mechanisms.base import Mechanism
from ..mechanisms.baselines import OLS, TheilSen
from ..privacy import Budget
from ..privacy.accounting import admitted, guarantee, paid
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import Z95, Run
from ..support.workers import in_order

DATASETS = 50
BLOCK = 10  # data sets measured together: laws of one kind are solved at once
COLUMNS = (
    "mechanism", "error", "times", "monte_carlo_error", "behind", "behind_error", "infinite_share", "datasets", "exact",
    "guarantee", "candidate",
)  # fmt: skip
TRIALS = 50  # per data set, for algorithms without a law


def simulated_errors(plan: SweepPlan, run: Run, datasets: int = DATASETS, first: int = 0) -> Sweep:
    """Measure the errors of each mechanism about the true line, on each data set at all points of the budget.

    The data sets and the noise are those of sweep, the same for all values.

    Parameters
    ----------
    plan : SweepPlan
        Plan with a LinearModel as its source.
    run : Run
        Trials where there is no law, the seed and the workers.
    datasets, first : int
        Number of data sets, 1 or more, else ValueError, and number of the first.
    """
    validate.integer(1, datasets=datasets)
    parts = sweep_parts(plan, datasets, BLOCK)
    tasks = [(group, first + number, count) for group, number, count in parts]
    measure_one = partial(measure_part, plan=plan, run=run, all_points=True)
    return combine(chain.from_iterable(in_order(measure_one, tasks, run.workers)))


def simulated_spreads(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    datasets: Sequence[Dataset],
    run: Run,
    noise: bool = False,
) -> np.ndarray:
    """Measure how far releases are from OLS, and with ``noise`` from the algorithm's own target.

    Where the accounting leaves the mechanism out, no release has an answer.

    Parameters
    ----------
    model : LinearModel
        Model of the data sets. Its standard deviation of the OLS prediction is the unit, as in sweep.
    datasets : sequence of Dataset
        Simulated from the model, one or more.
    run : Run
        Trials where there is no law, and the seed.

    Returns
    -------
    array of SPREAD, shape (data sets, 1 or 2, points)
        The second row is about the target; where there is no target, about OLS.
    """
    if not admitted([mechanism], budget):
        no_answer = spreads_of([], {}, np.full((1, len(budget.at)), np.nan), np.nan)
        return np.array([no_answer for _ in datasets])
    laws = mechanism.laws(datasets, paid(mechanism, budget).epsilon, budget.at)
    lawless = [i for i, of_data in enumerate(laws) if any(law is None for law in of_data)]
    drawn = draw([datasets[i] for i in lawless], mechanism, budget, run)
    trials = dict(zip(lawless, drawn, strict=True))
    centers = [np.array([ols(data, budget)[0] for data in datasets])]
    if noise:
        targets = np.array([mechanism.target(data, budget.at) for data in datasets])
        centers.append(np.where(np.isnan(targets), centers[0], targets))
    units = [model.standard_error(budget.at, data) for data in datasets]
    return np.stack([spreads_of(laws, trials, about, units) for about in centers], axis=1)


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
    decide: bool = True,
) -> pd.DataFrame:
    """Measure all algorithms on some data sets, and those that are too close to the best to call on more.

    Parameters
    ----------
    measured : callable
        Errors of algorithms on data sets.
    private, candidates : sequence of Mechanism
        Algorithms that are measured, and the subset that may be recommended.
    budget : Budget
        Budget of each release.
    datasets : int
        Number of data sets at first.
    decide : bool
        Whether the tied are run on up to MOST times as many data sets, until they are told apart or are as good.
    """
    everyone = measured([OLS(), TheilSen(), *private], 0, datasets)
    rows = _compared(everyone, candidates)
    unsure = rows["mechanism"].isin(unsettled(rows))
    if decide and unsure.any():
        near = set(rows.loc[rows["error"] <= rows.loc[unsure, "error"].max(), "mechanism"])
        close = [m for m in candidates if m.name in near]
        tied = everyone.only([m.name for m in close])
        for start in range(datasets, MOST * datasets, datasets):
            (tied,) = combine([tied, measured(close, start, datasets)]).batches
            more = _compared(tied, candidates)
            if not unsettled(more):
                break
        best = best_candidate(more)
        rows = _compared(everyone, candidates, best["mechanism"])
        rows["error"] = best["error"] * (1 + rows["behind"])  # as far behind as on the first ones
        rows["monte_carlo_error"] = np.hypot(
            best["monte_carlo_error"], best["error"] * rows["behind_error"]
        )
        rows = pd.concat([more, rows[~rows["mechanism"].isin(more["mechanism"])]])
    guarantees = {m.name: str(guarantee(m, budget)) for m in private}
    rows["guarantee"] = rows["mechanism"].map(guarantees).fillna(NOT_PRIVATE)
    rows["times"] = rows["error"] / rows.loc[rows["mechanism"] == OLS().name, "error"].iloc[0]
    return by_error(rows).reset_index(drop=True)[list(COLUMNS)]


def _compared(
    batch: SweepBatch, candidates: Sequence[Mechanism], best: str | None = None
) -> pd.DataFrame:
    """Compare errors with the best candidate's: relative distance behind it, and the error of the paired difference."""
    frame = combine([batch]).frame
    frame["candidate"] = frame["mechanism"].isin([m.name for m in candidates])
    best = best or str(best_candidate(frame)["mechanism"])
    error = float(frame.loc[frame["mechanism"] == best, "error"].iloc[0])
    comparable = np.isfinite(error) and error > 0
    frame["behind"] = frame["error"] / error - 1 if comparable else np.nan
    paired = np.array(
        [0.0 if name == best else batch.difference_error(best, name) for name in frame["mechanism"]]
    )
    frame["behind_error"] = (
        np.where(np.isfinite(paired), paired, 0.0) / error if comparable else np.nan
    )
    return frame


def best_candidate(frame: pd.DataFrame) -> pd.Series:
    """Return the row of the candidate with the smallest error."""
    return by_error(frame[frame["candidate"]]).iloc[0]


def unsettled(evidence: pd.DataFrame) -> set[str]:
    """Return the names of the best candidate and of rivals that more data sets may tell apart; empty without rivals."""
    rows = evidence[evidence["candidate"]]
    behind, margin = rows["behind"], Z95 * rows["behind_error"]
    unsure = rows[(behind <= np.minimum(margin, FAR)) & (behind + margin > CLOSE)]
    return {rows["mechanism"].iloc[0], *unsure["mechanism"]} if len(unsure) else set()
