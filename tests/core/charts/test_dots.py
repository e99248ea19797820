"""The dot plot: every release that has an answer is a dot, those beyond the picture stand at its ends."""

import numpy as np
import pandas as pd
import pytest
from scenes import check_specification, texts

from dpslr_core.charts.dots import BINS, dot_plot
from dpslr_core.sources.axis import Axis

RIDES = Axis("rides", "rides", 0, 977)


@pytest.mark.parametrize("far", [0.5, 40.0], ids=["near", "far beyond the picture"])
def test_every_answer_is_a_dot_inside_the_picture(far):
    estimates = np.append(0.4 + np.linspace(-0.02, 0.02, 48), [far, np.nan])
    place = pd.Series({"center": 0.4, "standard_error": 0.01})
    drawn = dot_plot(pd.DataFrame({"estimate": estimates}), "NoisyStats", place, RIDES)
    check_specification(drawn)
    dots = drawn["datasets"]["dots"]["estimate"]
    low, high = drawn["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert len(dots) == 49
    assert dots.between(low, high, inclusive="neither").all()
    assert dots.max() > high - (high - low) / BINS


def test_without_an_answer_the_picture_is_empty_and_stands():
    place = pd.Series({"center": 0.4, "standard_error": 0.01})
    drawn = dot_plot(pd.DataFrame({"estimate": [np.nan, np.nan]}), "NoisyStats", place)
    assert drawn["datasets"]["dots"].empty and texts(drawn)
