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
    """Trials of one mechanism, drawn at the first use: where a law is known errors need none.

    Attributes
    ----------
    at : array, shape (m,)
        Points of the release.
    make : callable
        Draws the trials: a list of one array of shape (trials, m).
    """

    name: str
    at: Floats
    make: Callable[[], list[Floats]]

    @cached_property
    def values(self) -> Floats:
        """Estimates of all trials, shape (trials, m); NaN = failed."""
        (values,) = self.make()
        return values


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """Result of compare.

    Attributes
    ----------
    releases : tuple of Releases
        Trials of each mechanism.
    rows : tuple of dict
        Rows of ``summary``.
    laws : dict
        Law by (name of the mechanism, point), where a law is known.
    summary : DataFrame
        Columns mechanism, at, center (OLS), standard_error, c68, c68_low, c68_high, c95, ratio (c68 / standard_error),
        gap (from OLS to the algorithm's own target, which no epsilon changes), noise (C(68) about that target), bias
        (median answer minus OLS), failure_rate, exact (whether computed from an exact law), how (in words). c68_low and
        c68_high hold the true C(68) with 95% confidence; they are equal to c68 where it is exact.
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
        """Errors in units of y, a row of SUMMARY_COLUMNS per mechanism and point."""
        return pd.DataFrame(list(self.rows), columns=list(SUMMARY_COLUMNS))

    @cached_property
    def draws(self) -> pd.DataFrame:
        """Trials as tidy rows mechanism, at, trial, estimate (NaN = failed).

        Draws from a seed illustrate and may not be published as a release.
        """
        frames = [
            _draws_frame(release.name, release.at, release.values) for release in self.releases
        ]
        return (
            pd.concat(frames, ignore_index=True)
            if frames
            else _draws_frame("", np.empty(0), np.empty((0, 0)))
        )

    def estimates(self, name: str, at: float) -> Floats:
        """Return the draws of one mechanism at one point, shape (trials,); KeyError where it is not compared there."""
        for release in self.releases:
            if release.name == name and at in release.at:
                estimates: Floats = release.values[:, release.at.tolist().index(at)]
                return estimates
        raise KeyError((name, at))

    def only(self, names: Sequence[str]) -> Comparison:
        """Return the comparison of the mechanisms with these names alone."""
        releases = tuple(release for release in self.releases if release.name in names)
        rows = tuple(row for row in self.rows if row["mechanism"] in names)
        return Comparison(
            releases, rows, {key: law for key, law in self.laws.items() if key[0] in names}
        )

    @classmethod
    def of(cls, comparisons: Sequence[Comparison]) -> Comparison:
        """Join comparisons of different mechanisms on the same data set."""
        return cls(
            tuple(release for comparison in comparisons for release in comparison.releases),
            tuple(row for comparison in comparisons for row in comparison.rows),
            {key: law for comparison in comparisons for key, law in comparison.laws.items()},
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
    """Release by every mechanism on one data set, and measure the errors C(q) about OLS in units of y.

    Source: Section "Error Metric".

    Parameters
    ----------
    data : Dataset
        Records, in the unit square.
    mechanisms : sequence of Mechanism
        Algorithms to compare, with different names.
    epsilon : float
        Total budget of a release at all points; above 0.
    at : float or array, shape (m,)
        Points to predict at, in the unit square.
    trials : int
        Number of draws of each mechanism, 1 or more.
    seed : int
        Seed of the draws, 0 or more. Each mechanism has its own random stream: adding a mechanism changes no other
        numbers.
    accounting : AccountingLike
        What each algorithm may spend: "paper" (epsilon itself), "implied", "attack", "pure" (only purely private
        algorithms are run), or a guarantee such as ZCDP(0.5), for which every private algorithm is run in place of
        epsilon; Accounting(rule, records=3) for people with up to three records each.

    Returns
    -------
    Comparison
        Its draws are for illustration only: with the seed, anyone can subtract the noise.

    Raises
    ------
    ValueError
        Where two mechanisms share a name, or an argument is out of range.
    TypeError
        Where data is no Dataset, or an element of mechanisms is no Mechanism.

    Examples
    --------
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
    """Draw and measure one mechanism on a data set. ValueError where the accounting of the budget leaves it out."""
    released = Releases(
        mechanism.name, np.array(budget.at), partial(draw, [data], mechanism, budget, run)
    )
    with one_thread():  # products of small matrices only wait for other threads
        laws = mechanism.law(data, paid(mechanism, budget).epsilon, budget.at)
        trials = {0: released.values} if any(law is None for law in laws) else {}
        (errors,) = summarise(
            [laws], trials, [ols(data, budget)[0]], [mechanism.target(data, budget.at)]
        )
    known_laws = {
        (mechanism.name, point): law
        for point, law in zip(budget.at, laws, strict=True)
        if law is not None
    }
    return Comparison((released,), tuple(summary_rows(data, mechanism, budget, errors)), known_laws)


def summary_rows(
    data: Dataset, mechanism: Mechanism, budget: Budget, errors: Sequence[ErrorSummary]
) -> list[dict[str, object]]:
    """Form the rows of SUMMARY_COLUMNS, one per point, from the errors at the points of the budget."""
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
    """Turn releases of shape (trials, points) into tidy rows."""
    trials = len(released)
    draws = {
        "at": np.tile(at, trials),
        "trial": np.repeat(np.arange(trials), at.size),
        "estimate": released.ravel(),
    }
    frame = pd.DataFrame(draws)
    frame.insert(0, "mechanism", pd.Series(name, index=frame.index, dtype="str"))
    return frame
