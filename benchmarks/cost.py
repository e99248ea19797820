"""Estimated against measured seconds of runs from small to large, and the table that the estimates are read off."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from dpslr_core.sources.linear import LinearModel

POINTS = tuple(np.linspace(0.1, 0.8, 8).tolist())
MODEL = LinearModel(1000, 0.03, 0.01)


def cpu(task: Callable[[], object]) -> float:
    """The CPU seconds of one call."""
    start = time.process_time()
    task()
    return time.process_time() - start
