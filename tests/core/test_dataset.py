"""Dataset: checked once, never changed; OLS, Equation 3 and Theil-Sen against the definitions."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.pairs import ranks
from dpslr_core.pairs.grid import PublicGrid
from tests.cases.inputs import DATASETS
from tests.cases.tables import check_refused
from tests.reference import paper as reference

VARIED = [name for name, data in DATASETS.items() if np.ptp(data.x) > 0]
AT = [0.25, 0.75, 0.0, 1.0, 0.4]


def columns(data):
    return data.x.tolist(), data.y.tolist()


@pytest.mark.parametrize("name", VARIED)
def test_ols_is_its_definition(name):
    data = DATASETS[name]
    x, y = columns(data)
    tolerance = 1e-6 if name == "nearly constant x" else 1e-10
    assert data.nvar == pytest.approx(reference.nvar(x), rel=tolerance)
    assert data.var_x == pytest.approx(reference.nvar(x) / len(x), rel=tolerance)
    assert data.ncov == pytest.approx(reference.ncov(x, y), rel=tolerance, abs=1e-15)
    slope, intercept = reference.ols(x, y)
    assert data.slope == pytest.approx(slope, rel=tolerance, abs=1e-12)
    assert data.intercept == pytest.approx(intercept, rel=tolerance, abs=1e-12)
    np.testing.assert_allclose(
        data.predict(AT), [reference.predict(x, y, t) for t in AT], rtol=tolerance, atol=1e-10
    )
    expected = [reference.standard_error(x, y, t) for t in AT]
    np.testing.assert_allclose(data.standard_error(AT), expected, rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize("name", DATASETS)
def test_theil_sen_is_its_definition(name):
    data = DATASETS[name]
    expected = [reference.theil_sen(*columns(data), t) for t in AT]
    np.testing.assert_allclose(
        data.theil_sen(AT), [np.nan if v is None else v for v in expected], rtol=1e-12, atol=1e-12
    )


def test_theil_sen_answers_a_point_that_is_asked_twice_twice(monkeypatch):
    data = Dataset(DATASETS["tied x"].x, DATASETS["tied x"].y)
    by_lists = data.theil_sen([0.5, 0.5, 0.25])
    monkeypatch.setattr(ranks, "CROSSOVER", data.n)
    other = Dataset(data.x, data.y)
    np.testing.assert_allclose(other.theil_sen([0.5, 0.5, 0.25]), by_lists, atol=1e-9)


def test_pair_lists_asked_for_again_are_those_of_their_points_and_ends():
    data = Dataset(DATASETS["tied x"].x, DATASETS["tied x"].y)
    every = data.pair_lists(PublicGrid(-0.5, 1.5, np.array(AT)))
    np.testing.assert_array_equal(
        data.pair_lists(PublicGrid(-0.5, 1.5, np.array(AT[3:1:-1]))), every[3:1:-1]
    )
    np.testing.assert_array_equal(
        data.pair_lists(PublicGrid(0.25, 0.5, np.array(AT))), np.clip(every, 0.25, 0.5)
    )
    assert not every[0].flags.writeable


def test_constant_x_is_a_value():
    data = Dataset([0.1] * 7, np.linspace(0, 1, 7))
    assert data.nvar == 0 and data.ncov == 0 and data.var_x == 0
    for values in (data.slope, data.intercept, data.residual_sd):
        assert np.isnan(values)
    for ask in (data.predict, data.standard_error, data.theil_sen):
        assert np.isnan(ask(AT)).all()


def test_points_of_any_shape_a_user_may_hand_in():
    data = DATASETS["even n"]
    assert data.predict(0.25).shape == (1,)
    assert data.predict((0.25, 0.75)).shape == data.standard_error([0.25, 0.75]).shape == (2,)
    for wrong in ([], [[0.25, 0.75]], np.nan, [0.25, np.inf], None):
        for ask in (data.predict, data.standard_error, data.theil_sen):
            with pytest.raises(ValueError, match=r"^at must be one or more finite numbers"):
                ask(wrong)


WRONG = r"""
    [0.1, 1.2, 0.3] | [0, 0, 0] | x must lie in \[0, 1\], got 1.2 in row 1
    [0.1, 0.2, 0.3] | [0, 0, -0.5] | y must lie in \[0, 1\], got -0.5 in row 2
    [0.1, 0.2, 0.3] | [NaN, 0, 0] | y must be finite, got nan in row 0
    [0.1, 0.2, Infinity] | [0, 0, 0] | x must be finite, got inf in row 2
    [2, 3, 4] | [0, 0, 0] | x must lie in \[0, 1\], got 2.0 in row 0 \(2 more rows like it\)
    [0.1, 0.2, 0.3] | [0, 0] | x and y must have the same length, got 3 and 2
    [0.1, 0.2] | [0, 0] | x and y must have at least 3 records, got 2
    [] | [] | x and y must have at least 3 records, got 0
    [[0.1, 0.2, 0.3]] | [0, 0, 0] | x must be one-dimensional, got shape \(1, 3\)
    0.5 | 0.5 | x must be one-dimensional, got shape \(\)
    null | [0, 0, 0] | x must be one-dimensional
"""


def test_wrong_columns_are_refused_with_field_row_and_value():
    check_refused(Dataset, WRONG)


def test_a_data_set_is_a_copy_that_cannot_change():
    x, y = np.array([0.1, 0.5, 0.9]), np.array([0.0, 1.0, 0.3])
    data = Dataset(x, y)
    x[0] = 0.7
    assert data.x[0] == 0.1
    for column in (data.x, data.y):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0.5
    with pytest.raises(AttributeError):
        data.x = y


def test_digest_equality_and_hash_go_by_the_records_in_their_order():
    a, b = Dataset([0.0, 0.5, 1.0], [0.1, 0.2, 0.3]), Dataset([-0.0, 0.5, 1.0], (0.1, 0.2, 0.3))
    assert a == b and hash(a) == hash(b) and a.digest == b.digest
    assert len({a, b, Dataset([0.5, 0.0, 1.0], [0.2, 0.1, 0.3]), Dataset(a.y, a.x)}) == 3
    assert a != "a"
    assert a.digest != Dataset([0.0, 0.5, 1.0], [0.1, 0.2, 0.30000000000000004]).digest


def test_digest_is_the_same_in_every_version():
    """Caches and seeds hang on it."""
    data = Dataset([0.0, 0.5, 1.0], [0.25, 0.5, 0.75])
    assert data.digest == "c1108ea972c86d3f5d0a7c5a46232ea01b00501c3206da427dcf1f14d911f49a"


def test_a_record_is_replaced_in_a_neighbour_and_nowhere_else():
    data = Dataset([0.0, 0.5, 1.0], [0.2, 0.5, 0.6])
    neighbour = data.with_record(1, 0.25, 0.75)
    assert neighbour.x.tolist() == [0.0, 0.25, 1.0] and neighbour.y.tolist() == [0.2, 0.75, 0.6]
    assert data.x.tolist() == [0.0, 0.5, 1.0] and data.replaced(neighbour) == (
        (0.5, 0.5),
        (0.25, 0.75),
    )
    for place, x in ((3, 0.5), (-1, 0.5), (0, 1.5)):
        with pytest.raises(ValueError, match="x must lie" if place == 0 else "place"):
            data.with_record(place, x, 0.5)
