"""The ranked picture of a recommendation, and the curves of noise against epsilon."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import check_specification, dots, texts

from dpslr_core import recommend
from dpslr_core.charts.evidence import evidence_rows, noise_curves, ranked_evidence
from dpslr_core.guidance.required_values import NoiseCurve, RequiredValue
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats, NoisyStatsGaussian
from dpslr_core.support.run import Z95


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


def test_the_picture_holds_the_rows():
    recommendation, rows = rows_of()
    drawn = ranked_evidence(recommendation)
    check_specification(drawn)
    assert drawn["datasets"]["rows"].set_index("algorithm")["error"].to_dict() == rows["error"].to_dict()
    kinds = [label for label in drawn["layer"][2]["encoding"]["y"]["scale"]["domain"] if label not in rows.index]
    assert kinds == ["pure ε-differential privacy", "a weaker guarantee", "not private"]


def test_curves_mark_where_the_target_is_reached():
    reached = NoiseCurve(RequiredValue("DPExpTheilSen", 2.0, 1e-3, 1e3), (0.5, 2.0, 5.0), (np.inf, 1.0, 0.5), 4)
    never = NoiseCurve(RequiredValue("NoisyIntercept", None, 1e-3, 1e3), (0.5, 5.0), (9.0, 8.0), 4)
    drawn = noise_curves([reached, never], 1.0, 3.0)
    check_specification(drawn)
    dots, points = drawn["datasets"]["reached"], drawn["datasets"]["points"]
    assert dots[["algorithm", "epsilon", "ratio"]].to_numpy().tolist() == [["DPExpTheilSen", 2.0, 1.0]]
    assert len(points) == 4 and np.isfinite(points["ratio"]).all()


def test_a_recommendation_is_drawn_with_its_errors():
    """Dots on a logarithmic axis, each in the row of its name, which is written."""
    recommendation, rows = rows_of()
    drawn = ranked_evidence(recommendation)
    shown_dots = dots(drawn)
    shown = rows[rows["words"] == ""]
    assert set(rows.index) <= set(texts(drawn)) and len(shown_dots) == len(shown) >= 3
    assert [dot.color for dot in shown_dots] == shown["color"].tolist()
    assert np.corrcoef(np.log(shown["error"]), [dot.x for dot in shown_dots])[0, 1] == pytest.approx(1)
