"""The sums of clipped gradients, and whole descents, against the literal reference: every gradient of every record."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from dpslr_core import Dataset
from dpslr_core.mechanisms import DPGDApprox, DPGDPure, DPGDzCDP
from dpslr_core.mechanisms.descent import gradient_sums
from tests.cases.inputs import DATASETS, simulated
from tests.reference import paper as reference
from tests.reference.privacy import normal_delta

AT = (0.25, 0.9)


def plain_sum(data, p, clip) -> np.ndarray:
    """Each record's two gradients, clipped, added up."""
    records = zip(data.x, data.y, strict=True)
    return sum(np.array(reference.clipped_gradient(*each, *p.T, clip)) for each in records).T


def rounded(n: int) -> Dataset:
    rng = np.random.default_rng(n)
    return Dataset(rng.integers(0, 5, n) / 4, rng.integers(0, 3, n) / 2)


DATA = [
    *(DATASETS[name] for name in ("three records", "constant x", "corners", "on a line")),
    simulated(400),
    rounded(300),
    Dataset(np.full(400, 0.25), np.linspace(0, 1, 400)),
    Dataset(np.full(10, 0.25), np.full(10, 0.5)),
    Dataset([0.25, 0.75, 0.25, 0.75, 0.5], [0.0, 1.0, 0.3, 0.2, 0.9]),  # a weight is 0
]
LONG = simulated(10_001)  # in blocks, of which the last is not full


@pytest.mark.parametrize("clip", [1e-9, 0.05, 0.3, 1.0, 3.0, 1e6])
def test_sums_are_those_of_every_record(clip):
    rng = np.random.default_rng(4)
    p = np.concatenate(
        [0.5 + scale * rng.standard_normal((10, 2)) for scale in (0, 0.05, 0.5, 2, 50)]
    )
    for data in (*DATA, LONG):
        sums = gradient_sums([data], clip, len(p))(p.T[None])[0].T
        np.testing.assert_allclose(sums, plain_sum(data, p, clip), rtol=1e-12, atol=1e-13 * data.n)


@pytest.mark.parametrize(
    "name", ["odd n", "three records", "duplicated records", "constant x", "corners"]
)
@pytest.mark.parametrize(
    "mechanism",
    [
        DPGDPure(steps=31, clip=0.05, start=(0.0, 1.0)),
        DPGDApprox(steps=7, clip=0.3),
        DPGDApprox(delta=1e-5),
        DPGDzCDP(steps=2, start=(-1.0, 3.0)),
        DPGDzCDP(steps=31, clip=1e4, start=(5.0, -3.0)),
    ],
)
def test_descent_is_algorithms_6_and_7_on_the_same_noise(name, mechanism):
    data, size = DATASETS[name], 6
    for epsilon in (0.5, 50.0):
        draws = mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(9))
        rng, rho = np.random.default_rng(9), epsilon**2 / 2
        if isinstance(mechanism, DPGDApprox):
            excess = lambda mu: normal_delta(mu, epsilon) - mechanism.delta  # noqa: B023, E731
            rho = optimize.brentq(excess, 1e-9, 60, xtol=1e-15, rtol=1e-15) ** 2 / 2
        scale, unit = 2 * mechanism.clip / np.sqrt(rho / mechanism.steps), rng.standard_normal
        if isinstance(mechanism, DPGDPure):
            scale, unit = 4 * mechanism.clip / (epsilon / mechanism.steps), rng.laplace
        noise = scale * np.array([unit(size=(size, 2)).T for _ in range(mechanism.steps)])
        records = data.x.tolist(), data.y.tolist()
        p25, p75 = reference.gradient_descent(*records, noise, mechanism.clip, mechanism.start)
        for i, point in enumerate(AT):
            expected = reference.on_line(p25, p75, point)
            np.testing.assert_allclose(draws[:, i], expected, rtol=1e-7, atol=1e-9)
