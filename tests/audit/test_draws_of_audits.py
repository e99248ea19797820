"""Tests of draws: false alarms are as rare as stated, and what the module says they find is found."""

import numpy as np
import pytest

from tests.audit.draws import compare_samples, worst

NOISES = {
    "Laplace": lambda rng, shape: rng.laplace(size=shape),
    "Gaussian": lambda rng, shape: rng.standard_normal(shape),
    "Student-t": lambda rng, shape: rng.standard_t(3, shape),
}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("noise", NOISES)
def test_a_scale_wrong_by_a_fifth_is_found_and_the_right_one_is_not(noise, rng):
    draw = NOISES[noise]
    reference = draw(rng, (20_000, 2))
    for factor, found in ((1.0, False), (0.8, True), (1.25, True)):
        assert compare_samples(factor * draw(rng, (4_000, 2)), reference).holds != found


def test_chances_are_no_smaller_than_they_are(rng):
    """Of 400 sets of draws as they should be, no more than a share c has a chance below c, up to sampling error."""
    samples = [(rng.random((500, 2)), rng.random((2_500, 2))) for _ in range(400)]
    chances = np.array([compare_samples(*pair).p for pair in samples])
    for level in (0.01, 0.05, 0.2):
        assert (chances <= level).mean() <= level + 3 * np.sqrt(level / 400)


def test_noise_left_out_cut_or_shared_is_found(rng):
    drawn, reference = rng.random((2_000, 2)), rng.random((10_000, 2))
    first = drawn[:, 0]
    faults = {
        "left out": np.full_like(drawn, 0.5),
        "cut": np.clip(drawn, 0.02, None),
        "shared": np.column_stack([first, first]),
        "mirrored": np.column_stack([first, 1 - first]),
        "used again": np.concatenate([drawn[:1000], drawn[:1000]]),
        "used twice": np.repeat(drawn[::2], 2, axis=0),
    }
    assert compare_samples(drawn, reference).holds
    assert not any(compare_samples(faulty, reference).holds for faulty in faults.values())


def test_failures_are_counted_and_points_with_a_probability_of_their_own_are_no_fault(rng):
    drawn, reference = rng.random((2_000, 1)), rng.random((10_000, 1))
    for values in (drawn, reference):
        values[rng.random(len(values)) < 0.3] = np.nan
        values[values < 0.2] = 0.2
    assert compare_samples(drawn, reference).holds
    assert not compare_samples(np.nan_to_num(drawn, nan=0.5), reference).holds
    assert worst([]).p == 1.0
