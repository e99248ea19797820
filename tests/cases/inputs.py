"""Named cases that drive the tests: data sets, mechanisms, wrong hyperparameters, laws."""

from __future__ import annotations

import numpy as np

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset, simulate_linear
from dpslr_core.laws import Gaussian, Laplace, PointMass, StudentT
from dpslr_core.laws.candidates import CandidateLaw
from dpslr_core.laws.mixture import ClippedLaw, Mixture
from dpslr_core.laws.piecewise import PiecewiseUniform

_random = np.random.default_rng(20200701)


def simulated(n=250, var_x=0.03, var_e=0.01, seed=0, **more) -> Dataset:
    """A data set of the linear model."""
    return Dataset(*simulate_linear(n, var_x, var_e, rng=np.random.default_rng(seed), **more))


def _scattered(n: int) -> Dataset:
    x = _random.random(n)
    return Dataset(x, np.clip(0.2 + 0.5 * x + _random.normal(0, 0.1, n), 0, 1))


# Every way that a small data set can be awkward.
DATASETS: dict[str, Dataset] = {
    "even n": _scattered(10),
    "odd n": _scattered(9),
    "three records": _scattered(3),
    "larger": _scattered(31),
    "tied x": Dataset(np.round(_random.random(12), 1), _random.random(12)),
    "two x values": Dataset([0.2, 0.2, 0.2, 0.9, 0.9], [0.1, 0.5, 0.6, 0.3, 0.9]),
    "duplicated records": Dataset(
        [0.1, 0.1, 0.4, 0.4, 0.8, 0.8, 0.8], [0.3, 0.3, 0.9, 0.9, 0.2, 0.2, 0.2]
    ),
    "on a line": Dataset(np.linspace(0, 1, 8), 0.25 + 0.5 * np.linspace(0, 1, 8)),
    "constant y": Dataset([0.0, 0.3, 0.5, 0.9], [0.4, 0.4, 0.4, 0.4]),
    "constant x": Dataset([0.4] * 6, [0.0, 0.2, 0.3, 0.6, 0.7, 1.0]),
    "nearly constant x": Dataset([0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-9], [0.0, 1.0, 0.1, 0.3]),
    "all above the range": Dataset(
        [0.5, 0.501, 0.502, 0.503], [1.0, 0.6, 0.3, 0.0]
    ),  # at 0.25: far above 1.5
    "corners": Dataset([0, 0, 1, 1], [0, 1, 0, 1]),
}

# Small enough for the loops of the reference, and plain: no ties, some noise.
PLAIN = Dataset([0.05, 0.2, 0.45, 0.6, 0.85, 0.95], [0.15, 0.4, 0.35, 0.62, 0.55, 0.9])

VARIANTS: tuple = (
    dp.TheilSen(k=3),
    dp.DPExpTheilSen(k=1),
    dp.DPExpTheilSen(k=3),
    dp.DPWideTheilSen(k=3, theta=0.1),
    dp.DPSSTheilSen(k=3),
    dp.DPSSTheilSen(lower=0.0, upper=1.0, beta=0.0),
    dp.JointTheilSen(k=3),
    dp.DPWideTheilSenZCDP(k=1, theta=0.1),
    dp.JointTheilSenZCDP(k=3),
    dp.DeepestLine(c=0.0, grid=30),
    dp.DeepestLine(c=0.5, grid=7, lower=0.0, upper=1.0),
    dp.CenteredStats(b=(4, 4, 2, 1, 1), ridge=True),
    dp.CenteredStats(clip=True),
    dp.CenteredStatsGaussian(clip=True, ridge=True, lower=0.0, upper=1.0),
    dp.NoisyStats(fallback=True),
    dp.NoisyStats(fallback=True, clip=True, lower=0.0, upper=1.0, split=(0.3, 0.3, 0.4)),
    dp.NoisyStats(split=(0.5, 0.2, 0.3)),
    dp.NoisyStatsGaussian(clip=True),
    dp.NoisyStatsGaussian(fallback=True, split=(0.25, 0.25, 0.5)),
    dp.DPGDPure(steps=11, clip=0.4, start=(0.2, 0.8)),
)
MECHANISM_CASES = {
    repr(mechanism): mechanism for mechanism in (*(cls() for cls in dp.MECHANISMS), *VARIANTS)
}

_ZCDP = (dp.DPExpTheilSenZCDP, dp.DPWideTheilSenZCDP, dp.JointTheilSenZCDP)
_MATCHED = (
    dp.TheilSen,
    dp.DPExpTheilSen,
    dp.DPWideTheilSen,
    dp.DPSSTheilSen,
    dp.JointTheilSen,
    *_ZCDP,
)
_WIDENED = (dp.DPWideTheilSen, dp.DPWideTheilSenZCDP)
_DEEPEST = (dp.DeepestLine, dp.DeepestLineZCDP)
_RANGED = (*_MATCHED[1:], *_DEEPEST)
_CENTERED = (dp.CenteredStats, dp.CenteredStatsGaussian)
_NOISY = (dp.NoisyStats, dp.NoisyStatsGaussian)
_BOUNDED = (*_RANGED, *_CENTERED, *_NOISY)
_SPLITS = (
    (0.5, 0.5),
    1.0,
    (1.0, 0.5, -0.5),
    (1.0, 0.0, 0.0),
    (0.3, 0.3, np.nan),
    (0.3, 0.3, 0.3),
)
_DESCENTS = (dp.DPGDPure, dp.DPGDApprox, dp.DPGDzCDP)

_INF, _NAN = float("inf"), float("nan")
_WRONG = (  # algorithms, a field of each, and values that it cannot have
    (_BOUNDED, "lower", (_NAN,)),
    (_BOUNDED, "upper", (_INF,)),
    (_DEEPEST, "c", (-0.1, _INF)),
    (_DEEPEST, "grid", (1, 50.0, 2001)),
    (_MATCHED, "k", (0, 1.5, True)),
    (_WIDENED, "theta", (-0.1, _INF)),
    ((dp.DPSSTheilSen,), "df", (0, _NAN)),
    ((dp.DPSSTheilSen,), "beta", (1.0, -0.1)),
    (
        _CENTERED,
        "b",
        ((3, 3, 3, 3), (0, 9, 9, 9, 9), (9, 9, 9, 9, _NAN), (1.0, 1.0, 1.0, 1.0, 1.0)),
    ),
    (
        (dp.CenteredStats,),
        "b",
        (dp.CenteredStatsGaussian().b,),
    ),  # enough for the Euclidean norm alone
    (_CENTERED, "ridge", (None,)),
    (_NOISY, "split", _SPLITS),
    (_NOISY, "fallback", (1,)),
    ((*_CENTERED, *_NOISY), "clip", (0.5,)),
    (_DESCENTS, "steps", (1, 80.0)),
    (_DESCENTS, "clip", (0, _INF)),
    (_DESCENTS, "start", (0.5, (0.5,), (0.5, _NAN))),
    ((dp.DPGDApprox,), "delta", (0.0, 1.0)),
    ((dp.MaximumObservedSensitivity,), "grid", (1, 11.0)),
)
# (mechanism, wrong hyperparameters, the field that the sentence must name)
WRONG_FIELDS: list[tuple[type, dict, str]] = [
    *(
        (cls, {field: value}, field)
        for classes, field, values in _WRONG
        for cls in classes
        for value in values
    ),
    *((cls, {"lower": 2.0, "upper": 1.0}, "lower") for cls in _BOUNDED),
    *(
        (cls, {"upper": upper}, "lower and upper")
        for cls in _DEEPEST
        for upper in (1e300, -0.5 + 1e-12)
    ),
]

LAWS = {
    "point mass": PointMass(0.3),
    "certain failure": PointMass(np.nan),
    "Laplace": Laplace(0.3, 0.05),
    "Laplace, wide": Laplace(-2.0, 1e9),
    "Gaussian": Gaussian(0.3, 0.05),
    "Student-t": StudentT(0.4, 0.02, 3.0),
    "Student-t, heavy tails": StudentT(0.4, 3.0, 0.5),
    "Student-t, nearly normal": StudentT(-1.0, 1e-6, 200.0),
    "one piece": PiecewiseUniform(np.array([-0.5, 1.5]), np.array([0.0])),
    "pieces": PiecewiseUniform(
        np.array([-0.5, 0.1, 0.2, 0.7, 1.5]), np.array([-3.0, -1.0, 0.0, -2.0])
    ),
    "empty pieces": PiecewiseUniform(
        np.array([-0.5, -0.5, 0.1, 0.1, 0.1, 0.7, 1.5, 1.5]),
        np.array([9.0, -3.0, 5.0, 99.0, 0.0, -2.0, 800.0]),
    ),
    "densities over 300 orders": PiecewiseUniform(
        np.array([0.0, 0.2, 0.4, 0.41, 0.6, 1.0]), np.array([-700.0, -350.0, 0.0, -345.0, -690.0])
    ),
    "thin pieces": PiecewiseUniform(
        np.array([-1.0, 0.0, 1e-290, 2e-290, 1.0]), np.array([-700.0, -10.0, 0.0, -705.0])
    ),
    "off the data": dp.DPExpTheilSen().law(DATASETS["even n"], 2.0)[0],
    "off tied data, widened": dp.DPWideTheilSen(theta=0.05).law(DATASETS["tied x"], 20.0)[1],
}
LAWS |= {
    "of a line on a grid, to the left of it": dp.DeepestLine(grid=30).law(PLAIN, 3.0, [0.1])[0],
    "of a line on a grid, between": dp.DeepestLine(c=0.0).law(DATASETS["larger"], 40.0, [0.6])[0],
    "of a line on a grid, a near point": dp.DeepestLine(grid=9).law(
        DATASETS["tied x"], 1.0, [0.25 + 1e-9]
    )[0],
}
# Whatever exact laws the mechanisms come to offer beside these.
LAWS |= {
    f"of {name}": law
    for name, mechanism in MECHANISM_CASES.items()
    if getattr(mechanism, "k", None) is None
    for law in mechanism.law(PLAIN, 3.0, [0.25])
    if law is not None
    and not isinstance(law, PointMass | Laplace | StudentT | PiecewiseUniform | ClippedLaw)
}
LAWS |= {
    f"of NoisyStats, failing often, at {at}": law
    for at in (0.25, 0.9)
    for law in dp.NoisyStats().law(DATASETS["nearly constant x"], 1.0, [at])
    if law is not None
}


LAWS |= {
    "a choice that may fail": Mixture(
        [LAWS["of NoisyStats, failing often, at 0.25"], LAWS["Laplace"]], np.array([0.1, 0.9])
    ),
    "drawn laws": Mixture.of_draws([LAWS["Laplace"], LAWS["Student-t"], LAWS["pieces"]]),
    "far apart": Mixture((StudentT(0.0, 3.0, 0.5), Laplace(5.0, 1e-3)), np.array([0.4, 0.6])),
    "candidates": CandidateLaw.of([3.0, 1.0, 2.0, 1.0], np.array([0.4, 0.1, 0.3, 0.2])),
    "clipped": ClippedLaw(Laplace(0.3, 0.5), 0.0, 1.0),
    "clipped, failing": ClippedLaw(
        dp.NoisyStats().law(DATASETS["tied x"], 8.0, [0.25])[0], 0.3, 0.5
    ),
}
