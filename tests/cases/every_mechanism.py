"""What the tests of all mechanisms share: each of them as a parameter, and one short release."""

import numpy as np
import pytest

from dpslr_core.mechanisms import (
    MECHANISMS,
    OLS,
    ChooseByCenteredStats,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    JointTheilSen,
    NoisyStats,
    NoisyStatsGaussian,
    TheilSen,
)
from tests.cases.inputs import MECHANISM_CASES, PLAIN

each_variant = pytest.mark.parametrize("mechanism", MECHANISM_CASES.values(), ids=MECHANISM_CASES.keys())
each_class = pytest.mark.parametrize("cls", MECHANISMS, ids=lambda cls: cls.__name__)


def _first(decisive):
    """Each mechanism as a parameter; the variants that are not decisive are left to `make test-night`."""
    return pytest.mark.parametrize(
        "mechanism",
        [
            pytest.param(mechanism, id=name, marks=() if decisive(mechanism) else pytest.mark.night)
            for name, mechanism in MECHANISM_CASES.items()
        ],
    )


def _is_plain(mechanism):
    return mechanism == type(mechanism)()


# Hyperparameters that decide what one of the draws may lose.
_SPENDERS = (
    DPExpTheilSen(k=3),
    JointTheilSen(k=3),
    NoisyStats(split=(0.5, 0.2, 0.3)),
    NoisyStatsGaussian(fallback=True, split=(0.25, 0.25, 0.5)),
    ChooseByCenteredStats(share=0.5, grid=30),
    DPGDPure(steps=11, clip=0.4, start=(0.2, 0.8)),
    DPGDApprox(delta=1e-5),
    DPGDzCDP(steps=2),
)
each_mechanism = _first(_is_plain)
each_spender = _first(lambda mechanism: _is_plain(mechanism) or mechanism in _SPENDERS)
AT = (0.25, 0.75, 0.4)
BASELINES = (OLS, TheilSen)


def draw(mechanism, data=PLAIN, epsilon=2.0, at=AT, size=7, seed=0):
    return mechanism.release(data, epsilon, at, size, rng=np.random.default_rng(seed))


def is_deterministic(mechanism):
    return isinstance(mechanism, OLS) or (isinstance(mechanism, TheilSen) and mechanism.k is None)
