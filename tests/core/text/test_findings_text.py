"""The sentences of the Findings page say what their tables hold."""

from dataclasses import fields

import numpy as np
import pandas as pd

from benchmarks.findings import pure_mechanisms
from dpslr_core.guidance.findings import load
from dpslr_core.text import findings as text


def ratios(*values):
    return pd.DataFrame({"ratio": values, "newer": "DeepestLine", "paper": "NoisyStats"})


def test_settings_ahead_behind_and_even_are_counted():
    table = ratios(0.5, 0.94, 0.96, 1.04, 1.05, 1.2, 1.5, np.nan)
    assert text.ratio_headline(table).startswith("In 2 of 7 settings ")
    assert text.ratio_sentence(table) == (
        "In 2 settings the paper's NoisyStats is better. There the newer error "
        "is up to 1.5 times as large. In 3 settings the two are within 5%."
    )


def test_neighbouring_columns_of_the_same_kind_are_a_region_named_by_its_median():
    said = [
        "of the paper: error\nsmaller by a half",
        "newer: error\nsmaller by two thirds",
        "about equal",
    ]
    table = ratios(2.1, 0.31, 0.35, 0.34, 0.97, np.nan).assign(epsilon_nvar=[1.0, 2, 4, 4, 8, 16])
    regions = text.ratio_regions(table)
    assert regions[["first", "last", "columns"]].values.tolist() == [
        [1, 1, 1],
        [2, 4, 2],
        [8, 8, 1],
    ]
    assert regions["said"].tolist() == [f"NoisyStats\n{said[0]}", *said[1:]]


def test_the_sentence_on_held_out_data_counts_what_is_stored():
    table = load()["held_out"]
    sentence = text.held_out_sentence(table)
    for slope, rows in table.groupby("slope"):
        smaller, larger = (rows["ratio"] < 0.95).sum(), (rows["ratio"] > 1.05).sum()
        counts = f"smaller in {smaller} of {len(rows)} settings, and larger in {larger}."
        assert f"At slope {slope:g} the newer error is {counts}" in sentence
    assert text.held_out_table(table).shape == (8, 9)


def test_every_default_number_of_the_compared_algorithms_is_named_with_its_data():
    """What is left out is a switch that is off, all pairs, or the range that DPExpTheilSen is named with."""
    named = text.defaults_table().set_index("algorithm")["defaults"].str.cat(sep="; ")
    compared = [*pure_mechanisms(True), *pure_mechanisms(False)]
    shared = {"lower", "upper"}
    for mechanism in compared:
        for field in fields(mechanism):
            value = getattr(mechanism, field.name)
            if value is not None and not isinstance(value, bool) and field.name not in shared:
                assert f"{field.name} = " in named, (mechanism.name, field.name)
