"""Error of a release beside the error on the pages: programs choose among fewer candidates than the pages' laws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..dataset import Dataset
from ..laws.base import Law
from ..mechanisms.base import Mechanism
from ..privacy import ZCDP, Budget, PureDP
from ..privacy.accounting import paid
from ..sources.choices import Source, Synthetic
from ..support.run import stream
from .chosen import Medians
from .plans import GRID, ExpectedErrors, Plan
from .programs import program_of

MOST_RECORDS = 5000  # with this number the law of a program takes a second or two
MOST_PAIRED = 2000  # the same, for programs that count all pairs
LADDER, DATASETS = 6, 3  # sizes of data with expected errors, and data sets of each size
_SHARE = 68  # per cent of releases within the error of OLS


class ReleasedError(NamedTuple):
    """C(68) of an algorithm at a point, in the unit square.

    Attributes
    ----------
    drawn_from : str
        Set that a release chooses from, in words.
    released, explored : float
        C(68) of the program that a release draws, and of the law that pages explore.
    """

    drawn_from: str
    released: float
    explored: float


def released_error(
    mechanism: Mechanism, data: Dataset, budget: Budget, number: int = 0
) -> ReleasedError | None:
    """Compare C(68) about OLS of a release on a data set with C(68) of the law that the pages explore.

    Parameters
    ----------
    mechanism : Mechanism
        Algorithm.
    data : Dataset
        Records in the unit square, which a release rounds to the grid of a plan.
    budget : Budget
        Privacy budget of the algorithm, and the points.
    number : int
        Number of the point, from 0.

    Returns
    -------
    ReleasedError or None
        None where the algorithm cannot be released, where either law is not known, or beyond MOST_RECORDS.
    """
    spent = paid(mechanism, budget)
    guarantee = mechanism.guarantee(spent.epsilon)
    if data.n > MOST_RECORDS or not isinstance(guarantee, PureDP | ZCDP):
        return None
    try:
        program = program_of(mechanism, guarantee, spent.at, data.n, GRID)
    except ValueError:  # the program refuses these public numbers
        return None
    released = program.law(data)[number]
    explored = mechanism.law(data, program.epsilon, program.points)[number]
    if released is None or explored is None:
        return None
    center = float(data.predict(program.points)[number])
    return ReleasedError(
        program.drawn_from, error_about(released, center), error_about(explored, center)
    )


def rehearsal_data(source: Source, n: int, number: int = 0) -> Dataset:
    """Simulate records by the linear model of a source, or by the default model for other sources; never the data."""
    synthetic = source if isinstance(source, Synthetic) else Synthetic()
    model = synthetic.model_copy(update={"n": n}).model
    return model.simulate(stream(synthetic.data_seed, "rehearsal", n, number))


def rehearsal_records(plan: Plan, source: Source) -> dict[str, tuple[list[int], list[int]]]:
    """Simulate records on the grid of a plan, with the plan's number of records in each area."""
    records = {}
    for number, (area, n) in enumerate(plan.sizes.items()):
        x, y = plan.program(area).on_grid(rehearsal_data(source, n, number))
        records[area] = x.tolist(), y.tolist()
    return records


def laws_on(plan: Plan, data: Dataset) -> list[tuple[Law | None, float]]:
    """Return the law of a plan's release and the OLS prediction at each point; None for a law that takes long."""
    program = program_of(plan.mechanism, plan.per_record, plan.at, data.n, plan.grid, plan.level)
    slow = isinstance(program, Medians) and data.n > MOST_PAIRED
    laws = [None] * len(plan.at) if slow else program.law(data)
    return list(zip(laws, data.predict(plan.at).tolist(), strict=True))


def error_about(law: Law | None, center: float, share: int = _SHARE) -> float:
    """Return the distance from `center` within which `share` per cent of releases lie; infinite for an unknown law."""
    return np.inf if law is None else float(law.error_bound(share, center=center))


def expected_errors(plan: Plan, model: Synthetic) -> ExpectedErrors:
    """Compute errors of releases on simulated records, for LADDER numbers of records between the plan's.

    Each error is the mean over DATASETS data sets of C(68) about OLS, to three digits. All follow from plan and model.
    """
    by_n, sizes = {}, plan.sizes.values()
    for n in np.geomspace(min(sizes), max(sizes), LADDER).round().astype(int).tolist():
        every = [laws_on(plan, rehearsal_data(model, n, number)) for number in range(DATASETS)]
        errors = np.mean(
            [[error_about(*law_and_center) for law_and_center in laws] for laws in every], axis=0
        )
        by_n[n] = tuple(
            float(f"{error:.3g}") if 0 < error < np.inf else None for error in errors.tolist()
        )
    return ExpectedErrors(source=model, by_n=by_n)
