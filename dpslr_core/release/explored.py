"""The error of a release beside the error that pages explore: programs choose among fewer candidates than laws do."""

from __future__ import annotations

from typing import NamedTuple

from ..dataset import Dataset
from ..laws.base import Law
from ..mechanisms.base import Mechanism
from ..privacy import ZCDP, Budget, PureDP
from ..privacy.accounting import paid
from ..sources.choices import Source, Synthetic
from ..support.run import stream
from .base import Program
from .plans import GRID
from .programs import program_of

MOST_RECORDS = 5000  # up to which the law of a program takes a second or two
_SHARE = 68  # per cent of releases within the error of OLS


class ReleasedError(NamedTuple):
    """C(68) of one algorithm at one point, in the unit square.

    drawn_from: what a release chooses among, in words. released: of the program that a release draws.
    explored: of the law that pages explore.
    """

    drawn_from: str
    released: float
    explored: float


def released_error(mechanism: Mechanism, data: Dataset, budget: Budget, number: int = 0) -> ReleasedError | None:
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
    return error_of(program, program.law(data)[number], data, number)


def error_of(program: Program, released: Law | None, data: Dataset, number: int = 0) -> ReleasedError | None:
    """C(68) as of released_error, for a program whose law at the point ``number`` on the data set is ``released``."""
    explored = program.mechanism.law(data, program.epsilon, program.points)[number]
    if released is None or explored is None:
        return None
    center = float(data.predict(program.points)[number])
    errors = (float(law.error_bound(_SHARE, center=center)) for law in (released, explored))
    return ReleasedError(program.drawn_from, *errors)


def rehearsal_data(source: Source, n: int, number: int = 0) -> Dataset:
    """Records of the linear model of a source, or of the usual one where the source is another; never the data."""
    synthetic = source if isinstance(source, Synthetic) else Synthetic()
    model = synthetic.model_copy(update={"n": n}).model
    return model.simulate(stream(synthetic.data_seed, "rehearsal", n, number))
