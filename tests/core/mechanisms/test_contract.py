"""What every mechanism promises, over all of MECHANISMS and variants with other hyperparameters."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
import reference
from cases import DATASETS, MECHANISM_CASES, PLAIN, WRONG_FIELDS
from scipy import stats

from dpslr_core import Dataset, mechanisms
from dpslr_core.laws import Law
from dpslr_core.mechanisms import (
    MECHANISMS,
    OLS,
    BudgetSplit,
    ChooseByNoisyVariance,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    MaximumObservedSensitivity,
    MechanismFamily,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
    TheilSen,
)
from dpslr_core.privacy import ZCDP, ApproxDP, NotPrivate, PureDP, Spend, zcdp_epsilon

each_mechanism = pytest.mark.parametrize("mechanism", MECHANISM_CASES.values(), ids=MECHANISM_CASES.keys())
each_class = pytest.mark.parametrize("cls", MECHANISMS, ids=lambda cls: cls.__name__)
AT = (0.25, 0.75, 0.4)
BASELINES = (OLS, TheilSen)
WORDS = "^{} must "


def draw(mechanism, data=PLAIN, epsilon=2.0, at=AT, size=7, seed=0):
    return mechanism.release(data, epsilon, at, size, rng=np.random.default_rng(seed))


def is_deterministic(mechanism):
    return isinstance(mechanism, OLS) or (isinstance(mechanism, TheilSen) and mechanism.k is None)


def same_law(one: Law | None, other: Law | None, rtol: float) -> bool:
    """Two laws as values: the same class, and the same numbers in every field."""
    if one is None or other is None:
        return one is other
    return type(one) is type(other) and all(
        np.allclose(getattr(one, f.name), getattr(other, f.name), rtol=rtol, atol=0, equal_nan=True)
        for f in dataclasses.fields(one)
        if f.init and isinstance(getattr(one, f.name), int | float | np.ndarray)
    )


# ---------------------------------------------------------------- releases


@each_mechanism
def test_shape_and_dtype(mechanism):
    for at, size in ((AT, 7), ([0.5], 1), (0.5, 3), (np.array([0.1, 0.1]), 2), ((-1.0, 2.0), 4)):
        released = draw(mechanism, at=at, size=size)
        assert released.shape == (size, np.size(at))
        assert released.dtype == np.float64


@each_mechanism
def test_defaults_are_a_thousand_pairs_at_the_quarters(mechanism):
    assert mechanism.release(PLAIN, 1.0, rng=np.random.default_rng(0)).shape == (1000, 2)
    assert len(mechanism.law(PLAIN, 1.0)) == len(mechanism.law(PLAIN, 1.0, (0.25, 0.75))) == 2


@each_mechanism
def test_a_seed_gives_the_same_numbers_and_another_seed_others(mechanism):
    first, again, other = draw(mechanism, size=50), draw(mechanism, size=50), draw(mechanism, size=50, seed=1)
    np.testing.assert_array_equal(first, again)
    assert np.array_equal(first, other, equal_nan=True) == is_deterministic(mechanism)


@each_mechanism
def test_trials_differ_from_each_other(mechanism):
    if not is_deterministic(mechanism):
        released = draw(mechanism, size=400)
        assert len(np.unique(released[~np.isnan(released).any(axis=1)], axis=0)) > 5


@each_mechanism
def test_data_and_points_are_left_alone(mechanism):
    at = np.array(AT)
    data = Dataset(PLAIN.x, PLAIN.y)
    mechanism.law(data, 1.0, at)
    draw(mechanism, data, at=at)
    assert data.digest == PLAIN.digest and at.tolist() == list(AT)
    np.testing.assert_array_equal(data.x, PLAIN.x)


@each_mechanism
def test_no_state_is_kept_between_calls(mechanism):
    """Releases for other data, points and budgets in between change nothing."""
    fresh = draw(type(mechanism)(**{f.name: getattr(mechanism, f.name) for f in dataclasses.fields(mechanism)}))
    draw(mechanism, DATASETS["tied x"], epsilon=9.0, at=[0.9], size=3, seed=5)
    np.testing.assert_array_equal(draw(mechanism), fresh)


@each_mechanism
@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, "a", None, [1.0, 2.0]])
def test_epsilon_must_be_a_finite_number_above_zero(mechanism, epsilon):
    with pytest.raises(ValueError, match=WORDS.format("epsilon")):
        draw(mechanism, epsilon=epsilon)
    with pytest.raises(ValueError, match=WORDS.format("epsilon")):
        mechanism.law(PLAIN, epsilon)


@each_mechanism
@pytest.mark.parametrize("at", [[], [math.nan], [0.1, math.inf], None, [[0.25, 0.75]]])
def test_at_must_be_finite_numbers(mechanism, at):
    for call in (lambda: draw(mechanism, at=at), lambda: mechanism.law(PLAIN, 1.0, at)):
        with pytest.raises(ValueError, match=WORDS.format("at")):
            call()


@each_mechanism
@pytest.mark.parametrize("size", [0, -3, 2.0, None, "ten", True])
def test_size_must_be_a_whole_number(mechanism, size):
    with pytest.raises(ValueError, match=WORDS.format("size")):
        draw(mechanism, size=size)


@each_mechanism
@pytest.mark.parametrize("rng", [None, 7, np.random.RandomState(7), np.random])
def test_rng_must_be_a_generator(mechanism, rng):
    with pytest.raises(ValueError, match=WORDS.format("rng")):
        mechanism.release(PLAIN, 1.0, rng=rng)
    with pytest.raises(TypeError):
        mechanism.release(PLAIN, 1.0)


@pytest.mark.parametrize("at", ["here", ["a", "b"], [[0.1], [0.2, 0.3]]])
def test_points_that_are_no_numbers_at_all_are_refused_by_name(at):
    with pytest.raises(ValueError, match=WORDS.format("at")):
        draw(OLS(), at=at)


def test_an_epsilon_given_as_text_is_refused():
    with pytest.raises(ValueError, match=WORDS.format("epsilon")):
        draw(NoisyIntercept(), epsilon="1")


# ---------------------------------------------------------------- values


@each_mechanism
def test_a_mechanism_is_a_frozen_hashable_value(mechanism):
    again = eval(repr(mechanism), vars(mechanisms))
    assert again == mechanism and hash(again) == hash(mechanism) and repr(again) == repr(mechanism)
    assert len({mechanism, again}) == 1
    for field in dataclasses.fields(mechanism):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(mechanism, field.name, getattr(mechanism, field.name))
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.more = 1


@each_mechanism
def test_name_is_the_class_and_its_matchings(mechanism):
    k = getattr(mechanism, "k", None)
    assert mechanism.name == type(mechanism).__name__ + (f"{k}Match" if k else "")


def test_cases_cover_every_mechanism_and_names_are_unique():
    assert {type(mechanism) for mechanism in MECHANISM_CASES.values()} == set(MECHANISMS)
    names = [cls().name for cls in MECHANISMS]
    assert len(set(names)) == len(names) == len(MECHANISMS)


@each_mechanism
def test_guarantee_is_the_kind_it_claims(mechanism):
    guarantee = mechanism.guarantee(1.7)
    match mechanism:
        case OLS() | TheilSen() | MaximumObservedSensitivity():
            assert isinstance(guarantee, NotPrivate) and guarantee.reason
        case NoisyStatsGaussian():
            assert guarantee == ZCDP(1.7**2 / 2)
        case DPGDApprox():
            assert guarantee == ApproxDP(1.7, mechanism.delta)
        case DPGDzCDP():
            assert guarantee == ZCDP(1.7**2 / 2)
        case _:
            assert guarantee == PureDP(1.7)


@each_mechanism
@pytest.mark.parametrize("at", [AT, [0.5], (0.25, 0.75)])
def test_ledger_adds_up_to_epsilon(mechanism, at):
    rows = mechanism.ledger(1.7, at)
    if isinstance(mechanism, BASELINES):
        assert rows == ()
        return
    assert all(isinstance(row, Spend) and row.what and row.share > 0 for row in rows)
    assert math.fsum(row.share for row in rows) == pytest.approx(1.7, rel=1e-12)


@each_class
def test_every_hyperparameter_has_what_a_form_needs(cls):
    for field in dataclasses.fields(cls):
        assert len(field.metadata["help"]) > 10 and field.metadata["help"].endswith(".")
        low, high, default = field.metadata["low"], field.metadata["high"], field.default
        assert field.metadata["step"] is None or field.metadata["step"] > 0
        values = default if isinstance(default, tuple) else () if default is None else (default,)
        assert all((low is None or low <= value) and (high is None or value <= high) for value in values)


@each_class
def test_the_ends_of_every_allowed_range_are_allowed(cls):
    for field in dataclasses.fields(cls):
        for end in (field.metadata["low"], field.metadata["high"]):
            if end is not None:
                released = draw(cls(**{field.name: end}), size=3)
                assert released.shape == (3, 3)


@each_class
def test_the_ledger_shows_how_the_budget_is_split(cls):
    mechanism, at = cls(), (0.1, 0.4, 0.9)
    all_points, first = mechanism.ledger(1.5, at), mechanism.ledger(1.5, at[:1])
    match mechanism.budget_split:
        case BudgetSplit.NO_BUDGET:
            assert all_points == ()
        case BudgetSplit.ONE_RELEASE:
            assert all_points == first != ()
        case BudgetSplit.EQUAL_SHARES:
            assert all_points == tuple(row for point in at for row in mechanism.ledger(0.5, (point,)))
        case BudgetSplit.TOGETHER:
            assert len(all_points) > len(first) and all_points[: len(first)] != first


def test_the_tuple_is_in_the_order_of_the_families():
    places = [cls.family.place for cls in MECHANISMS]
    assert places == sorted(places)
    assert {cls.family for cls in MECHANISMS} == set(MechanismFamily) - {MechanismFamily.OTHER}


@each_class
def test_baselines_and_methods_without_a_guarantee_are_of_their_families(cls):
    unprotected = cls.family in (MechanismFamily.BASELINE, MechanismFamily.NOT_PRIVATE)
    assert cls().guarantee(1.0).private is not unprotected


@each_class
def test_every_card_has_a_text_and_a_source(cls):
    assert cls.__doc__ and "$$" in cls.__doc__
    assert cls.source
    assert all(isinstance(note, str) and note for note in cls.corrections)


@pytest.mark.parametrize(
    ("cls", "wrong", "field"), WRONG_FIELDS, ids=[f"{cls.__name__}({wrong})" for cls, wrong, _ in WRONG_FIELDS]
)
def test_wrong_hyperparameters_are_refused_by_name(cls, wrong, field):
    with pytest.raises(ValueError, match=rf"^{field}(\[\d\])? must "):
        cls(**wrong)


def test_every_hyperparameter_is_checked():
    checked = {(cls, name) for cls, wrong, _ in WRONG_FIELDS for name in wrong}
    assert checked >= {(cls, field.name) for cls in MECHANISMS for field in dataclasses.fields(cls)}


@each_class
def test_numbers_given_as_text_are_refused(cls):
    """'10' < '9' as text: a form or a file that forgets to convert must not slip through."""
    for field in dataclasses.fields(cls):
        with pytest.raises(ValueError, match=rf"^{field.name}"):
            cls(**{field.name: "1"})


@pytest.mark.parametrize("cls", [DPGDPure, DPGDApprox, DPGDzCDP])
def test_a_start_of_the_wrong_kind_is_refused_and_a_list_is_as_good_as_a_tuple(cls):
    with pytest.raises(ValueError, match=r"^start must "):
        cls(start=0.5)
    assert cls(start=[0.2, 0.8]) == cls(start=(0.2, 0.8))
    assert hash(cls(start=[0.2, 0.8])) == hash(cls(start=(0.2, 0.8)))


# ---------------------------------------------------------------- what is released


def central_interval(data, point, mechanism, pairs=None):
    """Where the middle of the estimates lies: the two middle ones, or both neighbours of a single middle one."""
    z = reference.private_list(data.x.tolist(), data.y.tolist(), point, mechanism.lower, mechanism.upper, pairs)
    z, half = [mechanism.lower, *z, mechanism.upper], (len(z) + 1) // 2
    return (z[half], z[half + 1]) if len(z) % 2 == 0 else (z[half - 1], z[half + 1])


@each_mechanism
def test_without_noise_the_estimator_is_left(mechanism):
    """epsilon = 10^9. OLS and its noisy kin: the prediction to 10^-6; the mean: the same; descent: the noiseless
    descent to 10^-6 (DPGDApprox, whose rho only grows as epsilon, to 10^-3); private medians: anywhere in the
    middle gap of the estimates (widened: theta further), for that is the set of best outputs; smooth sensitivity:
    z_m to 10^-6. Where a noisy number chooses the algorithm, the true number does so now.
    """
    points, size = (0.25, 0.75), 40
    released = draw(mechanism, epsilon=1e9, at=points, size=size)
    if isinstance(mechanism, ChooseByNoisyVariance):
        large = (1 - mechanism.share) * 1e9 * reference.nvar(PLAIN.x.tolist()) > mechanism.threshold
        mechanism = NoisyStats() if large else DPExpTheilSen(mechanism.lower, mechanism.upper)
    x, y = PLAIN.x.tolist(), PLAIN.y.tolist()
    match mechanism:
        case OLS() | NoisyStats() | NoisyStatsGaussian() | MaximumObservedSensitivity():
            np.testing.assert_allclose(released, np.tile(PLAIN.predict(points), (size, 1)), atol=1e-6)
        case NoisyIntercept():
            np.testing.assert_allclose(released, np.full((size, 2), PLAIN.y_mean), atol=1e-6)
        case DPGDPure() | DPGDzCDP():
            silence = [(1e-12, 1e-12)] * mechanism.steps
            expected = reference.gradient_descent(x, y, silence, mechanism.clip, mechanism.start)
            tolerance = 1e-3 if isinstance(mechanism, DPGDApprox) else 1e-6
            np.testing.assert_allclose(released, np.tile(expected, (size, 1)), atol=tolerance)
        case _:
            k = mechanism.k
            drawn = [None] if k is None else reference.all_pair_sets(PLAIN.n, k)
            for i, point in enumerate(points):
                if isinstance(mechanism, TheilSen):
                    medians = [reference.theil_sen(x, y, point, pairs) for pairs in drawn]
                    intervals = [(median, median) for median in medians]
                elif isinstance(mechanism, DPSSTheilSen):
                    ends = mechanism.lower, mechanism.upper
                    kept = [reference.private_list(x, y, point, *ends, pairs) for pairs in drawn]
                    intervals = [(reference.lower_median(z),) * 2 for z in kept]
                else:
                    intervals = [central_interval(PLAIN, point, mechanism, pairs) for pairs in drawn]
                slack = 1e-6 + (mechanism.theta if isinstance(mechanism, DPWideTheilSen) else 0)
                low, high = np.array(intervals).T
                value = released[:, i, None]
                assert ((low - slack <= value) & (value <= high + slack)).any(axis=1).all()


@each_mechanism
@pytest.mark.parametrize("name", ["tied x", "odd n", "duplicated records"])
def test_laws_do_not_depend_on_the_order_of_the_records(mechanism, name):
    """Exactly so for the Theil-Sen family; sums over the records may round differently: one part in 10^12."""
    data = DATASETS[name]
    order = np.random.default_rng(3).permutation(data.n)
    if getattr(mechanism, "k", None) is not None:
        return  # the law is an average over drawn matchings; the draws themselves are compared below
    laws = mechanism.law(data, 2.0, AT)
    permuted = mechanism.law(Dataset(data.x[order], data.y[order]), 2.0, AT)
    rtol = 0.0 if hasattr(mechanism, "k") else 1e-12
    assert all(same_law(one, other, rtol) for one, other in zip(laws, permuted, strict=True))


@each_mechanism
def test_draws_do_not_depend_on_the_order_of_the_records(mechanism):
    order = [5, 2, 0, 4, 1, 3]
    one = draw(mechanism, size=20_000, at=[0.25])[:, 0]
    other = draw(mechanism, Dataset(PLAIN.x[order], PLAIN.y[order]), size=20_000, at=[0.25], seed=1)[:, 0]
    if is_deterministic(mechanism):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        return
    assert stats.fisher_exact([[np.isnan(v).sum(), (~np.isnan(v)).sum()] for v in (one, other)]).pvalue > 1e-3
    assert stats.ks_2samp(one[~np.isnan(one)].round(12), other[~np.isnan(other)].round(12)).pvalue > 1e-3


def reference_draws(mechanism, data, epsilon, at, size, rng):
    """Draws of the literal reference at one of two points that share epsilon, where there is no exact law."""
    x, y = data.x.tolist(), data.y.tolist()
    match mechanism:
        case NoisyStats():
            noise = rng.laplace(size=(size, 3)).tolist()
            found = [reference.noisy_stats(x, y, *row, at, lambda s: 3 * s / epsilon) for row in noise]
            return np.array([np.nan if value is None else value for value in found])
        case NoisyStatsGaussian():
            noise = rng.standard_normal((size, 3)).tolist()
            scale = math.sqrt(3 / (2 * epsilon**2 / 2))
            found = [reference.noisy_stats(x, y, *row, at, lambda s: s * scale) for row in noise]
            return np.array([np.nan if value is None else value for value in found])
        case DPGDPure() | DPGDzCDP():
            if isinstance(mechanism, DPGDPure):
                noise = rng.laplace(size=(size, mechanism.steps, 2)) * 4 * mechanism.clip * mechanism.steps / epsilon
            else:
                rho = epsilon**2 / 2
                if isinstance(mechanism, DPGDApprox):  # the rho whose epsilon it is, by bisection
                    low, high = 0.0, epsilon
                    for _ in range(100):
                        rho = (low + high) / 2
                        low, high = (rho, high) if zcdp_epsilon(rho, mechanism.delta) <= epsilon else (low, rho)
                noise = rng.standard_normal((size, mechanism.steps, 2)) * 2 * mechanism.clip
                noise /= math.sqrt(rho / mechanism.steps)
            ends = [reference.gradient_descent(x, y, row, mechanism.clip, mechanism.start) for row in noise.tolist()]
            return np.array([reference.on_line(*end, at) for end in ends])
    draws, share = [], epsilon / 2
    for _ in range(size):
        pairs = reference.random_pairs(data.n, mechanism.k, rng)
        if isinstance(mechanism, TheilSen):
            draws.append(reference.theil_sen(x, y, at, pairs))
            continue
        z = reference.private_list(x, y, at, mechanism.lower, mechanism.upper, pairs)
        if isinstance(mechanism, DPSSTheilSen):
            t, s = reference.student_noise(share, mechanism.df, mechanism.beta)
            spread = reference.smooth_sensitivity(z, mechanism.k, t, mechanism.lower, mechanism.upper)
            draws.append(reference.lower_median(z) + spread / s * rng.standard_t(mechanism.df))
        else:
            theta = getattr(mechanism, "theta", 0.0)
            pieces = reference.median_density(z, share / mechanism.k, mechanism.lower, mechanism.upper, theta)
            draws.append(reference.draw_from_density(pieces, rng))
    return np.array(draws)


@each_mechanism
def test_draws_follow_the_law_or_the_reference(mechanism):
    """Accepts the right scale, and rejects two thirds and three halves of it."""
    epsilon, point, other = 6.0, 0.25, 0.75
    draws = draw(mechanism, epsilon=epsilon, at=[other, point], size=20_000, seed=21)[:, 1]
    law = mechanism.law(PLAIN, epsilon, [other, point])[1]
    law = law if law is not None and law.exact else None
    if is_deterministic(mechanism):
        assert law is not None and set(draws.tolist()) == {law.location}
        return
    answered = draws[~np.isnan(draws)]
    middle = np.median(answered)
    if law is not None:
        assert stats.binomtest(int(np.isnan(draws).sum()), draws.size, law.failure).pvalue > 1e-3

        def pvalue(values):
            return stats.kstest(values, lambda t: law.cdf(t) / (1 - law.failure)).pvalue
    else:
        slow = reference_draws(mechanism, PLAIN, epsilon, point, 1500, np.random.default_rng(22))
        failed = [[np.isnan(v).sum(), (~np.isnan(v)).sum()] for v in (draws, slow)]
        assert stats.fisher_exact(failed).pvalue > 1e-3
        slow = slow[~np.isnan(slow)].round(12)  # equal medians of matchings must stay equal

        def pvalue(values):
            return stats.ks_2samp(values.round(12), slow).pvalue

    assert pvalue(answered) > 1e-3
    for factor in (2 / 3, 3 / 2):
        assert pvalue(middle + factor * (answered - middle)) < 1e-6


@each_mechanism
@pytest.mark.parametrize("epsilon", [1e-4, 1e6])
@pytest.mark.parametrize("name", ["even n", "odd n", "tied x", "nearly constant x", "all above the range", "corners"])
def test_extreme_budgets_give_numbers_or_failures_and_no_warning(mechanism, epsilon, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released = draw(mechanism, DATASETS[name], epsilon=epsilon, size=200)
        laws = mechanism.law(DATASETS[name], epsilon, AT)
        for law in laws:
            if law is not None and law.exact:
                t = law.ppf([0.01, 0.3, 0.5])
                assert not np.isnan(law.cdf(t)).any() and not np.isnan(law.logpdf(t)).any()
            if law is not None:
                assert law.error_bound(68, 0.5) >= 0
    assert not np.isinf(released).any()
    may_fail = isinstance(mechanism, NoisyStats | NoisyStatsGaussian | ChooseByNoisyVariance)
    may_fail = may_fail or mechanism == TheilSen(k=1)
    assert may_fail or not np.isnan(released).any()


@each_mechanism
@pytest.mark.parametrize("epsilon", [0.5, 1e6])
def test_constant_x_is_a_value_not_an_exception(mechanism, epsilon):
    """nvar = 0: OLS, Theil-Sen and what needs them say so with NaN; the others answer."""
    data = DATASETS["constant x"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released = draw(mechanism, data, epsilon=epsilon, size=300)
        laws = mechanism.law(data, epsilon, AT)
        bounds = [law.error_bound(68, 0.5) for law in laws if law is not None]
    match mechanism:
        case OLS() | TheilSen() | MaximumObservedSensitivity():
            assert np.isnan(released).all()
            assert all(law is None or law.failure == 1 for law in laws)
            assert all(bound == np.inf for bound in bounds)
        case NoisyStats() | NoisyStatsGaussian():
            assert 0.3 < np.isnan(released).mean() < 0.7  # the noise alone decides
            assert not np.isinf(released).any()
        case ChooseByNoisyVariance():  # fails where NoisyStats, if it is chosen, fails
            assert 0 <= np.isnan(released).mean() < 0.5 + 5 * math.sqrt(0.25 / 300)
            assert not np.isinf(released).any()
        case _:
            assert np.isfinite(released).all()
            assert all(np.isfinite(bounds))
