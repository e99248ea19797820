"""What all tests share: hypothesis without deadlines, for a busy machine must not fail a test, and what is slow."""

import os
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# `make test` tries 60 examples of each property, `make test-night` 240.
settings.register_profile("quick", deadline=None, max_examples=60)
settings.register_profile("night", deadline=None, max_examples=240)
settings.load_profile("quick")
os.environ.setdefault("DPSLR_SECONDS_AT_ONCE", "1000")  # pages answer without asking
# Two processes of tests on two cores: more threads would wait for one another. Before numpy is imported.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# Files that take longest, by CPU seconds: they come first, so that no process is left with one at the end.
LONGEST = (
    "test_golden",
    "test_seeded_faults",
    "test_small_areas",
    "test_called_public",
    "test_guidance_page",
    "test_pooling_view",
    "test_promised",
    "test_loss",
    "test_programs",
    "test_upload",
    "test_release_page",
    "test_hostile_links",
)
SERVED = {Path(__file__).parent / folder for folder in ("e2e", "serve")}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a browser or server processes are slow, and those of one file share them; long files come first."""
    for item in items:
        if item.path.parent in SERVED:
            item.add_marker("slow")
            item.add_marker(pytest.mark.xdist_group(item.path.name))
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


def pytest_collection_finish() -> None:
    """Components in the installed packages are sought once: AppTest does it for every app, in 0.15 s."""
    if "streamlit" in sys.modules:
        from streamlit.components.v2 import manifest_scanner

        manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
