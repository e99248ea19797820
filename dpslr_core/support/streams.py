"""Random streams: every (seed, data set, mechanism) has its own, so that no experiment shares another's numbers."""

from __future__ import annotations

import hashlib

import numpy as np

from . import validate


def stream(seed: int, *keys: object) -> np.random.Generator:
    """The generator that belongs to a seed and some keys, which differ by their text; ValueError where seed < 0."""
    validate.integer(0, seed=seed)
    text = "|".join([str(seed), *(str(key) for key in keys)])
    return np.random.default_rng(np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint32))
