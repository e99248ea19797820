"""Start: its stored numbers are those of Compare, and what is behind its links opens."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from dpslr_core import compare
from dpslr_core.experiments import same_people
from tests.cases.opened import ROOT, app


@pytest.mark.parametrize(("n", "epsilon"), [(250, 2.0), (50, 0.6), (500, 5.0)])
def test_the_stored_errors_and_lines_are_those_of_compare(n: int, epsilon: float):
    data = same_people.people(n)
    summary = compare(data, same_people.ALGORITHMS, epsilon, same_people.AT, trials=10).summary
    expected = summary[summary["at"] == 0.25].set_index("mechanism")["ratio"]
    tables = {
        name: table[(table["n"] == n) & (table["epsilon"] == epsilon)]
        for name, table in same_people.load().items()
    }
    pd.testing.assert_series_equal(
        tables["errors"].set_index("algorithm")["ratio"], expected, rtol=1e-3, check_names=False
    )
    for mechanism in same_people.ALGORITHMS:
        lines = tables["lines"][tables["lines"]["algorithm"] == mechanism.name]
        rng = np.random.default_rng(same_people.SEED)
        released = mechanism.release(data, epsilon, same_people.AT, same_people.LINES, rng=rng)
        np.testing.assert_allclose(lines[["quarter", "three_quarters"]], released, rtol=1e-3)


def test_every_link_leads_to_a_page():
    test = app("start")
    linked = re.findall(r'href="(\w+)\?', "\n".join(each.value for each in test.markdown))
    assert {
        "data",
        "small_areas",
        "guidance",
        "lesson",
        "paper",
        "findings",
        "methods",
        "compare",
    } == set(linked)
    assert all((ROOT / "pages" / f"{page}.py").exists() for page in linked)
    next(button for button in test.button if "Lesson plans" in button.label).click().run()
    assert any("Two plans for a class" in each.value for each in test.markdown)


def test_without_its_stored_numbers_the_doors_stay(monkeypatch: pytest.MonkeyPatch, tmp_path):
    load = same_people.load
    monkeypatch.setattr(same_people, "load", lambda: load(tmp_path / "start.json"))
    test = app("start")
    assert "start.json cannot be read" in test.warning[0].value
    assert [door.value for door in test.subheader] == ["I have data", "I teach", "I read the paper"]
