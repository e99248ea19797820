"""Bayes' rule."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.promise.odds import beliefs, posterior

PRIORS = st.floats(1e-6, 1 - 1e-6)


@given(PRIORS, st.floats(1e-6, 1.0), st.floats(1e-6, 1.0))
def test_the_posterior_is_that_of_bayes(prior, likelihood, otherwise):
    expected = prior * likelihood / (prior * likelihood + (1 - prior) * otherwise)
    assert float(posterior(prior, math.log(likelihood / otherwise))) == pytest.approx(expected, rel=1e-9)


@given(PRIORS, st.floats(0, 50))
def test_beliefs_lie_about_the_prior_and_mirror_each_other(prior, loss):
    told, mirrored = beliefs(prior, loss), beliefs(1 - prior, loss)
    assert told.least <= prior * (1 + 1e-12) and told.largest >= prior * (1 - 1e-12)
    assert told.largest == pytest.approx(1 - mirrored.least, abs=1e-9)


def test_one_in_ten_and_the_extremes():
    assert beliefs(0.1, math.log(6)).largest == pytest.approx(0.4)
    assert beliefs(0.1, math.inf)[1:] == (0.0, 1.0) and beliefs(0.1, 0.0) == pytest.approx((0.1, 0.1, 0.1))
    assert np.array_equal(posterior(0.5, [-np.inf, np.inf]), [0.0, 1.0])


@pytest.mark.parametrize(("prior", "loss"), [(0.0, 1.0), (1.0, 1.0), (0.5, -1.0)])
def test_what_cannot_be_is_refused(prior, loss):
    with pytest.raises(ValueError):
        beliefs(prior, loss)
