"""The shared data: the groups of by_group, simulated once."""

import numpy as np

from dpslr_core.experiments.areas import split_groups
from dpslr_core.paper.figures.data import tracts
from dpslr_core.sources.tract_models import NORTH_CAROLINA
from dpslr_core.sources.tracts import simulate_tracts
from dpslr_core.support.streams import stream


def test_tracts_are_the_groups_that_by_group_would_measure():
    mine = tracts(NORTH_CAROLINA, 3)
    people = simulate_tracts(state=NORTH_CAROLINA, rng=stream(3, "tracts", "North Carolina"))
    theirs = split_groups(people).datasets
    assert list(mine) == list(theirs) and len(mine) == 2156
    some = np.linspace(0, len(mine) - 1, 40).astype(int)
    assert all(mine[label] == theirs[label] for label in np.array(list(mine))[some])
    assert tracts(NORTH_CAROLINA, 3) is mine and tracts(NORTH_CAROLINA, 4) is not mine
