"""CenteredStats on the same noise as its definition, what one release hands out, and known errors."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian
from dpslr_core.mechanisms.centered import sensitivity, shifts
from tests.cases.inputs import DATASETS
from tests.reference.centered import ridge_of, slope, statistics

AT = (0.25, 0.75, 0.4)
MECHANISMS = [
    CenteredStats(b=(4, 4, 2, 1, 1), ridge=True),
    CenteredStatsGaussian(),
    CenteredStatsGaussian(clip=True, lower=0, upper=1),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("name", DATASETS)
def test_a_release_is_the_definition_on_the_same_noise(mechanism, name):
    data, epsilon, size = DATASETS[name], 2.0, 30
    x, y, n = data.x.tolist(), data.y.tolist(), data.n
    laplace = isinstance(mechanism, CenteredStats)
    rng, scales = np.random.default_rng(6), np.array(mechanism.b) / epsilon
    noise = scales[:, None] * (
        rng.laplace(size=(5, size)) if laplace else rng.standard_normal((5, size))
    )
    released = mechanism.release_statistics(data, epsilon, size, rng=np.random.default_rng(6))
    points = mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(6))
    for i in range(size):
        u, w, v, c, ww = statistics(x, y, noise[:, i].tolist())
        ridge = ridge_of(u, scales, 2.0 if laplace else 1.0) if mechanism.ridge else None
        a = slope(v, c, ridge)
        expected = [0.5 + w + a * (at - 0.5 - u) for at in AT]
        if mechanism.clip:
            expected = np.clip(expected, 0, 1)
        np.testing.assert_allclose(points[i], expected, rtol=1e-8, atol=1e-8)
        squares = max(ww - 2 * a * c + a * a * v, scales[4]) / (n - 2)
        assert released.residual_sd[i] == pytest.approx(squares**0.5, rel=1e-6)
        error = (squares * (1 / n + (0.25 - 0.5 - u) ** 2 / max(v, scales[2]))) ** 0.5
        assert released.standard_error(0.25)[i, 0] == pytest.approx(error, rel=1e-6)
        assert released.fallback[i] == (v <= 0)
        assert released.nvar[i] == pytest.approx(v, rel=1e-8, abs=1e-8)


# ---------------------------------------------------------------- the joint sensitivity of the centred sums


scales = st.tuples(*[st.floats(0.05, 50)] * 5)


@pytest.mark.parametrize("power", [1, 2])
@given(b=scales)
@example(b=(1.0, 1e9, 1e9, 1e9, 1e9))
@example(b=(1e9, 1e9, 1e9, 1.0, 1e9))
@example(b=(1e-3, 1e3, 1.0, 1e-6, 1.0))
@settings(max_examples=40, deadline=None)
def test_the_sensitivity_is_the_maximum_over_a_fine_grid(power, b):
    """Never below, and above by no more than the grid is coarse."""
    side = np.linspace(0, 1, 201)
    d, e = (part.ravel() for part in np.meshgrid(side, side))
    highest = ((shifts(d, e) / np.array(b)[:, None]) ** power).sum(axis=0).max() ** (1 / power)
    assert highest <= sensitivity(b, power) <= highest * (1 + 1e-3)


@pytest.mark.parametrize("power", [1, 2])
@given(b=scales, first=st.tuples(*[st.floats(0, 1)] * 2), second=st.tuples(*[st.floats(0, 1)] * 2))
@settings(max_examples=100, deadline=None)
def test_no_two_records_are_further_apart(power, b, first, second):
    moved = np.abs(CenteredStats.summands(first) - CenteredStats.summands(second)) / b
    assert (moved**power).sum() ** (1 / power) <= sensitivity(b, power)
