"""The same scenario gives the same numbers as before: regenerate with ``python tests/test_golden.py``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

STORED = Path(__file__).with_name("golden.json")
sys.path.insert(0, str(STORED.parents[1]))  # run as a script, too

from dpslr_core import Dataset, by_group, compare, recommend, simulate_linear, simulate_tracts, sweep  # noqa: E402
from dpslr_core.guidance import winner_map  # noqa: E402
from dpslr_core.mechanisms import (  # noqa: E402
    MECHANISMS,
    OLS,
    DPExpTheilSen,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
    TheilSen,
)
from dpslr_core.scenario import Scenario  # noqa: E402

AT, EPSILON = (0.2, 0.75), 3.0
ALL = [algorithm() for algorithm in MECHANISMS]
FEW = [OLS(), NoisyStats(), NoisyIntercept(), DPExpTheilSen(), DPExpTheilSen(k=3), DPSSTheilSen(), DPGDzCDP(steps=6)]


def simulated(n: int, var_x: float, var_e: float) -> Dataset:
    return Dataset(*simulate_linear(n, var_x, var_e, rng=np.random.default_rng(n)))


def tied() -> Dataset:
    rng = np.random.default_rng(5)
    return Dataset(np.round(rng.random(30), 1), rng.random(30))


def law_numbers(data: Dataset, mechanisms: list) -> Iterator[tuple[str, float]]:
    centers = data.predict(AT)
    for mechanism in mechanisms:
        for point, center, law in zip(AT, centers, mechanism.law(data, EPSILON, AT), strict=True):
            if law is not None:
                where = f"{mechanism.name} at {point}"
                yield f"{where}: C(68)", law.error_bound(68, center)
                yield f"{where}: C(95)", law.error_bound(95, center)
                yield f"{where}: median", law.median
                yield f"{where}: failure", law.failure


def rows(frame, keys: list[str], columns: list[str]) -> Iterator[tuple[str, float]]:
    for row in frame.to_dict("records"):
        where = ", ".join(str(row[key]) for key in keys)
        for column in columns:
            yield f"{where}: {column}", float(row[column])


def compared() -> Iterator[tuple[str, float]]:
    summary = compare(simulated(40, 0.04, 0.01), [*ALL, TheilSen(k=2), DPExpTheilSen(k=2)], EPSILON, AT, 50, 7).summary
    yield from rows(summary, ["mechanism", "at"], ["c68", "c68_low", "c68_high", "c95", "ratio", "bias"])


def grouped() -> Iterator[tuple[str, float]]:
    areas = simulate_tracts(tracts=3, rng=np.random.default_rng(2))
    columns = ["c68", "c68_high", "ratio", "failure_rate"]
    yield from rows(by_group(areas, FEW, 16.0, AT, 20, 1), ["group", "mechanism", "at"], columns)


def swept(parameter: str, values: list[float], **more) -> Iterator[tuple[str, float]]:
    base = (
        Scenario(n=30, var_x=0.05, var_e=0.01, epsilon=6.0, at=AT) if "data" not in more else Scenario(source="sample")
    )
    frame = sweep(parameter, values, base, FEW, 4, 20, 3, **more)
    yield from rows(frame, ["mechanism", "value"], ["mean", "monte_carlo_error", "low", "high", "median"])


def recommended() -> Iterator[tuple[str, float]]:
    mechanisms = [NoisyStats(), DPExpTheilSen(), NoisyIntercept(), DPWideTheilSen(), DPGDzCDP(steps=6)]
    answer = recommend(100, 0.03, 0.02, 40.0, AT, mechanisms=mechanisms, weaker=True, trials=20, twins=4)
    yield from rows(answer.evidence, ["mechanism"], ["error", "monte_carlo_error", "behind", "behind_error"])
    yield "margin", answer.margin
    yield "noise", answer.noise


def map_cells() -> Iterator[tuple[str, float]]:
    settings = winner_map.MapSettings(products=(4.0, 30.0), var_es=(0.02,), trials=10)
    for product in settings.products:
        yield from rows(winner_map.cell(settings, product, 0.02), ["mechanism", "n"], ["error", "monte_carlo_error"])


PARTS = {
    "laws, n = 100": lambda: law_numbers(simulated(100, 0.03, 0.01), ALL),
    "laws, n = 2000": lambda: law_numbers(simulated(2000, 0.05, 0.002), ALL),
    "laws, tied x": lambda: law_numbers(tied(), [*ALL, DPExpTheilSen(k=2), DPWideTheilSen(k=2), DPSSTheilSen(k=2)]),
    "compare": compared,
    "by_group": grouped,
    "sweep of n": lambda: swept("n", [20, 50]),
    "sweep of epsilon": lambda: swept("epsilon", [0.5, 8.0]),
    "sweep of x_new": lambda: swept("x_new", [0.1, 0.9]),
    "sweep of loaded data": lambda: swept("epsilon", [2.0, 20.0], data=simulated(60, 0.03, 0.01)),
    "recommend": recommended,
    "winner map": map_cells,
}


@pytest.mark.parametrize("part", PARTS)
def test_numbers_are_those_of_before(part):
    stored = json.loads(STORED.read_text(encoding="utf-8"))[part]
    numbers = dict(PARTS[part]())
    assert list(numbers) == list(stored)
    expected = np.array(list(stored.values()), dtype=float)
    np.testing.assert_allclose(list(numbers.values()), expected, rtol=1e-9, atol=1e-15)


if __name__ == "__main__":
    STORED.write_text(json.dumps({name: dict(part()) for name, part in PARTS.items()}, indent=0) + "\n")
