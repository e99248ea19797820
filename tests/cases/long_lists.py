"""Long lists of estimates, plain and nasty, of which only the middle need be sorted."""

import numpy as np

from dpslr_core import pairs
from dpslr_core.pairs.matchings import SortedEstimates, _place_ties

LOWER, UPPER = -0.5, 1.5

RNG = np.random.default_rng(11)
LONG = {
    "normal": RNG.normal(0.3, 0.1, (6, 4000)),
    "a third at the median": np.where(
        RNG.random((6, 4001)) < 0.3, 0.25, RNG.normal(0.25, 0.1, (6, 4001))
    ),
    "all equal": np.full((6, 4000), 0.25),
    "half beyond an end": RNG.normal(1.5, 0.1, (6, 4000)),
    "ties in x": np.where(RNG.random((6, 4000)) < 0.2, np.nan, RNG.normal(0.3, 0.1, (6, 4000))),
    "nothing but ties in x": np.full((2, 4000), np.nan),
    "short": RNG.random((50, 7)),
}


def as_drawn(estimates):
    """The estimates as trials draw them, not sorted yet."""
    z = estimates.copy()
    return SortedEstimates(z, _place_ties(z), 1.0)


def whole(estimates):
    return pairs.clip_and_place_ties(np.sort(estimates, axis=-1), LOWER, UPPER)
