"""Run: what it refuses, and streams of random numbers."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpslr_core.support.run import Run, stream


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Run(trials=0), "trials must be a whole number, 1 or more, got 0"),
        (lambda: Run(seed=-1), "seed must be a whole number, 0 or more, got -1"),
    ],
)
def test_what_cannot_be_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


keys = st.lists(st.text(st.sampled_from('|a"\\,[] 0'), max_size=4), max_size=4)


@given(st.integers(0, 20), keys, st.integers(0, 20), keys)
@example(0, ["a|b"], 0, ["a", "b"])
@example(0, ["a|", "b"], 0, ["a", "|b"])
@example(1, [], 1, [""])
@example(0, ["1"], 0, ['["0", "1"]'])
def test_other_keys_have_another_stream(seed, texts, other_seed, other_texts):
    same = (seed, texts) == (other_seed, other_texts)
    drawn = stream(seed, *texts).integers(2**63), stream(other_seed, *other_texts).integers(2**63)
    assert (drawn[0] == drawn[1]) == same


def test_streams_are_those_of_earlier_versions():
    """What stored numbers were drawn with: the SHA-256 of the seed and the keys with bars between."""
    first = np.random.default_rng(
        np.frombuffer(sha256(b"7|trials|NoisyStats()|[0.25]").digest(), dtype=np.uint32)
    )
    assert stream(7, "trials", "NoisyStats()", [0.25]).integers(2**63) == first.integers(2**63)
