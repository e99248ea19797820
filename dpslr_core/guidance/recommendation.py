"""Which algorithm to use, from public guesses alone, by evidence on simulated data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _validate
from ..confidence import Z95
from ..mechanisms import Mechanism, algorithms
from ..mechanisms.base import QUARTERS
from ..run import Budget, Run
from ..sources import LinearModel
from .evidence import CLOSE, best_candidate, gather_evidence
from .rules import Circumstances, RuleOfThumb, circumstances, rule_of_thumb
from .simulated_errors import DATASETS, simulated_noise


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What recommend found.

    model, budget: the public guesses. mechanisms: the private ones that were compared. evidence: a row per
    algorithm, the smallest error first: mechanism, error (mean of C_true(68) / sigma over data sets and points),
    monte_carlo_error (standard error of that mean), behind (error / that of the recommended one - 1), behind_error
    (its standard error, from paired differences), infinite_share, datasets, exact, guarantee, candidate (whether it
    could be recommended). noise: C(68) about OLS / sigma of the recommended algorithm, averaged likewise. datasets:
    how many were simulated at first.
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

    @property
    def _ranked(self) -> pd.DataFrame:
        return self.evidence[self.evidence["candidate"]]

    @property
    def algorithm(self) -> str | None:
        """The candidate with the smallest mean error; None where each has no answer too often."""
        first = self._ranked.iloc[0]
        return str(first["mechanism"]) if np.isfinite(first["error"]) else None

    @property
    def second(self) -> str | None:
        """The next best candidate."""
        return str(self._ranked["mechanism"].iloc[1]) if len(self._ranked) > 1 else None

    @property
    def margin(self) -> float:
        """How much larger the error of the second is, relative; inf where there is none."""
        return float(self._ranked["behind"].iloc[1]) if len(self._ranked) > 1 else np.inf

    @cached_property
    def rivals(self) -> tuple[str, ...]:
        """The candidates that Monte-Carlo error does not tell from the recommended one, with 95% confidence."""
        rest = self._ranked.iloc[1:]
        return tuple(rest.loc[rest["behind"] <= Z95 * rest["behind_error"], "mechanism"])

    @property
    def too_close(self) -> bool:
        """Whether the winner is open."""
        return bool(self.rivals)

    @property
    def agrees(self) -> bool:
        """Whether the rule of thumb names the recommended algorithm, or one that is as good within 3%."""
        close = self._ranked.loc[self._ranked["behind"] <= CLOSE, "mechanism"]
        return bool(set(self.rule.algorithms) & {*close, *self.rivals})

    @property
    def datasets_of_best(self) -> int:
        """On how many data sets the recommended algorithm was run."""
        return int(self._ranked["datasets"].iloc[0])

    def error(self, name: str) -> float:
        """The error of an algorithm in the evidence; NaN where it is not there."""
        row = self.evidence.loc[self.evidence["mechanism"] == name, "error"]
        return float(row.iloc[0]) if len(row) else np.nan

    @property
    def candidates(self) -> tuple[Mechanism, ...]:
        """The mechanisms that could be recommended."""
        names = set(self._ranked["mechanism"])
        return tuple(m for m in self.mechanisms if m.name in names)

    @property
    def mechanism(self) -> Mechanism:
        """The recommended mechanism with its hyperparameters."""
        return next(m for m in self.mechanisms if m.name == self.algorithm)

    def present(self, parameter: str) -> float:
        """The value of a parameter of the budget or of the model, such as "epsilon" or "n"."""
        return float(getattr(self.budget if parameter == "epsilon" else self.model, parameter))


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
    twins: int = DATASETS,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
) -> Recommendation:
    """The algorithm with the smallest expected error on data like these, judged on simulated data sets.

    All arguments are public guesses: nothing of private data is read. x is uniform about 1/2 with variance var_x,
    y = slope x + intercept + noise of variance var_e, all in the unit square. The error is C_true(68) / sigma, that
    is sampling and privacy noise together, in standard deviations of the OLS prediction, averaged over ``twins``
    simulated data sets and over the points of at. epsilon pays for all of these. mechanisms: those to compare, with
    their own hyperparameters; by default every private one, with lower, upper and theta. weaker: whether an algorithm
    that is not purely epsilon-differentially private may be recommended too; its error is shown in any case. OLS and
    TheilSen stand in the evidence for comparison. Algorithms too close to the best to call are run on more data sets,
    up to eight times as many, until they can be told apart or are known to be within 3%. ValueError names what
    cannot be.
    """
    model, budget, run = LinearModel(n, var_x, var_e, slope, intercept), Budget(epsilon, at), Run(trials, seed, workers)
    _validate.ordered(lower=lower, upper=upper)
    _validate.non_negative(theta=theta)
    _validate.integer(2, twins=twins)
    chosen = private_mechanisms(lower, upper, theta) if mechanisms is None else list(mechanisms)
    private = [m for m in chosen if m.guarantee(epsilon).private]
    candidates = [m for m in private if weaker or m.guarantee(epsilon).pure]
    if not candidates:
        raise ValueError("mechanisms must hold at least one that may be recommended, got none")
    evidence = gather_evidence(model, budget, private, candidates, run, twins)
    best = next(m for m in private if m.name == best_candidate(evidence)["mechanism"])
    data = (model.replicate(seed, number) for number in range(twins))
    noise = float(simulated_noise(model, budget, best, data, run).mean())
    about = circumstances(model, budget, lower, upper, theta)
    return Recommendation(model, budget, tuple(private), evidence, noise, about, rule_of_thumb(about), twins, run)


def private_mechanisms(
    lower: float, upper: float, theta: float, among: Sequence[type[Mechanism]] | None = None
) -> list[Mechanism]:
    """Every private mechanism with these hyperparameters, where it has them; by default among algorithms()."""
    given = {"lower": lower, "upper": upper, "theta": theta}
    made = []
    for algorithm in algorithms() if among is None else among:
        names = {f.name for f in fields(algorithm)}
        made.append(replace(algorithm(), **{name: value for name, value in given.items() if name in names}))
    return [m for m in made if m.guarantee(1.0).private]
