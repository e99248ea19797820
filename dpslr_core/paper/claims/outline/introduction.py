"""Claims of the introduction: the problem, differential privacy, sensitivities."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from ....dataset import Dataset
from ....sources.linear import LinearModel
from ....support.run import QUARTERS
from ....support.types import Floats
from .. import measured
from ..claim import Claim, Kind, above, at_most, equal
from ..settings import SEED

SETUP, PRIVACY = "Introduction, Simple Linear Regression", "Introduction, Differential Privacy"
DESIGN = "Introduction, Robustness and DP Algorithm Design"
_SETS, _RECORDS = 4_000, 200


def closed_form_gap() -> float:
    """The largest distance between Equation 2 and a solver of Equation 1, over slope and intercept."""
    data = measured.line(250, 0.03, 0.01)
    slope, intercept = np.linalg.lstsq(np.column_stack([data.x, np.ones(data.n)]), data.y, rcond=None)[0]
    return max(abs(slope - data.slope), abs(intercept - data.intercept))


def standardised_variance() -> float:
    """The variance of (p^ - p) / sigma^ at x = 0.25 over simulated data sets, of which none is clipped."""
    model = LinearModel(_RECORDS, 0.02, 0.0004)
    standardised = []
    for number in range(_SETS):
        data = model.replicate(SEED, number)
        gap = data.predict(QUARTERS[0]) - model.truth(QUARTERS[0])
        standardised.append(float(gap[0] / data.standard_error(QUARTERS[0])[0]))
    return float(np.var(standardised))


def change_of_ols(width: float) -> float:
    """How far the OLS prediction at x = 0.25 moves when one of 30 records at x = 0.5 moves by a small width.

    Data set and neighbour lie on 0.5 apart from that record, which turns the line by 1 / width.
    """
    y = np.append(np.full(29, 0.5), 1.0)
    right, left = (Dataset(np.append(np.full(29, 0.5), 0.5 + step), y) for step in (width, -width))
    return float(abs(right.predict(0.25)[0] - left.predict(0.25)[0]))


def winsorized_share() -> float:
    """The smallest largest change of the prediction at x = 0.25 by one added point, winsorized over not, of 40 tracts.

    The points are those of an 11 x 11 grid; winsorization pulls x and y in to their tenth and ninetieth percentiles.
    """
    grid = [np.array(point) for point in product(np.linspace(0, 1, 11), repeat=2)]
    ratios = []
    for data in list(measured.state().datasets.values())[:40]:
        records = np.array([data.x, data.y])
        added = [np.column_stack([records, point]) for point in grid]
        largest = [
            max(abs(_prediction(prepared(one)) - _prediction(prepared(records))) for one in added)
            for prepared in (_winsorized, np.asarray)
        ]
        ratios.append(largest[0] / largest[1])
    return min(ratios)


def _winsorized(records: Floats) -> Floats:
    low, high = np.quantile(records, [0.1, 0.9], axis=1)
    return np.clip(records, low[:, None], high[:, None])


def _prediction(records: Floats) -> float:
    """OLS at x = 0.25; records of shape (2, n)."""
    center = records.mean(axis=1)
    (nvar, ncov), _ = np.cov(records)
    return float(center[1] + ncov / nvar * (0.25 - center[0]))


CLAIMS = (
    Claim(
        "closed-form",
        f"{SETUP}, Equation 2",
        "ncov / nvar and its intercept minimise the squared residuals: their distance from a solver's answer is {}.",
        equal(0, within=1e-9),
        closed_form_gap,
    ),
    Claim(
        "standardised-variance",
        f"{SETUP}, below Equation 3",
        "For large n the variance of (p̂ − p) / σ̂ is {}.",
        equal(1, within=0.07),
        standardised_variance,
        "At n = 200, over 4,000 simulated data sets; (n − 2)/(n − 4) in theory.",
    ),
    Claim(
        "small-epsilon",
        f"{PRIVACY}, below the definition",
        "e^ε is about 1 + ε for small ε: at ε = 0.1 their ratio is {}.",
        equal(1, within=0.01),
        lambda: math.exp(0.1) / 1.1,
    ),
    Claim(
        "ols-sensitivity",
        DESIGN,
        "The global sensitivity of a prediction is infinite: one record can move it by {}.",
        above(1000, unit=" units of y"),
        lambda: change_of_ols(1e-6),
        "The paper says infinite. Here 29 records share one x and the other moves by 2 × 10⁻⁶; less moves it further.",
    ),
    Claim(
        "winsorization",
        DESIGN,
        "Winsorizing sometimes shrinks the local sensitivity greatly: the smallest ratio is {}.",
        at_most(0.5),
        winsorized_share,
        "Over 40 simulated tracts, x and y pulled in to their tenth and ninetieth percentiles; 'greatly' is half.",
        otherwise=Kind.NOT_PUBLIC,
    ),
)
