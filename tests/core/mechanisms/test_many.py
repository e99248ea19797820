"""Many data sets at once: laws, releases and errors are those of each data set alone, whatever the others are."""

import numpy as np
import pytest
from cases import DATASETS
from every_mechanism import each_class

from dpslr_core import Dataset, simulate_linear
from dpslr_core.experiments.errors import measure
from dpslr_core.privacy import Budget
from dpslr_core.support.run import Run

RUN = Run(trials=12)


def simulated(n, seed):
    return Dataset(*simulate_linear(n, 0.03, 0.01, rng=np.random.default_rng(seed)))


# Ties, constants, few and many records; more than from which all laws of constant pieces are searched together.
SEVERAL = [*DATASETS.values(), *(simulated(n, n) for n in (20, 25, 26, 40, 60, 120))]


def numbers(errors):
    return [
        [(e.c68, e.c68_low, e.c68_high, e.c95, e.gap, e.noise, e.median, e.failure, e.fallback) for e in each]
        for each in errors
    ]


@pytest.mark.parametrize("epsilon", [0.2, 16.0])
@each_class
def test_errors_of_many_data_sets_are_those_of_each_alone(cls, epsilon):
    budget = Budget(epsilon, (0.25, 0.75))
    together = measure(SEVERAL, cls(), budget, RUN)
    alone = [measure([Dataset(data.x, data.y)], cls(), budget, RUN)[0] for data in SEVERAL]
    np.testing.assert_array_equal(numbers(together), numbers(alone))
    assert [[(e.exact, e.how) for e in each] for each in together] == [[(e.exact, e.how) for e in e_] for e_ in alone]


@each_class
def test_releases_of_many_data_sets_are_those_of_each_alone(cls):
    some = list(DATASETS.values())[:4]
    together = cls().releases_of_all(some, 2.0, (0.3,), 5, [np.random.default_rng(i) for i in range(4)])
    for i, (data, released) in enumerate(zip(some, together, strict=True)):
        alone = cls().release(data, 2.0, (0.3,), 5, rng=np.random.default_rng(i))
        np.testing.assert_array_equal(released, alone)


@each_class
def test_no_data_sets_have_no_laws(cls):
    assert cls().laws_of_all([], 1.0) == []
    assert measure([], cls(), Budget(1.0), RUN) == []
