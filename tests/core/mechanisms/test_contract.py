"""What every mechanism promises about a release, over all of MECHANISMS and variants: shapes, seeds, arguments."""

import dataclasses
import math

import numpy as np
import pytest
from cases import DATASETS, PLAIN
from every_mechanism import AT, draw, each_mechanism, is_deterministic

from dpslr_core import Dataset
from dpslr_core.mechanisms import OLS, NoisyIntercept

WORDS = "^{} must "


@each_mechanism
def test_shape_and_dtype(mechanism):
    for at, size in ((AT, 7), ([0.5], 1), (0.5, 3), (np.array([0.1, 0.1]), 2), ((-1.0, 2.0), 4)):
        released = draw(mechanism, at=at, size=size)
        assert released.shape == (size, np.size(at))
        assert released.dtype == np.float64


@each_mechanism
def test_defaults_are_a_thousand_pairs_at_the_quarters(mechanism):
    assert mechanism.release(PLAIN, 1.0, rng=np.random.default_rng(0)).shape == (1000, 2)
    assert len(mechanism.law(PLAIN, 1.0)) == len(mechanism.law(PLAIN, 1.0, (0.25, 0.75))) == 2


@each_mechanism
def test_a_seed_gives_the_same_numbers_and_another_seed_others(mechanism):
    first, again, other = draw(mechanism, size=50), draw(mechanism, size=50), draw(mechanism, size=50, seed=1)
    np.testing.assert_array_equal(first, again)
    assert np.array_equal(first, other, equal_nan=True) == is_deterministic(mechanism)


@each_mechanism
def test_trials_differ_from_each_other(mechanism):
    if not is_deterministic(mechanism):
        released = draw(mechanism, size=400)
        assert len(np.unique(released[~np.isnan(released).any(axis=1)], axis=0)) > 5


@each_mechanism
def test_data_and_points_are_left_alone(mechanism):
    at = np.array(AT)
    data = Dataset(PLAIN.x, PLAIN.y)
    mechanism.law(data, 1.0, at)
    draw(mechanism, data, at=at)
    assert data.digest == PLAIN.digest and at.tolist() == list(AT)
    np.testing.assert_array_equal(data.x, PLAIN.x)


@each_mechanism
def test_no_state_is_kept_between_calls(mechanism):
    """Releases for other data, points and budgets in between change nothing."""
    fresh = draw(type(mechanism)(**{f.name: getattr(mechanism, f.name) for f in dataclasses.fields(mechanism)}))
    draw(mechanism, DATASETS["tied x"], epsilon=9.0, at=[0.9], size=3, seed=5)
    np.testing.assert_array_equal(draw(mechanism), fresh)


@each_mechanism
@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, "a", None, [1.0, 2.0]])
def test_epsilon_must_be_a_finite_number_above_zero(mechanism, epsilon):
    with pytest.raises(ValueError, match=WORDS.format("epsilon")):
        draw(mechanism, epsilon=epsilon)
    with pytest.raises(ValueError, match=WORDS.format("epsilon")):
        mechanism.law(PLAIN, epsilon)


@each_mechanism
@pytest.mark.parametrize("at", [[], [math.nan], [0.1, math.inf], None, [[0.25, 0.75]]])
def test_at_must_be_finite_numbers(mechanism, at):
    for call in (lambda: draw(mechanism, at=at), lambda: mechanism.law(PLAIN, 1.0, at)):
        with pytest.raises(ValueError, match=WORDS.format("at")):
            call()


@each_mechanism
@pytest.mark.parametrize("size", [0, -3, 2.0, None, "ten", True])
def test_size_must_be_a_whole_number(mechanism, size):
    with pytest.raises(ValueError, match=WORDS.format("size")):
        draw(mechanism, size=size)


@each_mechanism
@pytest.mark.parametrize("rng", [None, 7, np.random.RandomState(7), np.random])
def test_rng_must_be_a_generator(mechanism, rng):
    with pytest.raises(ValueError, match=WORDS.format("rng")):
        mechanism.release(PLAIN, 1.0, rng=rng)
    with pytest.raises(TypeError):
        mechanism.release(PLAIN, 1.0)


@pytest.mark.parametrize("at", ["here", ["a", "b"], [[0.1], [0.2, 0.3]]])
def test_points_that_are_no_numbers_at_all_are_refused_by_name(at):
    with pytest.raises(ValueError, match=WORDS.format("at")):
        draw(OLS(), at=at)


def test_an_epsilon_given_as_text_is_refused():
    with pytest.raises(ValueError, match=WORDS.format("epsilon")):
        draw(NoisyIntercept(), epsilon="1")
