"""Tests of draws: false alarms are as rare as stated, and what the module says they find is found."""

import numpy as np
import pytest

from dpslr_core.laws import Gaussian, Laplace, StudentT
from tests.audit.draws import LEVEL, of_count, of_uniforms, with_laws, with_samples, worst

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


def test_noise_left_out_cut_or_shared_is_found(rng):
    shares = rng.random((2_000, 2))
    first = shares[:, 0]
    faults = {
        "left out": np.full_like(shares, 0.5),
        "cut": np.clip(shares, 0.02, None),
        "shared": np.column_stack([first, first]),
        "mirrored": np.column_stack([first, 1 - first]),
        "used again": np.concatenate([shares[:1000], shares[:1000]]),
        "used twice": np.repeat(shares[::2], 2, axis=0),
    }
    assert of_uniforms(shares, True).holds
    assert not any(of_uniforms(drawn, True).holds for drawn in faults.values())


def test_failures_are_counted_and_points_with_a_probability_of_their_own_are_no_fault(rng):
    for hits, chance, holds in ((500, 0.5, True), (650, 0.5, False), (1, 0.0, False)):
        assert of_count(hits, 1_000, chance).holds == holds
    drawn, reference = (
        np.where(rng.random((size, 1)) < 0.3, np.nan, rng.random((size, 1)))
        for size in (2_000, 10_000)
    )
    assert with_samples(drawn, reference, rng).holds
    assert not with_samples(np.nan_to_num(drawn, nan=0.5), reference, rng).holds
    assert worst([]).p == 1.0 and LEVEL == 1e-9
