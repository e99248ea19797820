"""The view "Help each other" of Small areas: the numbers of pool_areas, and what it says where it cannot work."""

from __future__ import annotations

import numpy as np
import pytest
from opened import app, frame_with, seen, words

from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import errors_about_truth, rehearse_pooling
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import SimulatedState
from dpslr_core.sources.samples import load_sample
from dpslr_core.text import pooling as text

VIEW = {"area_details": "Help each other", "algorithms": ["CenteredStats", "NoisyStats"], "epsilon": "4"}


def test_it_shows_the_lines_of_pool_areas():
    test = seen("small_areas", source="sample", sample="tracts", **VIEW)
    datasets = split_groups(load_sample("tracts").frame).datasets
    pooled = rehearse_pooling(datasets, CenteredStats(), Budget(4.0), 0)
    here = pooled[pooled["at"] == 0.25]
    shown = frame_with(test, "weight").set_index("group")
    for column in ("released", "pooled", "low", "high"):
        np.testing.assert_allclose(shown[column].loc[here["group"]], here[column])
    sampling = float(np.median([data.standard_error([0.25])[0] for data in datasets.values()]))
    said = words(test)
    assert text.helped_sentence(here, sampling) in said and text.UNKNOWN_TRUTH in said
    assert text.REHEARSAL in said and text.FREE in said and all(line in said for line in text.NOT_FOR)
    pulled = frame_with(test, "its own share")
    away = (here["released"] - here["pooled"]).abs().to_numpy()
    assert pulled["area"].iloc[0] == here["group"].iloc[int(away.argmax())] and len(pulled) == 10


def test_on_a_simulated_state_the_error_about_the_truth_is_said():
    test = app("small_areas", source="state", tracts="50", **VIEW)
    source = SimulatedState(tracts=50)
    grouped = source.load()
    datasets = split_groups(grouped.frame).datasets
    pooled = rehearse_pooling(datasets, CenteredStats(), Budget(4.0), 0)
    everybody = split_groups(source.everybody(grouped.sizes)).datasets
    truth = {area: float(data.predict([0.25])[0]) for area, data in everybody.items()}
    errors = errors_about_truth(pooled[pooled["at"] == 0.25], datasets, truth)
    assert text.truth_sentence(errors) in words(test)
    assert errors.set_index("way")["rms"].idxmin() == "pooled"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"algorithms": ["NoisyStats"]}, "Pooling needs CenteredStats or CenteredStatsGaussian among the algorithms"),
        ({"source": "state", "tracts": "5"}, "at least 10 areas"),
    ],
)
def test_where_it_cannot_work_a_sentence_says_why(changes, sentence):
    test = app("small_areas", **{"source": "sample", "sample": "tracts"} | VIEW | changes)
    assert not test.exception and any(sentence in each.value for each in test.info)
