"""The evidence for a recommendation: every algorithm's error on simulated data sets, the closest on more of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..confidence import Z95
from ..mechanisms import OLS, Mechanism, TheilSen
from ..run import Budget, Run
from ..sources import LinearModel
from ..sweeps import SweepBatch, combine, plan_sweep
from .simulated_errors import simulated_errors

CLOSE = 0.03  # errors this near to each other, relative, are as good as equal
MOST = 8  # times as many data sets are simulated where the best are too close to call


def gather_evidence(
    model: LinearModel,
    budget: Budget,
    private: Sequence[Mechanism],
    candidates: Sequence[Mechanism],
    run: Run,
    datasets: int,
) -> pd.DataFrame:
    """The evidence; what is too close to the best to call is run on more data sets."""

    def measured(mechanisms: Sequence[Mechanism], first: int) -> list[SweepBatch]:
        plan = plan_sweep("epsilon", [budget.epsilon], model, budget, mechanisms)
        return simulated_errors(plan, run, datasets, first)

    batches = measured([OLS(), TheilSen(), *private], 0)
    evidence = _evidence(batches, private, candidates, budget.epsilon)
    for first in range(datasets, MOST * datasets, datasets):
        close = _unsettled(evidence) & set(batches[-1].names)
        if len(close) < 2:
            break
        batches += measured([m for m in candidates if m.name in close], first)
        evidence = _evidence(batches, private, candidates, budget.epsilon)
    return evidence


def _evidence(
    batches: Sequence[SweepBatch], private: Sequence[Mechanism], candidates: Sequence[Mechanism], epsilon: float
) -> pd.DataFrame:
    """The rows of the evidence, best first.

    Contenders were run on the data sets of all batches, the others on those of the first: their errors are put in
    proportion to the best one's on the data sets that they share.
    """
    names = batches[-1].names
    frame = _compared([_only(batch, names) for batch in batches], candidates)
    if len(batches) > 1:
        best = best_candidate(frame)
        others = _compared(batches[:1], candidates, str(best["mechanism"]))
        others["error"] = best["error"] * (1 + others["behind"])
        frame = pd.concat([frame, others[~others["mechanism"].isin(names)]])
    guarantees = {m.name: str(m.guarantee(epsilon)) for m in private}
    frame["guarantee"] = frame["mechanism"].map(guarantees).fillna("not private")
    frame = frame.sort_values(["error", "infinite_share"], kind="stable", ignore_index=True)
    return frame[
        ["mechanism", "error", "monte_carlo_error", "behind", "behind_error", "infinite_share", "datasets", "exact",
         "guarantee", "candidate"]
    ]  # fmt: skip


def _only(batch: SweepBatch, names: Sequence[str]) -> SweepBatch:
    """The batch with these mechanisms alone."""
    places = [batch.names.index(name) for name in names]
    return replace(batch, names=tuple(names), ratios=batch.ratios[:, places])


def _compared(batches: Sequence[SweepBatch], candidates: Sequence[Mechanism], best: str | None = None) -> pd.DataFrame:
    """Errors, and how far each is behind the best of the candidates, with the error of the paired difference."""
    sweep = combine(batches)
    (batch,) = sweep.batches
    frame = sweep.frame.rename(columns={"mean": "error"})
    frame["candidate"] = frame["mechanism"].isin([m.name for m in candidates])
    best = best or str(best_candidate(frame)["mechanism"])
    error = float(frame.loc[frame["mechanism"] == best, "error"].iloc[0])
    known = np.isfinite(error) and error > 0
    frame["behind"] = frame["error"] / error - 1 if known else np.nan
    paired = np.array([0.0 if name == best else batch.difference_error(best, name) for name in frame["mechanism"]])
    frame["behind_error"] = np.where(np.isfinite(paired), paired, 0.0) / error if known else np.nan
    return frame


def best_candidate(frame: pd.DataFrame) -> pd.Series:
    """The candidate with the smallest error; of infinite errors the one that is so on the fewest data sets."""
    return frame[frame["candidate"]].sort_values(["error", "infinite_share"], kind="stable").iloc[0]


def _unsettled(evidence: pd.DataFrame) -> set[str]:
    """The candidates neither told from the best nor known to be as good as it, and the best; or nothing."""
    rows = evidence[evidence["candidate"]]
    behind, margin = rows["behind"], Z95 * rows["behind_error"]
    unsure = rows[(behind <= margin) & (behind + margin > CLOSE)]
    return {rows["mechanism"].iloc[0], *unsure["mechanism"]} if len(unsure) else set()
