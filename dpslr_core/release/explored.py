"""The error of a release beside the error that pages explore: programs choose among fewer candidates than laws do."""

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

MOST_RECORDS = 5000  # up to which the law of a program takes a second or two
MOST_PAIRED = 2000  # the same of programs that count all pairs
LADDER, DATASETS = (
    6,
    3,
)  # numbers of records for which a plan has expected errors, and data sets of each
_SHARE = 68  # per cent of releases within the error of OLS


class ReleasedError(NamedTuple):
    """C(68) of one algorithm at one point, in the unit square.

    drawn_from: what a release chooses among, in words. released: of the program that a release draws.
    explored: of the law that pages explore.
    """

    drawn_from: str
    released: float
    explored: float


def released_error(
    mechanism: Mechanism, data: Dataset, budget: Budget, number: int = 0
) -> ReleasedError | None:
    """C(68) about OLS of what a release would draw on a data set, beside that of the law that is explored.

    Parameters
    ----------
    mechanism : algorithm
    data : records in the unit square, which a release rounds to the grid of a plan
    budget : what the algorithm may spend, and the points
    number : of the point, from 0

    Returns
    -------
    None where the algorithm cannot be released, where one of both laws is not known, or beyond MOST_RECORDS.
    """
    spent = paid(mechanism, budget)
    guarantee = mechanism.guarantee(spent.epsilon)
    if data.n > MOST_RECORDS or not isinstance(guarantee, PureDP | ZCDP):
        return None
    try:
        program = program_of(mechanism, guarantee, spent.at, data.n, GRID)
    except ValueError:  # by public numbers alone
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
    """Records of the linear model of a source, or of the usual one where the source is another; never the data."""
    synthetic = source if isinstance(source, Synthetic) else Synthetic()
    model = synthetic.model_copy(update={"n": n}).model
    return model.simulate(stream(synthetic.data_seed, "rehearsal", n, number))


def rehearsal_records(plan: Plan, source: Source) -> dict[str, tuple[list[int], list[int]]]:
    """Simulated records on the grid of a plan, as many as it says in each area."""
    records = {}
    for number, (area, n) in enumerate(plan.sizes.items()):
        x, y = plan.program(area).on_grid(rehearsal_data(source, n, number))
        records[area] = x.tolist(), y.tolist()
    return records


def laws_on(plan: Plan, data: Dataset) -> list[tuple[Law | None, float]]:
    """Law of a release by a plan, and the prediction of OLS, at each point; None for a law that takes long."""
    program = program_of(plan.mechanism, plan.per_record, plan.at, data.n, plan.grid, plan.level)
    slow = isinstance(program, Medians) and data.n > MOST_PAIRED
    laws = [None] * len(plan.at) if slow else program.law(data)
    return list(zip(laws, data.predict(plan.at).tolist(), strict=True))


def error_about(law: Law | None, center: float, share: int = _SHARE) -> float:
    """The distance from a number that a share of releases keep, in per cent; infinite where the law is not known."""
    return np.inf if law is None else float(law.error_bound(share, center=center))


def expected_errors(plan: Plan, model: Synthetic) -> ExpectedErrors:
    """Errors at LADDER numbers of records between the plan's, of releases on simulated records.

    Each is the mean over DATASETS of C(68) about OLS, to three digits. They follow from plan and model alone.
    """
    by_n, sizes = {}, plan.sizes.values()
    for n in np.geomspace(min(sizes), max(sizes), LADDER).round().astype(int).tolist():
        every = [laws_on(plan, rehearsal_data(model, n, number)) for number in range(DATASETS)]
        errors = np.mean([[error_about(*each) for each in laws] for laws in every], axis=0)
        by_n[n] = tuple(
            float(f"{error:.3g}") if 0 < error < np.inf else None for error in errors.tolist()
        )
    return ExpectedErrors(source=model, by_n=by_n)
