"""Releases on outcomes that many records share, against continuous ones: ``python -m benchmarks ties``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dpslr_core import Dataset
from dpslr_core.mechanisms import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen, Mechanism

from .timing import Row, taking_turns

SIZES = (1_500, 10_000, 100_000)
EPSILON, AIM = 2.0, 2.0


def outcomes(n: int) -> dict[str, Dataset]:
    """Data sets of n records with the same x, by what their y is like; continuous first."""
    rng = np.random.default_rng(n)
    x, noise, chance, other = rng.random(n), rng.standard_normal(n), rng.random(n), rng.random(n)
    line = np.clip(0.5 * x + 0.2 + 0.1 * noise, 0, 1)
    return {
        "continuous": Dataset(x, line),
        "binary": Dataset(x, (chance < 0.1) * 1.0),
        "80% zeros": Dataset(x, np.where(chance < 0.8, 0.0, other)),
        "constant": Dataset(x, np.full(n, 0.5)),
        "collinear": Dataset(x, 0.3 * x + 0.2),
        "two decimals": Dataset(x.round(2), line.round(2)),
    }


def rows() -> Iterator[Row]:
    """1,000 draws, the law included, as a share of the time that continuous outcomes take."""
    for n in SIZES:
        data = outcomes(n)
        for mechanism in (DPExpTheilSen(), DPWideTheilSen(), DPSSTheilSen()):
            tasks = [_draws(mechanism, one) for one in data.values()]
            first, *others = taking_turns(*tasks, turns=9 if n < 10_000 else 3)
            ratios = [seconds / first for seconds in others]
            told = ", ".join(
                f"{name} {ratio:.2f}" for name, ratio in zip(list(data)[1:], ratios, strict=True)
            )
            what = f"1,000 draws of {mechanism.name}, n = {n:,}, against {first:.2f} s for continuous y"
            yield Row(what, told, f"at most {AIM:g}", max(ratios) <= AIM)


def _draws(mechanism: Mechanism, data: Dataset) -> Callable[[], object]:
    return lambda: mechanism.release(Dataset(data.x, data.y), EPSILON, rng=np.random.default_rng(1))
