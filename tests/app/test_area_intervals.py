"""The view "How sure" of the Small areas page: its numbers are the core's, in the units of y."""

from __future__ import annotations

import pytest
from opened import app, words

from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.coverage import load
from dpslr_core.experiments.released_intervals import area_widths, free_of_charge
from dpslr_core.mechanisms import CenteredStats, DeepestLine, DPExpTheilSen, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.intervals import area_widths_sentence, coverage_sentence
from ui.how_sure import NONE


def shown(algorithms, **query):
    return app(
        "small_areas", source="sample", sample="tracts", epsilon="16", area_details="How sure", algorithms=algorithms,
        **query,
    )  # fmt: skip


def test_the_numbers_are_those_of_the_core():
    test = shown(["NoisyStats", "CenteredStats"], look_at="0.75")
    sample = load_sample("tracts")
    widths = area_widths(split_groups(sample.frame).datasets, CenteredStats(), Budget(16.0), 1, 0)
    sentence = area_widths_sentence(widths, "CenteredStats")
    assert sentence in words(test)
    (picture,) = test.get("plotly_chart")
    assert picture.proto.alt == sentence
    table = next(frame.value for frame in test.dataframe if "two ends" in frame.value).set_index("area")
    first = widths.sort_values("ratio").iloc[0]
    row = table.loc[str(first["group"])]
    assert table.index[0] == str(first["group"]) and row["median width / width of OLS"] == first["ratio"]
    (width,) = (row[name] for name in table.columns if name.startswith("median width") and "/" not in name)
    assert width == pytest.approx(first["width"] * sample.y.scale)


def test_another_algorithm_can_be_chosen_and_its_remark_is_shown():
    test = shown(["NoisyStats", "CenteredStats"])
    test.selectbox(key="area_intervals_of").set_value("NoisyStats").run()
    assert not test.exception and "interval of NoisyStats is" in words(test)
    assert NoisyStats.interval_remark in words(test)


def test_how_often_such_intervals_held_the_line_is_said_in_words():
    assert coverage_sentence(load(), "CenteredStats", "fieller") in words(shown(["CenteredStats"]))


def test_without_an_algorithm_that_offers_intervals_it_says_so():
    test = shown(["DPExpTheilSen"])
    assert [message.value for message in test.info] == [NONE]
    assert free_of_charge([DeepestLine(), DPExpTheilSen(), NoisyStats()]) == [NoisyStats()]
