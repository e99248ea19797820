"""What is said of the widths of intervals along a sweep, on a table made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
from readable import check_readable

from dpslr_core.mechanisms import (
    OLS,
    CenteredStats,
    CenteredStatsGaussian,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.scenario import Scenario
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.data import View
from dpslr_core.text.intervals import made_sentence, sweep_widths_sentence
from dpslr_core.text.sweep import SweepDescription

SOME = (OLS(), CenteredStats(), CenteredStatsGaussian(), NoisyStats(), NoisyIntercept())


def told(*rows: tuple[float, str, float], mechanisms=SOME) -> str:
    frame = pd.DataFrame(rows, columns=["value", "mechanism", "width"]).assign(parameter="n", two_ends=1.0)
    grouped, scenario = load_sample("bikes"), Scenario()
    view = View(scenario, grouped, "month 1, hour 3", grouped.dataset("month 1, hour 3"), grouped.x, grouped.y)
    described = SweepDescription("n", (30, 1200), scenario, mechanisms, 20, 50, None)
    said = sweep_widths_sentence(frame, described, view)
    check_readable(said)
    return said


FIRST = ((30, "OLS", 0.1), (30, "NoisyStats", np.inf), (30, "CenteredStats", 0.5), (30, "CenteredStatsGaussian", 0.2))
LAST = ((1200, "OLS", 0.02), (1200, "NoisyStats", 0.5), (1200, "CenteredStats", 0.03))


def test_the_narrowest_at_both_ends_stands_beside_ols():
    said = told(*FIRST, *LAST)
    assert "At n = 30 the narrowest private 95% interval is CenteredStats's, 5 times as wide as that of OLS (" in said
    assert "With a weaker guarantee it is CenteredStatsGaussian's, 2 times as wide as that of OLS." in said
    assert "At n = 1,200 the narrowest private 95% interval is CenteredStats's, 1.5 times as wide" in said
    assert "Where the line of NoisyStats stops, most intervals lack an end." in said


def test_a_flat_interval_does_not_compete_and_its_remark_is_said():
    said = told(*FIRST, *LAST, (30, "NoisyIntercept", 0.01), (1200, "NoisyIntercept", 0.01))
    assert "CenteredStats's, 5 times" in said and NoisyIntercept.interval_remark in said


def test_without_two_ends_it_says_so():
    said = told((30, "OLS", 0.1), (30, "NoisyStats", np.inf), (1200, "OLS", 0.02), (1200, "NoisyStats", np.inf))
    assert said.count("no private interval has two ends in half of the releases;") == 2


def test_only_weaker_guarantees_are_named_as_such():
    said = told(*((n, name, 0.2 + 0.1 * (name == "OLS")) for n in (30, 1200) for name in ("OLS", "NoisyStatsGaussian")),
                mechanisms=(OLS(), CenteredStats(), NoisyStatsGaussian()))  # fmt: skip
    assert "only algorithms with a weaker guarantee have intervals with two ends" in said


def test_it_says_how_they_are_made():
    assert "100 releases from each of 20 simulated data sets" in made_sentence(20, 100, False)
    assert made_sentence(1, 100, True).startswith("Medians over 100 releases.")
