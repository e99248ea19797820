"""A number that is too large, or is none, is a sentence in every argument."""

from dataclasses import fields
from decimal import Decimal

import numpy as np
import pandas as pd

from dpslr_core import (
    Dataset,
    by_group,
    compare,
    decide,
    error_bound,
    recommend,
    simulate_linear,
    sweep,
)
from dpslr_core import simulate_tracts as tracts
from dpslr_core.mechanisms import MECHANISMS, DPExpTheilSen, DPGDPure, NoisyIntercept, NoisyStats
from dpslr_core.privacy import Accounting
from dpslr_core.scenario import Scenario

RNG = np.random.default_rng(0)
DATA = Dataset(*RNG.random((2, 20)))
GROUPS = pd.DataFrame({"group": [*"aaaaabbbbb"], "x": RNG.random(10), "y": RNG.random(10)})
QUICK = [NoisyIntercept(), DPGDPure(steps=2)]
HUGE = {
    "401 digits": 10**400,
    "5,001 digits": 10**5000,
    "2^63": 2**63,
    "Decimal": Decimal("1e400"),
    "long double": np.longdouble("1e4000"),
}
BUDGET = {"epsilon": 1.0, "at": 0.5}
COUNTS = {"trials": 2, "seed": 0, "workers": 1}
MODEL = {"n": 20, "var_x": 0.03, "var_e": 0.01, "slope": 0.5, "intercept": 0.2}


def rng():
    return np.random.default_rng(0)


def swept(parameter):
    return lambda values: sweep(parameter, values, Scenario(n=20), QUICK, datasets=1)


SWEPT = {"n": 20, "var_x": 0.03, "var_e": 0.01, "slope": 0.5, "steps": 2, "x_new": 0.5}
CALLS = {
    "compare": (lambda **k: compare(DATA, QUICK, **k), BUDGET | {"trials": 2, "seed": 0}),
    "by_group": (lambda **k: by_group(GROUPS, QUICK, **k), BUDGET | COUNTS),
    "decide": (
        lambda **k: decide(GROUPS, QUICK[:1], **k),
        BUDGET | {"target": 0.5, "workers": 1, "sample": 2, "seed": 0},
    ),
    **{f"sweep of {name}": (swept(name), {"values": value}) for name, value in SWEPT.items()},
    "recommend": (
        lambda **k: recommend(mechanisms=QUICK[:1], **k),
        MODEL | BUDGET | COUNTS | {"lower": -0.5, "upper": 1.5, "theta": 0.01, "datasets": 2},
    ),
    "error_bound": (error_bound, {"estimates": [0.1], "center": 0.1, "q": 68}),
    "simulate_linear": (lambda **k: simulate_linear(**k, rng=rng()), MODEL | {"x_mean": 0.5}),
    "simulate_tracts": (lambda **k: tracts(**k, rng=rng()), {"tracts": 3, "elasticity": 0.1}),
    "Dataset": (lambda x, y: Dataset([0.1, 0.2, x], [0.1, 0.2, y]), {"x": 0.5, "y": 0.5}),
    "with_record": (DATA.with_record, {"place": 0, "x": 0.5, "y": 0.5}),
    "accounting": (Accounting, {"rule": "approx", "delta": 1e-6, "records": 2}),
    "release": (lambda **k: NoisyStats().release(DATA, rng=rng(), **k), BUDGET | {"size": 2}),
    "ledger": (DPExpTheilSen().ledger, BUDGET),
    "Scenario": (
        Scenario,
        MODEL | {"epsilon": 1.0, "trials": 10, "seed": 0, "also_k": 2, "records_per_person": 2},
    ),
}


def answered(name, call, arguments):
    """Whether the call gives an answer; a refusal is short and in words of our own."""
    try:
        call(**arguments)
    except ValueError as refusal:
        message = str(refusal)
        assert len(message) < 500, (name, message)
        assert "Exceeds the limit" not in message and "Maximum allowed" not in message, (
            name,
            message,
        )
        return False
    except Exception as error:
        raise AssertionError(f"{name}, {arguments}") from error
    return True


def test_a_number_that_is_too_large_is_a_sentence_or_is_used_in_every_argument():
    for name, (call, usual) in CALLS.items():
        assert answered(name, call, usual), name
        for argument in usual:
            refused = {
                kind: not answered(name, call, usual | {argument: wrong})
                for kind, wrong in HUGE.items()
            }
            assert refused["401 digits"] or argument == "seed", (name, argument)


def test_hyperparameters_of_any_size_are_used_or_refused():
    for algorithm in MECHANISMS:
        for field in fields(algorithm):
            if isinstance(field.default, bool):
                continue
            for wrong in (*HUGE.values(), Decimal("0.5"), 1j, "1e400"):
                value = (wrong, *field.default[1:]) if isinstance(field.default, tuple) else wrong
                answered(algorithm.__name__, released, {"algorithm": algorithm, field.name: value})


def released(algorithm, **hyperparameters):
    return algorithm(**hyperparameters).release(DATA, 1.0, 0.5, 2, rng=rng())
