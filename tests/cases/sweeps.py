"""The scenario, the mechanisms and the made-up batches that the tests of sweeps share."""

import numpy as np

from dpslr_core.experiments.expected import LEVELS, SPREAD
from dpslr_core.mechanisms import OLS, DPExpTheilSen, DPGDzCDP, NoisyStats, TheilSen
from dpslr_core.scenario import Scenario
from dpslr_core.sweeps import RATIO, SweepBatch

SMALL = Scenario(n=12, var_x=0.05, var_e=0.01, epsilon=6.0, at=(0.3, 0.8))
MODEL, BUDGET = SMALL.linear_model, SMALL.budget
SOME = (OLS(), TheilSen(), NoisyStats(), DPExpTheilSen(), DPExpTheilSen(k=2), DPGDzCDP(steps=5))


def made(ratios, value=1.0, parameter="epsilon", names=None):
    """A batch whose releases have these C(68), shape (data sets, mechanisms): Laplace noise about the truth."""
    ratios = np.asarray(ratios, dtype=float)
    measured = np.ones(ratios.shape, RATIO)
    for name in ("ratio", "low", "high"):
        measured[name] = ratios
    spreads = np.zeros((*ratios.shape, 1), SPREAD)
    spreads["c68"][..., 0], spreads["answered"][..., 0] = ratios, np.isfinite(ratios)
    one = -np.log1p(-LEVELS) / -np.log1p(-0.68)
    spreads["distances"][..., 0, :] = np.where(np.isfinite(ratios), ratios, 1.0)[..., None] * one
    return SweepBatch(
        parameter, value, 0, names or tuple("ABC"[: ratios.shape[1]]), measured, spreads
    )


def varied(base, parameter, value):
    """The scenario with another value of a field of its own or of its source."""
    if parameter in type(base).model_fields:
        return base.model_copy(update={parameter: value})
    source = base.source.model_copy(update={parameter: int(value) if parameter == "n" else value})
    return base.model_copy(update={"source": source})
