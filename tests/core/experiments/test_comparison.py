"""compare, and the streams that keep experiments apart."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, compare, error_bound
from dpslr_core.experiments import SUMMARY_COLUMNS, error_bound_interval, release_stream
from dpslr_core.mechanisms import (
    MECHANISMS,
    OLS,
    DPExpTheilSen,
    DPGDPure,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
    TheilSen,
)
from dpslr_core.support.run import stream
from tests.cases.inputs import DATASETS, PLAIN

ALL = [cls() for cls in MECHANISMS]


def drawn_by(result, name):
    rows = result.draws[result.draws["mechanism"] == name]
    return rows.pivot(index="trial", columns="at", values="estimate").to_numpy()


# ---------------------------------------------------------------- streams


def test_a_stream_belongs_to_its_seed_and_all_its_keys():
    keys = [(0, "a", "b"), (1, "a", "b"), (0, "a", "c"), (0, "b", "a"), (0, "a"), (0,), (10, "a", "b")]
    first = [float(stream(*key).random()) for key in keys]
    assert len(set(first)) == len(keys)
    assert first == [float(stream(*key).random()) for key in keys]


@pytest.mark.parametrize("seed", [-1, 0.5, None, "1", True])
def test_a_seed_must_be_a_whole_number(seed):
    with pytest.raises(ValueError, match=r"^seed must be a whole number, 0 or more"):
        stream(seed, "a")


def test_adding_or_reordering_mechanisms_never_changes_anothers_numbers():
    some = [NoisyStats(), DPExpTheilSen(k=2)]
    alone = compare(PLAIN, some, 1.0, trials=20, seed=3)
    among = compare(PLAIN, [DPGDPure(), *reversed(some), *ALL[:2], NoisyIntercept()], 1.0, trials=20, seed=3)
    for mechanism in some:
        np.testing.assert_array_equal(drawn_by(alone, mechanism.name), drawn_by(among, mechanism.name))
    rows = [frame.summary.set_index(["mechanism", "at"]) for frame in (alone, among)]
    pd.testing.assert_frame_equal(rows[0], rows[1].loc[rows[0].index])


def test_seed_data_mechanism_and_hyperparameters_each_change_the_numbers():
    def drawn(data=PLAIN, mechanism=DPWideTheilSen(), seed=3):  # noqa: B008
        return drawn_by(compare(data, [mechanism], 1.0, trials=20, seed=seed), "DPWideTheilSen")

    np.testing.assert_array_equal(drawn(), drawn())
    moved = Dataset(PLAIN.x, [*PLAIN.y[:5], 0.901])
    for other in ({"seed": 4}, {"data": moved}, {"mechanism": DPWideTheilSen(theta=0.01000001)}):
        assert not np.isclose(drawn(), drawn(**other), atol=1e-4).any(), other


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (DPExpTheilSen(lower=0.0, upper=1.0), DPExpTheilSen(lower=0, upper=1)),
        (DPWideTheilSen(theta=0.25), DPWideTheilSen(theta=np.float64(0.25))),
        (TheilSen(k=2), TheilSen(k=np.int64(2))),
        (DPGDPure(start=(0.0, 1.0)), DPGDPure(start=(0, 1))),
    ],
)
def test_equal_mechanisms_draw_the_same_numbers(one, same):
    """1 from a JSON file, 1.0 from a slider and numpy.float64(1.0) from a frame are one hyperparameter."""
    assert one == same
    draws = [drawn_by(compare(PLAIN, [mechanism], 1.0, trials=20), mechanism.name) for mechanism in (one, same)]
    np.testing.assert_array_equal(*draws)


# ---------------------------------------------------------------- compare


@pytest.fixture(scope="module")
def result():
    return compare(PLAIN, [*ALL, DPExpTheilSen(k=1)], 2.0, at=(0.25, 0.75, 0.5), trials=60, seed=1)


def test_draws_are_the_releases_of_each_mechanisms_stream(result):
    for mechanism in (NoisyStats(), DPGDPure()):
        at = np.array([0.25, 0.75, 0.5])
        rng = release_stream(1, PLAIN, mechanism, 2.0, at)
        expected = mechanism.release(PLAIN, 2.0, at, 60, rng=rng)
        np.testing.assert_array_equal(drawn_by(result, mechanism.name), expected[:, [0, 2, 1]])


def test_summary_measures_against_ols_in_its_standard_errors(result):
    for row in result.summary.itertuples():
        assert row.center == PLAIN.predict(row.at)[0]
        assert row.standard_error == PLAIN.standard_error(row.at)[0]
        assert row.ratio == pytest.approx(row.c68 / row.standard_error)
        assert row.c68_low <= row.c68 <= row.c68_high and row.c68 <= row.c95
        assert 0 <= row.failure_rate <= 1
        law = result.laws.get((row.mechanism, row.at))
        assert row.exact == (law is not None and law.exact)
        if row.exact:
            assert row.c68 == row.c68_low == row.c68_high == law.error_bound(68, row.center)
            assert row.c95 == law.error_bound(95, row.center)
            assert row.failure_rate == law.failure
            assert row.bias == law.median - row.center


def test_without_a_law_the_trials_speak(result):
    rows = result.summary[result.summary["mechanism"] == "DPGDPure"]
    assert not rows["exact"].any()
    for row in rows.itertuples():
        draws = result.draws.query("mechanism == 'DPGDPure' and at == @row.at")["estimate"].to_numpy()
        assert row.c68 == error_bound(draws, row.center, 68)
        assert (row.c68_low, row.c68_high) == error_bound_interval(draws, row.center, 68)
        assert row.c95 == error_bound(draws, row.center, 95)
        assert row.bias == pytest.approx(np.median(draws) - row.center)
        assert row.failure_rate == 0


def test_frames_are_of_numbers_and_of_text_even_without_rows(result):
    empty = compare(PLAIN, [], 1.0)
    text = pd.Series([], dtype="str").dtype
    for comparison in (result, empty):
        assert comparison.draws.dtypes.tolist() == [text, np.float64, np.int64, np.float64]
    types = result.summary.dtypes
    assert pd.api.types.is_bool_dtype(types["exact"])
    assert set(types.drop(["mechanism", "exact", "how"])) == {np.dtype(float)}
    assert list(empty.summary.columns) == list(SUMMARY_COLUMNS) and empty.summary.empty and empty.laws == {}


def test_compare_where_ols_fails_has_no_center_and_infinite_bounds():
    frame = compare(DATASETS["constant x"], ALL, 1.0, trials=30).summary.set_index(["mechanism", "at"])
    assert frame["center"].isna().all() and frame["standard_error"].isna().all()
    assert np.isinf(frame["c68"]).all()
    assert (frame["failure_rate"]["OLS"] == 1).all() and (frame["failure_rate"]["DPExpTheilSen"] == 0).all()


def test_failed_trials_are_nan_and_counted():
    data = DATASETS["nearly constant x"]
    found = compare(data, [NoisyStats()], 1.0, at=[0.25], trials=4000)
    failed = found.draws["estimate"].isna().mean()
    assert failed == pytest.approx(found.summary["failure_rate"][0], abs=0.04)
    assert failed > 0.4


def test_another_epsilon_asks_for_what_the_records_alone_decide_no_second_time(monkeypatch):
    data = Dataset(*np.random.default_rng(3).random((2, 40)))
    compare(data, ALL, 1.0, trials=10)
    for name in ("sorted_lists", "every_estimate"):
        monkeypatch.setattr(f"dpslr_core.dataset.{name}", lambda *args: pytest.fail("pairs are formed anew"))
    monkeypatch.setattr(DPGDPure, "_target", lambda *args: pytest.fail("a target is computed anew"))
    assert (compare(data, ALL, 2.0, trials=10).summary["gap"] >= 0).any()


def test_compare_refuses_doubled_names():
    with pytest.raises(ValueError, match=r"mechanisms must have different names, got .*'NoisyStats'"):
        compare(PLAIN, [NoisyStats(), OLS(), NoisyStats()], 1.0)
