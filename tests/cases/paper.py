"""What the tests of the paper's figures share: where the UCI files are, and settings of a few data sets."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from dpslr_core.paper.figures import Amount
from dpslr_core.sources.samples import FOLDER_VARIABLE, find_uci

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def uci_or_skip(monkeypatch, key):
    """Let the UCI file be found; skips where this machine has none."""
    if not os.environ.get(FOLDER_VARIABLE) and SHARED.is_dir():
        monkeypatch.setenv(FOLDER_VARIABLE, str(SHARED))
    if find_uci(key) is None:
        pytest.skip(
            f"{key} is neither in ${FOLDER_VARIABLE}, nor in the download cache, nor in {SHARED}"
        )


def few(figure, datasets, trials=20, **changed):
    """The settings of a figure with so many data sets and trials."""
    return replace(figure.settings(changed), amount=Amount(datasets, trials))
