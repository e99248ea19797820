"""recommend against brute force, and what it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from dpslr_core.experiments import error_bound
from dpslr_core.guidance import Recommendation, private_mechanisms, recommend
from dpslr_core.guidance.maps import own_cells, winner
from dpslr_core.guidance.recommendation import Question, answered, sized_question
from dpslr_core.mechanisms import MECHANISMS, Mechanism, MechanismFamily
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.sources import LinearModel
from dpslr_core.sources.choices import Synthetic
from dpslr_core.support.run import QUARTERS, stream
from dpslr_core.support.workers import in_order, one_thread

from .timing import Row, time_row

SETTINGS, DATASETS, TRIALS = 40, 2_000, 200
BATCH = 50
INDEPENDENT = 1_000_003  # the seed of the brute force: not that of the recommendations
CONTENDERS = (
    1.5  # how many times the smallest error an algorithm may have and still be run by brute force
)


def random_setting(number: int) -> tuple[LinearModel, Budget]:
    """One of the seeded settings: epsilon n var(x) 2 to 1,500, where the winner changes; epsilon at most 32."""
    rng = stream(7, "setting", number)

    def between(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    epsilon = np.inf
    while epsilon > 32:
        n, var_x, product = int(between(50, 800)), between(0.01, 0.08), between(2, 1_500)
        epsilon = product / (n * var_x)
    at = (float(rng.uniform(0, 1)), float(rng.uniform(0, 1)))
    model = LinearModel(
        n, var_x, between(1e-4, 0.03), slope=float(rng.uniform(-0.8, 0.8)), intercept=0.4
    )
    return model, Budget(epsilon, at)


def recommended(model: LinearModel, budget: Budget) -> Recommendation:
    """What the project recommends for a setting, from all private algorithms with a law."""
    exact = [
        m
        for m in private_mechanisms(MECHANISMS, -0.5, 1.5, 0.01)
        if m.family is not MechanismFamily.GRADIENT_DESCENT
    ]
    return recommend(
        model.n,
        model.var_x,
        model.var_e,
        budget.epsilon,
        budget.at,
        slope=model.slope,
        intercept=model.intercept,
        mechanisms=exact,
    )


def brute_force(
    model: LinearModel, budget: Budget, mechanisms: list[Mechanism], datasets: int, workers: int
) -> np.ndarray:
    """C(68) over the draws at all points on all data sets, in standard errors: shape (mechanisms,)."""
    batches = [
        list(range(first, min(first + BATCH, datasets))) for first in range(0, datasets, BATCH)
    ]
    task = partial(_drawn, model=model, budget=budget, mechanisms=mechanisms)
    distances = np.concatenate(list(in_order(task, batches, workers)), axis=1)
    return np.array([error_bound(each, 0.0, 68) for each in distances])


def _drawn(
    numbers: list[int], model: LinearModel, budget: Budget, mechanisms: list[Mechanism]
) -> np.ndarray:
    """The distances on some data sets, shape (mechanisms, draws)."""
    with one_thread():
        return np.concatenate(
            [_on_one(number, model, budget, mechanisms) for number in numbers], axis=1
        )


def _on_one(
    number: int, model: LinearModel, budget: Budget, mechanisms: list[Mechanism]
) -> np.ndarray:
    """The distances on one data set, in standard errors; NaN = failed."""
    data, at = model.replicate(INDEPENDENT, number), budget.at
    truth, sigma = model.truth(at), model.standard_error(at, data)
    distances = []
    for mechanism in mechanisms:
        rng = stream(INDEPENDENT, "brute", number, mechanism.name)
        drawn = mechanism.release(data, budget.epsilon, at, TRIALS, rng=rng)
        distances.append(((drawn - truth) / sigma).ravel())
    return np.array(distances)


def excess(number: int, datasets: int = DATASETS, workers: int = 2) -> tuple[str, str, float]:
    """The recommended algorithm, the one that brute force finds best, and how much larger the former's error is."""
    model, budget = random_setting(number)
    recommendation = recommended(model, budget)
    evidence, algorithm = recommendation.evidence, str(recommendation.algorithm)
    near = evidence[evidence["candidate"] & ~(evidence["behind"] > CONTENDERS - 1)]
    contenders = [m for m in recommendation.mechanisms if m.name in set(near["mechanism"])]
    means = brute_force(model, budget, contenders, datasets, workers)
    errors = dict(zip([m.name for m in contenders], means, strict=True))
    best = min(errors, key=lambda name: errors[name])
    return algorithm, best, float(errors[algorithm] / errors[best] - 1)


def sized(scenario: Scenario, n: int) -> Question:
    """The question of the Guidance page for another number of records."""
    return sized_question(scenario.model_copy(update={"source": Synthetic(n=n)}))


def answer_rows() -> Iterator[Row]:
    """The processor time of the Guidance page: at the usual settings, for other n, and to decide between the tied."""
    usual = Scenario()
    cases = [
        (f"n = {n:,}", aim, sized(usual, n)) for n, aim in ((250, 0.8), (3_000, 5), (10_000, 8))
    ]
    every = usual.model_copy(update={"mechanisms": tuple(algorithm() for algorithm in MECHANISMS)})
    cases += [
        ("decided", 5, sized_question(usual, decide=True)),
        ("all algorithms", 3, sized_question(every)),
    ]
    answered(
        sized_question(usual.model_copy(update={"seed": 1}))
    )  # imports, and a round to warm up
    for what, aim, question in cases:
        start = time.process_time()
        last = answered(question)
        used = time.process_time() - start
        shown = f"{used:.2f} s, {last.datasets_of_best} data sets"
        yield Row(
            f"Guidance at the defaults, {what}: processor time",
            shown,
            f"at most {aim} s",
            used <= aim,
        )
    start = time.process_time()
    count = len([winner(cell) for cell in own_cells(last)])
    used = time.process_time() - start
    yield Row(f"map of {count} cells: processor time", f"{used:.2f} s", "at most 30 s", used <= 30)


def rows(settings: int = SETTINGS, datasets: int = DATASETS) -> Iterator[Row]:
    """The time of one recommendation, and the worst of many against brute force."""
    model, budget = LinearModel(250, 0.03, 0.01), Budget(2.0, QUARTERS)
    what = "recommend, n = 250, algorithms with a law, 50 simulated data sets"
    yield time_row(what, lambda: recommended(model, budget), 2, turns=5)
    yield from answer_rows()
    outcomes = [excess(number, datasets) for number in range(settings)]
    same, worst = (
        sum(name == best for name, best, _ in outcomes),
        max(larger for _, _, larger in outcomes),
    )
    shown = f"same winner in {same}, worst error {worst:.1%} larger"
    what = (
        f"{settings} random settings against brute force, {datasets:,} data sets x {TRIALS} trials"
    )
    yield Row(what, shown, "at most 3%", worst <= 0.03)
