"""The epsilons at which each of many areas passes: one frame, from which every count, minimum and half follows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, by_group
from dpslr_core.experiments.areas import FLAT, flat_line, split_groups
from dpslr_core.experiments.errors import measure
from dpslr_core.guidance.area_epsilons import (
    _SURE,
    _TOLERANCE,
    _excess,
    areas_passing,
    best_with_epsilons,
    half_passes_from,
    not_sought,
    passes,
    passing_epsilons,
)
from dpslr_core.guidance.required_values import EPSILONS, LOG_EPSILONS, ends_of_passing
from dpslr_core.mechanisms import (
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.mechanisms.deepest_line import _LEFT_OUT
from dpslr_core.privacy import Budget
from dpslr_core.sources.samples import load_sample
from dpslr_core.support.run import QUARTERS, Run

TRACTS = load_sample("tracts").frame
AREAS = dict(list(split_groups(TRACTS).datasets.items())[:38:2])
SOME = dict(list(AREAS.items())[::3])
RUN = Run(trials=100)
MANY = [NoisyStats(), NoisyIntercept(), DPExpTheilSen(), CenteredStats(), DeepestLine()]


@cache
def many():
    """The frame of 19 tracts and five algorithms."""
    return passing_epsilons(AREAS, MANY, Budget(1.0))


def one(data, mechanism, budget):
    return passing_epsilons({"it": data}, [mechanism], budget).iloc[0]


@pytest.mark.parametrize("mechanism", MANY, ids=lambda mechanism: mechanism.name)
@pytest.mark.parametrize("at", [QUARTERS, QUARTERS[::-1], (0.4, 0.9)])
def test_it_pays_for_all_points_looks_at_the_first_and_is_just_enough(mechanism, at):
    for data in list(SOME.values())[::3]:
        smallest = one(data, mechanism, Budget(4.0, at))["passes_from"]
        if np.isfinite(smallest):
            unit = float(data.standard_error(at)[0])
            off = (
                _LEFT_OUT if isinstance(mechanism, DeepestLine) else 1e-9
            )  # its law's; cells are searched exactly
            assert measure([data], mechanism, Budget(smallest, at), RUN)[0][0].c68 <= unit * (
                1 + off
            )
            less = measure([data], mechanism, Budget(smallest / 1.0001, at), RUN)[0][0]
            assert less.c68 > unit or flat_line(mechanism, data, smallest / 1.0001, less.fallback)


def test_counts_at_some_epsilons_are_those_of_the_errors_measured_there():
    """by_group solves for C(68) at one epsilon; the frame never saw it."""
    frame = many()[many()["mechanism"].isin([mechanism.name for mechanism in MANY[:3]])]
    for epsilon in np.geomspace(0.3, 300, 8).tolist():
        here = by_group(TRACTS[TRACTS["group"].isin(list(AREAS))], MANY[:3], epsilon).query(
            "at == 0.25"
        )
        enough = here[(here["ratio"] <= 1) & ~here["flat"]]
        assert areas_passing(frame, epsilon) == enough["group"].nunique()
        assert (half_passes_from(frame) <= epsilon) == (enough["group"].nunique() >= 10)
        table = best_with_epsilons(here, frame, epsilon)
        assert int(table["passes"].sum()) == enough["group"].nunique()


def test_an_area_that_stops_to_pass_fails_from_there_on():
    """A point far from the records, and a slope that is shrunk: first it is nearly flat, then its noise grows."""
    data = split_groups(load_sample("bikes").frame).datasets["month 3, hour 8"]
    budget, ridge = Budget(1.0, (0.02,)), CenteredStats(ridge=True)
    frame = passing_epsilons({"it": data}, [ridge], budget)
    first, last = float(frame["passes_from"].iloc[0]), float(frame["passes_to"].iloc[0])
    assert EPSILONS[0] < first < last < EPSILONS[1]
    unit = float(data.standard_error([0.02])[0])
    for epsilon in (0.99 * first, 1.01 * first, last, 1.01 * last):
        error = measure([data], ridge, replace(budget, epsilon=float(epsilon)), RUN)[0][0].c68
        below = error <= unit * (1 + 1e-9) and not flat_line(ridge, data, float(epsilon), 0.0)
        assert passes(frame, float(epsilon)).tolist() == [below]
        assert areas_passing(frame, float(epsilon)) == below
    assert half_passes_from(frame) == first


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (lambda e: 1 - np.exp(-e), [1.1394]),
        (lambda e: 0.6, []),
        (lambda e: 0.7, [EPSILONS[0]]),
        (lambda e: 0.9 if 2 < e < 40 or e > 400 else 0.1, [2.0, 40.0, 400.0]),
        (lambda e: 0.9 if e > 50 else 0.0, [50.0]),
    ],
)
def test_a_scan_of_epsilon_finds_every_end_of_the_ranges_where_an_area_passes(share, expected):
    scan = ends_of_passing(
        lambda at: _excess(share(10**at)), *LOG_EPSILONS, _TOLERANCE, enough=_excess(_SURE)
    )
    ends = [10**end for end in scan]
    assert ends == pytest.approx(expected, rel=1e-4)
    for number, end in enumerate(ends):
        assert share(end) >= 0.68 - 1e-9
        if end > EPSILONS[0]:
            assert share(end * (1 - 2e-6) if number % 2 == 0 else end * (1 + 2e-6)) < 0.68


def test_a_flat_line_never_passes():
    flat = many()[many()["mechanism"] == "NoisyIntercept"]
    assert np.isinf(flat["passes_from"]).all() and areas_passing(flat, 1e3) == 0


def test_a_ridge_passes_from_the_epsilon_that_keeps_a_tenth_of_the_slope():
    rng = np.random.default_rng(3)
    x = np.clip(rng.normal(0.5, 0.03, 60), 0, 1)
    data, ridge = (
        Dataset(x, np.clip(0.5 + 0.1 * (x - 0.5) + rng.normal(0, 0.15, 60), 0, 1)),
        CenteredStats(ridge=True),
    )
    row = one(data, ridge, Budget(1.0, (0.5,)))
    assert row["passes_from"] < np.inf
    kept = [ridge.slope_kept(data, row["passes_from"] * factor) for factor in (0.99, 1.0, 1.01)]
    assert kept[0] < FLAT <= kept[1] < kept[2] and CenteredStats().slope_kept(data, 1.0) == 1
    here = by_group(
        pd.DataFrame({"group": "it", "x": data.x, "y": data.y}),
        [ridge],
        row["passes_from"] * 0.99,
        (0.5,),
    )
    assert here["flat"].all() and (here["ratio"] < 1).all()


def test_where_most_releases_are_flat_for_want_of_another_answer_the_line_is_flat():
    rng = np.random.default_rng(3)
    x = np.clip(rng.normal(0.5, 0.004, 60), 0, 1)
    data = Dataset(x, np.clip(rng.normal(0.5, 0.2, 60), 0, 1))
    row = one(data, CenteredStats(), Budget(1.0, (float(x.mean()),)))
    law = CenteredStats().law(data, row["passes_from"] * 0.999, (0.5,))[0]
    assert law.fallback > 0.5
    assert CenteredStats().law(data, row["passes_from"] * 1.001, (0.5,))[0].fallback <= 0.5


def test_an_algorithm_without_a_law_is_not_sought_and_said():
    frame = passing_epsilons(SOME, [DPExpTheilSen(), DPGDPure()], Budget(1.0))
    assert not_sought(frame) == ["DPGDPure"]
    assert frame.loc[frame["mechanism"] == "DPGDPure", "passes_from"].isna().all()
    alone = frame[frame["mechanism"] == "DPGDPure"]
    assert np.isinf(half_passes_from(alone))
    here = by_group(
        TRACTS[TRACTS["group"].isin(list(SOME))], [DPExpTheilSen(), DPGDPure()], 4.0
    ).query("at == 0.25")
    assert set(best_with_epsilons(here, frame, 4.0)["mechanism"]) == {"DPExpTheilSen"}
    assert set(best_with_epsilons(here, alone, 4.0)["mechanism"]) == {"DPGDPure"}


def test_no_sampling_error_has_no_epsilon():
    x = np.linspace(0, 1, 20)
    areas = {"line": Dataset(x, 0.5 * x), **SOME}
    frame = passing_epsilons(areas, [DPExpTheilSen()], Budget(1.0))
    assert frame["passes_from"].isna().tolist() == [True] + [False] * len(SOME)
    assert not_sought(frame) == [] and half_passes_from(frame) == half_passes_from(frame.iloc[1:])


@pytest.mark.parametrize("at", [(0.25,), (0.75, 0.25), (0.4,), (0.02,), (1.0,)])
def test_the_chance_of_the_deepest_line_by_its_cells_is_that_of_its_law(at):
    for data in list(SOME.values())[:2]:
        center, error = float(data.predict(at)[0]), float(data.standard_error(at)[0])
        chance = DeepestLine().chance_within(data, at, center - error, center + error)
        for epsilon in (0.01, 2.0, 60.0):
            law = DeepestLine().law(data, epsilon, at)[0]
            expected = float(np.diff(law.cdf(np.array([center - error, center + error])))[0])
            assert chance(epsilon).inside == pytest.approx(expected, abs=_LEFT_OUT)
