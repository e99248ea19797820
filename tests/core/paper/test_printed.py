"""What stands in print: the transcriptions against definitions written another way, by hand, by draws, by a search."""

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import DPExpTheilSen, DPGDPure, DPWideTheilSen, NoisyStats
from dpslr_core.paper import printed
from dpslr_core.paper.claims import CLAIMS
from tests.reference import paper as reference

ENDS = (-0.5, 1.5)


@pytest.fixture(scope="module")
def data():
    return Dataset(*simulate_linear(250, 0.03, 0.01, rng=np.random.default_rng(0)))


def test_the_printed_descent_climbs_and_the_other_is_this_projects(data):
    released = DPGDPure().as_in_paper().release(data, 1e12, size=1, rng=np.random.default_rng(0))[0]
    assert printed.descent(data, sign=1.0) == pytest.approx(released, abs=1e-6)
    assert np.abs(printed.descent(data, sign=-1.0) - data.predict((0.25, 0.75))).min() > 5


def test_the_printed_loop_of_the_widened_mechanism_goes_back():
    edges = printed.widened_edges(np.array([0.2, 0.4, 0.6]), 0.05, *ENDS)
    # i = 0: z[0] = .15, z[2] = z[0] + .05 = .2; i = 1: z[1] = .35, then .4
    assert edges == pytest.approx([-0.5, 0.15, 0.4, 0.2, 1.5])


@pytest.mark.parametrize("count", [1, 4, 7])
def test_algorithm_three_has_the_masses_of_the_definition(count):
    z = np.sort(np.random.default_rng(count).uniform(0, 1, count))
    masses = np.exp(printed.exponential_log_masses(z, 2.0, *ENDS))
    expected = [
        (right - left) * density for left, right, density in reference.median_density(z, 2.0, *ENDS)
    ]
    assert masses / masses.sum() == pytest.approx(expected)


def test_the_main_texts_sensitivity_by_hand():
    """m = 3: l = 1 alone counts, as e^-2 times the whole range is less: z[m+s] - z[m-2-s], s = 0, 1, 2."""
    z = np.array([0.1, 0.3, 0.4, 0.5, 0.9])
    at_one = np.exp(-1) * max(0.4 - 0.1, 0.5 - -0.5, 0.9 - -0.5)
    assert printed.main_text_sensitivity(z, 1, 1.0, *ENDS) == pytest.approx(at_one)


def test_both_forms_differ_by_a_half_on_a_short_list():
    z = np.array([-0.5, -0.5, 0.5, 1.5, 1.5])
    ours = reference.smooth_sensitivity(z, 2, 1.0, *ENDS)
    assert printed.main_text_sensitivity(z, 2, 1.0, *ENDS) / ours == pytest.approx(0.5)


def test_the_deviation_is_that_of_the_noise_in_releases(data):
    (deviation,) = (claim for claim in CLAIMS if claim.key == "noisy-stats-deviation")
    released = NoisyStats().release_statistics(
        data, 1.0, size=200_000, rng=np.random.default_rng(0)
    )
    assert np.std(released.ncov) == pytest.approx(deviation.compute(), rel=0.02)


def test_clipped_gradients_change_by_what_random_records_approach():
    rng = np.random.default_rng(0)
    x, residual = rng.random((2, 200_000)), rng.uniform(-1, 1, (2, 200_000)) * 10
    one, other = (
        np.clip(2 * e * np.stack([0.75 - a, a - 0.25]), -1, 1)
        for a, e in zip(x, residual, strict=True)
    )
    largest = np.abs(one - other).sum(axis=0).max(), np.sqrt(((one - other) ** 2).sum(axis=0)).max()
    assert printed.gradient_sensitivities() == pytest.approx(largest, rel=0.01)


@pytest.mark.parametrize("n", [6, 7])
def test_pairs_are_counted_as_the_reference_makes_them(n):
    played = reference.rounds(n)
    for matchings in (1, len(played)):
        distinct = {frozenset(pair) for one in played[:matchings] for pair in one}
        assert printed.pairs_in(n, matchings) == len(distinct)
    assert printed.matchings_of_all_pairs(n) == len(played)


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), DPWideTheilSen(theta=0.05)], ids=repr)
def test_mass_near_the_median_is_the_share_of_draws_there(mechanism):
    data = printed.coinciding()
    drawn = mechanism.release(data, 16.0, size=20_000, rng=np.random.default_rng(0))[:, 0]
    share = 100 * np.mean(np.abs(drawn - data.predict(0.25)[0]) <= 0.03)
    assert printed.mass_near_the_median(mechanism, 0.03) == pytest.approx(share, abs=1.5)


def test_the_even_median_moves_by_the_printed_factor():
    assert printed.moved_by_the_mean_of_two() == pytest.approx((1 + np.exp(0.5)) / 2)


def test_no_random_neighbours_change_the_sums_by_more():
    rng, worst = np.random.default_rng(0), np.zeros(2)
    for _ in range(5_000):
        x, y = rng.integers(0, 2, (2, 5)).astype(float)
        x[0], y[0] = rng.random(2)
        changed = x.copy(), y.copy()
        changed[0][0], changed[1][0] = rng.integers(0, 2, 2)
        one, other = Dataset(x, y), Dataset(*changed)
        worst = np.maximum(worst, [abs(one.nvar - other.nvar), abs(one.ncov - other.ncov)])
    allowed = np.array(printed.largest_changes())
    assert (worst <= allowed + 1e-12).all() and (worst > 0.9 * allowed).all()
