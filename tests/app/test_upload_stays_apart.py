"""What derives from an uploaded file is in its session's caches alone, on every page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.runtime.caching import cache_resource_api

from tests.cases.opened import app, bounded, fine, turned, upload

ROOT = Path(__file__).parents[2]
SHARED = {
    "_coverage",
    "collect_garbage",
    "turns",
}  # stores of files of the project, or of no results at all
PAGES = ("compare", "small_areas", "privacy", "guidance")


def table() -> str:
    rng = np.random.default_rng(5)
    x = rng.uniform(0, 1, 40)
    rows = [
        f"{('a', 'b')[i % 2]},{x[i]:.4f},{0.3 + 0.3 * x[i] + rng.normal(0, 0.05):.4f}"
        for i in range(40)
    ]
    return "\n".join(["g,x,y", *rows])


def stored() -> dict[str, set[str]]:
    """The keys in every store that all sessions share, by the name of its function."""
    shared = cache_resource_api._resource_caches._function_caches.get(None, {})
    return {cache.display_name: set(cache._mem_cache) for cache in shared.values()}


@pytest.fixture
def visited(monkeypatch):
    """A session with an upload, after its visit to the pages; the caches are empty at first (see conftest).

    The simulated areas, with which Small areas answers where a file has no groups, are there before: they are public.
    """
    fine(app("small_areas", epsilon="3", trials="20", algorithms=["OLS", "NoisyStats"]))
    test = app("data", source="upload", epsilon="3", trials="20", algorithms=["OLS", "NoisyStats"])
    test = bounded(upload(test, table()), x=(0, 1), y=(0, 1))
    before = stored()
    for page in PAGES:
        turned(test, page)
    return before, stored()


def test_no_shared_store_grows_by_an_upload(visited):
    before, after = visited
    grown = {
        name.rpartition(".")[2].removesuffix(", global")
        for name, keys in after.items()
        if keys - before.get(name, set())
    }
    assert grown <= SHARED


def test_the_same_pages_on_public_data_do_grow_shared_stores(monkeypatch):
    fine(app("compare", data_seed="77", trials="20", algorithms=["OLS", "NoisyStats"]))
    assert any("compare_one, global" in name and keys for name, keys in stored().items())


def test_results_are_kept_in_one_way_only():
    for path in (*ROOT.glob("ui/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"):
        if path.name not in ("cache.py", "work.py"):  # the second keeps no results
            assert "st.cache_" not in path.read_text(encoding="utf-8"), path
