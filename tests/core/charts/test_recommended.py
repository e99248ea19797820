"""The picture of a recommendation: errors split at the sampling error, long bars cut, one colour for the winner."""

from __future__ import annotations

import pytest

from dpslr_core import recommend
from dpslr_core.charts.recommended import FIRST, error_parts, first_names
from dpslr_core.charts.styles import style
from dpslr_core.charts.vega import GREY
from dpslr_core.mechanisms import DPExpTheilSen, NoisyIntercept, NoisyStats, NoisyStatsGaussian

MECHANISMS = (NoisyStats(), NoisyStatsGaussian(), DPExpTheilSen(), NoisyIntercept())


def test_bars_are_the_errors_of_candidates_split_at_one():
    recommendation = recommend(40, 0.03, 0.01, 4.0, mechanisms=MECHANISMS, datasets=3)
    picture = error_parts(recommendation, first_names(recommendation))
    rows = picture["datasets"]["rows"].set_index("algorithm")
    end = picture["layer"][0]["encoding"]["x"]["scale"]["domain"][1]
    assert rows.index.tolist() == [
        "without privacy",
        "DPExpTheilSen",
        "NoisyIntercept",
        "NoisyStats",
    ]
    assert len(first_names(recommendation)) <= FIRST
    for name in rows.index[1:]:
        times = recommendation.times(name)
        assert (
            rows.loc[name, "error"] == pytest.approx(min(times, end), rel=5e-3)
            and rows.loc[name, "anyway"] == 1
        )
        assert rows.loc[name, "words"].startswith("▸ ") == (times > end)
    assert rows.loc["without privacy", ["error", "words"]].tolist() == [1, "1"]
    assert rows["color"].tolist() == [GREY, style("DPExpTheilSen")["color"], GREY, GREY]
    evidence = recommendation.evidence.set_index("mechanism")
    shown = [float(words.split(" ± ")[0]) for words in rows["units"][1:]]
    assert shown == pytest.approx(evidence.loc[rows.index[1:], "error"].tolist(), rel=0.02)
