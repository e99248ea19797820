"""The first page of a report: the promise, what others chose with a source each, and areas that do not pass."""

from __future__ import annotations

import re
from math import exp, inf, isnan, nan

import pytest

from dpslr_core.guidance.decision import Decision
from dpslr_core.mechanisms import NoisyStats
from dpslr_core.privacy.accounting import Accounting, Budget, guarantee
from dpslr_core.text import memo
from tests.cases.decisions import by_hand
from tests.cases.readable import check_readable


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 16.0])
def test_the_promise_is_that_of_the_guarantee_and_the_larger_choices_are_counted(epsilon):
    said = memo.protects(guarantee(NoisyStats(), Budget(epsilon)), epsilon, areas=True)
    factor = float(re.search(r"= ([\d.,]+) times", said[0]).group(1).replace(",", ""))
    assert factor == pytest.approx(exp(epsilon), rel=6e-3) and "one person's record" in said[0]
    assert (
        "one area" in said[1]
        and "People with more than one record, even in different areas, lose more" in said[3]
    )
    larger = sum(float(each) > epsilon for _, each, _, _ in memo.PUBLISHED)
    assert f"choices that others published, {larger} " in said[-1]
    for sentence in said:
        check_readable(sentence)


def decision(name: str, **starts: float) -> Decision:
    """Of areas that pass from these epsilons on; where that is NaN there is no sampling error."""
    rows = [(area, name, 0.0 if isnan(e) else 0.1, e, inf) for area, e in starts.items()]
    return by_hand(rows, epsilon=4.0)


def test_areas_that_do_not_pass_are_named_with_what_to_do():
    said = memo.not_passing(decision("A", a=1.0, b=5.0, c=inf, d=nan))
    assert said[0].endswith("alone: b, c and d.") and said[3].startswith("Leave out d:")
    assert said[2].startswith(
        "For 1 area that is pooling. Only releases by CenteredStats are pooled: beside one by A"
    )
    assert memo.not_passing(decision("A", a=1.0)) == ()
    pooled = memo.not_passing(decision("CenteredStats", a=1.0, c=inf))
    assert pooled[2].startswith("For 1 area that is pooling. Pooling costs no further budget")
    late = {f"t{i:02}": 5.0 for i in range(40)}
    many = memo.not_passing(decision("A", a=1.0, **late))
    assert many[0].endswith("t11 and 28 more.") and many[0].count(",") == memo.MOST_NAMED - 1


def test_several_records_and_weaker_promises_are_said():
    promise = guarantee(NoisyStats(), Budget(2.0, accounting=Accounting(records=3)))
    said = memo.protects(promise, 2.0, areas=False)
    assert said[0].startswith(
        "If all 3 records of a person were different, no result would be more than e^2 = 7.39"
    )
    of_areas = memo.protects(promise, 2.0, areas=True)
    assert "People with more than 3 records, even in different areas, lose more." in of_areas
