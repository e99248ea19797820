"""Laws made of others: a choice of two, drawn laws with an honest interval, a fallback, and clipping."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import Dataset, compare, error_bound, pairs, simulate_linear
from dpslr_core.laws import Gaussian, Laplace, PointMass, StudentT
from dpslr_core.laws.base import measure_together
from dpslr_core.laws.mixture import ClippedLaw, FallbackLaw, Mixture, draw_mixtures
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.laws.ratio import NoisySlopeLaw
from dpslr_core.mechanisms import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen, NoisyStats
from tests.cases.inputs import DATASETS
from tests.cases.pairs import pair_estimates, random_matchings
from tests.reference.laws import by_bisection, mass_within

QS = (5, 68, 95)
AWKWARD = ("even n", "tied x", "on a line", "three records", "duplicated records", "corners", "nearly constant x")
STEEP = PiecewiseUniform(np.array([-1.0, 0.0, 1e-13, 1.0]), np.array([0.0, 40.0, -3.0]))  # nearly a jump at 0


LAWS = (
    Laplace(0.2, 0.1),
    StudentT(0.5, 0.05, 3.0),
    PiecewiseUniform(np.array([-0.5, 0.1, 0.2, 1.5]), np.array([-3.0, 2.0, -1.0])),
)


def choices(data: Dataset, epsilon: float, probability: float, at=(0.3, 0.8)) -> list[Mixture]:
    both = zip(NoisyStats().law(data, epsilon, at), DPExpTheilSen().law(data, epsilon, at), strict=True)
    return [Mixture(laws, np.array([probability, 1 - probability])) for laws in both]


def area(n: int = 70, seed: int = 4) -> Dataset:
    return Dataset(*simulate_linear(n, 0.05, 0.04, rng=np.random.default_rng(seed)))


@pytest.mark.parametrize("probability", [1e-15, 0.3, 1 - 1e-9])
def test_a_choice_of_two_is_their_weighted_average(probability):
    law = choices(area(), 4.0, probability)[0]
    first, second = law.components
    t = np.linspace(-3, 4, 41)
    np.testing.assert_allclose(law.cdf(t), probability * first.cdf(t) + (1 - probability) * second.cdf(t), rtol=1e-12)
    density = probability * np.exp(first.logpdf(t)) + (1 - probability) * np.exp(second.logpdf(t))
    np.testing.assert_allclose(np.exp(law.logpdf(t)), density, rtol=1e-12)
    assert law.failure == pytest.approx(probability * first.failure, rel=1e-12)
    assert law.exact and law.how == "exact law" and law.error_bound_interval(68, 0.4) == (law.error_bound(68, 0.4),) * 2


PROBABILITIES, EPSILONS = (1e-16, 1e-6, 0.1, 0.6, 1 - 1e-7), (0.05, 3.0, 300.0)
# Each probability with every data set, and each epsilon with every one of both.
CHOSEN = [
    (name, EPSILONS[(i + j) % 3], probability)
    for i, name in enumerate(AWKWARD)
    for j, probability in enumerate(PROBABILITIES)
]


@pytest.mark.parametrize(("name", "epsilon", "probability"), CHOSEN)
def test_error_bounds_of_a_choice_hold_their_shares_and_no_more_alone_or_together(name, epsilon, probability):
    laws = choices(DATASETS[name], epsilon, probability)
    for away in (0.0, 0.3, -40.0):
        centers = [law.median + away * float(law.ppf(0.4) - law.ppf(0.1)) for law in laws]
        together = measure_together(laws, QS, centers)
        for law, center, (bounds, median) in zip(laws, centers, together, strict=True):
            (alone,) = measure_together([law], QS, [center])
            np.testing.assert_array_equal(bounds, alone[0])
            assert median == alone[1] == law.median
            answered = 1 - law.failure
            half, grain = 0.5 * answered, 1e-7 * float(law.ppf(0.7 * answered) - law.ppf(0.3 * answered))
            assert law.cdf(median - grain) - 1e-8 <= half <= law.cdf(median + grain) + 1e-8
            shares = np.array(QS) / 100
            possible = shares + 2e-11 <= 1 - law.failure
            assert (np.isinf(bounds) | (shares <= 1 - law.failure))[~possible].all()
            c, shares = bounds[possible], shares[possible]
            slack = 1e-7 * c + 8 * np.spacing(abs(center))
            assert (mass_within(law, c - slack, center) - 1e-8 <= shares).all()
            assert (shares <= mass_within(law, c + slack, center) + 1e-8).all()


def test_quantiles_of_laws_that_neither_fail_nor_share_anything():
    law = Mixture((StudentT(0.0, 3.0, 0.5), Laplace(5.0, 1e-3)), np.array([0.4, 0.6]))
    q = np.array([0, 1e-6, 0.1, 0.2, 0.5, 0.85, 0.999999, 1])
    t = law.ppf(q)
    np.testing.assert_allclose(law.cdf(t), q, rtol=1e-7)
    assert t[0] == -np.inf and t[-1] == np.inf and np.isnan(law.ppf([-0.1, 1.1, np.nan])).all()
    assert law.ppf(np.empty(0)).shape == (0,) and law.error_bound(100, 0.0) == np.inf


def test_bounded_laws_end_where_they_end():
    law = Mixture((PiecewiseUniform(np.array([0.0, 1.0]), np.zeros(1)), STEEP), np.array([0.5, 0.5]))
    np.testing.assert_allclose(law.ppf([0, 1e-9, 1]), [-1, law.ppf(1e-9), 1])
    assert law.error_bound(100, 0.5) == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize("probability", [0.002, 0.1, 0.5, 0.95])
@pytest.mark.parametrize("epsilon", [2.0, 16.0])
def test_numbers_of_a_small_area_take_few_evaluations(probability, epsilon, monkeypatch):
    evaluated, tails = [], NoisySlopeLaw.tails
    monkeypatch.setattr(NoisySlopeLaw, "tails", staticmethod(lambda *given: evaluated.append(1) or tails(*given)))
    data = area()
    laws = choices(data, epsilon, probability, (0.25, 0.75))
    measure_together(laws, (68, 95), data.predict([0.25, 0.75]).tolist())
    assert 1 <= len(evaluated) <= 7


def test_drawn_laws_count_alike():
    mixture = Mixture.of_draws(LAWS)
    t = np.linspace(-0.4, 1.4, 37)
    np.testing.assert_allclose(mixture.cdf(t), sum(law.cdf(t) for law in LAWS) / 3, rtol=1e-14)
    np.testing.assert_allclose(np.exp(mixture.logpdf(t)), sum(np.exp(law.logpdf(t)) for law in LAWS) / 3, rtol=1e-12)
    assert mixture.logpdf(np.array([1e9]))[0] < -20


def test_draws_follow_the_average():
    mixture = Mixture.of_draws(LAWS)
    draws = np.sort(mixture.sample(20_000, np.random.default_rng(3)))
    steps = np.arange(1, draws.size + 1) / draws.size

    def gap(values):
        return np.max(np.abs(mixture.cdf(values) - steps))

    assert gap(draws) < 1.63 / np.sqrt(draws.size)
    for wrong in (2 / 3, 3 / 2):
        assert gap(mixture.median + wrong * (draws - mixture.median)) > 1.63 / np.sqrt(draws.size)


def test_error_bounds_of_drawn_laws_that_jump():
    """Components with and without a jump: the bound is the smallest that holds the share."""
    law = Mixture.of_draws((PointMass(0.2), PointMass(0.5), Laplace(0.3, 0.01), StudentT(0.3, 0.01, 3.0)))
    for center in (0.2, 0.3, 0.5, 7.0):
        for q, c in zip((10, 30, 60, 90), law.error_bounds((10, 30, 60, 90), center), strict=True):
            assert c == pytest.approx(by_bisection(law, q / 100, center), rel=2e-6, abs=1e-12)


def test_drawn_laws_that_fail_now_and_then():
    """Each in another share of its releases: numbers are of the average with its average failure."""
    law = Mixture.of_draws([NoisyStats().law(area(), epsilon, (0.3,))[0] for epsilon in (1.0, 4.0, 30.0)])
    assert law.failure == pytest.approx(sum(part.failure for part in law.components) / 3) and law.failure > 0.05
    q = (1 - law.failure) * np.array([0.01, 0.5, 0.97])
    np.testing.assert_allclose(law.cdf(law.ppf(q)), q, rtol=1e-6)
    assert np.isnan(law.ppf(1 - 0.5 * law.failure)) and law.error_bound(99.9, 0.4) == np.inf
    for share in (10, 50, 68):
        assert mass_within(law, law.error_bound(share, 0.4), 0.4) == pytest.approx(share / 100, rel=1e-5)


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(k=3), DPWideTheilSen(k=1), DPSSTheilSen(k=3)])
def test_drawn_laws_agree_with_fresh_trials(mechanism):
    data = area(40)
    center = float(data.predict([0.25])[0])
    law = mechanism.law(data, 4.0, [0.25, 0.75])[0]
    trials = mechanism.release(data, 4.0, [0.25, 0.75], 40_000, rng=np.random.default_rng(5))[:, 0]
    low, high = law.error_bound_interval(68, center)
    measured = error_bound(trials, center, 68)
    assert 0.97 * low <= measured <= 1.03 * high
    assert not 0.97 * low <= measured * 2 / 3 <= 1.03 * high
    assert not 0.97 * low <= measured * 3 / 2 <= 1.03 * high


def test_the_stated_interval_covers():
    """Of averages of few laws about 95% of the intervals must hold the value from very many laws."""
    mechanism, data, center = DPExpTheilSen(k=1), area(40), 0.32
    many = draw_mixtures(conditional(mechanism, data, 0), [center], tolerance=0.0, most=4000)[0]
    truth = many.error_bound(68, center)
    hits = [
        low <= truth <= high
        for seed in range(1, 201)
        for low, high in [
            draw_mixtures(conditional(mechanism, data, seed), [center], 0.0, 64)[0].error_bound_interval(68, center)
        ]
    ]
    assert 0.90 <= np.mean(hits) <= 0.99


def conditional(mechanism, data, seed):
    """Conditional laws at one point with matchings of one's own seed, by the mechanism's public parts."""
    rng = np.random.default_rng(seed)

    def laws(count):
        matched = random_matchings(data.n, 1, count, rng)
        grid = mechanism.grid(np.array([0.25]))
        x, y = grid.positions(data.x), grid.positions(data.y)
        estimates = np.sort(pair_estimates(x, y, *matched, grid.heights), axis=-1)[0]
        lists = pairs.with_ends(pairs.clip_and_place_ties(estimates, *grid.range), *grid.range)
        return [[mechanism._median_law(edges, 4.0, 1, grid) for edges in lists]]

    return laws


def test_more_laws_are_drawn_until_the_tolerance_is_met():
    data = area(40)
    rough = draw_mixtures(conditional(DPExpTheilSen(k=1), data, 0), [0.32], tolerance=0.3)[0]
    fine = draw_mixtures(conditional(DPExpTheilSen(k=1), data, 0), [0.32], tolerance=0.05)[0]
    assert len(rough.components) < len(fine.components)
    low, high = fine.error_bound_interval(68, 0.32)
    assert high - low <= 0.1 * fine.error_bound(68, 0.32)


def test_the_law_is_the_same_every_time_and_its_error_is_in_the_summary():
    data, mechanism = area(40), DPExpTheilSen(k=3)
    assert mechanism.law(data, 2.0)[0].median == mechanism.law(data, 2.0)[0].median
    row = compare(data, [mechanism], 2.0).summary.iloc[0]
    assert not row["exact"]
    assert "drawn laws" in row["how"]
    assert row["c68_low"] < row["c68"] < row["c68_high"]


# ---------------------------------------------------------------- fallback and clipping

T = np.linspace(-3, 4, 41)


def failing(epsilon=1.0, at=0.25, name="nearly constant x"):
    return NoisyStats().law(DATASETS[name], epsilon, [at])[0]


@pytest.mark.parametrize("crude", [Laplace(0.4, 0.1), Gaussian(0.4, 2.0)])
def test_the_cdf_is_that_of_the_answers_and_the_share_of_the_other(crude):
    answered = failing()
    law = FallbackLaw.of(answered, crude)
    assert law.failure == 0 and law.fallback == answered.failure > 0.4 and law.exact
    np.testing.assert_allclose(law.cdf(T), answered.cdf(T) + answered.failure * crude.cdf(T), rtol=1e-13)
    density = np.exp(answered.logpdf(T)) + answered.failure * np.exp(crude.logpdf(T))
    np.testing.assert_allclose(np.exp(law.logpdf(T)), density, rtol=1e-12)


def test_a_law_that_never_fails_needs_no_fallback():
    assert FallbackLaw.of(Laplace(0.3, 1.0), Laplace(0.5, 1.0)) == Laplace(0.3, 1.0)
    assert FallbackLaw.of(PointMass(0.3), Laplace(0.5, 1.0)).failure == 0


def test_laws_with_a_fallback_are_solved_for_together():
    mechanism = NoisyStats(fallback=True)
    first, second = mechanism.law(DATASETS["tied x"], 3.0, (0.1, 0.8))
    assert first.kind == second.kind
    for law in (first, second):
        for q, center in ((30, 0.2), (68, 0.5), (95, 2.0)):
            c = law.error_bound(q, center)
            assert law.cdf(center + c) - law.cdf(center - c) == pytest.approx(q / 100, rel=1e-7)


@pytest.mark.parametrize("center", [0.4, 0.02, 0.97, -0.5, 1.2])
def test_bounds_of_a_clipped_law_that_fails(center):
    """By the quantiles of the law without bounds; a failure is infinitely far off."""
    inner = failing(8.0, name="tied x")
    law = ClippedLaw(inner, 0.0, 1.0)
    assert law.failure == inner.failure > 0.001 and law.cdf(1.0) == law.cdf(9.0) == 1 - inner.failure
    answers = np.clip(inner.ppf((np.arange(4000) + 0.5) / 4000 * (1 - inner.failure)), 0, 1)
    distances = np.sort(np.abs(answers - center))
    for q in (10, 50, 60, 80):
        if q / 100 < 1 - inner.failure:
            expected = distances[min(3999, int(q / 100 / (1 - inner.failure) * 4000))]
            assert law.error_bound(q, center) == pytest.approx(expected, abs=3e-3)
    assert law.error_bound(100, center) == np.inf
    assert np.isnan(law.sample(4000, np.random.default_rng(3))).mean() == pytest.approx(inner.failure, abs=0.03)
