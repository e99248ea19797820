"""Sweeps: against literal loops, common random numbers, batches, loaded data, crossings, the paper's panels."""

import statistics
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import PLAIN
from scipy import stats

from dpslr_core import Dataset, compare, pairwise, sweep
from dpslr_core.laws import Law
from dpslr_core.mechanisms import (
    MECHANISMS,
    OLS,
    ChooseByNoisyVariance,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
    TheilSen,
)
from dpslr_core.privacy import Spend
from dpslr_core.run import Budget, Run
from dpslr_core.scenario import Scenario
from dpslr_core.streams import stream
from dpslr_core.sweeps import (
    COLUMNS,
    RATIO,
    SweepBatch,
    batch_ranges,
    combine,
    plan_sweep,
    run_sweep,
    sweep_batches,
)
from dpslr_core.sweeps.crossings import Crossing, crossings
from dpslr_core.sweeps.measure import Release, _matching_draws, error_ratios, first_point
from dpslr_core.sweeps.settings import PAPER_SWEEPS, PARAMETERS

SMALL = Scenario(n=12, var_x=0.05, var_e=0.01, epsilon=6.0, at=(0.3, 0.8))
MODEL, BUDGET = SMALL.linear_model, SMALL.budget
SOME = (OLS(), TheilSen(), NoisyStats(), DPExpTheilSen(), DPExpTheilSen(k=2), DPGDzCDP(steps=5))


def curve(frame, mechanism, column="mean"):
    rows = frame[frame["mechanism"] == (mechanism if isinstance(mechanism, str) else mechanism.name)]
    return rows.set_index("value")[column]


# ---------------------------------------------------------------- what is measured


def smallest_c(within):
    """The smallest c with within(c) >= 0.68, by halving."""
    low, high = 0.0, 1.0
    while within(high) < 0.68:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if within(middle) >= 0.68 else (middle, high)
    return high


def literal_ratio(scenario, mechanism, number, trials, seed):
    """C_true(68) / sigma of one data set as it is defined, everything from the release at all points."""
    x, y = linear_reference(scenario, seed, number)
    data = Dataset(x, y)
    truth = scenario.slope * scenario.at[0] + scenario.intercept
    nvar = sum((a - x.mean()) ** 2 for a in x)
    sigma = (scenario.var_e * (1 / scenario.n + (scenario.at[0] - x.mean()) ** 2 / nvar)) ** 0.5
    law = mechanism.law(data, scenario.epsilon, scenario.at)[0]
    if law is not None and isinstance(mechanism, OLS | TheilSen):
        return abs(law.location - truth) / sigma
    if law is not None:
        return smallest_c(lambda c: float(law.cdf(truth + c) - law.cdf(truth - c))) / sigma
    rng = stream(seed, "trials", number)
    drawn = mechanism.release(data, scenario.epsilon, scenario.at, trials, rng=rng)[:, 0]
    return sorted(abs(drawn - truth))[int(np.ceil(0.68 * trials)) - 1] / sigma


def linear_reference(scenario, seed, number):
    x, y = [], []
    uniform, normal = stream(seed, "x", number), stream(seed, "e", number)
    for _ in range(scenario.n):
        a = 0.5 + (12 * scenario.var_x) ** 0.5 * (uniform.random() - 0.5)
        b = scenario.slope * a + scenario.intercept + scenario.var_e**0.5 * normal.standard_normal()
        x.append(min(max(a, 0), 1))
        y.append(min(max(b, 0), 1))
    return np.array(x), np.array(y)


@pytest.mark.parametrize(("parameter", "values"), [("n", [9, 14]), ("epsilon", [12.0, 30.0]), ("var_e", [0.002, 0.02])])
def test_a_sweep_is_what_the_loops_say(parameter, values):
    mechanisms = [OLS(), TheilSen(), NoisyStats(), NoisyIntercept(), DPExpTheilSen(), DPSSTheilSen(), DPGDPure(steps=4)]
    frame = sweep(parameter, values, SMALL, mechanisms, datasets=7, trials=9, seed=3)
    assert tuple(frame.columns) == COLUMNS and len(frame) == len(values) * len(mechanisms)
    for row in frame.itertuples():
        (mechanism,) = (m for m in mechanisms if m.name == row.mechanism)
        scenario = SMALL.model_copy(update={parameter: row.value})
        ratios = [literal_ratio(scenario, mechanism, number, 9, 3) for number in range(7)]
        error = statistics.stdev(ratios) / 7**0.5
        expected = (
            statistics.mean(ratios),
            error,
            statistics.mean(ratios) - 1.959963985 * error,
            statistics.median(ratios),
        )
        found = (row.mean, row.monte_carlo_error, row.low, row.median)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-9)
        assert (row.infinite_share, row.datasets, row.exact) == (0, 7, not isinstance(mechanism, DPGDPure))


@pytest.mark.parametrize("mechanism", [cls() for cls in MECHANISMS], ids=lambda m: m.name)
@pytest.mark.parametrize("at", [(0.3,), (0.3, 0.8), (0.3, 0.1, 0.9)])
def test_the_first_point_alone_has_the_law_it_has_among_all(mechanism, at):
    alone, budget = first_point(mechanism, Budget(3.0, at))
    epsilon, points = budget.epsilon, budget.at
    if isinstance(mechanism, ChooseByNoisyVariance):  # pays for the choice once, for the points in parts
        assert (epsilon, points) == (3.0, at)
    else:
        assert alone is mechanism and points == at[:1]
    there, here = mechanism.law(PLAIN, 3.0, at)[0], mechanism.law(PLAIN, epsilon, points)[0]
    if there is not None:
        t = np.linspace(-1, 2, 301)
        np.testing.assert_allclose(here.cdf(t), there.cdf(t), atol=2e-6)
        assert here.failure == pytest.approx(there.failure)
    else:
        drawn = [
            mechanism.release(PLAIN, e, p, 5, rng=np.random.default_rng(1)) for e, p in ((3.0, at), (epsilon, points))
        ]
        np.testing.assert_allclose(drawn[0][:, 0], drawn[1][:, 0])


TWO_POINTS = Budget(3.0, (0.1, 0.2))


def test_an_odd_ledger_is_asked_for_all_points():
    class Odd(NoisyIntercept):
        def ledger(self, epsilon, at=(0.25, 0.75)):
            return (*super().ledger(epsilon, at), *([None] * (len(at) + 1)))

    assert first_point(Odd(), TWO_POINTS) == (Odd(), TWO_POINTS)


def test_a_ledger_with_as_many_rows_as_points_may_still_not_be_theirs():
    """A row for the choice and one for all points: neither share would give the first point its law."""

    class Shared(NoisyIntercept):
        def ledger(self, epsilon, at=(0.25, 0.75)):
            return Spend("choice", 0.2 * epsilon), Spend(f"all of {len(at)} points", 0.8 * epsilon)

    assert first_point(Shared(), TWO_POINTS) == (Shared(), TWO_POINTS)
    assert first_point(DPExpTheilSen(), TWO_POINTS) == (DPExpTheilSen(), Budget(1.5, (0.1,)))


def test_draws_on_common_matchings_follow_the_mechanism():
    """And the same draws with the budget doubled, or on twice as many matchings, would be told apart."""
    data, budget = MODEL.replicate(0, 1), Budget(3.0, 0.3)
    asked = [Release(m, budget) for m in (TheilSen(k=2), DPExpTheilSen(k=2), DPWideTheilSen(k=2), DPSSTheilSen(k=2))]
    others = [Release(OLS(), Budget(1.0, 0.3)), Release(TheilSen(), Budget(1.0, 0.3))]
    drawn = _matching_draws(data, [*asked, *others], 1, Run(3000))
    assert list(drawn) == asked
    for release in asked:
        mechanism, (epsilon, at) = release.mechanism, (3.0, (0.3,))
        own = mechanism.release(data, epsilon, at, 3000, rng=np.random.default_rng(8))[:, 0]
        assert stats.ks_2samp(drawn[release], own).pvalue > 1e-3
        other = replace(mechanism, k=6) if isinstance(mechanism, TheilSen) else mechanism
        wrong = other.release(data, 2 * epsilon, at, 3000, rng=np.random.default_rng(8))[:, 0]
        assert stats.ks_2samp(drawn[release], wrong).pvalue < 1e-3


def test_mechanisms_share_their_matchings():
    data, budget = MODEL.replicate(0, 1), Budget(1e9, 0.3)
    asked = [Release(m, budget) for m in (TheilSen(k=2), DPExpTheilSen(k=2), DPExpTheilSen(k=2, upper=9.0))]
    plain, *private = _matching_draws(data, asked, 1, Run(40)).values()
    first, second = pairwise.random_matchings(12, 2, 40, stream(0, "matchings", 1))
    medians = [
        statistics.median(pairwise.estimates(data.x, data.y, *p, [0.3])[0]) for p in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(plain, medians, atol=1e-12)
    for draws in private:  # without privacy noise: between the two middle estimates
        assert np.corrcoef(draws, plain)[0, 1] > 0.9


# ---------------------------------------------------------------- common random numbers


def test_data_sets_share_their_noise():
    small, large = (replace(MODEL, **{"n": n}).replicate(4, 2) for n in (12, 100))
    np.testing.assert_array_equal(small.x, large.x[:12])
    np.testing.assert_array_equal(small.y, large.y[:12])
    quiet, loud = (replace(MODEL, **{"var_e": v, "n": 50}).replicate(4, 2) for v in (1e-4, 4e-4))
    np.testing.assert_array_equal(quiet.x, loud.x)
    np.testing.assert_allclose(loud.y - 0.5 * loud.x - 0.2, 2 * (quiet.y - 0.5 * quiet.x - 0.2), atol=1e-12)
    narrow, wide = (replace(MODEL, **{"var_x": v}).replicate(4, 2) for v in (0.01, 0.04))
    np.testing.assert_allclose(wide.x - 0.5, 2 * (narrow.x - 0.5), atol=1e-12)
    others = [MODEL.replicate(seed, number) for seed, number in ((4, 2), (4, 3), (5, 2))]
    assert len({data.digest for data in others}) == 3


def test_an_unaffected_curve_is_flat_and_no_other_mechanism_matters():
    some = (OLS(), NoisyStats(), DPExpTheilSen(k=3), DPGDPure(steps=4), DPWideTheilSen())
    frame = sweep("theta", [0.01, 0.1, 0.3], SMALL, some, datasets=4, trials=10)
    for mechanism in some[:-1]:
        assert curve(frame, mechanism).nunique() == 1
    assert curve(frame, some[-1]).nunique() == 3
    alone = sweep("theta", [0.1], SMALL, some[2:], datasets=4, trials=10)
    for mechanism in some[2:]:
        assert curve(alone, mechanism)[0.1] == curve(frame, mechanism)[0.1]


def test_draws_share_their_noise_across_values_and_mechanisms():
    """Each draws from the stream of its data set as if it were alone."""
    mechanisms = (DPGDPure(steps=4), DPGDzCDP(steps=4), DPGDApprox(steps=4))
    rows = error_ratios(plan_sweep("epsilon", [2.0, 4.0], MODEL, BUDGET, mechanisms).settings, 3, Run(20, 7))
    data, truth = MODEL.replicate(7, 3), 0.5 * 0.3 + 0.2
    sigma = (SMALL.var_e * (1 / 12 + (0.3 - data.x_mean) ** 2 / data.nvar)) ** 0.5
    for epsilon, row in zip((2.0, 4.0), rows, strict=True):
        for mechanism, ratio in zip(mechanisms, row["ratio"], strict=True):
            drawn = mechanism.release(data, epsilon, (0.3,), 20, rng=stream(7, "trials", 3))[:, 0]
            assert ratio == pytest.approx(sorted(abs(drawn - truth))[13] / sigma, rel=1e-12)


def test_pairing_makes_differences_surer():
    measured = run_sweep(plan_sweep("epsilon", [50.0], MODEL, BUDGET, [OLS(), NoisyStats()]), Run(), 60)
    (paired,) = measured.difference_errors("OLS", "NoisyStats").values()
    assert measured.difference_errors("NoisyStats", "OLS") == {50.0: paired}
    assert paired < 0.5 * np.hypot(*measured.frame["monte_carlo_error"])


# ---------------------------------------------------------------- parameters


CHANGED = {
    "n": [10, 20],
    "var_x": [0.01, 0.05],
    "var_e": [0.001, 0.01],
    "epsilon": [1.0, 10.0],
    "x_new": [0.0, 0.8, 0.3],  # 0.8 is the other point too
    "slope": [-0.2, 0.0, 0.5],
    "theta": [0.01, 0.2],
    "beta": [0.1, 0.8],
    "df": [1.0, 5.0],
    "k": [1, 4, 50],
    "width": [1.0, 8.0],
    "steps": [2, 10],
    "clip": [0.1, 1.0],
    "lower": [-5.0, 0.0],
    "upper": [1.0, 5.0],
    "delta": [1e-9, 1e-3],
}
AFFECTED = {
    "theta": ["DPWideTheilSen"],
    "beta": ["DPSSTheilSen"],
    "df": ["DPSSTheilSen"],
    "k": ["TheilSen", "DPWideTheilSen", "DPSSTheilSen"],
    "width": ["DPWideTheilSen", "DPSSTheilSen"],
    "lower": ["DPWideTheilSen", "DPSSTheilSen"],
    "upper": ["DPWideTheilSen", "DPSSTheilSen"],
    "steps": ["DPGDApprox"],
    "clip": ["DPGDApprox"],
    "delta": ["DPGDApprox"],
}
ONE_OF_EACH = (OLS(), TheilSen(), NoisyStats(), DPWideTheilSen(), DPSSTheilSen(), DPGDApprox(steps=4))


def test_every_parameter_has_a_case():
    assert set(CHANGED) == set(PARAMETERS)


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_each_parameter_goes_where_it_belongs(parameter):
    """A value in the sweep gives the numbers of a base, or of mechanisms, that have the value already."""
    values = CHANGED[parameter]
    frame = sweep(parameter, values, SMALL, ONE_OF_EACH, datasets=2, trials=10)
    affected = AFFECTED.get(parameter, [m.name for m in ONE_OF_EACH])
    moved = {m.name for m in ONE_OF_EACH if curve(frame, m).nunique() > 1}
    assert moved == set(affected) - ({"OLS", "TheilSen"} if parameter == "epsilon" else set())
    base, mechanisms, value = SMALL, list(ONE_OF_EACH), values[-1]
    if parameter == "x_new":
        base = base.model_copy(update={"at": (value, 0.8)})
    elif parameter == "width":
        bounds = {"lower": 0.5 - value / 2, "upper": 0.5 + value / 2}
        mechanisms = [replace(m, **bounds) if m.name in affected else m for m in mechanisms]
    elif parameter in AFFECTED:
        mechanisms = [replace(m, **{parameter: value}) if m.name in affected else m for m in mechanisms]
    else:
        base = base.model_copy(update={parameter: value})
    fixed = sweep("epsilon", [base.epsilon], base, mechanisms, datasets=2, trials=10)
    np.testing.assert_array_equal(frame[frame["value"] == value]["mean"], fixed["mean"])


def test_values_come_out_in_order_and_whole_ones_may_be_floats():
    frame = sweep("n", np.array([20.0, 10.0]), SMALL, [OLS()], datasets=2)
    assert frame["value"].tolist() == [10, 20] and pd.api.types.is_integer_dtype(frame["value"])


WRONG = [
    ({"parameter": "alpha"}, r"^parameter must be one of \['n', "),
    ({"parameter": "theta", "mechanisms": [OLS()]}, r"^parameter 'theta' must be a hyperparameter of one"),
    ({"values": []}, r"^values must be one or more finite"),
    ({"values": [1.0, np.nan]}, r"^values must be one or more finite"),
    ({"values": ["a"]}, r"^values must hold numbers only"),
    ({"values": [1.0, 1.0]}, r"^values must be different"),
    ({"values": [-1.0]}, r"epsilon"),
    ({"parameter": "n", "values": [10.5]}, r"^values must be whole numbers for n, got 10.5"),
    ({"parameter": "n", "values": [2]}, r"^n must be a whole number, 3 or more, got 2"),
    ({"parameter": "var_x", "values": [0.0]}, r"^var_x must be a finite number above 0"),
    ({"parameter": "var_e", "values": [0.0]}, r"^var_e must be a finite number above 0"),
    ({"parameter": "width", "values": [0.0]}, r"^width must be a finite number above 0"),
    ({"parameter": "lower", "values": [2.0]}, r"^lower must be below upper"),
    ({"parameter": "k", "values": [0]}, r"^k must be a whole number, 1 or more"),
    ({"base": {"n": 5}}, r"^base must be a Scenario"),
    ({"base": Scenario(source="upload")}, r"^data must be the loaded data set where base.source is 'upload'"),
    ({"parameter": "n", "data": PLAIN}, r"^parameter can be 'n' for simulated data only"),
    ({"mechanisms": []}, r"^mechanisms must hold one or more"),
    ({"mechanisms": [OLS(), OLS()]}, r"^mechanisms must have different names"),
    ({"datasets": 0}, r"^datasets must be a whole number, 1 or more"),
    ({"trials": 0}, r"^trials must be a whole number, 1 or more"),
    ({"seed": -1}, r"^seed must be a whole number, 0 or more"),
    ({"workers": 0}, r"^workers must be a number of processes"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_a_wrong_argument_is_named(wrong, message):
    right = {"parameter": "epsilon", "values": [1.0], "base": SMALL, "mechanisms": [OLS(), DPExpTheilSen()]}
    with pytest.raises(ValueError, match=message):
        sweep(**right | {"datasets": 2, "trials": 5} | wrong)


def test_batches_refuse_before_the_first():
    with pytest.raises(ValueError, match="block must be a whole number, 1 or more"):
        sweep_batches(plan_sweep("epsilon", [1.0], MODEL, BUDGET, [OLS()]), Run(), block=0)


# ---------------------------------------------------------------- batches and workers


def batches_of(parameter, values, datasets, mechanisms=SOME, **more):
    plan = plan_sweep(parameter, values, MODEL, BUDGET, mechanisms)
    return sweep_batches(plan, Run(10), datasets, **more)


def test_workers_give_the_same_bits():
    plan = plan_sweep("epsilon", [1.0, 8.0], MODEL, BUDGET, SOME)
    one, two = (run_sweep(plan, Run(10, 2, workers), 12) for workers in (1, 2))
    pd.testing.assert_frame_equal(one.frame, two.frame, check_exact=True)
    assert one.difference_errors("OLS", "NoisyStats") == two.difference_errors("OLS", "NoisyStats")


@pytest.mark.parametrize(("parameter", "values"), [("n", [9, 12]), ("epsilon", [1.0, 8.0])])
def test_neither_the_size_of_batches_nor_their_order_matters(parameter, values):
    whole = sweep(parameter, values, SMALL, SOME, datasets=7, trials=10)
    batches = list(batches_of(parameter, values, 7, block=3))
    assert [batch.key for batch in batches] == [(v, *ends) for ends in batch_ranges(7, 3) for v in values]
    for order in (batches, batches[::-1]):
        other = combine(order)
        pd.testing.assert_frame_equal(other.frame, whole, check_exact=True)
        assert [batch.first for batch in other.batches] == [0, 0]


def test_batches_depend_on_their_value_and_their_data_sets_alone():
    few = {batch.key: batch for batch in batches_of("epsilon", [4.0], 10)}
    many = {batch.key: batch for batch in batches_of("epsilon", [1.0, 4.0, 9.0], 15)}
    assert set(few) < set(many)
    for key, batch in few.items():
        np.testing.assert_array_equal(batch.ratios, many[key].ratios)


def test_a_sweep_is_taken_up_where_it_was_left():
    running = batches_of("epsilon", [1.0, 4.0], 12)
    kept = [next(running) for _ in range(3)]
    running.close()
    rest = list(batches_of("epsilon", [1.0, 4.0], 12, done=[batch.key for batch in kept]))
    assert not {batch.key for batch in kept} & {batch.key for batch in rest}
    whole = sweep("epsilon", [1.0, 4.0], SMALL, SOME, 12, 10)
    pd.testing.assert_frame_equal(combine([*rest, *kept]).frame, whole, check_exact=True)
    assert combine(kept).frame["datasets"].unique().tolist() == [10, 5]


def test_progress_counts_data_sets():
    seen = []
    sweep("n", [9, 12], SMALL, [OLS()], datasets=7, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(5, 14), (10, 14), (12, 14), (14, 14)]


def test_batches_that_do_not_belong_together_are_refused():
    one, other = (list(batches_of("epsilon", [1.0], 2, [m])) for m in (OLS(), TheilSen()))
    with pytest.raises(ValueError, match=r"^batches must be of one sweep"):
        combine(one + other)
    with pytest.raises(ValueError, match=r"^batches must not share data sets"):
        combine(one + one)
    assert combine([]).frame.empty and tuple(combine([]).frame.columns) == COLUMNS


# ---------------------------------------------------------------- the infinite


def made(ratios, value=1.0, parameter="epsilon", names=None):
    """A batch that holds these ratios, shape (data sets, mechanisms)."""
    ratios = np.asarray(ratios, dtype=float)
    measured = np.ones(ratios.shape, RATIO)
    for name in ("ratio", "low", "high"):
        measured[name] = ratios
    return SweepBatch(parameter, value, 0, names or tuple("ABC"[: ratios.shape[1]]), measured, True)


def test_one_infinite_ratio_makes_the_mean_infinite_and_is_told():
    measured = combine([made([[1.0, 1.0], [2.0, np.inf], [3.0, 3.0], [6.0, 2.0]])])
    frame = measured.frame.set_index("mechanism")
    assert frame.loc["A", ["mean", "median", "infinite_share"]].tolist() == [3.0, 2.5, 0.0]
    assert frame.loc["B", ["mean", "low", "high", "median", "infinite_share"]].tolist() == [np.inf] * 3 + [2.5, 0.25]
    assert np.isnan(frame.loc["B", "monte_carlo_error"])
    assert measured.difference_errors("A", "B") == {1.0: np.inf}


def test_noisy_stats_that_fails_too_often_is_infinite_without_a_warning():
    frame = sweep("epsilon", [0.5, 60.0], SMALL, [OLS(), NoisyStats()], datasets=4)
    assert curve(frame, "NoisyStats", "infinite_share").tolist() == [1.0, 0.0]
    assert curve(frame, "NoisyStats")[0.5] == np.inf == curve(frame, "NoisyStats", "median")[0.5]
    assert np.isfinite(curve(frame, "OLS")).all()


def test_one_data_set_has_no_error():
    row = sweep("epsilon", [2.0], SMALL, [OLS()], datasets=1).iloc[0]
    assert np.isfinite(row["mean"]) and np.isnan([row["monte_carlo_error"], row["low"], row["high"]]).all()


# ---------------------------------------------------------------- statistics


def test_ols_is_as_far_off_as_theory_says():
    """E|N(0, 1)| = 0.798 given x; in units of Equation 3's estimate it would be 1.10 at n = 5, by Student's t."""
    base = Scenario(n=5, var_x=0.05, var_e=1e-4, slope=0.3, intercept=0.3, at=(0.9,))
    row = sweep("epsilon", [1.0], base, [OLS()], datasets=1500).iloc[0]
    expected = np.sqrt(2 / np.pi)
    assert row["monte_carlo_error"] == pytest.approx(np.sqrt((1 - 2 / np.pi) / 1500), rel=0.1)
    assert abs(row["mean"] - expected) < 4 * row["monte_carlo_error"]
    for wrong in (expected * 2 / 3, expected * 1.5, 1.10):
        assert abs(row["mean"] - wrong) > 4 * row["monte_carlo_error"]


def test_error_against_the_truth_exceeds_privacy_noise_alone():
    """sqrt(sampling^2 + noise^2) roughly: with no privacy noise NoisyStats is OLS, with much it is farther off."""
    frame = sweep("epsilon", [20.0, 1e9], SMALL, [OLS(), NoisyStats()], datasets=20)
    assert curve(frame, "NoisyStats")[1e9] == pytest.approx(curve(frame, "OLS")[1e9], rel=1e-4)
    assert curve(frame, "NoisyStats")[20.0] > 1.2 * curve(frame, "OLS")[20.0]


# ---------------------------------------------------------------- loaded data


def test_loaded_data_are_measured_against_ols():
    mechanisms = [OLS(), TheilSen(), NoisyStats(), DPExpTheilSen(), DPExpTheilSen(k=2), DPGDPure()]
    base = Scenario(source="upload", at=(0.25, 0.75))
    frame = sweep("epsilon", [5.0, 20.0], base, mechanisms, datasets=99, trials=40, data=PLAIN)
    assert (frame["datasets"] == 1).all()
    for epsilon in (5.0, 20.0):
        summary = compare(PLAIN, mechanisms, epsilon, trials=10).summary
        expected = summary[(summary["at"] == 0.25) & summary["exact"]].set_index("mechanism")
        rows = frame[frame["value"] == epsilon].set_index("mechanism")
        for name in expected.index:
            assert rows.loc[name, "mean"] == pytest.approx(expected.loc[name, "ratio"], rel=1e-6)
            assert rows.loc[name, "low"] == rows.loc[name, "high"] == rows.loc[name, "mean"]
            assert rows.loc[name, "monte_carlo_error"] == 0 and rows.loc[name, "exact"]
        for name in ("DPExpTheilSen2Match", "DPGDPure"):
            row = rows.loc[name]
            assert row["low"] < row["mean"] < row["high"] and not row["exact"] and row["monte_carlo_error"] > 0
        matched = rows.loc["DPExpTheilSen2Match"]  # off an average of conditional laws: far surer than 40 trials
        assert matched["high"] - matched["low"] < 0.1 * matched["mean"]
    assert frame["monte_carlo_error"].notna().all()


def test_the_interval_of_loaded_data_is_infinite_with_few_trials():
    frame = sweep("epsilon", [5.0], SMALL, [OLS(), DPGDPure(steps=2)], trials=3, data=PLAIN)
    assert frame["high"].tolist()[1] == np.inf == frame["monte_carlo_error"].tolist()[1]
    assert frame["infinite_share"].tolist() == [0, 0]


# ---------------------------------------------------------------- crossings


def curves(values, first, second, noise=0.0, shared=0.0, parameter="n", datasets=400):
    """Pieces of two curves, whose ratios vary independently and together from data set to data set."""
    rng = np.random.default_rng(11)
    together, apart = rng.standard_normal((datasets, 1)), rng.standard_normal((datasets, 2))
    together, apart = together - together.mean(), apart - apart.mean(axis=0)
    batches = []
    for value, a, b in zip(values, first, second, strict=True):
        wobble = 1 + shared * together + noise * apart if np.isfinite([a, b]).all() else np.ones((datasets, 2))
        batches.append(made(np.array([a, b]) * wobble, float(value), parameter))
    return combine(batches)


VALUES = np.geomspace(10, 10_000, 7)


def test_power_laws_cross_exactly_where_they_do():
    frame = curves(VALUES, 20 / np.sqrt(VALUES), VALUES**-0.1)
    (crossing,) = crossings(frame, "A", "B")
    assert crossing.value == pytest.approx(20**2.5)  # 20 v^-1/2 = v^-1/10
    assert crossing.low == crossing.high == pytest.approx(crossing.value)
    assert (crossing.winner, crossing.loser) == ("A", "B")
    (mirrored,) = crossings(frame, "B", "A")
    assert mirrored == crossing
    assert crossing.sentence == "A overtakes B at n = 1,790"


def test_the_interval_is_that_of_paired_differences():
    """log(a / b) has the standard error noise sqrt(2 / N), whatever the two have in common."""
    a, b = 50 / np.sqrt(VALUES), np.full(7, 1.0)
    (crossing,) = crossings(curves(VALUES, a, b, noise=0.3, shared=0.0), "A", "B")
    half = 1.96 * 0.3 * np.sqrt(2 / 400) / 0.5  # in log n, where log(a / b) falls by 1/2 per unit
    assert crossing.value == pytest.approx(2500)
    np.testing.assert_allclose(
        np.log([crossing.low, crossing.high]), np.log(2500) + np.array([-half, half]), atol=0.1 * half
    )
    (paired,) = crossings(curves(VALUES, a, b, noise=0.03, shared=0.5), "A", "B")
    assert np.log(paired.high / paired.low) < 0.2 * 2 * half  # the common part cancels where the curves are equal


def test_intervals_cover_the_crossing():
    rng, hits = np.random.default_rng(3), 0
    for _ in range(200):
        wobble = rng.standard_normal((30, 2))
        batches = [
            made(np.array([20 / v**0.5, 1.0]) * np.exp(0.4 * wobble - 0.08), v, "n") for v in (100.0, 300.0, 900.0)
        ]
        found = crossings(combine(batches), "A", "B")
        hits += bool(found) and found[0].low <= 400 <= found[0].high
    assert 0.88 <= hits / 200 <= 0.99


def test_curves_that_do_not_cross_or_are_one():
    assert crossings(curves(VALUES, VALUES**-0.1, 2 * VALUES**-0.1), "A", "B") == []
    assert crossings(curves(VALUES, VALUES**-0.1, VALUES**-0.1), "A", "B") == []


def test_crossings_within_noise_are_none_and_two_sure_ones_are_two():
    touching = [2.0, 1.2, 0.999, 1.001, 0.999, 1.2, 2.0]
    assert crossings(curves(VALUES, touching, np.ones(7), noise=0.3), "A", "B") == []
    through = [2.0, 1.2, 0.999, 1.001, 0.999, 0.8, 0.5]
    (one,) = crossings(curves(VALUES, through, np.ones(7), noise=0.3), "A", "B")
    assert one.low < VALUES[2] < VALUES[4] < one.high and one.winner == "A"
    dip = [2.0, 1.2, 0.5, 0.4, 0.5, 1.2, 2.0]
    down, up = crossings(curves(VALUES, dip, np.ones(7), noise=0.3), "A", "B")
    assert (down.winner, up.winner) == ("A", "B") and down.high < up.low


def test_an_interval_may_go_on_to_the_end():
    a = [2.0, 1.5, 1.2, 1.1, 1.05, 1.01, 0.999]
    (crossing,) = crossings(curves(VALUES, a, np.ones(7), noise=0.3), "A", "B")
    assert crossing.high == np.inf and VALUES[3] < crossing.low < VALUES[6]
    assert "if at all: above" in crossing.sentence


def test_next_to_the_infinite_a_crossing_is_somewhere_between():
    a = [np.inf, np.inf, 0.5, 0.4, 0.3, 0.2, 0.1]
    (crossing,) = crossings(curves(VALUES, a, np.ones(7), noise=0.1), "A", "B")
    assert (crossing.low, crossing.high) == pytest.approx((VALUES[1], VALUES[2]))
    assert crossing.value == pytest.approx(np.sqrt(VALUES[1] * VALUES[2]))
    assert crossings(curves(VALUES, a, [np.inf, np.inf, *[1.0] * 5]), "A", "B") == []


def test_values_with_a_single_data_set_are_never_sure():
    batches = [
        made(np.ones((count, 1)) * [a, 1.0] + 1e-9 * np.arange(count)[:, None] * [1, -1], v, "n")
        for v, a, count in ((10.0, 4.0, 9), (20.0, 2.0, 1), (40.0, 0.5, 1), (80.0, 0.25, 9))
    ]
    (crossing,) = crossings(combine(batches), "A", "B")
    assert (crossing.low, crossing.value, crossing.high) == pytest.approx((10, np.sqrt(800), 80))
    (crossing,) = crossings(combine(batches[1:3]), "A", "B")
    assert (crossing.low, crossing.high) == (-np.inf, np.inf)


def test_equal_errors_at_a_value_are_a_crossing_there():
    (crossing,) = crossings(curves(VALUES, [4, 3, 2, 1, 0.5, 0.4, 0.3], np.ones(7)), "A", "B")
    assert crossing.value == pytest.approx(VALUES[3])


def test_points_are_not_on_a_logarithmic_scale():
    frame = curves([0.1, 0.3], [np.exp(1), np.exp(-1)], [1.0, 1.0], parameter="x_new")
    assert crossings(frame, "A", "B")[0].value == pytest.approx(0.2)


def test_a_crossing_that_is_known_is_found():
    """NoisyStats fails less and less: it overtakes NoisyIntercept, which is biased by the slope."""
    base = Scenario(n=40, var_x=0.05, var_e=0.02, slope=0.5, intercept=0.2, at=(0.1,))
    values, two = [2.0, 8.0, 32.0, 128.0], [NoisyStats(), NoisyIntercept()]
    measured = run_sweep(plan_sweep("epsilon", values, base.linear_model, base.budget, two), Run(), 20)
    (crossing,) = crossings(measured, "NoisyStats", "NoisyIntercept")
    assert crossing.winner == "NoisyStats" and 2 <= crossing.low <= crossing.value <= crossing.high <= 128
    assert crossing.sentence.startswith("NoisyStats overtakes NoisyIntercept at ε = ")


def test_crossings_refuse_what_they_cannot_read():
    frame = curves(VALUES, VALUES, np.ones(7))
    for arguments, message in (
        ((frame, "A", "C"), "^mechanism must be in the sweep, got 'C'"),
        ((frame, "A", "A"), "^mechanisms must be two different ones"),
    ):
        with pytest.raises(ValueError, match=message):
            crossings(*arguments)


@pytest.mark.parametrize(
    ("numbers", "parameter", "words"),
    [
        ((1241.3, 1152.0, 1338.0), "n", "A overtakes B at n = 1,240, between 1,150 and 1,340"),
        ((0.004132, 0.00225, 0.0106), "var_e", "A overtakes B at σₑ² = 0.00413, between 0.00225 and 0.0106"),
        ((9.6, 9.6, 9.6), "k", "A overtakes B at k = 10"),
        ((2.0, -np.inf, 3.0), "epsilon", "A overtakes B at ε = 2, if not before: below 3 this sweep cannot tell"),
        ((2.0, 1.0, np.inf), "epsilon", "A overtakes B at ε = 2, if at all: above 1 this sweep cannot tell"),
        ((2.0, -np.inf, np.inf), "slope", "A overtakes B at slope = 2, but this sweep cannot tell the two apart"),
    ],
)
def test_a_crossing_in_words(numbers, parameter, words):
    assert Crossing(*numbers, parameter, "A", "B").sentence == words


# ---------------------------------------------------------------- the paper


def test_the_papers_panels_are_all_there():
    assert [panel.key for panel in PAPER_SWEEPS] == [
        *("n", "var-x", "epsilon"),
        *(f"{product}-{what}" for product in (40, 216, 800) for what in ("var-e", "x-new")),
    ]
    ends = {panel.key: (min(panel.values), max(panel.values)) for panel in PAPER_SWEEPS}
    assert (ends["n"], ends["var-x"], ends["epsilon"]) == ((30, 10_000), (0.003, 0.03), (0.01, 10.0))
    for panel in PAPER_SWEEPS:
        if panel.key[0].isdigit():
            assert panel.base.epsilon * panel.base.n * panel.base.var_x == pytest.approx(int(panel.key.split("-")[0]))
        ranged = [m for m in panel.base.mechanisms if hasattr(m, "lower")]
        assert {(m.lower, m.upper, m.k) for m in ranged} == {(-2.0, 2.0, 10)} and panel.datasets == 500
    logs = np.log([PAPER_SWEEPS[i].values for i in range(3)])
    np.testing.assert_allclose(np.diff(logs), np.tile(np.diff(logs).mean(axis=1, keepdims=True), 9), rtol=0.05)


@pytest.mark.parametrize("panel", PAPER_SWEEPS, ids=lambda panel: panel.key)
def test_each_panel_runs(panel):
    frame = sweep(panel.parameter, panel.values[:2], panel.base, panel.base.mechanisms, datasets=1, trials=4)
    assert len(frame) == 2 * len(panel.base.mechanisms)
    assert curve(frame, "DPExpTheilSen10Match").gt(0).all()


def test_the_law_behind_a_ratio_is_exact_wherever_there_is_one():
    frame = sweep("epsilon", [3.0], SMALL, SOME, datasets=2, trials=5).set_index("mechanism")
    data = MODEL.replicate(0, 0)
    for mechanism in SOME:
        law = mechanism.law(data, 3.0, (0.3,))[0]
        assert frame.loc[mechanism.name, "exact"] == (isinstance(law, Law) and law.exact)
