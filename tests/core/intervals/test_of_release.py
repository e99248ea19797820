"""What can be asked of a release, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.experiments import confidence_interval, privacy_interval, slope_test
from dpslr_core.intervals import Target
from dpslr_core.mechanisms import CenteredStats, DeepestLine, NoisyIntercept, NoisyStats, NoisyStatsGaussian

DATA = Dataset(*simulate_linear(250, 0.03, 0.01, rng=np.random.default_rng(0)))
ALL = [CenteredStats(), CenteredStats(ridge=True), NoisyStats(), NoisyStatsGaussian(), NoisyIntercept()]


def released(mechanism, epsilon=8.0, size=6):
    return mechanism.release_statistics(DATA, epsilon, size, rng=np.random.default_rng(3))


@pytest.mark.parametrize("mechanism", ALL, ids=repr)
@pytest.mark.parametrize("method", ["fieller", "normal theory"])
def test_intervals_are_about_the_released_predictions(mechanism, method):
    release, at = released(mechanism), (0.25, 0.6, 0.75)
    line, own = confidence_interval(release, at, 0.9, method), privacy_interval(release, at, 0.9, method)
    assert line.low.shape == own.high.shape == (6, 3)
    assert (line.target, own.target, line.method) == (Target.TRUE_LINE, Target.OLS, method)
    if not getattr(mechanism, "ridge", False):
        np.testing.assert_allclose(line.estimate, release.predict(at))
    assert (own.low > line.low).all() and (own.high < line.high).all()
    assert (own.low < own.estimate).all() and (own.estimate < own.high).all()


def test_the_data_are_not_looked_at_again():
    """A release without its data set gives the same intervals: they are functions of what was released."""
    release = released(CenteredStats())
    copy = replace(release, **{name: getattr(release, name).copy() for name in ("nvar", "ncov", "nvar_y", "x_mean")})
    np.testing.assert_array_equal(confidence_interval(release).low, confidence_interval(copy).low)


def test_a_public_guess_of_the_residual_deviation_makes_intervals_of_noisy_stats_narrower():
    release = released(NoisyStats())
    guessed = replace(release, residual_sd=0.1)
    assert (confidence_interval(guessed).width < confidence_interval(release).width).all()
    np.testing.assert_array_equal(privacy_interval(guessed).low, privacy_interval(release).low)


def test_intervals_that_were_paid_for_are_returned_as_they_are():
    paid = DeepestLine(grid=40).release_intervals(DATA, 20.0, size=2, rng=np.random.default_rng(0))
    assert confidence_interval(paid, (0.25, 0.75), 0.95) is paid
    for ask, at, level in ((confidence_interval, 0.25, 0.95), (confidence_interval, (0.25, 0.75), 0.9),
                           (privacy_interval, (0.25, 0.75), 0.95)):  # fmt: skip
        with pytest.raises(ValueError, match="release of their own"):
            ask(paid, at, level)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": 1.0}, "level must lie in"),
        ({"level": 0}, "level must lie in"),
        ({"at": float("nan")}, "at must be"),
        ({"method": "guess"}, "method must be one of"),
        ({"method": "bootstrap"}, "needs rng"),
        ({"method": "bootstrap", "rng": np.random.default_rng(0), "repetitions": 3}, "repetitions must be"),
    ],
)
def test_what_cannot_be_is_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        confidence_interval(released(CenteredStats()), **arguments)


def test_what_tells_too_little_is_refused():
    with pytest.raises(ValueError, match="release_statistics"):
        confidence_interval(DATA)
    for mechanism in (NoisyStats(), NoisyIntercept()):
        with pytest.raises(ValueError, match="tells sigma_e"):
            confidence_interval(released(mechanism), method="bootstrap", rng=np.random.default_rng(0))
        with pytest.raises(ValueError, match="describe its data"):
            slope_test(released(mechanism), rng=np.random.default_rng(0))
