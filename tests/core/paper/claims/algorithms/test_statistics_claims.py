"""Claims about gradients and noise: the extremes that are searched are those of the mechanisms."""

import numpy as np
import pytest

from dpslr_core.mechanisms import NoisyStats
from dpslr_core.paper.claims import measured
from dpslr_core.paper.claims.algorithms import statistics


def test_the_deviation_is_that_of_the_noise_in_releases():
    data = measured.line(250, 0.03, 0.01)
    released = NoisyStats().release_statistics(data, 1.0, size=200_000, rng=np.random.default_rng(0))
    assert np.std(released.ncov) == pytest.approx(statistics.noise_deviation(), rel=0.02)


def test_clipped_gradients_change_by_what_random_records_approach():
    rng = np.random.default_rng(0)
    x, residual = rng.random((2, 200_000)), rng.uniform(-1, 1, (2, 200_000)) * 10
    one, other = (np.clip(2 * e * np.stack([0.75 - a, a - 0.25]), -1, 1) for a, e in zip(x, residual, strict=True))
    largest = np.abs(one - other).sum(axis=0).max(), np.sqrt(((one - other) ** 2).sum(axis=0)).max()
    assert statistics.gradient_sensitivities() == pytest.approx(largest, rel=0.01)
