"""Ranked pictures: rows under headings, two axes for one error, and the evidence of a recommendation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, compare, recommend, simulate_linear
from dpslr_core.charts.ranked import evidence_rows, ranked_chart, ranked_evidence, ranked_rows
from dpslr_core.experiments.curves import each_cdf
from dpslr_core.experiments.ranking import ranking
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyIntercept, NoisyStats, NoisyStatsGaussian
from dpslr_core.sources.axis import Axis
from dpslr_core.support.run import Z95
from tests.cases.scenes import check_specification, dots, texts

MECHANISMS = [OLS(), NoisyStats(), NoisyStatsGaussian(), NoisyIntercept(), DPExpTheilSen()]
RIDES = Axis("rides", "rides", 0, 977)


def drawn(data, epsilon=2.0):
    """The specification of the picture, and the ranking that it shows."""
    comparison = compare(data, MECHANISMS, epsilon, at=0.25, trials=50, seed=0)
    ranked = ranking(comparison.summary, MECHANISMS, 0.25, epsilon)
    curves = each_cdf(comparison, 0.25, (0.0, 1.0))
    return ranked_chart(ranked, curves, ["NoisyStats"], (0.0, 1.0), RIDES), ranked


@pytest.fixture(scope="module")
def noisy():
    return drawn(Dataset(*simulate_linear(100, 0.03, 0.01, rng=np.random.default_rng(0))))


def test_a_file_has_the_rows_of_the_page(noisy):
    picture, ranked = noisy
    rows = ranked_rows(ranked, RIDES)
    check_specification(picture)
    check_specification(rows)
    assert rows["layer"] == picture["vconcat"][0]["layer"] and set(ranked["algorithm"]) <= set(texts(rows))
    pd.testing.assert_frame_equal(rows["datasets"]["rows"], picture["datasets"]["rows"])


def test_the_axis_above_has_round_numbers_of_rides_where_the_axis_below_has_them_in_standard_errors(noisy):
    picture, ranked = noisy
    positions = [part["encoding"]["x"] for part in picture["vconcat"][0]["layer"]]
    (above,) = [x["axis"] for x in positions if x.get("axis") and x["axis"].get("orient") == "top"]
    low, high = next(x["scale"]["domain"] for x in positions if "scale" in x)
    rides = np.array(above["values"]) * ranked["standard_error"].iloc[0] * 977
    assert len(rides) > 2 and all(low <= value <= high for value in above["values"])
    assert {f"{number:.6e}"[:8] for number in rides} <= {"1.000000", "2.000000", "5.000000"}


def test_without_a_sampling_error_there_is_no_axis_of_units_and_the_rows_say_why():
    x = np.array([0, 0.2, 0.5, 0.7, 1])
    picture, ranked = drawn(Dataset(x, 0.1 + 0.3 * x))
    check_specification(picture)
    assert ranked["standard_error"].iloc[0] == 0
    assert all(set(part["encoding"]) & {"x"} == {"x"} for part in picture["vconcat"][0]["layer"])
    assert all("scale" not in part["encoding"]["x"] for part in picture["vconcat"][0]["layer"])
    rows = picture["datasets"]["rows"]
    assert rows["words"].str.endswith("; no sampling error to compare with").sum() == (ranked["c68"] > 0).sum()
    low, high = picture["vconcat"][1]["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert high - low > 1e-3


def test_rows_and_curves_share_one_selection_and_the_sampling_error_is_a_curve_of_its_own(noisy):
    picture, ranked = noisy
    (parameter,) = picture["params"]
    assert parameter["name"] == "chosen" and parameter["select"]["fields"] == ["algorithm"]
    curves = picture["vconcat"][1]["layer"][0]["encoding"]["opacity"]["condition"]
    assert curves[0] == {"param": "chosen", "empty": False, "value": 1}
    points = picture["datasets"]["curves"]
    sampling = points[points["algorithm"] == "standard error"]
    center, error = (RIDES.from_unit(ranked["center"].iloc[0]), ranked["standard_error"].iloc[0] * RIDES.scale)
    shares = np.interp([center - error, center + error], sampling["estimate"], sampling["cdf"])
    assert shares == pytest.approx([0.159, 0.841], abs=0.01)


def test_bars_are_filled_as_far_as_noise_and_end_at_the_error(noisy):
    """In standard errors; what is left of the picture begins at its edge."""
    picture, ranked = noisy
    rows = picture["datasets"]["rows"].set_index("algorithm")
    for _, row in ranked.iterrows():
        drawn = rows.loc[row["algorithm"]]
        if row["algorithm"] == "OLS":  # no error, no bar
            assert drawn[["filled", "tick"]].isna().all() and drawn["words"]
            continue
        assert drawn["ratio"] == row["c68"] / row["standard_error"] >= drawn["filled"] >= drawn["start"]
        assert drawn["filled"] == max(min(row["noise"], row["c68"]) / row["standard_error"], drawn["start"])
        gap = row["gap"] / row["standard_error"]
        assert drawn["tick"] == gap if gap > drawn["start"] else np.isnan(drawn["tick"])
    assert rows.loc["NoisyStats", "filled"] == rows.loc["NoisyStats", "ratio"]  # all of it is noise
    assert rows.loc["DPExpTheilSen", "filled"] < rows.loc["DPExpTheilSen", "ratio"]


# A recommendation.


def rows_of(epsilon=4.0):
    mechanisms = [NoisyStats(), NoisyStatsGaussian(), DPExpTheilSen()]
    recommendation = recommend(40, 0.03, 0.01, epsilon, mechanisms=mechanisms, datasets=3)
    return recommendation, evidence_rows(recommendation).set_index("algorithm")


def test_rows_are_grouped_by_guarantee_the_best_of_each_first():
    recommendation, rows = rows_of()
    assert rows.index.tolist()[:3] == ["DPExpTheilSen", "NoisyStats", "NoisyStatsGaussian"]
    evidence = recommendation.evidence.set_index("mechanism")
    best = evidence.loc["DPExpTheilSen"]
    assert rows.loc["DPExpTheilSen", "error"] == best["error"]
    assert rows.loc["DPExpTheilSen", "high"] == best["error"] + Z95 * best["monte_carlo_error"]


def test_an_algorithm_without_an_error_has_words_in_place_of_a_dot():
    _, rows = rows_of(epsilon=0.5)
    assert np.isnan(rows.loc["NoisyStats", "error"])
    assert rows.loc["NoisyStats", "words"].startswith("too often without an answer on ")
    assert rows.loc["DPExpTheilSen", "words"] == ""


def test_a_recommendation_is_drawn_with_its_errors():
    """Dots on a logarithmic axis, each in the row of its name, which is written, under the heading of its guarantee."""
    recommendation, rows = rows_of()
    drawn = ranked_evidence(recommendation)
    check_specification(drawn)
    assert drawn["datasets"]["rows"].set_index("algorithm")["error"].to_dict() == rows["error"].to_dict()
    kinds = [label for label in drawn["layer"][2]["encoding"]["y"]["scale"]["domain"] if label not in rows.index]
    assert kinds == ["pure ε-differential privacy", "a weaker guarantee", "not private"]
    shown_dots, shown = dots(drawn), rows[rows["words"] == ""]
    assert set(rows.index) <= set(texts(drawn)) and len(shown_dots) == len(shown) >= 3
    assert [dot.color for dot in shown_dots] == shown["color"].tolist()
    assert np.corrcoef(np.log(shown["error"]), [dot.x for dot in shown_dots])[0, 1] == pytest.approx(1)
