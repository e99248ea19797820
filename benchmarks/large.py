"""Complete Theil-Sen on large data: seconds and peak memory, each in a process of its own.

``python -m benchmarks large``; the carbon data are looked for as the app does and left out where they are not.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator

from .timing import Row

JOB = """
import json, resource, sys, time
import numpy as np
from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import {mechanism}
import scipy.stats
{data}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
mechanism = {mechanism}()
laws = mechanism.law(data, {epsilon})
law_seconds = time.perf_counter() - start
for law in laws:
    law.sample(1000, np.random.default_rng(0))
seconds = time.perf_counter() - start
peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(json.dumps([law_seconds, seconds, peak, max(getattr(law, "cdf_error", 0.0) for law in laws)]))
"""
SYNTHETIC = "data = Dataset(*simulate_linear({n}, 0.03, 0.01, rng=np.random.default_rng(0)))"
CARBON = "from dpslr_core.sources.samples import load_uci; data = load_uci('nanotubes').dataset()"


def run(mechanism: str, data: str, epsilon: float) -> tuple[float, float, float, float] | None:
    """Seconds for the laws, with 1,000 draws, peak MB over import, cdf error; None where it could not run."""
    job = JOB.format(mechanism=mechanism, data=data, epsilon=epsilon)
    done = subprocess.run([sys.executable, "-c", job], capture_output=True, text=True, check=False)
    return tuple(json.loads(done.stdout)) if done.returncode == 0 else None


def rows() -> Iterator[Row]:
    """The figures of the rank queries."""
    for mechanism in ("DPExpTheilSen", "DPWideTheilSen", "DPSSTheilSen"):
        found = run(mechanism, CARBON, 1.0)
        aim, limit = ("under 3 s, 300 MB", 3.0) if mechanism == "DPExpTheilSen" else ("", math.inf)
        yield _row(
            f"complete {mechanism}, carbon (10,683), both laws and 1,000 draws",
            found,
            aim,
            limit,
            300,
        )
    taken = {}
    for n in (10_000, 100_000, 1_000_000):
        found = run("DPExpTheilSen", SYNTHETIC.format(n=n), 1.0)
        taken[n] = found[0] if found else math.nan
        aim, limit = ("under 120 s, 1.5 GB", 120.0) if n == 1_000_000 else ("", math.inf)
        yield _row(f"complete DPExpTheilSen, n = {n:,}, epsilon = 1", found, aim, limit, 1536)
    growth = taken[1_000_000] / taken[10_000]
    allowed = 1.5 * (1_000_000 * math.log(1_000_000)) / (10_000 * math.log(10_000))
    yield Row(
        "growth of the law's time from n = 10^4 to 10^6",
        f"{growth:.0f} times",
        f"at most {allowed:.0f}",
        growth <= allowed,
    )


def _row(
    what: str,
    found: tuple[float, float, float, float] | None,
    aim: str,
    seconds: float,
    megabytes: float,
) -> Row:
    if found is None:
        return Row(what, "could not run", aim, None)
    _, taken, peak, error = found
    shown = f"{taken:.2f} s, {peak:.0f} MB, cdf to {error:.0e}"
    return Row(what, shown, aim, (taken < seconds and peak < megabytes) if aim else None)
