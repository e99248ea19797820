"""What stands in print: the transcriptions against definitions written another way, and by hand."""

import numpy as np
import pytest
import reference

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import DPGDPure
from dpslr_core.paper.claims import printed

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
    expected = [(right - left) * density for left, right, density in reference.median_density(z, 2.0, *ENDS)]
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
