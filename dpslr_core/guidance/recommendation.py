"""Recommendation of an algorithm from public guesses alone: the answer, its evidence, and the paper's rule of thumb."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property
from math import exp, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..experiments.errors import refuse_without_sampling_error
from ..experiments.expected import expected_error
from ..experiments.ranking import Lead
from ..experiments.sweep import MOST_DATASETS, SweepBatch, plan_sweep, simulated
from ..mechanisms import algorithms
from ..mechanisms.base import Mechanism, all_mechanisms
from ..mechanisms.centered import CenteredSums
from ..mechanisms.noisy_stats import NoisyStats, NoisySufficientStatistics
from ..mechanisms.theil_sen import DPExpTheilSen
from ..privacy import Budget
from ..privacy.accounting import PAPER, AccountingLike, admitted, comparable, paid
from ..scenario import Scenario
from ..sources.choices import Synthetic
from ..sources.linear import LinearModel, XShape
from ..support import validate
from ..support.run import QUARTERS, Z95, Run
from ..support.tables import Shown
from .evidence import (
    CLOSE,
    DATASETS,
    FAR,
    TRIALS,
    Measure,
    best_candidate,
    gathered_evidence,
    simulated_errors,
    simulated_spreads,
    unsettled,
)

LARGE = 400.0  # of epsilon n var(x)
NOISY = 0.01  # of var_e
WIDE = 10.0  # of upper - lower: the paper's wide range is 100, its usual one 2
SMALL_EPSILON = 0.1  # "much less than 1"


@dataclass(frozen=True)
class Circumstances:
    """Quantities in which the paper explains what wins; public guesses all of them.

    Attributes
    ----------
    distance : float
        Largest |x_new - mean x|.
    standard_error : float
        Standard error of the OLS prediction, root mean square over the points, in units of y.
    denominator_noise : float
        Scale of NoisyStats' noise on n var(x), relative to n var(x).
    failure : float
        Share of NoisyStats' releases without an answer.
    edge : float
        Weight of an answer at the end of [lower, upper] in DPExpTheilSen over all pairs, relative to the median's:
        exp(-epsilon n / (8 m)).
    """

    epsilon: float
    epsilon_nvar: float
    var_e: float
    slope: float
    distance: float
    standard_error: float
    theta: float
    width: float
    denominator_noise: float
    failure: float
    edge: float


def circumstances(
    model: LinearModel, budget: Budget, lower: float, upper: float, theta: float
) -> Circumstances:
    """Compute the quantities of a setting.

    Source: Section "Robustness vs. Non-robustness: Guidance for Algorithm Selection".

    Parameters
    ----------
    model : LinearModel
        Public guesses of the data.
    budget : Budget
        Epsilon, for all points together, and the points.
    lower, upper : float
        Range of predictions, in units of y.
    theta : float
        Widening, in units of y.
    """
    nvar, at = model.n * model.var_x, np.array(budget.at)
    denominator_noise = nvar_noise(NoisyStats(), model, budget)
    assert denominator_noise is not None
    return Circumstances(
        epsilon=budget.epsilon,
        epsilon_nvar=budget.epsilon * nvar,
        var_e=model.var_e,
        slope=model.slope,
        distance=float(np.abs(at - model.x_mean).max()),
        standard_error=sqrt(float(np.mean(model.standard_error(at) ** 2))),
        theta=theta,
        width=upper - lower,
        denominator_noise=denominator_noise,
        failure=0.5 * exp(-1 / denominator_noise),
        edge=exp(-paid(DPExpTheilSen(), budget).epsilon * model.n / (8 * at.size)),
    )


def nvar_noise(mechanism: Mechanism, model: LinearModel, budget: Budget) -> float | None:
    """Return the scale of an algorithm's own noise on n var(x), relative to n var(x); None where it has no such noise.

    For centred sums it is the noise on the sum of u^2: to first order all that there is where the mean of x is 1/2.
    """
    epsilon = paid(mechanism, budget).epsilon
    if isinstance(mechanism, NoisySufficientStatistics):
        scale = float(mechanism.noise_scale(1 - 1 / model.n, epsilon, mechanism.split[0]))
    elif isinstance(mechanism, CenteredSums):
        scale = float(mechanism.noise_scale(epsilon)[2])
    else:
        return None
    return scale / (model.n * model.var_x)


class RuleOfThumb(Enum):
    """Cases of the paper's guidance, the special ones first."""

    WIDE_RANGE = "wide range and small epsilon"
    BELOW_THETA = "standard error below theta"
    LARGE_PRODUCT = "much information and enough noise about the line"
    LITTLE_NOISE = "much information, little noise about the line"
    SMALL_PRODUCT = "little information"

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms that the paper would choose."""
        if self is RuleOfThumb.BELOW_THETA:
            return ("DPWideTheilSen", "DPSSTheilSen")
        return (
            ("NoisyStats",)
            if self in (RuleOfThumb.WIDE_RANGE, RuleOfThumb.LARGE_PRODUCT)
            else ("DPExpTheilSen",)
        )


def rule_of_thumb(c: Circumstances) -> RuleOfThumb:
    """Apply the paper's guidance, the special cases first.

    Wide range and epsilon << 1: NoisyStats. Standard error below theta: DPWideTheilSen or DPSSTheilSen.
    epsilon n var(x) > 400 and var_e >= 0.01: NoisyStats. Otherwise DPExpTheilSen. Source: Section "Robustness vs.
    Non-robustness: Guidance for Algorithm Selection".
    """
    if c.width >= WIDE and c.epsilon <= SMALL_EPSILON:
        return RuleOfThumb.WIDE_RANGE
    if c.standard_error < c.theta:
        return RuleOfThumb.BELOW_THETA
    if c.epsilon_nvar > LARGE:
        return RuleOfThumb.LARGE_PRODUCT if c.var_e >= NOISY else RuleOfThumb.LITTLE_NOISE
    return RuleOfThumb.SMALL_PRODUCT


def private_mechanisms(
    among: Sequence[type[Mechanism]], lower: float, upper: float, theta: float
) -> list[Mechanism]:
    """Make the private algorithms among some classes, with these hyperparameters where they have them.

    Parameters
    ----------
    among : sequence of subclasses of Mechanism
        Algorithms.
    lower, upper : float
        Range of predictions, in units of y.
    theta : float
        Widening, in units of y.

    Raises
    ------
    ValueError
        Names a hyperparameter that an algorithm refuses.
    """
    given = {"lower": lower, "upper": upper, "theta": theta}
    mechanisms = []
    for algorithm in among:
        names = {f.name for f in fields(algorithm)}
        mechanisms.append(
            replace(algorithm(), **{name: value for name, value in given.items() if name in names})
        )
    return [m for m in mechanisms if m.guarantee(1.0).private]


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Shown):
    """Answer of recommend.

    Attributes
    ----------
    model, budget : LinearModel, Budget
        Public guesses.
    mechanisms : tuple of Mechanism
        Private algorithms that were compared.
    evidence : DataFrame
        A row per algorithm, the smallest error first, with the columns mechanism, error (68% of the releases on all
        data sets and at all points are within this number of standard errors of the true line, see expected_error),
        times (error / error of OLS), monte_carlo_error (standard error of the error), behind (error / error of the
        recommended algorithm - 1), behind_error (standard error of behind, from paired differences), infinite_share,
        datasets, exact, guarantee, candidate (whether the algorithm could be recommended).
    noise, about_ols : float
        As error, for the recommended algorithm about its own target on each data set, and about the OLS prediction of
        each data set, which includes the gap between target and OLS.
    datasets : int
        Number of data sets for noise and about_ols, without those that settle close calls.
    """

    model: LinearModel
    budget: Budget
    mechanisms: tuple[Mechanism, ...]
    evidence: pd.DataFrame
    noise: float
    circumstances: Circumstances
    rule: RuleOfThumb
    datasets: int
    run: Run
    about_ols: float = np.nan

    def _shown(self) -> tuple[str, pd.DataFrame]:
        tied = f", tied with {', '.join(self.lead.rivals)}" if self.lead.rivals else ""
        line = f"Recommendation: {self.algorithm or 'none'}{tied}; errors in standard errors"
        return line, self.evidence[
            ["mechanism", "error", "monte_carlo_error", "guarantee", "candidate"]
        ]

    @property
    def _ranked(self) -> pd.DataFrame:
        return self.evidence[self.evidence["candidate"]]

    @property
    def algorithm(self) -> str | None:
        """Name of the candidate with the smallest error; None if every candidate fails in over 32% of its releases."""
        return self.lead.mechanism

    @property
    def second(self) -> str | None:
        """Name of the next best candidate."""
        return str(self._ranked["mechanism"].iloc[1]) if len(self._ranked) > 1 else None

    @property
    def margin(self) -> float:
        """Relative excess of the second's error; inf where there is no second."""
        return float(self._ranked["behind"].iloc[1]) if len(self._ranked) > 1 else np.inf

    @cached_property
    def lead(self) -> Lead:
        """Recommended algorithm and the candidates that are tied with it.

        They are at most 50% behind, and simulated data sets do not tell them apart with 95% confidence; or they are
        known to be at most 3% behind.
        """
        rows = self._ranked
        margins = Z95 * rows["behind_error"]
        margins = margins.clip(upper=FAR).where(rows["behind"] + margins > CLOSE, CLOSE)
        return Lead.of(rows["mechanism"].tolist(), rows["error"], margins * rows["error"].iloc[0])

    @property
    def open(self) -> bool:
        """Whether more data sets may tell the tied apart, or that they are as good."""
        return bool(unsettled(self.evidence))

    @property
    def datasets_of_best(self) -> int:
        """Number of data sets that the recommended algorithm was run on."""
        return int(self._ranked["datasets"].iloc[0])

    def error(self, name: str) -> float:
        """Return the error of an algorithm in the evidence; NaN where it is not there."""
        row = self.evidence.loc[self.evidence["mechanism"] == name, "error"]
        return float(row.iloc[0]) if len(row) else np.nan

    def times(self, name: str) -> float:
        """Return the error of an algorithm over the error without privacy: 1.3 where privacy makes it 30% larger."""
        return self.error(name) / self.error("OLS")

    @property
    def weaker(self) -> pd.Series | None:
        """Evidence of the best algorithm with a weaker guarantee; None where its error is not surely smaller."""
        rows, compared = self.evidence, {mechanism.name for mechanism in self.mechanisms}
        rows = rows[~rows["candidate"] & rows["mechanism"].isin(compared)]
        rows = rows[rows["behind"] + Z95 * rows["behind_error"] < 0]
        return rows.iloc[0] if len(rows) else None

    @property
    def candidates(self) -> tuple[Mechanism, ...]:
        """Algorithms that could be recommended."""
        names = set(self._ranked["mechanism"])
        return tuple(m for m in self.mechanisms if m.name in names)

    @property
    def digest(self) -> str:
        """Key of everything that determines the candidates' errors at other values of a parameter."""
        return repr((self.model, self.budget, self.candidates, self.run.trials, self.run.seed))

    @property
    def mechanism(self) -> Mechanism | None:
        """Recommended algorithm with its hyperparameters; None where ``algorithm`` is."""
        return next((m for m in self.mechanisms if m.name == self.algorithm), None)

    def present(self, parameter: str) -> float:
        """Return the value of a parameter of the budget or of the model, such as "epsilon" or "n"."""
        return float(getattr(self.budget if parameter == "epsilon" else self.model, parameter))


RECORDS, SIZED = 5_000, (10, 20)  # of a page: records in all data sets; fewest and most data sets
# Where no algorithm has such a hyperparameter.
USUAL_RANGES = {"lower": -0.5, "upper": 1.5, "theta": 0.01}


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
    *,
    accounting: AccountingLike = PAPER,
    x_mean: float = 0.5,
    x_shape: XShape = "uniform",
    decide: bool = True,
) -> Recommendation:
    """Recommend the algorithm with the smallest expected error on data like these, judged on simulated data sets.

    All arguments are public guesses: nothing of private data is read. 68% of the releases on all data sets and at all
    points are within the error of the true line, that is sampling and privacy noise together, in standard deviations of
    the OLS prediction. OLS, which has 1, and TheilSen stand in the evidence for comparison. Source: Sections "Error
    Metric" and "Guidance for Algorithm Selection".

    Parameters
    ----------
    n : int
        Number of records, 3 or more.
    var_x, x_mean, x_shape
        Variance of x, above 0, its mean in the unit square and its shape, see LinearModel.
    var_e : float
        Residual variance, in squared units of y; above 0.
    epsilon : float
        Total budget for all points; above 0.
    at : float or array, shape (m,)
        Points to predict at, in the unit square.
    lower, upper : float
        Range of predictions, in units of y.
    theta : float
        Widening, in units of y.
    slope, intercept : float
        True line y = slope x + intercept.
    mechanisms : sequence of Mechanism, optional
        Algorithms to compare, with their own hyperparameters; by default all private ones, with lower, upper, theta.
    weaker : bool
        Whether algorithms that promise less than others may be recommended too.
    datasets : int
        Number of simulated data sets at first, 2 or more.
    trials, seed, workers
        As in sweep.
    accounting : AccountingLike
        What each algorithm may spend, as in compare. Under "attack", or with a guarantee, all promise the same.
    decide : bool
        Whether algorithms too close to the best to call are run on more data sets, up to five times as many, until they
        can be distinguished or are known to be within 3%; otherwise they are tied, as on the page Guidance.

    Returns
    -------
    Recommendation
        The algorithm, its rivals and the evidence.

    Raises
    ------
    ValueError
        Names the argument that is out of range.

    Examples
    --------
    >>> from dpslr_core.mechanisms import DPExpTheilSen, NoisyIntercept
    >>> compared = [NoisyIntercept(), DPExpTheilSen()]
    >>> recommendation = recommend(n=12, var_x=0.03, var_e=0.01, epsilon=0.5, mechanisms=compared, datasets=2)
    >>> recommendation.algorithm, recommendation.second
    ('NoisyIntercept', 'DPExpTheilSen')
    """
    lower, upper, theta = (
        validate.number("lower", lower),
        validate.number("upper", upper),
        validate.number("theta", theta),
    )
    model, run = (
        LinearModel(n, var_x, var_e, slope, intercept, x_mean, x_shape),
        Run(trials, seed, workers),
    )
    budget = Budget(epsilon, at, accounting)
    chosen = (
        private_mechanisms(algorithms(), lower, upper, theta)
        if mechanisms is None
        else all_mechanisms(mechanisms)
    )
    ranges = lower, upper, theta
    return answered(
        GuidanceQuestion(model, budget, tuple(chosen), weaker, ranges, run, datasets, decide)
    )


@dataclass(frozen=True)
class GuidanceQuestion:
    """Arguments of recommend; ``ranges`` holds lower, upper and theta. ValueError names what is out of range."""

    model: LinearModel
    budget: Budget
    mechanisms: tuple[Mechanism, ...]
    weaker: bool = False
    ranges: tuple[float, float, float] = (-0.5, 1.5, 0.01)
    run: Run = field(default_factory=Run)
    datasets: int = DATASETS
    decide: bool = True

    def __post_init__(self) -> None:
        lower, upper, theta = self.ranges
        validate.ordered(lower=lower, upper=upper)
        validate.non_negative(theta=theta)
        refuse_without_sampling_error(self.model)
        validate.integer(2, MOST_DATASETS, datasets=self.datasets)
        if not self.candidates:
            raise ValueError("mechanisms must hold at least one that may be recommended, got none")

    @property
    def private(self) -> tuple[Mechanism, ...]:
        """Algorithms that are compared."""
        private = [m for m in self.mechanisms if m.guarantee(self.budget.epsilon).private]
        return tuple(admitted(private, self.budget))

    @property
    def candidates(self) -> tuple[Mechanism, ...]:
        """Algorithms that may be recommended."""
        return tuple(m for m in self.private if self.weaker or comparable(m, self.budget))

    def measured(self, mechanisms: Sequence[Mechanism], first: int, count: int) -> SweepBatch:
        """Measure the errors of algorithms on ``count`` data sets from number ``first`` on."""
        plan = plan_sweep("epsilon", [self.budget.epsilon], self.model, self.budget, mechanisms)
        return simulated_errors(plan, self.run, count, first).batches[0]

    def noise(self, mechanism: Mechanism, first: int, count: int) -> np.ndarray:
        """Measure simulated_spreads on ``count`` data sets from number ``first`` on, shape (count, 2, points)."""
        data = simulated(self.model, self.run.seed, range(first, first + count))
        return simulated_spreads(self.model, self.budget, mechanism, data, self.run, noise=True)


def sized_question(scenario: Scenario, decide: bool = False) -> GuidanceQuestion:
    """Make the question that a scenario's linear model asks, with fewer data sets where n is large.

    The strongest guarantee is recommended; a weaker one where no chosen algorithm has that. ValueError where none is
    private, or the data are not simulated.

    Parameters
    ----------
    scenario : Scenario
        Public guesses, algorithms and budget.
    decide : bool
        As in `recommend`.
    """
    model, run = scenario.linear_model, Run(min(scenario.trials, TRIALS), scenario.seed)
    datasets = int(np.clip(RECORDS // model.n, *SIZED))
    mechanisms, budget = scenario.admitted, scenario.budget
    lower, upper, theta = (
        next((float(getattr(m, name)) for m in mechanisms if hasattr(m, name)), usual)
        for name, usual in USUAL_RANGES.items()
    )
    weaker = not any(comparable(mechanism, budget) for mechanism in mechanisms)
    return GuidanceQuestion(
        model, budget, mechanisms, weaker, (lower, upper, theta), run, datasets, decide
    )


Noise = Callable[[Mechanism, int, int], np.ndarray]


def answered(
    question: GuidanceQuestion, measured: Measure | None = None, noise: Noise | None = None
) -> Recommendation:
    """Recommend an algorithm from the arguments in ``question``.

    Parameters
    ----------
    question : GuidanceQuestion
        Guesses, algorithms and number of data sets.
    measured, noise : callable, optional
        Methods of the question, or functions that keep what they return.
    """
    q, about = question, circumstances(question.model, question.budget, *question.ranges)
    evidence = gathered_evidence(
        measured or q.measured,
        q.private,
        q.candidates,
        q.budget,
        q.datasets,
        q.decide,
    )
    best = best_candidate(evidence)
    mechanism = next(m for m in q.private if m.name == best["mechanism"])
    spreads = (noise or q.noise)(mechanism, 0, q.datasets)
    near_ols, alone = (expected_error(spreads[:, i]).value for i in range(2))
    rule = rule_of_thumb(about)
    return Recommendation(
        q.model,
        q.budget,
        q.private,
        evidence,
        alone,
        about,
        rule,
        q.datasets,
        q.run,
        about_ols=near_ols,
    )


LEAST = 1e-6  # of a variance in the unit square
GUESSED = ("var_x", "var_e", "slope", "intercept", "x_mean")


def guessed_scenario(scenario: Scenario, n: int, guesses: Mapping[str, Any]) -> Scenario:
    """Replace a scenario's data by data simulated from guesses.

    Parameters
    ----------
    n : int
        Number of records, public.
    guesses : mapping
        Some of var_x, var_e, slope, intercept, x_mean and x_shape, in the unit square.
    """
    return scenario.model_copy(
        update={"source": Synthetic(n=n, **{name: guesses[name] for name in guesses})}
    )


def guessed_variance(deviation: float) -> float:
    """Return the variance of a guessed standard deviation, in the unit square: LEAST or more, but 0 for 0."""
    return max(deviation**2, LEAST) if deviation > 0 else 0.0


def data_guesses(data: Dataset) -> dict[str, float]:
    """Read the guesses off the data, to four digits; the usual ones where these cannot be computed.

    var_e is 0 where all records lie on one line, and no variance is below LEAST otherwise.
    They depend on the records, so that a choice of algorithm by them is not private.
    """
    if not np.isfinite(data.slope) or not np.isfinite(data.residual_sd):
        return {name: float(Synthetic.model_fields[name].default) for name in GUESSED}
    var_x, var_e = max(data.var_x, LEAST), guessed_variance(data.residual_sd)
    guessed = dict(
        zip(GUESSED, (var_x, var_e, data.slope, data.intercept, data.x_mean), strict=True)
    )
    return {name: float(f"{value:.4g}") for name, value in guessed.items()}
