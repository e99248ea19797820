"""The diagrams against the definitions of what they show."""

import numpy as np
import pytest

from dpslr_core.laws.medians import smooth_sensitivity
from dpslr_core.mechanisms import DPGDPure, NoisyStats
from dpslr_core.paper.diagrams import CONCENTRATED, ENDS, MODEL, SPREAD
from dpslr_core.paper.figures import figure_named
from dpslr_core.support.run import stream


def computed(name, **changed):
    figure = figure_named(name)
    settings = figure.settings(changed)
    frame = figure.compute(settings)
    return frame, figure.sentence(frame, settings)


def by_definition(estimates, epsilon, theta, r):
    """The density up to a factor: exp(-epsilon u / 4), u the least |#above a - #below a| over |a - r| <= theta."""
    near = np.concatenate(
        [np.linspace(r - theta, r + theta, 401), estimates[np.abs(estimates - r) <= theta]]
    )
    utility = np.abs(
        (estimates > near[:, None]).sum(axis=1) - (estimates < near[:, None]).sum(axis=1)
    )
    return np.exp(-epsilon * utility.min() / 4)


@pytest.mark.parametrize(
    ("name", "algorithm", "estimates", "theta"),
    [
        ("exponential-density", "DPExpTheilSen", SPREAD, 0.0),
        ("widened-density", "DPExpTheilSen", CONCENTRATED, 0.0),
        ("widened-density", "DPWideTheilSen", CONCENTRATED, 0.02),
    ],
)
def test_a_density_is_that_of_the_definition(name, algorithm, estimates, theta):
    frame, _ = computed(name, epsilon=3)
    rows = frame[frame["algorithm"] == algorithm]
    x, y = rows["x"].to_numpy(), rows["y"].to_numpy()
    places = np.random.default_rng(7).uniform(*ENDS, 200)
    shown = y[np.searchsorted(x, places, side="right") - 1]
    wanted = np.array([by_definition(estimates, 3, theta, r) for r in places])
    np.testing.assert_allclose(shown / wanted, (shown / wanted)[0], rtol=1e-9)
    widths = np.diff(x) * y[:-1]
    np.testing.assert_allclose(
        rows["probability"].to_numpy()[:-1], widths / widths.sum(), atol=1e-12
    )


@pytest.mark.parametrize("epsilon", [0.2, 2, 20])
@pytest.mark.parametrize("beta", [0.1, 0.5])
def test_the_stretch_that_decides_is_the_smooth_sensitivity(epsilon, beta):
    frame, sentence = computed("smooth-sensitivity", epsilon=epsilon, beta=beta)
    wanted = smooth_sensitivity(SPREAD, 1, epsilon * beta / 4, *ENDS)
    assert frame.loc[frame["decides"], "value"].tolist() == [
        pytest.approx(float(wanted), rel=1e-12)
    ]
    assert "smooth sensitivity is" in sentence
    assert (
        (frame["high"] - frame["low"]) * np.exp(-frame["records"] * epsilon * beta / 4)
    ).to_numpy() == (pytest.approx(frame["value"].to_numpy()))


def test_the_path_ends_in_what_is_released():
    frame, _ = computed("descent", epsilon=4, steps=30, clip=0.5)
    noisy = frame[frame["algorithm"] == "DPGDPure"]
    data, mechanism = MODEL.replicate(0, 0), DPGDPure(steps=30, clip=0.5)
    released = mechanism.release(data, 4, (0.25, 0.75), size=1, rng=stream(0, "descent"))[0]
    assert len(noisy) == 30 and noisy[["x", "y"]].iloc[0].tolist() == [0.5, 0.5]
    np.testing.assert_allclose(noisy.iloc[15:][["x", "y"]].mean(), released, rtol=1e-12)


def test_dots_without_an_answer_are_those_with_no_positive_denominator():
    frame, sentence = computed("noisy-ratio", epsilon=0.5)
    assert ((frame["x"] > 0) == (frame["outcome"] == "answer")).all() and frame[
        "outcome"
    ].nunique() == 2
    exact = NoisyStats().law(MODEL.replicate(0, 0), 0.5, 0.25)[0].failure
    assert f"the exact share is {exact:.0%}." in sentence
    assert (frame["outcome"] == "no answer").mean() == pytest.approx(
        exact, abs=4 * np.sqrt(exact * (1 - exact) / 300)
    )
