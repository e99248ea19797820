"""Results show themselves as one line and a short table, in a terminal and in a notebook."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, compare, decide, recommend, simulate_linear
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats
from dpslr_core.support.readable import format_amount
from dpslr_core.support.tables import SHOWN_ROWS, Shown

RNG = np.random.default_rng(3)
SETS = [Dataset(*simulate_linear(60, 0.03, 0.01, rng=RNG)) for _ in range(14)]
MECHANISMS = [NoisyStats(), DPExpTheilSen()]
FRAME = pd.concat(
    [pd.DataFrame({"group": f"a{i}", "x": each.x, "y": each.y}) for i, each in enumerate(SETS)]
)


def results() -> list[tuple[Shown, str, pd.Series]]:
    """A result of each kind, how its line begins, and numbers that its table has to show."""
    comparison = compare(SETS[0], MECHANISMS, 2.0)
    advised = recommend(60, 0.03, 0.01, 2.0, mechanisms=MECHANISMS, datasets=4)
    decision = decide(FRAME, MECHANISMS, 8.0)
    return [
        (comparison, "Comparison: 2 algorithms, 2 points", comparison.summary["c68"]),
        (advised, f"Recommendation: {advised.algorithm}", advised.evidence["error"]),
        (decision, f"Decision: {decision.mechanism}; 14 areas", decision.algorithms["target_from"]),
    ]


@pytest.mark.parametrize(("result", "line", "numbers"), results())
def test_a_result_is_one_line_and_a_short_table(result, line, numbers):
    text, page = repr(result), result._repr_html_()
    assert text.startswith(line) and page.startswith(f"<p>{line}") and page.count("<table") == 1
    assert len(text.splitlines()) <= SHOWN_ROWS + 3 and max(map(len, text.splitlines())) <= 120
    for number in numbers[np.isfinite(numbers)]:
        assert f" {format_amount(number, 4)}" in text and f">{format_amount(number, 4)}<" in page


def test_what_is_not_shown_is_counted_and_text_stays_text():
    class Long(Shown):
        def _shown(self):
            return "a < b", pd.DataFrame({"name": ["<i>"] * (SHOWN_ROWS + 5)})

    assert repr(Long()).endswith("\nand 5 more rows")
    assert "<p>a &lt; b</p>" in Long()._repr_html_() and "<i>" not in Long()._repr_html_()
