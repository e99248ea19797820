"""Lists sorted around their middles, against sorted lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core import pairs
from dpslr_core.pairs.matchings import PartiallySorted, Parts

RNG = np.random.default_rng(4)
ROWS = {
    "long": RNG.normal(size=(3, 20_001)),
    "long and even": RNG.normal(size=(3, 20_000)),
    "in order": np.sort(RNG.normal(size=(2, 30_000))),
    "periodic": np.tile(np.arange(30_000) % 10 / 10, (2, 1)),
    "a sample that misleads": np.where(np.arange(30_000) % 10 == 0, 9.0, RNG.normal(size=(2, 30_000))),
    "constant": np.ones((2, 20_000)),
    "two values": RNG.integers(0, 2, (3, 20_000)) * 1.0,
    "with NaN": np.where(RNG.random((3, 20_000)) < 0.1, np.nan, RNG.normal(size=(3, 20_000))),
    "nothing but NaN": np.full((2, 20_000), np.nan),
    "short": RNG.normal(size=(4, 10)),
    "more axes": RNG.normal(size=(2, 3, 11)),
    "one row": RNG.normal(size=20_000),
}


def in_order(found):
    return pairs.clip_and_place_ties(np.sort(found, axis=-1), -np.inf, np.inf)


@pytest.mark.parametrize("name", ROWS)
def test_around_is_the_middle_of_the_sorted_list(name):
    """Whatever was asked for before, more or less."""
    found, z = ROWS[name], in_order(ROWS[name])
    middles = PartiallySorted(found.copy())
    for reach in (2, 700, 100, 8000, 0, 1 << 20, 300):
        skip = max(z.shape[-1] // 2 - reach, 0)
        expected = z[..., skip : z.shape[-1] - skip]
        np.testing.assert_array_equal(middles.around(reach), expected)
        np.testing.assert_array_equal(PartiallySorted(found.copy()).around(reach), expected)


@pytest.mark.filterwarnings("ignore:All-NaN slice")  # of numpy's nanmedian, which is compared with
@pytest.mark.parametrize("name", ROWS)
def test_medians_are_those_of_the_sorted_list(name):
    found = ROWS[name]
    np.testing.assert_array_equal(PartiallySorted(found.copy()).medians(), np.nanmedian(found, axis=-1))


@pytest.mark.filterwarnings("ignore:All-NaN slice")  # of numpy's nanmedian, which is compared with
@given(st.lists(st.one_of(st.none(), st.floats(-5, 5), st.sampled_from([0.0, 1.0])), min_size=1, max_size=12))
def test_short_lists_with_pairs_without_a_slope(found):
    row = np.array([np.nan if value is None else value for value in found])
    np.testing.assert_array_equal(PartiallySorted(row.copy()).medians(), np.nanmedian(row))
    clipped = np.clip(PartiallySorted(row.copy()).around(20), -2, 2)
    np.testing.assert_array_equal(clipped, pairs.clip_and_place_ties(np.sort(row), -2, 2))


def test_whole_numbers_come_in_units_of_y():
    found = np.ceil(RNG.normal(0, 1e7, size=(2, 3, 20_000)))
    found[0, 1, :5] = np.nan
    for reach in (2, 300, 20_000):
        middles = PartiallySorted(found.copy(), 2.0**-24)
        np.testing.assert_array_equal(middles.around(reach), PartiallySorted(found.copy()).around(reach) * 2.0**-24)


@pytest.mark.parametrize("unit", [None, 1.0])
def test_lists_whose_middles_are_elsewhere_than_those_before(unit):
    """What was found in one row must not decide about the next."""
    moves = np.array([0, 1e9, -1e9, 0, 1e300, -np.inf, 0])[:, None]
    found = np.ceil(RNG.normal(0, 1e7, size=(7, 20_000))) + moves
    np.testing.assert_array_equal(PartiallySorted(found.copy(), unit).around(700), in_order(found)[:, 9300:10_700])


@pytest.mark.parametrize("count", [21, 20_000])
def test_parts_are_the_whole_and_are_formed_once(count):
    found = RNG.normal(size=(2, 6, count))
    found[1, 3, :4] = np.nan
    arriving = (found[:, a:b].copy() for a, b in ((0, 3), (3, 5), (5, 6)))
    parts, whole = PartiallySorted(Parts(arriving, 2, (3, 2, 1), count)), PartiallySorted(found.copy())
    assert parts.leading == whole.leading == (2, 6)
    for reach in (2, 300, 100, count):
        np.testing.assert_array_equal(parts.around(reach), whole.around(reach))
    np.testing.assert_array_equal(parts.medians(), np.nanmedian(found, axis=-1))
