"""The answer to "which algorithm should I use?", with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..experiments.ranking import Lead
from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..sources.linear import LinearModel
from ..support.run import Z95, Run
from .rules import Circumstances, RuleOfThumb

CLOSE = 0.03  # errors this near to each other, relative, are as good as equal
TIED = 0.1  # and so are these where the 95% intervals of both overlap


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The answer of recommend.

    model, budget: the public guesses. mechanisms: the private ones that were compared. evidence: a row per
    algorithm, the smallest error first: mechanism, error (mean of C_true(68) / sigma over data sets and points),
    monte_carlo_error (standard error of that mean), behind (error / that of the recommended one - 1), behind_error
    (its standard error, from paired differences), infinite_share, datasets, exact, guarantee, candidate (whether it
    could be recommended). noise: C(68) / sigma of the recommended algorithm about its own target, averaged likewise;
    about_ols: about OLS, which the gap between target and OLS adds to. datasets: how many the recommended algorithm was
    run on for both, those that settle close calls left out. provisional: whether more will be simulated.
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
    provisional: bool = False
    about_ols: float = np.nan

    @property
    def _ranked(self) -> pd.DataFrame:
        return self.evidence[self.evidence["candidate"]]

    @property
    def algorithm(self) -> str | None:
        """The candidate with the smallest mean error; None where each has no answer too often."""
        return self.lead.mechanism

    @property
    def second(self) -> str | None:
        """The next best candidate."""
        return str(self._ranked["mechanism"].iloc[1]) if len(self._ranked) > 1 else None

    @property
    def margin(self) -> float:
        """How much larger the error of the second is, relative; inf where there is none."""
        return float(self._ranked["behind"].iloc[1]) if len(self._ranked) > 1 else np.inf

    @cached_property
    def lead(self) -> Lead:
        """The recommended algorithm and the candidates that are tied with it.

        Monte-Carlo error does not tell them from it, with 95% confidence; or they are at most 10% behind, and the
        intervals of both errors overlap.
        """
        rows = self._ranked
        best, interval = rows["error"].iloc[0], (Z95 * rows["monte_carlo_error"]).fillna(0.0)
        overlap = np.minimum(interval + interval.iloc[0], TIED * best)
        return Lead.of(rows["mechanism"].tolist(), rows["error"], np.fmax(Z95 * rows["behind_error"] * best, overlap))

    @property
    def rivals(self) -> tuple[str, ...]:
        """The candidates that are tied with the recommended one."""
        return self.lead.rivals

    @property
    def tied(self) -> tuple[str, ...]:
        """The recommended algorithm and its rivals; that alone where it has none."""
        return self.lead.tied

    @property
    def too_close(self) -> bool:
        """Whether another candidate may be the best one."""
        return self.lead.too_close

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
    def digest(self) -> str:
        """Everything that determines errors of the candidates at other values of a parameter, as a key."""
        return repr((self.model, self.budget, self.candidates, self.run.trials, self.run.seed))

    @property
    def mechanism(self) -> Mechanism:
        """The recommended mechanism with its hyperparameters."""
        return next(m for m in self.mechanisms if m.name == self.algorithm)

    def present(self, parameter: str) -> float:
        """The value of a parameter of the budget or of the model, such as "epsilon" or "n"."""
        return float(getattr(self.budget if parameter == "epsilon" else self.model, parameter))
