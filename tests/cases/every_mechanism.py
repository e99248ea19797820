"""What the tests of all mechanisms share: each of them as a parameter, and one short release."""

import numpy as np
import pytest

from dpslr_core.mechanisms import MECHANISMS, OLS, TheilSen
from tests.cases.inputs import PLAIN

each_class = pytest.mark.parametrize("cls", MECHANISMS, ids=lambda cls: cls.__name__)


AT = (0.25, 0.75, 0.4)


def draw(mechanism, data=PLAIN, epsilon=2.0, at=AT, size=7, seed=0):
    return mechanism.release(data, epsilon, at, size, rng=np.random.default_rng(seed))


def is_deterministic(mechanism):
    return isinstance(mechanism, OLS) or (isinstance(mechanism, TheilSen) and mechanism.k is None)
