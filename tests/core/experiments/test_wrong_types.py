"""An argument of a wrong type is named, with what was expected and what was given."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, by_group, compare, decide, sweep
from dpslr_core.mechanisms import NoisyStats
from dpslr_core.scenario import Scenario

DATA = Dataset([0, 0.5, 1], [0.2, 0.5, 0.6])
GROUPS = pd.DataFrame({"group": [*"aaa"], "x": [0, 0.5, 1], "y": [0.2, 0.5, 0.6]})


def test_data_are_a_dataset():
    frame, rng = GROUPS[["x", "y"]], np.random.default_rng(0)
    for ask in (
        lambda: compare(frame, [NoisyStats()], 1.0),
        lambda: sweep("epsilon", [1.0], Scenario(n=20), [NoisyStats()], datasets=1, data=frame),
        lambda: NoisyStats().release(frame, 1.0, rng=rng),
        lambda: NoisyStats().law(frame, 1.0),
        lambda: NoisyStats().target(frame),
    ):
        with pytest.raises(TypeError, match="data must be a Dataset, got DataFrame"):
            ask()


def test_a_scenario_and_groups_are_what_they_are_called():
    with pytest.raises(TypeError, match="base must be a Scenario, got dict"):
        sweep("epsilon", [1.0], {"n": 20}, [NoisyStats()])
    for ask in (by_group, decide):
        with pytest.raises(TypeError, match="groups must be a pandas DataFrame, got Dataset"):
            ask(DATA, [NoisyStats()], 1.0)
