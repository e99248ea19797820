"""The sentences of the Findings page say what their tables hold."""

import pandas as pd
import pytest

from dpslr_core.guidance.findings import AREA_COLUMNS, MAP, load
from dpslr_core.text.guidance import findings as text


def ratios(*values):
    return pd.DataFrame({"ratio": values, "newer": "DeepestLine", "paper": "NoisyStats"})


def test_the_headline_counts_settings_beyond_a_tie():
    assert text.ratio_headline(ratios(0.5, 0.7, 0.97, 1.2)) == (
        "A newer algorithm beats the paper's best in 2 of 4 settings. "
        "Half of these errors are below 0.6 of the paper's."
    )
    assert text.ratio_headline(ratios(0.97, 1.2)) == (
        "In none of 2 settings is a newer algorithm better than the paper's best."
    )


def test_the_sentence_says_where_the_papers_remain_best():
    assert text.ratio_sentence(ratios(0.5, 0.97, 1.2, 1.5, None)) == (
        "Best newer algorithm: DeepestLine in 1. The paper's remain best in 2 settings (NoisyStats in 2); the best "
        "newer error is there up to 1.5 times as large. In 1 the two differ by at most 5%."
    )


def test_shapes_name_those_in_which_the_papers_are_better():
    shapes = pd.DataFrame(
        {"x_shape": ["uniform", "leverage"], "error_shape": ["normal"] * 2, "n": [60, 1000], "ratio": [0.5, 1.1]}
    )
    assert text.shapes_sentence(shapes) == (
        "A newer algorithm is better in 1 of 2 settings. The paper's is better with Gaussian errors and x with one "
        "record in twenty far out at n = 1,000."
    )
    assert text.shapes_sentence(shapes[:1]).endswith("in 1 of 1 settings, and the paper's in none.")


def test_areas_name_the_largest_gain_and_the_largest_loss():
    rows = [("Bike share", 2.0, 288, 0.7, 0.7, 0.25, 0.36, "DeepestLine"),
            ("A state", 2.0, 300, 0.4, 1.1, 0.5, 0.43, "CenteredStats")]  # fmt: skip
    said = text.areas_sentence(pd.DataFrame(rows, columns=AREA_COLUMNS))
    assert "gain most on bike share, at ε = 2: noise is below the sampling error in 36% of 288 areas" in said
    assert said.endswith("in 43% of 300 areas, with the paper's in 50%.") and "behind on a state" in said
    assert "behind" not in text.areas_sentence(pd.DataFrame(rows[:1], columns=AREA_COLUMNS))


@pytest.mark.parametrize("weaker", [False, True])
def test_stored_tables_can_be_told(weaker):
    tables = load()
    table = tables["map"][tables["map"]["weaker"] == weaker]
    assert "of 40 settings" in text.ratio_headline(table) and text.ratio_sentence(table)
    assert "20 simulated data sets" in text.ratio_caption(MAP)
    assert len(text.shape_table(tables["shapes"])) == len(tables["shapes"])
    assert text.area_table(tables["areas"])["newer better in"].str.endswith("%").all()
