"""Sweeps: where each parameter goes, the numbers against literal loops, batches, and what is known of their error."""

from __future__ import annotations

import statistics
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpslr_core import compare, sweep
from dpslr_core.experiments.sweep import PARAMETERS, Release, _matching_draws
from dpslr_core.mechanisms import (
    MECHANISMS,
    OLS,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPSSTheilSen,
    DPWideTheilSen,
    JointTheilSen,
    NoisyIntercept,
    NoisyStats,
    TheilSen,
)
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.support.run import Run, stream
from dpslr_core.sweeps import COLUMNS, combine, plan_sweep, sweep_batches
from tests.cases.inputs import PLAIN
from tests.cases.sweeps import BUDGET, MODEL, SMALL, SOME, made, varied

ONE_OF_EACH = (
    OLS(),
    TheilSen(),
    NoisyStats(),
    DPWideTheilSen(),
    DPSSTheilSen(),
    DPGDApprox(steps=4),
)
CHANGED = {
    "n": 20, "var_x": 0.01, "var_e": 0.2, "epsilon": 10.0, "x_new": 0.0, "slope": -0.2, "theta": 0.2, "beta": 0.8,
    "df": 5.0, "k": 4, "lower": -5.0, "upper": 5.0, "width": 8.0, "steps": 10, "clip": 1.0, "delta": 1e-3,
}  # fmt: skip


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_each_parameter_goes_where_it_belongs(parameter):
    """A value in the sweep gives the numbers of a base, or of mechanisms, that have the value already."""
    value, base, mechanisms = CHANGED[parameter], SMALL, list(ONE_OF_EACH)
    if parameter == "x_new":
        base = base.model_copy(update={"at": (value, 0.8)})
    elif parameter in ("n", "var_x", "var_e", "epsilon", "slope"):
        base = varied(base, parameter, value)
    else:
        ends = {"lower": 0.5 - value / 2, "upper": 0.5 + value / 2}
        changes = ends if parameter == "width" else {parameter: value}
        kinds = [{type(getattr(m, name, False)) for name in changes} for m in mechanisms]
        mechanisms = [
            m if bool in kind else replace(m, **changes)  # a switch of the same name stays
            for m, kind in zip(mechanisms, kinds, strict=True)
        ]
    swept = sweep(parameter, [value], SMALL, ONE_OF_EACH, datasets=2, trials=10)["error"]
    fixed, usual = (
        sweep("epsilon", [each.epsilon], each, some, datasets=2, trials=10)["error"]
        for each, some in ((base, mechanisms), (SMALL, ONE_OF_EACH))
    )
    np.testing.assert_array_equal(swept, fixed)
    assert (swept != usual).any()


WRONG = [
    ({"parameter": "alpha"}, r"^parameter must be one of \['n', "),
    (
        {"parameter": "theta", "mechanisms": [OLS()]},
        r"^parameter 'theta' must be a hyperparameter of one",
    ),
    ({"values": [1.0, 1.0]}, r"^values must be different"),
    ({"parameter": "n", "values": [10.5]}, r"^values must be whole numbers for n, got 10.5"),
    ({"parameter": "width", "values": [0.0]}, r"^width must be a finite number above 0"),
    (
        {"base": Scenario(source="upload")},
        r"^data must be the loaded data set where base.source is 'upload'",
    ),
    ({"parameter": "n", "data": PLAIN}, r"^parameter can be 'n' for simulated data only"),
    ({"datasets": 0}, r"^datasets must be a whole number, 1 or more"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_a_wrong_argument_is_named(wrong, message):
    right = {
        "parameter": "epsilon",
        "values": [1.0],
        "base": SMALL,
        "mechanisms": [OLS(), DPExpTheilSen()],
    }
    with pytest.raises(ValueError, match=message):
        sweep(**right | {"datasets": 2} | wrong)


def smallest_c(within):
    """The smallest c with within(c) >= 0.68, by halving."""
    low, high = 0.0, 1.0
    while within(high) < 0.68:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if within(middle) >= 0.68 else (middle, high)
    return high


def literal_within(scenario, mechanism, number, trials, seed):
    """The share of one data set's releases within c sigma of the truth, by c; all from the release at all points."""
    data = scenario.linear_model.replicate(seed, number)
    truth = scenario.source.slope * scenario.at[0] + scenario.source.intercept
    leverage = 1 / data.n + (scenario.at[0] - data.x_mean) ** 2 / data.nvar
    sigma = (scenario.source.var_e * leverage) ** 0.5
    law = mechanism.law(data, scenario.epsilon, scenario.at)[0]
    if law is not None and isinstance(mechanism, OLS | TheilSen):
        return lambda c: float(abs(law.location - truth) <= c * sigma)
    if law is not None:
        return lambda c: float(law.cdf(truth + c * sigma) - law.cdf(truth - c * sigma))
    rng = stream(seed, "trials", number)
    drawn = mechanism.release(data, scenario.epsilon, scenario.at, trials, rng=rng)[:, 0]
    return lambda c: float(np.mean(abs(drawn - truth) <= c * sigma))


@pytest.mark.parametrize(("parameter", "values"), [("n", [9, 14]), ("epsilon", [12.0, 30.0])])
def test_a_sweep_is_what_the_loops_say(parameter, values):
    mechanisms = [
        OLS(),
        TheilSen(),
        NoisyStats(),
        NoisyIntercept(),
        DPExpTheilSen(),
        DPSSTheilSen(),
        DPGDPure(steps=4),
    ]
    frame = sweep(parameter, values, SMALL, mechanisms, datasets=7, trials=9, seed=3)
    assert tuple(frame.columns) == COLUMNS and len(frame) == len(values) * len(mechanisms)
    for row in frame.itertuples():
        (mechanism,) = (m for m in mechanisms if m.name == row.mechanism)
        scenario = varied(SMALL, parameter, row.value)
        withins = [literal_within(scenario, mechanism, number, 9, 3) for number in range(7)]
        ratios = [smallest_c(within) for within in withins]
        expected = statistics.mean(ratios), statistics.median(ratios)
        np.testing.assert_allclose((row.mean, row.median), expected, rtol=2e-5, atol=1e-9)
        pooled = smallest_c(
            lambda c, withins=withins: statistics.mean(within(c) for within in withins)
        )
        assert row.error == pytest.approx(pooled, rel=0.015 if row.exact else 0.15)
        assert row.low == pytest.approx(row.error - 1.959963985 * row.monte_carlo_error)
        assert (row.infinite_share, row.datasets, row.exact) == (
            0,
            7,
            not isinstance(mechanism, DPGDPure),
        )


@pytest.mark.parametrize("mechanism", [cls() for cls in MECHANISMS], ids=lambda m: m.name)
def test_the_first_point_alone_has_the_law_it_has_among_all(mechanism):
    at = (0.3, 0.1, 0.9)
    alone = mechanism.first_point_alone(Budget(3.0, at))
    if isinstance(mechanism, JointTheilSen):  # pays for something once for all points
        assert alone == Budget(3.0, at)
    else:
        assert alone.at == at[:1]
    there, here = mechanism.law(PLAIN, 3.0, at)[0], mechanism.law(PLAIN, alone.epsilon, alone.at)[0]
    if there is not None:
        t = np.linspace(-1, 2, 301)
        np.testing.assert_allclose(here.cdf(t), there.cdf(t), atol=2e-6)


def test_draws_on_common_matchings_follow_the_mechanism():
    """And the same draws with the budget doubled, or on twice as many matchings, would be told apart."""
    data, budget = MODEL.replicate(0, 1), Budget(3.0, 0.3)
    asked = [
        Release(m, budget)
        for m in (TheilSen(k=2), DPExpTheilSen(k=2), DPWideTheilSen(k=2), DPSSTheilSen(k=2))
    ]
    others = [Release(OLS(), Budget(1.0, 0.3)), Release(TheilSen(), Budget(1.0, 0.3))]
    drawn = _matching_draws(data, [*asked, *others], 1, Run(3000))
    assert list(drawn) == asked
    for release in asked:
        mechanism = release.mechanism
        own = mechanism.release(data, 3.0, 0.3, 3000, rng=np.random.default_rng(8))[:, 0]
        assert stats.ks_2samp(drawn[release], own).pvalue > 1e-3
        other = replace(mechanism, k=6) if isinstance(mechanism, TheilSen) else mechanism
        wrong = other.release(data, 6.0, 0.3, 3000, rng=np.random.default_rng(8))[:, 0]
        assert stats.ks_2samp(drawn[release], wrong).pvalue < 1e-3


# ---------------------------------------------------------------- loaded data


def test_loaded_data_are_measured_against_ols():
    drawn = [DPExpTheilSen(k=2), DPGDPure()]
    mechanisms = [OLS(), TheilSen(), NoisyStats(), DPExpTheilSen(), *drawn]
    base = Scenario(source="upload", at=(0.25, 0.75))
    frame = sweep("epsilon", [5.0, 20.0], base, mechanisms, datasets=99, trials=40, data=PLAIN)
    assert (frame["datasets"] == 1).all() and frame["monte_carlo_error"].notna().all()
    for epsilon, rows in frame.groupby("value"):
        is_drawn = rows["mechanism"].isin([mechanism.name for mechanism in drawn])
        exact, others = rows[~is_drawn], rows[is_drawn]
        ratios = compare(PLAIN, mechanisms[:4], epsilon, trials=1).summary.query("at == 0.25")[
            "ratio"
        ]
        assert exact["error"].tolist() == pytest.approx(ratios.tolist(), rel=1e-6)
        assert exact["exact"].all() and (exact["low"] == exact["high"]).all()
        assert not others["exact"].any() and (others["low"] < others["high"]).all()


def batches_of(parameter, values, datasets, mechanisms=SOME, **more):
    plan = plan_sweep(parameter, values, MODEL, BUDGET, mechanisms)
    return sweep_batches(plan, Run(10), datasets, **more)


def test_a_sweep_is_taken_up_where_it_was_left():
    running = batches_of("epsilon", [1.0, 4.0], 12)
    kept = [next(running) for _ in range(3)]
    running.close()
    rest = list(batches_of("epsilon", [1.0, 4.0], 12, done=[batch.key for batch in kept]))
    assert not {batch.key for batch in kept} & {batch.key for batch in rest}
    whole = sweep("epsilon", [1.0, 4.0], SMALL, SOME, 12, 10)
    pd.testing.assert_frame_equal(combine([*rest, *kept]).frame, whole, check_exact=True)


def test_batches_that_do_not_belong_together_are_refused():
    one, other = (list(batches_of("epsilon", [1.0], 2, [m])) for m in SOME[:2])
    with pytest.raises(ValueError, match=r"^batches must be of one sweep"):
        combine(one + other)
    with pytest.raises(ValueError, match=r"^batches must not share data sets"):
        combine(one + one)


def test_an_error_is_infinite_where_too_many_of_all_releases_fail():
    """The mean over data sets already where they fail on one of them."""
    one, two = ([[1.0, 1.0], [2.0, np.inf], [3.0, last], [6.0, 2.0]] for last in (3.0, np.inf))
    measured = combine([made(one)])
    frame = measured.frame.set_index("mechanism")
    assert frame.loc["A", ["mean", "median", "infinite_share"]].tolist() == [3.0, 2.5, 0.0]
    assert frame.loc["B", ["mean", "median", "infinite_share"]].tolist() == [np.inf, 2.5, 0.25]
    measured = combine([made(two)])
    frame = measured.frame.set_index("mechanism")
    assert frame.loc["B", ["error", "low", "high"]].tolist() == [np.inf] * 3
    assert measured.at(1.0).difference_error("A", "B") == np.inf
