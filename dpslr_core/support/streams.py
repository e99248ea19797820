"""Random streams by name: the same seed and keys give the same numbers, others give independent ones.

Releases that are compared on one data set have streams of their own: data set, mechanism, epsilon and points are their
keys. Sweeps and guidance number their simulated data sets and share numbers: on each of them every algorithm starts the
same stream anew, at every value, so that differences between them have less noise. Either way one more algorithm
changes no other's numbers.
"""

from __future__ import annotations

import hashlib

import numpy as np

from . import validate


def stream(seed: int, *keys: object) -> np.random.Generator:
    """The generator that belongs to a seed and some keys, which differ by their text; ValueError where seed < 0."""
    validate.integer(0, seed=seed)
    text = "|".join([str(seed), *(str(key) for key in keys)])
    return np.random.default_rng(np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint32))
