"""Tests of draws: false alarms are as rare as stated. What they find: test_seeded_faults."""

import numpy as np
import pytest

from tests.audit.draws import compare_samples, worst


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_chances_are_no_smaller_than_they_are(rng):
    """Of 400 sets of draws as they should be, no more than a share c has a chance below c, up to sampling error."""
    samples = [(rng.random((500, 2)), rng.random((2_500, 2))) for _ in range(400)]
    chances = np.array([compare_samples(*pair).p for pair in samples])
    for level in (0.01, 0.05, 0.2):
        assert (chances <= level).mean() <= level + 3 * np.sqrt(level / 400)


def test_failures_are_counted_and_points_with_a_probability_of_their_own_are_no_fault(rng):
    drawn, reference = rng.random((2_000, 1)), rng.random((10_000, 1))
    for values in (drawn, reference):
        values[rng.random(len(values)) < 0.3] = np.nan
        values[values < 0.2] = 0.2
    assert compare_samples(drawn, reference).holds
    assert not compare_samples(np.nan_to_num(drawn, nan=0.5), reference).holds
    assert worst([]).p == 1.0
