"""Tests of draws: false alarms are as rare as stated, and what the module says they find is found."""

import numpy as np
import pytest

from dpslr_core.audit.draws import LEVEL, of_count, of_uniforms, with_laws, with_samples, worst
from dpslr_core.laws import Gaussian, Laplace, StudentT

NOISES = {
    "Laplace": (Laplace(0.0, 1.0), lambda rng, shape: rng.laplace(size=shape)),
    "Gaussian": (Gaussian(0.0, 1.0), lambda rng, shape: rng.standard_normal(shape)),
    "Student-t": (StudentT(0.0, 1.0, 3.0), lambda rng, shape: rng.standard_t(3, shape)),
}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("noise", NOISES)
def test_a_scale_wrong_by_a_fifth_is_found_and_the_right_one_is_not(noise, rng):
    law, draw = NOISES[noise]
    reference = draw(rng, (20_000, 2))
    for factor, found in ((1.0, False), (0.8, True), (1.25, True)):
        drawn = factor * draw(rng, (4_000, 2))
        assert with_laws(drawn, [law, law], True, rng).holds != found
        assert with_samples(drawn, reference, rng).holds != found


def test_chances_are_no_smaller_than_they_are(rng):
    """Of 400 sets of draws as they should be, no more than a share c has a chance below c, up to sampling error."""
    chances = np.array([of_uniforms(rng.random((500, 2)), True).p for _ in range(400)])
    for level in (0.01, 0.05, 0.2):
        assert (chances <= level).mean() <= level + 3 * np.sqrt(level / 400)


@pytest.mark.parametrize(
    "fault",
    [
        lambda u: np.full_like(u, 0.5),
        lambda u: np.clip(u, 0.02, None),
        lambda u: u[:, [0, 0]],
        lambda u: np.column_stack([u[:, 0], 1 - u[:, 0]]),
        lambda u: np.concatenate([u[:1000], u[:1000]]),
        lambda u: np.repeat(u[::2], 2, axis=0),
    ],
)
def test_noise_left_out_cut_or_shared_is_found(fault, rng):
    shares = rng.random((2_000, 2))
    assert of_uniforms(shares, True).holds
    assert not of_uniforms(fault(shares), True).holds


def test_failures_are_counted_and_points_with_a_probability_of_their_own_are_no_fault(rng):
    assert of_count(500, 1_000, 0.5).holds and not of_count(650, 1_000, 0.5).holds and not of_count(1, 1_000, 0.0).holds
    drawn, reference = (
        np.where(rng.random((size, 1)) < 0.3, np.nan, rng.random((size, 1))) for size in (2_000, 10_000)
    )
    assert with_samples(drawn, reference, rng).holds
    assert not with_samples(np.nan_to_num(drawn, nan=0.5), reference, rng).holds
    assert worst([]).p == 1.0 and LEVEL == 1e-9
