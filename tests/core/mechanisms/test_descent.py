"""The sums of clipped gradients, and whole descents, against the plain version: every gradient of every record."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import DPGDApprox, DPGDPure, DPGDzCDP
from dpslr_core.mechanisms.descent import gradient_sums


def plain_sum(data, p, clip) -> np.ndarray:
    """Each record's two gradients, clipped, added up."""
    fit = 2 * (np.outer(p[:, 0], 0.75 - data.x) + np.outer(p[:, 1], data.x - 0.25))
    each = [2 * (data.y - fit) * weight for weight in (0.75 - data.x, data.x - 0.25)]
    return np.stack([np.clip(gradients, -clip, clip).sum(axis=1) for gradients in each], axis=1)


def plain_descent(mechanism, data, epsilon, size, rng) -> np.ndarray:
    """The predictions at 1/4 and 3/4, shape (size, 2)."""
    p, squares, kept = np.tile(np.array(mechanism.start, dtype=float), (size, 1)), np.zeros(size), []
    for step in range(mechanism.steps):
        kept.append(p)
        if step < mechanism.steps - 1:
            noise = mechanism.noise_scale(epsilon) * mechanism.unit_noise(rng, (size, 2))
            gradient = plain_sum(data, p, mechanism.clip) + noise
            squares = squares + (gradient**2).sum(axis=1)
            p = p + gradient / np.sqrt(squares)[:, None]
    return np.mean(kept[mechanism.steps // 2 :], axis=0)


def synthetic(n: int) -> Dataset:
    return Dataset(*simulate_linear(n, 0.03, 0.01, rng=np.random.default_rng(n)))


def rounded(n: int) -> Dataset:
    rng = np.random.default_rng(n)
    return Dataset(rng.integers(0, 5, n) / 4, rng.integers(0, 3, n) / 2)


DATA = {
    "three records": Dataset([0.1, 0.5, 0.9], [0.2, 0.9, 0.4]),
    "400 records": synthetic(400),
    "ties": rounded(300),
    "equal records": Dataset(np.full(10, 0.25), np.full(10, 0.5)),
    "equal x": Dataset(np.full(7, 0.6), np.linspace(0, 1, 7)),
    "x where a weight is 0": Dataset([0.25, 0.75, 0.25, 0.75, 0.5], [0.0, 1.0, 0.3, 0.2, 0.9]),
    "corners of the square": Dataset([0.0, 0.0, 1.0, 1.0, 0.5], [0.0, 1.0, 0.0, 1.0, 0.5]),
    "on a line": Dataset(np.linspace(0, 1, 50), np.linspace(0.2, 0.8, 50)),
}
CLIPS = (1e-9, 0.05, 0.3, 1.0, 3.0, 1e6)


def parameters() -> np.ndarray:
    rng = np.random.default_rng(4)
    return np.concatenate([0.5 + scale * rng.standard_normal((300, 2)) for scale in (0, 0.05, 0.5, 2, 50)])


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("clip", CLIPS)
def test_sums_are_those_of_every_record(name, clip):
    data, p = DATA[name], parameters()
    expected = plain_sum(data, p, clip)
    sums = gradient_sums([data], clip, len(p))(p.T[None])[0].T
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-13 * data.n)


@pytest.mark.parametrize("mechanism", [DPGDPure(), DPGDApprox(), DPGDzCDP()], ids=lambda m: m.name)
@pytest.mark.parametrize("epsilon", (0.5, 8.0))
@pytest.mark.parametrize("name", ("three records", "400 records", "ties", "equal x"))
def test_descents_are_those_of_the_plain_version(mechanism, epsilon, name):
    data = DATA[name]
    fast = mechanism.release(data, epsilon, size=200, rng=np.random.default_rng(9))
    np.testing.assert_allclose(fast, plain_descent(mechanism, data, epsilon, 200, np.random.default_rng(9)), atol=1e-12)


@pytest.mark.parametrize("clip", (1e-3, 0.2, 1e4))
@pytest.mark.parametrize("start", ((0.5, 0.5), (5.0, -3.0)))
def test_descents_with_other_hyperparameters(clip, start):
    mechanism, data = DPGDzCDP(steps=31, clip=clip, start=start), DATA["400 records"]
    fast = mechanism.release(data, 2.0, size=100, rng=np.random.default_rng(9))
    np.testing.assert_allclose(fast, plain_descent(mechanism, data, 2.0, 100, np.random.default_rng(9)), atol=1e-12)


@pytest.mark.parametrize("size", (1, 30, 2_000))  # 2,000: one data set at a time
@pytest.mark.parametrize("mechanism", [DPGDPure(), DPGDzCDP(steps=7, clip=1.0)], ids=lambda m: m.name)
def test_descents_of_many_data_sets_are_those_of_each_alone(mechanism, size):
    datasets = [*DATA.values(), rounded(10), rounded(7)]  # some are of one n
    generators = [np.random.default_rng(i) for i in range(len(datasets))]
    together = mechanism.releases_of_all(datasets, 2.0, (0.1, 0.25, 0.9), size, generators)
    for i, (data, released) in enumerate(zip(datasets, together, strict=True)):
        alone = mechanism.release(data, 2.0, (0.1, 0.25, 0.9), size, rng=np.random.default_rng(i))
        np.testing.assert_array_equal(released, alone)


def test_a_path_is_the_one_whose_second_half_is_released():
    mechanism, data = DPGDPure(), DATA["ties"]
    path = mechanism.path(data, 2.0, np.random.default_rng(3))
    released = mechanism.release(data, 2.0, (0.25, 0.75), 1, rng=np.random.default_rng(3))
    assert path.shape == (mechanism.steps, 2) and tuple(path[0]) == mechanism.start and np.ptp(path, axis=0).all()
    np.testing.assert_allclose(path[mechanism.steps // 2 :].mean(axis=0), released[0], rtol=1e-12)


def test_ten_thousand_records():
    mechanism, data = DPGDzCDP(steps=10), synthetic(10_000)
    fast = mechanism.release(data, 1.0, size=50, rng=np.random.default_rng(9))
    np.testing.assert_allclose(fast, plain_descent(mechanism, data, 1.0, 50, np.random.default_rng(9)), atol=1e-12)


def lines_run(mechanism, data) -> list[tuple[str, int]]:
    """The lines of the descent's own module that one release runs, in order."""
    run = []

    def follow(frame, event, _):
        if "descent" not in frame.f_code.co_filename:
            return None
        if event == "line":
            run.append((frame.f_code.co_filename, frame.f_lineno))
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        mechanism.release(data, 2.0, size=30, rng=np.random.default_rng(9))
    finally:
        sys.settrace(before)
    return run


@pytest.mark.parametrize("mechanism", [DPGDPure(), DPGDzCDP(steps=12, clip=1.0)], ids=lambda m: m.name)
def test_what_is_run_depends_on_no_record(mechanism):
    """One record far off the line of all others decides whether gradients are ever clipped: time would tell it."""
    x = np.random.default_rng(1).random(400)
    line, apart = Dataset(x, 0.2 + 0.5 * x), Dataset(np.append(x[1:], 1.0), np.append(0.2 + 0.5 * x[1:], 0.0))
    run = lines_run(mechanism, line)
    assert len(run) > 10 * mechanism.steps and run == lines_run(mechanism, apart)
