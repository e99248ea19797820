"""Decision on one algorithm to publish in all of many areas, and at which epsilon: how many areas pass with each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import ceil, inf
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..experiments.areas import split_groups
from ..experiments.coverage import hypergeometric_limits
from ..mechanisms.base import Mechanism, different_names
from ..privacy import Budget
from ..privacy.accounting import PAPER, AccountingLike
from ..support import validate
from ..support.readable import in_full
from ..support.run import QUARTERS
from ..support.tables import Shown
from ..support.types import Floats, Integers
from .area_epsilons import (
    Question,
    areas_passing,
    not_sought,
    passes,
    passing_epsilons,
    smallest_epsilons,
    sought_mechanisms,
)
from .required_values import EPSILONS, rounded_up

TARGET = 0.8  # share of the areas that should pass, where nothing else is asked for
MORE_EPSILON, ANOTHER, POOLING, SUPPRESSION = (
    "more epsilon",
    "another algorithm",
    "pooling",
    "suppression",
)
NO_ERROR = "no sampling error"
# Epsilons at which a table counts the areas that pass.
SHOWN = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
NEAR = 2.0  # times epsilon up to which more of it is what helps an area
SAMPLE, MANY = 200, 300  # areas that are drawn at random first, where there are more than MANY
CERTAINTY = 0.95  # of the interval for a share of all areas


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Shown):
    """Numbers of areas that pass with each algorithm, at every epsilon: what to publish, and what more would bring.

    One algorithm is published for all areas. Areas without a sampling error are no part of any count. All numbers are
    computed from the records and are not private: on true data they are for planning behind closed doors.

    Attributes
    ----------
    passing : DataFrame
        Rows of passing_epsilons for the algorithms in question, the better first where all else is equal.
    areas : DataFrame
        Columns group, n, nvar, one row for each area.
    epsilon : float
        Budget of the release in each area, and of the whole table: each record is in one area.
    target : float
        Share of the areas that should pass, above 0, at most 1.
    question : str
        Quantity that should pass, see passing_epsilons.
    of : int, optional
        Number of all areas, with a sampling error, of which these are a random sample; None where these are all.
    """

    passing: pd.DataFrame
    areas: pd.DataFrame
    epsilon: float
    target: float = TARGET
    question: Question = "prediction"
    of: int | None = None

    def __post_init__(self) -> None:
        validate.positive(epsilon=self.epsilon)
        validate.positive(target=self.target)
        validate.inside(0, 1, target=self.target)

    def _shown(self) -> tuple[str, pd.DataFrame]:
        return (
            f"Decision: {self.mechanism or 'none'}; {self.count:,} areas, of which "
            f"{self.needed:,} should pass, at epsilon = {in_full(self.epsilon)}",
            self.algorithms,
        )

    @cached_property
    def known(self) -> pd.DataFrame:
        """Rows of algorithms that have an exact law in every area, for areas with a sampling error."""
        rows = self.passing[self.passing["standard_error"] > 0]
        return rows[~rows["mechanism"].isin(not_sought(self.passing))]

    @cached_property
    def count(self) -> int:
        """Number of areas with a sampling error."""
        return int(self.known["group"].nunique())

    @property
    def needed(self) -> int:
        """Number of areas that have to pass for the target."""
        return ceil(self.target * self.count - 1e-9)

    @property
    def sampled(self) -> bool:
        """Whether the areas are a random sample of more areas."""
        return self.of is not None and self.of > self.count

    def limits(self, passing: int) -> tuple[float, float]:
        """Return the exact 95% limits of the share of all areas that pass, where ``passing`` areas of the sample do.

        Where all areas were measured, both limits are the share itself.
        """
        if self.of is None or not self.sampled:
            return passing / self.count, passing / self.count
        low, high = hypergeometric_limits(passing, self.count, self.of, CERTAINTY)
        return low / self.of, high / self.of

    @cached_property
    def algorithms(self) -> pd.DataFrame:
        """Numbers of areas that pass, a row for each algorithm, the one to publish first.

        Columns mechanism, passing (areas that pass at epsilon), share, target_from (the smallest epsilon at which the
        target is reached, infinite where none in EPSILONS is), most (areas that pass at the best epsilon). In order of
        passing, then of target_from.
        """
        columns = ["mechanism", "passing", "share", "target_from", "most"]
        table = pd.DataFrame(
            [self._of(name, rows) for name, rows in self._by_name.items()], columns=columns
        )
        return table.sort_values(
            ["passing", "target_from"], ascending=[False, True], kind="stable", ignore_index=True
        )

    @property
    def mechanism(self) -> str | None:
        """Name of the algorithm to publish; None where none passes in any area, or none has an exact law."""
        table = self.algorithms
        return str(table["mechanism"].iloc[0]) if len(table) and table["passing"].iloc[0] else None

    @cached_property
    def smallest(self) -> tuple[str, float] | None:
        """Algorithm that reaches the target at the smallest epsilon, and that epsilon; None where none does.

        The epsilon is rounded up to three digits where that is enough, too.
        """
        reached = self.algorithms[self.algorithms["target_from"] < inf].sort_values(
            "target_from", kind="stable"
        )
        if reached.empty:
            return None
        name, epsilon = str(reached["mechanism"].iloc[0]), float(reached["target_from"].iloc[0])
        rounded = rounded_up(epsilon)
        return name, rounded if self.passing_with(name, rounded) >= self.needed else epsilon

    def counts(self, epsilons: Sequence[float] = SHOWN) -> pd.DataFrame:
        """Count the areas that pass with each algorithm at some epsilons and at the decision's own.

        A row for each algorithm, in the order of ``algorithms``, the index; a column for each epsilon, ascending.
        """
        columns = sorted({*epsilons, self.epsilon})
        names = self.algorithms["mechanism"].tolist()
        rows = [[self.passing_with(name, epsilon) for epsilon in columns] for name in names]
        return pd.DataFrame(
            rows, index=pd.Index(names, name="mechanism"), columns=columns, dtype=int
        )

    def passing_with(self, mechanism: str, epsilon: float) -> int:
        """Count the areas that pass with an algorithm at an epsilon."""
        return areas_passing(self._by_name[mechanism], epsilon)

    def curves(self) -> pd.DataFrame:
        """Compute the share of areas that pass against epsilon: columns mechanism, epsilon, passing, share, low, high.

        A row for every epsilon in EPSILONS at which a count changes, and for both ends; a count holds up to the next.
        low and high are the ``limits`` of the share.
        """
        frames = []
        for name, rows in self._by_name.items():
            epsilons, counts = self._steps(rows)
            frames.append(pd.DataFrame({"mechanism": name, "epsilon": epsilons, "passing": counts}))
        curves = (
            pd.concat(frames, ignore_index=True)
            if frames
            else pd.DataFrame(columns=["mechanism", "passing"])
        )
        limits = {passing: self.limits(int(passing)) for passing in curves["passing"].unique()}
        low, high = ([limits[passing][end] for passing in curves["passing"]] for end in (0, 1))
        return curves.assign(share=curves["passing"] / self.count, low=low, high=high)

    def failing(self) -> pd.DataFrame:
        """List the areas that do not pass with the algorithm to publish at epsilon, the nearest to passing first.

        Columns group, n, nvar, standard_error, passes_from (with that algorithm), instead (another algorithm with which
        the area passes at epsilon, or empty) and helps: MORE_EPSILON up to NEAR times as much, ANOTHER algorithm,
        POOLING with other areas, or SUPPRESSION where there is no sampling error to compare with.
        """
        name = self.mechanism or (
            self.algorithms["mechanism"].iloc[0] if len(self.algorithms) else None
        )
        columns = ["group", "n", "nvar", "standard_error", "passes_from", "instead", "helps"]
        if name is None:
            return pd.DataFrame(columns=columns)
        published = self.passing[self.passing["mechanism"] == name]
        smallest = smallest_epsilons(published).merge(self.areas, on="group", validate="one_to_one")
        passed = set(published.loc[passes(published, self.epsilon), "group"])
        passing = self.known[passes(self.known, self.epsilon)].drop_duplicates("group")
        passing_algorithms = dict(zip(passing["group"], passing["mechanism"], strict=True))
        failing = smallest[~smallest["group"].isin(passed)].copy()
        failing["instead"] = [passing_algorithms.get(group, "") for group in failing["group"]]
        usable, near = failing["standard_error"] > 0, failing["passes_from"] <= NEAR * self.epsilon
        choices = [~usable, near, failing["instead"] != ""]
        failing["helps"] = np.select(choices, [SUPPRESSION, MORE_EPSILON, ANOTHER], default=POOLING)
        return failing.sort_values(["passes_from", "group"], kind="stable", ignore_index=True)[
            columns
        ]

    def verdicts(self) -> pd.Series:
        """Tell for each area whether it passes with the algorithm to publish: "pass", "fail" or NO_ERROR, by area."""
        remedies = self.failing().set_index("group")["helps"]
        words = remedies.map(lambda helps: NO_ERROR if helps == SUPPRESSION else "fail")
        return words.reindex(self.areas["group"]).fillna("pass") if self.known.size else words

    @cached_property
    def _by_name(self) -> dict[str, pd.DataFrame]:
        return {
            str(name): rows
            for name, rows in self.known.groupby("mechanism", sort=False, observed=True)
        }

    def _of(self, name: str, rows: pd.DataFrame) -> tuple[str, int, float, float, int]:
        epsilons, counts = self._steps(rows)
        enough, now = (
            np.flatnonzero(counts >= self.needed),
            areas_passing(rows, self.epsilon),
        )
        target_from = float(epsilons[enough[0]]) if enough.size else inf
        return name, now, now / self.count, target_from, int(counts.max())

    def _steps(self, rows: pd.DataFrame) -> tuple[Floats, Integers]:
        """Return the epsilons at which the number of passing areas changes, both ends of EPSILONS, and the numbers."""
        starts = rows["passes_from"]
        ends = np.where(starts <= rows["passes_to"], np.nextafter(rows["passes_to"], inf), inf)
        changes = np.append(starts, ends)
        epsilons = np.unique(
            np.append(changes[(changes >= EPSILONS[0]) & (changes <= EPSILONS[1])], EPSILONS)
        )
        begun, ended = (
            np.searchsorted(np.sort(epsilons_of_areas), epsilons, side="right")
            for epsilons_of_areas in (starts, ends)
        )
        return epsilons, begun - ended


def decide(
    groups: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    at: ArrayLike = QUARTERS,
    target: float = TARGET,
    question: Question = "prediction",
    workers: int | str = 1,
    progress: Callable[[int], object] | None = None,
    *,
    accounting: AccountingLike = PAPER,
    sample: int | None = None,
    seed: int = 0,
) -> Decision:
    """Decide on one algorithm to publish in all areas at epsilon, from the numbers of areas in which each passes.

    The answer is read off the records: it is not private, see Decision.

    Parameters
    ----------
    groups : DataFrame
        Columns group, x, y, one row per record, x and y in the unit square; see split_groups.
    mechanisms : sequence of Mechanism
        Algorithms to choose from, with different names; those without an exact law are left out, and so are those with
        a weaker guarantee than others.
    epsilon : float
        Total budget of a release at all points in one area; above 0.
    at : float or array, shape (m,)
        Points to predict at, in the unit square; the question "prediction" is about the first.
    target : float
        Share of areas that should pass, above 0, at most 1.
    question : str
        Quantity whose C(68) is to be at most its standard error: "prediction", "slope" or "line", see passing_epsilons.
    workers, progress
        As for passing_epsilons.
    accounting : AccountingLike
        What each algorithm may spend, as in compare.
    sample : int, optional
        Number of areas to look at, drawn at random by ``drawn_areas``, 1 or more; by default all areas.
    seed : int
        Seed of that sample, 0 or more.

    Returns
    -------
    Decision
        Also what another epsilon would bring.

    Raises
    ------
    ValueError
        Names an argument that is out of range.

    Examples
    --------
    >>> from dpslr_core.mechanisms import CenteredStats, NoisyStats
    >>> from dpslr_core.sources.samples import load_sample
    >>> tracts = load_sample("tracts").frame
    >>> some = tracts[tracts["group"].isin(tracts["group"].unique()[:6])]
    >>> answer = decide(some, [NoisyStats(), CenteredStats()], epsilon=16.0)
    >>> answer.mechanism, answer.count
    ('CenteredStats', 6)
    """
    mechanisms = different_names(mechanisms)
    every, budget = split_groups(groups).datasets, Budget(epsilon, at, accounting)
    datasets = {label: every[label] for label in drawn_areas(every, sample, seed)}
    sought = sought_mechanisms(mechanisms, accounting)
    passing = passing_epsilons(datasets, sought, budget, workers, progress, question)
    of = usable_areas(every, budget, question) if len(datasets) < len(every) else None
    return Decision(passing, areas_of(datasets), epsilon, target, question, of)


def drawn_areas(labels: Iterable[Any], sample: int | None = None, seed: int = 0) -> list[Any]:
    """Draw ``sample`` labels at random without looking at a record, in their order; all if sample is None or larger.

    The choice depends on the labels and the seed alone; a larger sample holds the smaller ones. ValueError where sample
    is not a whole number, 1 or more, or seed not one, 0 or more.
    """
    if sample is None:
        return list(labels)
    validate.integer(1, sample=sample)
    every = list(labels)
    drawn = {*areas_at_random(every, seed)[:sample]}
    return [label for label in every if label in drawn]


def areas_at_random(labels: Iterable[Any], seed: int = 0) -> list[Any]:
    """Put the labels in a random order, whose beginnings are random samples. ValueError where seed < 0."""
    validate.integer(0, validate.MOST_SEED, seed=seed)
    return sorted(
        labels, key=lambda label: sha256(f"{seed}|sample of areas|{label}".encode()).digest()
    )


def usable_areas(datasets: Mapping[Any, Dataset], budget: Budget, question: Question) -> int:
    """Count the areas with a sampling error of the prediction or the slope, as passing_epsilons looks at them."""
    errors = (
        data.slope_standard_error
        if question == "slope"
        else float(data.standard_error(budget.at[:1])[0])
        for data in datasets.values()
    )
    return sum(error > 0 for error in errors)


def areas_of(datasets: Mapping[Any, Dataset]) -> pd.DataFrame:
    """Make the frame of areas of a Decision: group, n, nvar."""
    rows = [(label, data.n, data.nvar) for label, data in datasets.items()]
    return pd.DataFrame(rows, columns=["group", "n", "nvar"])
