"""Long lists of estimates, plain and nasty, of which only the middle need be sorted."""

import numpy as np

from dpslr_core import pairs

LOWER, UPPER = -0.5, 1.5

RNG = np.random.default_rng(11)
LONG = {
    "normal": RNG.normal(0.3, 0.1, (6, 4000)),
    "odd": RNG.normal(0.3, 0.1, (6, 4001)),
    "heavy tails": RNG.standard_cauchy((6, 4000)),
    "rounded": RNG.normal(0.3, 0.1, (6, 4000)).round(3),
    "few values": RNG.integers(0, 4, (6, 4000)) / 4,
    "a third at the median": np.where(RNG.random((6, 4001)) < 0.3, 0.25, RNG.normal(0.25, 0.1, (6, 4001))),
    "the upper half equal": np.maximum(RNG.normal(0.3, 0.1, (6, 4000)), -0.3)[:, ::-1].clip(None, 0.3),
    "all equal": np.full((6, 4000), 0.25),
    "all beyond an end": RNG.normal(7.0, 0.1, (6, 4000)),
    "half beyond an end": RNG.normal(1.5, 0.1, (6, 4000)),
    "ties in x": np.where(RNG.random((6, 4000)) < 0.2, np.nan, RNG.normal(0.3, 0.1, (6, 4000))),
    "nothing but ties in x": np.full((2, 4000), np.nan),
    "nearly one value": 0.3 + 1e-13 * RNG.random((6, 4000)),
    "one row of many": RNG.normal(0.3, 0.1, (1, 60_000)),
    "short": RNG.random((50, 7)),
    "single": RNG.random((50, 1)),
}


def whole(estimates):
    return pairs.clip_and_place_ties(np.sort(estimates, axis=-1), LOWER, UPPER)
