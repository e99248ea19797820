"""Piecewise uniform laws, whatever the pieces: thin, empty, or of densities hundreds of orders of magnitude apart."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.laws.piecewise import PiecewiseUniform, piece_masses
from tests.reference.laws import by_bisection

pieces = st.integers(1, 8).flatmap(
    lambda count: st.tuples(
        st.lists(
            st.one_of(st.just(0.0), st.floats(1e-12, 2)), min_size=count, max_size=count
        ).filter(any),
        st.lists(st.floats(-900, 900), min_size=count, max_size=count),
    )
)


@given(pieces)
@settings(max_examples=200)
def test_piece_masses_in_whole_numbers_of_digits(made):
    """Against logarithms throughout: max-normalised, no density too small or too large."""
    lengths, log_density = np.array(made[0]), np.array(made[1])
    edges = np.append(0.0, np.cumsum(lengths))
    lengths = np.diff(edges)
    masses = piece_masses(edges, log_density)
    assert np.all(masses[lengths == 0] == 0)
    with np.errstate(divide="ignore"):
        log_mass = np.log(lengths) + log_density
    expected = np.exp(log_mass - log_mass.max())
    np.testing.assert_allclose(masses / masses.max(), expected, rtol=1e-9, atol=1e-280)


@given(pieces, st.floats(0, 100), st.floats(-3, 9))
@settings(max_examples=300)
def test_piecewise_error_bounds_whatever_the_pieces(made, q, center):
    lengths, log_density = made
    law = PiecewiseUniform(np.append(0.0, np.cumsum(lengths)), np.array(log_density))
    c = law.error_bound(q, center)  # q may be as small as floats get
    low, high = (
        by_bisection(law, min(max(q / 100 + error, 0), 1), center) for error in (-1e-12, 1e-12)
    )
    slack = 1e-11 * c + 4 * np.spacing(abs(center) + law.edges[-1])
    assert low - slack <= c <= high + slack
    assert c <= np.abs(law.edges - center).max() * (1 + 1e-11)
