"""How many comparisons are kept: fewer where each takes much memory."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ui.runs import compare as runs


@pytest.mark.parametrize(("n", "store"), [(runs.FEW, "_compared"), (runs.FEW + 1, "_compared_of_many")])
def test_many_records_have_a_smaller_store(monkeypatch, n, store):
    for name in ("_compared", "_compared_of_many"):
        monkeypatch.setattr(runs, name, lambda private, *_, name=name: (name, private))
    scenario = SimpleNamespace(budget=None, trials=20, seed=1)
    for reproducible in (True, False):
        grouped, data = SimpleNamespace(reproducible=reproducible), SimpleNamespace(n=n)
        view = SimpleNamespace(scenario=scenario, grouped=grouped, data=data)
        assert runs._table(view) == (store, not reproducible)
