"""Several mechanisms on one data set: their draws, their errors and their laws, as tidy frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..dataset import Dataset, without_rounding
from ..laws.base import Law
from ..mechanisms.base import Mechanism, different_names
from ..privacy import Budget
from ..privacy.accounting import PAPER, AccountingLike, admitted, paid
from ..support import validate
from ..support.run import QUARTERS, Run
from ..support.tables import Shown
from ..support.types import Floats
from ..support.workers import one_thread
from .errors import ErrorSummary, draw, ols, summarise

SUMMARY_COLUMNS = (
    "mechanism", "at", "center", "standard_error", "c68", "c68_low", "c68_high", "c95", "ratio", "gap", "noise", "bias",
    "failure_rate", "exact", "how",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Releases:
    """The trials of one mechanism, drawn when they are first asked for: where a law is known errors need none.

    at: the points, shape (m,). make: draws them, a list of one array of shape (trials, m).
    """

    name: str
    at: Floats
    make: Callable[[], list[Floats]]

    @cached_property
    def values(self) -> Floats:
        """The estimates, shape (trials, m); NaN = failed."""
        (values,) = self.make()
        return values


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """The result of compare.

    releases: the trials of each mechanism.
    rows: those of summary.
    laws: by name of the mechanism and point, where a law is known.
    summary: mechanism, at, center (OLS), standard_error, c68, c68_low, c68_high, c95, ratio
    (c68 / standard_error), gap (from OLS to the algorithm's own target, which no epsilon changes), noise (C(68) about
    that target), bias (median answer minus OLS), failure_rate, exact (read off an exact law), how (in words). c68_low
    and c68_high hold the true C(68) with 95% confidence; they are c68 where it is exact.
    """

    releases: tuple[Releases, ...]
    rows: tuple[dict[str, object], ...]
    laws: dict[tuple[str, float], Law]

    def _shown(self) -> tuple[str, pd.DataFrame]:
        count = self.summary["mechanism"].nunique(), self.summary["at"].nunique()
        line = "Comparison: {} algorithms, {} points; ratio is C(68) / standard error".format(
            *count
        )
        return line, self.summary[
            ["mechanism", "at", "center", "standard_error", "c68", "ratio", "failure_rate"]
        ]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """A row per mechanism and point."""
        return pd.DataFrame(list(self.rows), columns=list(SUMMARY_COLUMNS))

    @cached_property
    def draws(self) -> pd.DataFrame:
        """Tidy rows mechanism, at, trial, estimate (NaN = failed).

        Draws from a seed illustrate and may not be published as a release.
        """
        frames = [_draws_frame(each.name, each.at, each.values) for each in self.releases]
        return (
            pd.concat(frames, ignore_index=True)
            if frames
            else _draws_frame("", np.empty(0), np.empty((0, 0)))
        )

    def estimates(self, name: str, at: float) -> Floats:
        """The draws of one mechanism at one point, shape (trials,); KeyError where it is not compared there."""
        for each in self.releases:
            if each.name == name and at in each.at:
                estimates: Floats = each.values[:, each.at.tolist().index(at)]
                return estimates
        raise KeyError((name, at))

    def only(self, names: Sequence[str]) -> Comparison:
        """The comparison of these mechanisms alone."""
        releases = tuple(each for each in self.releases if each.name in names)
        rows = tuple(row for row in self.rows if row["mechanism"] in names)
        return Comparison(
            releases, rows, {key: law for key, law in self.laws.items() if key[0] in names}
        )

    @classmethod
    def of(cls, parts: Sequence[Comparison]) -> Comparison:
        """The comparison of the mechanisms of all parts, which are of the same data set."""
        return cls(
            tuple(each for part in parts for each in part.releases),
            tuple(row for part in parts for row in part.rows),
            {key: law for part in parts for key, law in part.laws.items()},
        )


def compare(
    data: Dataset,
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    at: ArrayLike = QUARTERS,
    trials: int = 1000,
    seed: int = 0,
    *,
    accounting: AccountingLike = PAPER,
) -> Comparison:
    """The releases of every mechanism on one data set, and their errors C(q) about OLS in units of y.

    data: the records, in the unit square.
    mechanisms: those to compare, with different names.
    epsilon: the total budget of a release at all points; above 0.
    at: the points to predict at, in the unit square, shape (m,).
    trials: the number of draws of each mechanism, 1 or more.
    seed: 0 or more; each mechanism has a stream of its own, so that adding one changes no other's numbers.
    accounting: what each algorithm may spend: "paper" (epsilon itself), "implied", "attack", "pure" (only purely
    private ones are run), or a guarantee such as ZCDP(0.5), for which every private one is run in place of epsilon;
    Accounting(rule, records=3) for people with up to three records each.

    Draws are for illustration only: with the seed, anyone can subtract the noise.
    ValueError where two mechanisms share a name, or an argument is out of range; TypeError where data is no Dataset, or
    one of mechanisms is none.
    Source: Section "Error Metric".

    >>> from dpslr_core.mechanisms import OLS, NoisyIntercept
    >>> data = Dataset(x=[0.0, 0.5, 1.0], y=[0.2, 0.5, 0.6])
    >>> compare(data, [OLS(), NoisyIntercept()], epsilon=1.0, at=0.5).summary["c68"].round(2).tolist()
    [0.0, 0.38]
    """
    validate.instance(Dataset, data=data)
    mechanisms = different_names(mechanisms)
    budget, run = Budget(epsilon, at, accounting), Run(trials, seed)
    return Comparison.of(
        [compare_one(data, mechanism, budget, run) for mechanism in admitted(mechanisms, budget)]
    )


def compare_one(data: Dataset, mechanism: Mechanism, budget: Budget, run: Run) -> Comparison:
    """The comparison of one mechanism. ValueError where the accounting of the budget leaves it out."""
    released = Releases(
        mechanism.name, np.array(budget.at), partial(draw, [data], mechanism, budget, run)
    )
    with one_thread():  # products of small matrices only wait for other threads
        laws = mechanism.law(data, paid(mechanism, budget).epsilon, budget.at)
        trials = {0: released.values} if any(law is None for law in laws) else {}
        (errors,) = summarise(
            [laws], trials, [ols(data, budget)[0]], [mechanism.target(data, budget.at)]
        )
    known = {
        (mechanism.name, point): law
        for point, law in zip(budget.at, laws, strict=True)
        if law is not None
    }
    return Comparison((released,), tuple(summary_rows(data, mechanism, budget, errors)), known)


def summary_rows(
    data: Dataset, mechanism: Mechanism, budget: Budget, errors: Sequence[ErrorSummary]
) -> list[dict[str, object]]:
    """One row of SUMMARY_COLUMNS per point, from the errors there."""
    centers, standard_errors = (values.tolist() for values in ols(data, budget))
    rows: list[dict[str, object]] = []
    for point, center, standard_error, e in zip(
        budget.at, centers, standard_errors, errors, strict=True
    ):
        bias = float(without_rounding(e.median - center))
        values = (
            mechanism.name, point, center, standard_error, e.c68, e.c68_low, e.c68_high, e.c95,
            e.ratios(standard_error)[0], e.gap, e.noise, bias, e.failure, e.exact, e.how,
        )  # fmt: skip
        rows.append(dict(zip(SUMMARY_COLUMNS, values, strict=True)))
    return rows


def _draws_frame(name: str, at: Floats, released: Floats) -> pd.DataFrame:
    """Releases of shape (trials, points) as tidy rows."""
    trials = len(released)
    draws = {
        "at": np.tile(at, trials),
        "trial": np.repeat(np.arange(trials), at.size),
        "estimate": released.ravel(),
    }
    frame = pd.DataFrame(draws)
    frame.insert(0, "mechanism", pd.Series(name, index=frame.index, dtype="str"))
    return frame
