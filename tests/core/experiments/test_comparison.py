"""compare, and the streams that keep experiments apart."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, compare
from dpslr_core.mechanisms import (
    MECHANISMS,
    DPExpTheilSen,
    DPGDPure,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
)
from tests.cases.inputs import PLAIN

ALL = [cls() for cls in MECHANISMS]


def drawn_by(result, name):
    rows = result.draws[result.draws["mechanism"] == name]
    return rows.pivot(index="trial", columns="at", values="estimate").to_numpy()


# ---------------------------------------------------------------- streams


def test_adding_or_reordering_mechanisms_never_changes_anothers_numbers():
    some = [NoisyStats(), DPExpTheilSen(k=2)]
    alone = compare(PLAIN, some, 1.0, trials=20, seed=3)
    among = compare(
        PLAIN, [DPGDPure(), *reversed(some), *ALL[:2], NoisyIntercept()], 1.0, trials=20, seed=3
    )
    for mechanism in some:
        np.testing.assert_array_equal(
            drawn_by(alone, mechanism.name), drawn_by(among, mechanism.name)
        )
    rows = [frame.summary.set_index(["mechanism", "at"]) for frame in (alone, among)]
    pd.testing.assert_frame_equal(rows[0], rows[1].loc[rows[0].index])


def test_seed_data_mechanism_and_hyperparameters_each_change_the_numbers():
    def drawn(data=PLAIN, mechanism=DPWideTheilSen(), seed=3):  # noqa: B008
        return drawn_by(compare(data, [mechanism], 1.0, trials=20, seed=seed), "DPWideTheilSen")

    np.testing.assert_array_equal(drawn(), drawn())
    moved = Dataset(PLAIN.x, [*PLAIN.y[:5], 0.901])
    for other in ({"seed": 4}, {"data": moved}, {"mechanism": DPWideTheilSen(theta=0.01000001)}):
        assert not np.isclose(drawn(), drawn(**other), atol=1e-4).any(), other


# ---------------------------------------------------------------- compare


@pytest.fixture(scope="module")
def result():
    return compare(PLAIN, [*ALL, DPExpTheilSen(k=1)], 2.0, at=(0.25, 0.75, 0.5), trials=60, seed=1)


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
