"""Program of a release by its algorithm, in whole numbers and the library's draws alone."""

from __future__ import annotations

from collections.abc import Sequence

from ..mechanisms import (
    CenteredStats,
    CenteredStatsGaussian,
    DeepestLine,
    DeepestLineZCDP,
    DPExpTheilSen,
    DPExpTheilSenZCDP,
    DPWideTheilSen,
    DPWideTheilSenZCDP,
    JointTheilSen,
    JointTheilSenZCDP,
    Mechanism,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from ..privacy import ZCDP, PureDP
from ..support import validate
from .base import FINEST, LEAST, MOST, Answer, Interval, Program, to_grid
from .chosen import DeepLine, JointMedians, Medians
from .library import amount
from .sums import FiveSums, NoisySum, Statistics

PROGRAMS: dict[type[Mechanism], type[Program]] = {
    NoisyIntercept: NoisySum,
    CenteredStats: FiveSums,
    CenteredStatsGaussian: FiveSums,
    NoisyStats: Statistics,
    NoisyStatsGaussian: Statistics,
    DPExpTheilSen: Medians,
    DPExpTheilSenZCDP: Medians,
    DPWideTheilSen: Medians,
    DPWideTheilSenZCDP: Medians,
    JointTheilSen: JointMedians,
    JointTheilSenZCDP: JointMedians,
    DeepestLine: DeepLine,
    DeepestLineZCDP: DeepLine,
}

NOT_PROVED = "nobody has proved its program of integers"
REFUSED = {
    "DPSSTheilSen": "there is no exact sampler of Student-t noise",
    "DPGDPure": "gradient descent computes with floating-point numbers",
    "DPGDApprox": "gradient descent computes with floating-point numbers",
    "DPGDzCDP": "gradient descent computes with floating-point numbers",
    "MaximumObservedSensitivity": "it is not private: the scale of its noise is read off the data",
    "OLS": "it is not private: it has no noise",
    "TheilSen": "it is not private: it has no noise",
}


def program_of(
    mechanism: Mechanism,
    guarantee: PureDP | ZCDP,
    points: Sequence[float],
    n: int,
    grid: int = 1000,
    level: float = 0.95,
) -> Program:
    """Make the program of a release, from public numbers alone.

    Parameters
    ----------
    mechanism : Mechanism
        Algorithm with its hyperparameters.
    guarantee : PureDP or ZCDP
        Guarantee of the whole release; ZCDP for the algorithms that promise it.
    points : sequence of float
        Points of the predictions, in the unit square.
    n : int
        Number of records, 3 or more.
    grid : int
        Number of cells that the unit interval is divided into, 2 to 10,000.
    level : float
        Level of the intervals, between 0 and 1.

    Raises
    ------
    ValueError
        If an argument cannot be, or the algorithm cannot be released; the message says why.
    """
    name = type(mechanism).__name__
    if type(mechanism) not in PROGRAMS:
        raise ValueError(f"{name} cannot be released: {REFUSED.get(name, NOT_PROVED)}")
    if not isinstance(guarantee, PureDP | ZCDP):
        raise ValueError(
            f"guarantee must be pure or zero-concentrated differential privacy, got {guarantee}"
        )
    wanted = type(mechanism.guarantee(1.0))
    if type(guarantee) is not wanted:
        raise ValueError(f"guarantee must be {wanted.__name__} for {name}, got {guarantee}")
    validate.inside(LEAST, MOST, guarantee=amount(guarantee))
    validate.integer(3, n=n)
    validate.integer(2, grid=grid)
    validate.inside(2, FINEST, grid=grid)
    validate.inside(0, 1, closed="neither", level=level)
    at = tuple(validate.points(points=points).tolist())
    program = PROGRAMS[type(mechanism)]
    return program(mechanism, guarantee, at, int(n), int(grid), float(level))


__all__ = [
    "PROGRAMS",
    "REFUSED",
    "Answer",
    "Interval",
    "Program",
    "program_of",
    "to_grid",
]
