"""An argument of a wrong type is named, with what was expected and what was given."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, by_group, compare, decide, recommend, sweep
from dpslr_core.mechanisms import NoisyStats
from dpslr_core.scenario import Scenario

DATA = Dataset([0, 0.5, 1], [0.2, 0.5, 0.6])
GROUPS = pd.DataFrame({"group": [*"aaa"], "x": [0, 0.5, 1], "y": [0.2, 0.5, 0.6]})
WRONG = [
    (["NoisyStats"], r"mechanisms\[0\] must be an object of an algorithm, .* got 'NoisyStats' of type str"),
    (
        [NoisyStats(), NoisyStats],
        r"mechanisms\[1\] must .* got the class NoisyStats itself; call it, as in NoisyStats\(\)",
    ),
    ("NoisyStats", r"mechanisms must be a list such as \[NoisyStats\(\)\], got 'NoisyStats' of type str"),
    (NoisyStats(), r"mechanisms must be a list .*, got NoisyStats"),
]
ASK = {
    "compare": lambda mechanisms: compare(DATA, mechanisms, 1.0),
    "by_group": lambda mechanisms: by_group(GROUPS, mechanisms, 1.0),
    "sweep": lambda mechanisms: sweep("epsilon", [1.0], Scenario(n=20), mechanisms, datasets=1),
    "decide": lambda mechanisms: decide(GROUPS, mechanisms, 1.0),
    "recommend": lambda mechanisms: recommend(20, 0.03, 0.01, 1.0, mechanisms=mechanisms, datasets=2),
}


@pytest.mark.parametrize(("mechanisms", "message"), WRONG)
@pytest.mark.parametrize("name", ASK)
def test_mechanisms_are_objects(name, mechanisms, message):
    with pytest.raises(TypeError, match=message):
        ASK[name](mechanisms)


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
