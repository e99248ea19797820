"""Complete Theil-Sen and the deepest line on large data: seconds and peak memory, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from .timing import Row

JOB = """
import json, resource, time
import numpy as np
from benchmarks.core import data_of
from dpslr_core.mechanisms import {mechanism}
data = data_of({n})
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
{mechanism}().release(data, {epsilon}, rng=np.random.default_rng(0))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([time.perf_counter() - start, peak / 1024]))
"""
# Mechanism, n, epsilon, and what 1,000 releases may take: seconds, megabytes
ASKED = (
    ("DPExpTheilSen", 10_000, 1.0, 3, 300), ("DPWideTheilSen", 10_000, 1.0, 3, 300),
    ("DPSSTheilSen", 10_000, 1.0, 3, 300), ("DPExpTheilSen", 1_000_000, 1.0, 120, 1536),
    ("DeepestLine", 10_000, 0.05, 0.3, 300), ("DeepestLine", 1_000_000, 1e-3, 20, 500),
)  # fmt: skip


def rows() -> Iterator[Row]:
    """Measure 1,000 releases, laws included."""
    for mechanism, n, epsilon, seconds, megabytes in ASKED:
        job = JOB.format(mechanism=mechanism, n=n, epsilon=epsilon)
        done = subprocess.run(
            [sys.executable, "-c", job], capture_output=True, text=True, check=True
        )
        taken, peak = json.loads(done.stdout)
        yield Row(
            f"1,000 releases of {mechanism}, n = {n:,}, epsilon = {epsilon:g}",
            f"{taken:.2f} s, {peak:.0f} MB",
            f"{seconds:g} s, {megabytes} MB",
            taken < seconds and peak < megabytes,
        )
