"""Which algorithm to use, from public guesses alone, by evidence on simulated data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..experiments.sweep.plan import plan_sweep
from ..experiments.sweep.results import SweepBatch
from ..mechanisms import algorithms
from ..mechanisms.base import Mechanism
from ..pairs.ranks import CROSSOVER
from ..privacy import Budget
from ..privacy.accounting import Accounting, Rule, admitted, comparable
from ..scenario import Scenario
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import QUARTERS, Run
from ..support.types import Floats
from .candidates import private_mechanisms
from .evidence import RACE, Measure, StageSizes, best_candidate, evidence_in_stages
from .recommendation import Recommendation
from .rules import circumstances, rule_of_thumb
from .simulated_errors import DATASETS, TRIALS, error_and_noise, simulated_errors

RECORDS, RACING, FEWEST = 15_000, 2_500, 10  # records in all data sets, and in those of the race
FIRST_LOOK, LOOKED_AT = 4, 3_000  # data sets after which there is a first answer, and records in all of them


def recommend(
    n: int,
    var_x: float,
    var_e: float,
    epsilon: float,
    at: ArrayLike = QUARTERS,
    lower: float = -0.5,
    upper: float = 1.5,
    theta: float = 0.01,
    slope: float = 0.5,
    intercept: float = 0.2,
    mechanisms: Sequence[Mechanism] | None = None,
    weaker: bool = False,
    datasets: int = DATASETS,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
    race_after: int = RACE,
    *,
    accounting: Rule = Accounting.PAPER,
) -> Recommendation:
    """The algorithm with the smallest expected error on data like these, judged on simulated data sets.

    n: the number of records, 3 or more.
    var_x: the variance of x, which is uniform about 1/2 in the unit square; above 0.
    var_e: the residual variance, in squared units of y; above 0.
    epsilon: the total budget for all points; above 0.
    at: the points to predict at, in the unit square, shape (m,).
    lower, upper: the range of predictions, in units of y; theta: the widening, in units of y.
    slope, intercept: of the true line y = slope x + intercept.
    mechanisms: those to compare, with their own hyperparameters; by default all private ones, with lower, upper, theta.
    weaker: whether algorithms that promise less than others may be recommended too.
    datasets: the number of simulated data sets at first, 2 or more.
    trials, seed, workers: as in sweep.
    race_after: the number of data sets after which algorithms far behind are run on no more, 2 or more.
    accounting: what each algorithm may spend, as in compare. Under "attack", or with a guarantee, all promise the same.

    All arguments are public guesses: nothing of private data is read. The error is C_true(68) / sigma, that is sampling
    and privacy noise together, in standard deviations of the OLS prediction, averaged over data sets and points. OLS
    and TheilSen stand in the evidence for comparison. Algorithms too close to the best to call are run on more data
    sets, up to eight times as many, until they can be told apart or are known to be within 3%. ValueError names the
    argument that cannot be. Source: Sections "Error Metric" and "Guidance for Algorithm Selection".

    >>> from dpslr_core.mechanisms import DPExpTheilSen, NoisyIntercept
    >>> compared = [NoisyIntercept(), DPExpTheilSen()]
    >>> recommendation = recommend(n=12, var_x=0.03, var_e=0.01, epsilon=0.5, mechanisms=compared, datasets=2)
    >>> recommendation.algorithm, recommendation.second
    ('NoisyIntercept', 'DPExpTheilSen')
    """
    model, run = LinearModel(n, var_x, var_e, slope, intercept), Run(trials, seed, workers)
    budget = Budget(epsilon, at, accounting)
    chosen = private_mechanisms(algorithms(), lower, upper, theta) if mechanisms is None else mechanisms
    question = Question(model, budget, tuple(chosen), weaker, (lower, upper, theta), run, datasets, race_after)
    *_, final = recommendations(question, question.measured, question.noise)
    return final


@dataclass(frozen=True)
class Question:
    """What is asked of recommend, by its arguments; ranges: lower, upper and theta. ValueError names what cannot be.

    first_look: the number of data sets, 2 or more, of a provisional answer before all others; 0 for none.
    """

    model: LinearModel
    budget: Budget
    mechanisms: tuple[Mechanism, ...]
    weaker: bool = False
    ranges: tuple[float, float, float] = (-0.5, 1.5, 0.01)
    run: Run = field(default_factory=Run)
    datasets: int = DATASETS
    race_after: int = RACE
    first_look: int = 0

    def __post_init__(self) -> None:
        lower, upper, theta = self.ranges
        validate.ordered(lower=lower, upper=upper)
        validate.non_negative(theta=theta)
        validate.positive(var_x=self.model.var_x, var_e=self.model.var_e)
        validate.integer(2, datasets=self.datasets, race_after=self.race_after)
        if not self.candidates:
            raise ValueError("mechanisms must hold at least one that may be recommended, got none")

    @property
    def private(self) -> tuple[Mechanism, ...]:
        """The mechanisms that are compared."""
        private = [m for m in self.mechanisms if m.guarantee(self.budget.epsilon).private]
        return tuple(admitted(private, self.budget))

    @property
    def candidates(self) -> tuple[Mechanism, ...]:
        """The mechanisms that may be recommended."""
        epsilon, rule = self.budget.epsilon, self.budget.accounting
        return tuple(m for m in self.private if self.weaker or comparable(m, epsilon, rule))

    def measured(self, mechanisms: Sequence[Mechanism], first: int, count: int) -> SweepBatch:
        """The errors of mechanisms on so many data sets, the first of this number."""
        plan = plan_sweep("epsilon", [self.budget.epsilon], self.model, self.budget, mechanisms)
        return simulated_errors(plan, self.run, count, first, self.simulated)[0]

    def noise(self, mechanism: Mechanism, first: int, count: int) -> Floats:
        """C(68) / sigma about OLS and about the algorithm's own target on the same data sets, shape (count, 2).

        Averaged over the points.
        """
        data = (self.simulated(number) for number in range(first, first + count))
        return error_and_noise(self.model, self.budget, mechanism, data, self.run).mean(axis=2)

    def simulated(self, number: int) -> Dataset:
        """Data set ``number``; of many records those of the first look are kept, with laws that take long."""
        if number >= self.first_look or self.model.n < CROSSOVER:
            return self.model.replicate(self.run.seed, number)
        if number not in self._looked_at:
            self._looked_at[number] = self.model.replicate(self.run.seed, number)
        return self._looked_at[number]

    @cached_property
    def _looked_at(self) -> dict[int, Dataset]:
        return {}


def sized_question(scenario: Scenario, weaker: bool = False) -> Question:
    """What is asked where data are as the scenario's linear model has them: fewer data sets where n is large.

    weaker: whether algorithms that promise less than others may be recommended too. ValueError where no algorithm may
    be recommended, or the data are not simulated.
    """
    model, run = scenario.linear_model, Run(min(scenario.trials, TRIALS), scenario.seed)
    datasets = max(FEWEST, min(DATASETS, RECORDS // model.n))
    race = max(3, min(RACE, RACING // model.n))
    mechanisms = scenario.admitted
    ranges = _ranges(mechanisms)
    look = max(2, min(FIRST_LOOK, LOOKED_AT // model.n))
    return Question(model, scenario.budget, mechanisms, weaker, ranges, run, datasets, race, look)


def _ranges(mechanisms: Sequence[Mechanism]) -> tuple[float, float, float]:
    """lower, upper and theta of the first algorithms that have them, the usual ones where none has."""

    def first(name: str, usual: float) -> float:
        return next((float(getattr(m, name)) for m in mechanisms if hasattr(m, name)), usual)

    return first("lower", -0.5), first("upper", 1.5), first("theta", 0.01)


Noise = Callable[[Mechanism, int, int], Floats]


def recommendations(question: Question, measured: Measure, noise: Noise) -> Iterator[Recommendation]:
    """The answer after each stage, on more and more data sets; the last is that of recommend.

    measured, noise: those of the question, or functions that keep what they return.
    """
    q, about = question, circumstances(question.model, question.budget, *question.ranges)
    sizes = StageSizes(q.datasets, q.race_after, q.first_look)
    stages = evidence_in_stages(measured, q.private, q.candidates, q.budget, sizes)
    for evidence, last in stages:
        best = best_candidate(evidence)
        mechanism = next(m for m in q.private if m.name == best["mechanism"])
        datasets = min(int(best["datasets"]), q.datasets)
        about_ols, alone = noise(mechanism, 0, datasets).mean(axis=0).tolist()
        yield Recommendation(
            q.model, q.budget, q.private, evidence, alone, about, rule_of_thumb(about), datasets, q.run,
            provisional=not last, about_ols=about_ols,
        )  # fmt: skip
