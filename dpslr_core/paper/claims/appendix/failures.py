"""Claims about how often NoisyStats fails."""

from __future__ import annotations

from functools import partial

import numpy as np

from ....experiments.errors import measure
from ....mechanisms import NoisyIntercept, NoisyStats
from ....support.run import Budget, Run
from ....support.types import Floats
from .. import measured
from ..claim import Claim, Kind, above, at_least, at_most, below, equal
from ..outline.data import PRINTED_TRACTS
from ..settings import SEED, TRIALS

FAILURE, PRODUCT = "Appendix NoisyStats, On the Failure Rate", "Results, Role of ε n var(x)"
_POWERS = np.exp2(np.arange(-7.0, 4.0))  # epsilon from 2^-7 to 8
_LOW = PRINTED_TRACTS["Illinois"][0]


def failure(nvar: float, n: int, epsilons: Floats | float) -> Floats:
    """P(nvar + L <= 0), L the Laplace noise of NoisyStats; shape of epsilons."""
    scale = NoisyStats().noise_scale(1 - 1 / n, 1.0) / np.asarray(epsilons)
    return 0.5 * np.exp(-nvar / scale)


def average_failure(nvar: float, n: int, epsilons: Floats) -> float:
    """The mean over these epsilons, in percent."""
    return 100 * float(failure(nvar, n, epsilons).mean())


def failures_of_the_state() -> Floats:
    """The failure rate of NoisyStats in each tract of the simulated state at epsilon 8, in percent."""
    sizes, nvars = measured.sizes_and_nvars()
    return 100 * np.array([failure(v, int(n), 8.0) for n, v in zip(sizes, nvars, strict=True)])


def failure_of_the_others() -> float:
    """The largest failure rate of the paper's other algorithms on 30 records at epsilon 0.01, in percent."""
    data = measured.line(30, 0.01, 0.01)
    mechanisms = (NoisyIntercept(), *measured.ROBUST, *measured.DESCENTS)
    run = Run(TRIALS, SEED)
    return 100 * max(errors.failure for m in mechanisms for errors in measure(data, m, Budget(0.01), run))


CLAIMS = (
    Claim(
        "failure-alone",
        FAILURE,
        "NoisyStats alone can fail: the others fail in {} of the releases.",
        equal(0, unit="%"),
        failure_of_the_others,
        "By their exact laws, on 30 records at ε = 0.01, and over 200 releases of gradient descent.",
    ),
    Claim(
        "failure-low",
        FAILURE,
        "NoisyStats fails in about {} of the releases at n var(x) = 0.0245 and n = 39, for any ε.",
        equal(40, within=5, unit="%"),
        partial(average_failure, *_LOW, _POWERS),
        "Over ε = 2⁻⁷ to 8 it falls from 50% to 46.8%, exp(−n var(x) ε / (3(1 − 1/n)))/2.",
    ),
    *(
        Claim(
            f"failure-high-{name.split()[0].lower()}",
            FAILURE,
            f"NoisyStats fails in {{}} on average over ε at n var(x) = {tract[0]} and n = {tract[1]} in {name}.",
            below(5, unit="%"),
            partial(average_failure, *tract, _POWERS),
            "Over the powers of 2 from 2⁻⁷ to 8. Over evenly spaced ε it holds.",
            otherwise=Kind.NOT_IN_PRINT,
        )
        for name, (_, tract) in PRINTED_TRACTS.items()
    ),
    Claim(
        "failure-even",
        FAILURE,
        "NoisyStats fails in {} on average over ε evenly spaced at n var(x) = 28.002 and n = 381 in Illinois.",
        below(5, unit="%"),
        partial(average_failure, *PRINTED_TRACTS["Illinois"][1], np.linspace(2.0**-7, 8, 1001)),
        "From 2⁻⁷ to 8. Which spacing the paper averages over is not said.",
        otherwise=Kind.NOT_IN_PRINT,
    ),
    Claim(
        "failure-majority",
        FAILURE,
        "At ε = 8 no release in 100 fails in the majority of tracts: in {} of them.",
        above(50, unit="%"),
        lambda: 100 * float(np.mean(failures_of_the_state() < 0.5)),
        "Tracts with a failure rate below 0.5%, half a failure in 100. On the appendix's simulated state.",
        otherwise=Kind.NOT_PUBLIC,
    ),
    Claim(
        "failure-tracts",
        FAILURE,
        "At ε = 8 the failure rate is {} in every tract of Illinois.",
        at_most(12, unit="%"),
        lambda: float(failures_of_the_state().max()),
        "The worst of 3,108 simulated tracts, as small in n var(x) as the paper's.",
        otherwise=Kind.NOT_PUBLIC,
    ),
    Claim(
        "failure-printed-tract",
        FAILURE,
        "At ε = 8 the failure rate is {} in the tract of Illinois with n var(x) = 0.0245 and n = 39.",
        at_most(12, unit="%"),
        lambda: 100 * float(failure(*_LOW, 8.0)),
        "The tail of the Laplace noise. The paper's own 40% of this tract contradicts the 12% as well.",
    ),
    Claim(
        "failure-small",
        PRODUCT,
        "At small ε n var(x) the noisy n var(x) has constant mass below 0: at ε n var(x) = 1 it has {}.",
        at_least(10, unit="%"),
        lambda: 100 * float(failure(1.0, 250, 1.0)),
    ),
    Claim(
        "failure-large",
        PRODUCT,
        "At large ε n var(x) the noisy one has hardly any mass below 0: at ε n var(x) = 40 it has {}.",
        at_most(1e-3, unit="%"),
        lambda: 100 * float(failure(40.0, 250, 1.0)),
    ),
)
