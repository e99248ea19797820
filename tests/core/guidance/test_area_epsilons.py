"""The epsilon at which each of many areas passes: that of required_epsilon, to 5%, from few laws."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.errors import measure
from dpslr_core.guidance import area_epsilons
from dpslr_core.guidance.area_epsilons import passing_epsilon, passing_epsilons
from dpslr_core.guidance.required_values import EPSILONS, required_epsilon
from dpslr_core.mechanisms import (
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    DPSSTheilSen,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.sources.samples import load_sample
from dpslr_core.support.run import QUARTERS, Budget, Run

AREAS = dict(list(split_groups(load_sample("tracts").frame).datasets.items())[::5])
RUN = Run(trials=100)
EXACT = [NoisyStats(), NoisyIntercept(), DPExpTheilSen(), DPWideTheilSen(), DPSSTheilSen()]


@pytest.mark.parametrize("mechanism", EXACT, ids=lambda mechanism: mechanism.name)
@pytest.mark.parametrize("start", (0.3, 16.0))
def test_it_is_required_epsilon_to_five_percent(mechanism, start):
    for data in AREAS.values():
        required = required_epsilon(data, mechanism, at=(0.25,)).value
        passing = passing_epsilon(data, mechanism, Budget(start, (0.25,)), RUN)
        assert (passing is None) == (required is None)
        if passing is not None and required is not None:
            assert required * 0.99 <= passing <= required * 1.05  # required is rounded up to three digits


@pytest.mark.parametrize("mechanism", EXACT, ids=lambda mechanism: mechanism.name)
def test_it_pays_for_all_points_and_looks_at_the_first(mechanism):
    data = next(iter(AREAS.values()))
    for at in (QUARTERS, QUARTERS[::-1]):
        passing = passing_epsilon(data, mechanism, Budget(4.0, at), RUN)
        if passing is not None:
            unit = float(data.standard_error(at)[0])
            assert measure(data, mechanism, Budget(passing, at), RUN)[0].c68 <= unit * (1 + 1e-9)
            assert measure(data, mechanism, Budget(passing / 1.06, at), RUN)[0].c68 > unit


PASSING = [NoisyStats(), DPExpTheilSen(), DeepestLine(), CenteredStats()]


@pytest.mark.parametrize("mechanism", PASSING, ids=lambda mechanism: mechanism.name)
def test_it_is_the_same_wherever_the_search_starts(mechanism):
    passing = ((data, passing_epsilon(data, mechanism, Budget(4.0), RUN)) for data in AREAS.values())
    data, known = next((data, value) for data, value in passing if value is not None)
    assert round(48 * np.log10(known), 9).is_integer()
    for epsilon, start in ((0.5, None), (4.0, 0.9 * known), (4.0, 1.3 * known), (4.0, known)):
        assert passing_epsilon(data, mechanism, Budget(epsilon), RUN, start) == known


def test_a_start_nearby_asks_for_few_laws():
    class Counted(NoisyStats):
        asked: ClassVar[list] = []

        def law(self, data, epsilon, at):
            self.asked.append(epsilon)
            return super().law(data, epsilon, at)

    for data in AREAS.values():
        passing = passing_epsilon(data, NoisyStats(), Budget(4.0), RUN)
        if passing is not None:
            Counted.asked.clear()
            assert passing_epsilon(data, Counted(), Budget(4.0), RUN, 1.2 * passing) == passing
            assert 2 <= len(Counted.asked) <= 5


@pytest.mark.parametrize("least", [-200, -144, -20, 0, 77, 144, 145])
@pytest.mark.parametrize("shape", [lambda d: d, lambda d: 0.01 * d, lambda d: np.sign(d), lambda d: d**3, np.expm1])
def test_the_search_ends_at_the_smallest_that_is_enough(least, shape):
    """Whatever the excess looks like as long as it rises, and without asking twice."""
    for start in (-144, -3, 80, 144):
        known = {}

        def excess(number, known=known):
            assert number not in known and -144 <= number <= 144
            known[number] = shape(0.05 * (number - least + 0.5))
            return known[number]

        assert area_epsilons._smallest(excess, start) == (None if least > 144 else max(least, -144))
        assert len(known) <= 35


def test_off_trials_it_is_an_epsilon_that_was_enough():
    data = next(iter(AREAS.values()))
    budget = Budget(16.0, (0.25,))
    passing = passing_epsilon(data, DPGDPure(), budget, RUN)
    unit = float(data.standard_error([0.25])[0])
    assert measure(data, DPGDPure(), Budget(passing, (0.25,)), RUN)[0].c68 <= unit
    required = required_epsilon(data, DPGDPure(), at=(0.25,), run=Run(1000)).value
    assert required / 1.5 < passing < required * 1.5  # C(68) of 100 trials


def test_no_sampling_error_is_never_reached():
    x = np.linspace(0, 1, 20)
    assert passing_epsilon(Dataset(x, 0.5 * x), NoisyStats(), Budget(1.0), RUN) is None


def test_what_passes_at_once_has_the_smallest_epsilon_that_is_tried():
    x = np.tile([0.45, 0.5, 0.55], 2)
    wide = Dataset(x, np.tile([0.0, 1.0], 3))
    at = (5.0,)  # far outside the data: a standard error that no noise within the range exceeds
    assert float(wide.standard_error(at)[0]) > 2
    assert passing_epsilon(wide, DPExpTheilSen(), Budget(1e4, at), RUN) == EPSILONS[0]


def test_the_frame_has_a_row_for_each_area_by_its_own_algorithm():
    areas = [(label, data, EXACT[i % 3], None) for i, (label, data) in enumerate(AREAS.items())]
    frame = passing_epsilons(areas, Budget(16.0), RUN)
    assert frame["group"].tolist() == list(AREAS)
    assert frame["mechanism"].tolist() == [mechanism.name for _, _, mechanism, _ in areas]
    for (_, data, mechanism, _), value in zip(areas, frame["passes_from"], strict=True):
        expected = passing_epsilon(data, mechanism, Budget(16.0), RUN)
        assert value == expected if expected is not None else np.isnan(value)
    assert passing_epsilons([], Budget(16.0), RUN).empty
