"""Releases of areas drawn from a seed, to be pooled, and what pooling finds in other units."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import (
    drawn_releases,
    pooled_in_units,
    pooling_mechanism,
    rehearse_pooling,
)
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian, NoisyStats
from dpslr_core.privacy import Accounting, Budget
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.tracts import simulate_tracts
from dpslr_core.support.run import stream

TRACTS = simulate_tracts(tracts=14, rng=np.random.default_rng(0))
DATASETS = split_groups(TRACTS).datasets


def test_releases_of_an_area_belong_to_the_seed_and_its_label_and_spend_what_a_person_allows():
    label, data = next(iter(DATASETS.items()))
    found = drawn_releases(
        DATASETS, CenteredStats(), Budget(6.0, accounting=Accounting(records=3)), 5
    )[label]
    rng = stream(5, "pooled areas", label)
    assert found.ncov == CenteredStats().release_statistics(data, 2.0, 1, rng=rng).ncov


def test_the_first_algorithm_that_can_be_pooled_and_is_admitted_is_taken():
    every = [NoisyStats(), CenteredStatsGaussian(), CenteredStats()]
    assert pooling_mechanism(every, Budget(1.0)) == CenteredStatsGaussian()
    assert pooling_mechanism(every, Budget(1.0, accounting="pure")) == CenteredStats()
    with pytest.raises(
        ValueError,
        match="pooling needs CenteredStats or CenteredStatsGaussian among the algorithms",
    ):
        pooling_mechanism(every[:1], Budget(1.0))


def test_the_common_line_and_the_spreads_are_in_the_units_of_the_data():
    plain = rehearse_pooling(DATASETS, CenteredStats(), Budget(4.0))
    y = Axis("rent", "", 50, 250)
    units = pooled_in_units(plain, Axis("age", "", -10, 90), y).attrs
    assert units["spread_of_height"] == pytest.approx(200 * plain.attrs["spread_of_height"])
    assert units["spread_of_slope"] == pytest.approx(2 * plain.attrs["spread_of_slope"])
    assert units["slope"] == pytest.approx(2 * plain.attrs["slope"])
    assert units["origin"] == pytest.approx(100 * plain.attrs["origin"] - 10)
    assert units["height"] == pytest.approx(50 + 200 * plain.attrs["height"])
