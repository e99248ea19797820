"""recommend against brute force, and what it takes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from dpslr_core.experiments import error_bound
from dpslr_core.guidance import Recommendation, private_mechanisms, recommend
from dpslr_core.mechanisms import Mechanism
from dpslr_core.scenario import Scenario
from dpslr_core.streams import stream
from dpslr_core.sweeps.measure import simulated
from dpslr_core.workers import in_order, one_thread

from .timing import Row, time_row

SETTINGS, DATASETS, TRIALS = 40, 2_000, 200
BATCH = 50
INDEPENDENT = 1_000_003  # the seed of the brute force: not that of the recommendations
CONTENDERS = 1.5  # how many times the smallest error an algorithm may have and still be run by brute force


def random_setting(number: int) -> Scenario:
    """One of the seeded settings: epsilon n var(x) 2 to 1,500, where the winner changes; epsilon at most 32."""
    rng = stream(7, "setting", number)

    def between(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    epsilon = np.inf
    while epsilon > 32:
        n, var_x, product = int(between(50, 800)), between(0.01, 0.08), between(2, 1_500)
        epsilon = product / (n * var_x)
    at = (float(rng.uniform(0, 1)), float(rng.uniform(0, 1)))
    return Scenario(
        n=n, var_x=var_x, var_e=between(1e-4, 0.03), epsilon=epsilon, at=at, slope=float(rng.uniform(-0.8, 0.8)),
        intercept=0.4,
    )  # fmt: skip


def recommended(base: Scenario) -> Recommendation:
    """What the project recommends for a setting, from all private algorithms with a law."""
    exact = [m for m in private_mechanisms(-0.5, 1.5, 0.01) if "GD" not in m.name]
    return recommend(
        base.n, base.var_x, base.var_e, base.epsilon, base.at, slope=base.slope, intercept=base.intercept,
        mechanisms=exact,
    )  # fmt: skip


def brute_force(base: Scenario, mechanisms: list[Mechanism], datasets: int, workers: int) -> np.ndarray:
    """The mean of C_true(68) / sigma over points and data sets, off draws: shape (mechanisms,)."""
    batches = [list(range(first, min(first + BATCH, datasets))) for first in range(0, datasets, BATCH)]
    found = list(in_order(partial(_drawn, base=base, mechanisms=mechanisms), batches, workers))
    return np.concatenate(found).mean(axis=0)


def _drawn(numbers: list[int], base: Scenario, mechanisms: list[Mechanism]) -> np.ndarray:
    """The ratios on some data sets, shape (data sets, mechanisms)."""
    with one_thread():
        return np.array([_on_one(number, base, mechanisms) for number in numbers])


def _on_one(number: int, base: Scenario, mechanisms: list[Mechanism]) -> list[float]:
    data, at = simulated(base, INDEPENDENT, number), np.asarray(base.at)
    truth = base.slope * at + base.intercept
    sigma = np.sqrt(base.var_e * (1 / data.n + (at - data.x_mean) ** 2 / data.nvar))
    ratios = []
    for mechanism in mechanisms:
        rng = stream(INDEPENDENT, "brute", number, mechanism.name)
        drawn = mechanism.release(data, base.epsilon, at, TRIALS, rng=rng)
        bounds = [error_bound(drawn[:, i], float(truth[i]), 68) for i in range(at.size)]
        ratios.append(float(np.mean(bounds / sigma)))
    return ratios


def excess(number: int, datasets: int = DATASETS, workers: int = 2) -> tuple[str, str, float]:
    """The recommended algorithm, the one that brute force finds best, and how much larger the former's error is."""
    base = random_setting(number)
    found = recommended(base)
    near = found.evidence[found.evidence["candidate"] & ~(found.evidence["behind"] > CONTENDERS - 1)]
    contenders = [m for m in found.base.mechanisms if m.name in set(near["mechanism"])]
    errors = dict(zip([m.name for m in contenders], brute_force(base, contenders, datasets, workers), strict=True))
    best = min(errors, key=lambda name: errors[name])
    return str(found.algorithm), best, float(errors[str(found.algorithm)] / errors[best] - 1)


def rows(settings: int = SETTINGS, datasets: int = DATASETS) -> Iterator[Row]:
    """The time of one recommendation, and the worst of many against brute force."""
    base = Scenario()
    yield time_row("recommend, n = 250, algorithms with a law, 50 twins", lambda: recommended(base), 2, turns=5)
    found = [excess(number, datasets) for number in range(settings)]
    same, worst = sum(one == best for one, best, _ in found), max(more for _, _, more in found)
    shown = f"same winner in {same}, worst error {worst:.1%} larger"
    what = f"{settings} random settings against brute force, {datasets:,} data sets x {TRIALS} trials"
    yield Row(what, shown, "at most 3%", worst <= 0.03)
