"""Which one algorithm to publish in all of many areas, and at which epsilon: how many areas pass with each."""

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
SHOWN = (
    0.5,
    1.0,
    2.0,
    4.0,
    8.0,
    16.0,
    32.0,
)  # epsilons at which a table counts the areas that pass
NEAR = 2.0  # times epsilon up to which more of it is what helps an area
SAMPLE, MANY = 200, 300  # areas that are drawn at random first, where there are more than so many
CERTAINTY = 0.95  # of the interval for a share of all areas


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Shown):
    """How many of many areas pass with each algorithm, at every epsilon: what to publish, and what more would bring.

    passing: the rows of passing_epsilons of the algorithms in question, the better first where all else is equal.
    areas: columns group, n, nvar, one row for each area.
    epsilon: the budget of the release in each area, which is that of the whole table: each record is in one area.
    target: the share of the areas that should pass, above 0, at most 1.
    question: what passes, see passing_epsilons.
    of: the number of all areas, with a sampling error, of which these are a random sample; None where these are all.

    One algorithm is published for all areas. Areas without a sampling error are no part of any count. All numbers are
    computed from the records and are not private: on true data they are for planning behind closed doors.
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
        """The rows of algorithms that have an exact law in every area, of areas with a sampling error."""
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
        """Whether the areas are a random sample of more."""
        return self.of is not None and self.of > self.count

    def limits(self, passing: int) -> tuple[float, float]:
        """The share of all areas that may pass where so many of a sample do: its exact 95% interval, for sampling.

        Of areas that are all, the share itself, twice.
        """
        if self.of is None or not self.sampled:
            return passing / self.count, passing / self.count
        low, high = hypergeometric_limits(passing, self.count, self.of, CERTAINTY)
        return low / self.of, high / self.of

    @cached_property
    def algorithms(self) -> pd.DataFrame:
        """A row for each algorithm, the one to publish first.

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
        """The algorithm to publish; None where none passes in any area, or none has an exact law."""
        table = self.algorithms
        return str(table["mechanism"].iloc[0]) if len(table) and table["passing"].iloc[0] else None

    @cached_property
    def smallest(self) -> tuple[str, float] | None:
        """The algorithm that reaches the target at the smallest epsilon, and that epsilon; None where none does.

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
        """Numbers of areas that pass with each algorithm at some epsilons and at the decision's own.

        A row for each algorithm, in the order of ``algorithms``, the index; a column for each epsilon, ascending.
        """
        columns = sorted({*epsilons, self.epsilon})
        names = self.algorithms["mechanism"].tolist()
        rows = [[self.passing_with(name, epsilon) for epsilon in columns] for name in names]
        return pd.DataFrame(
            rows, index=pd.Index(names, name="mechanism"), columns=columns, dtype=int
        )

    def passing_with(self, mechanism: str, epsilon: float) -> int:
        """Number of areas that pass with an algorithm at an epsilon."""
        return areas_passing(self._by_name[mechanism], epsilon)

    def curves(self) -> pd.DataFrame:
        """The share of the areas that pass against epsilon: columns mechanism, epsilon, passing, share, low, high.

        A row for every epsilon in EPSILONS at which a count changes, and for both ends; a count holds up to the next.
        low, high: of ``limits``.
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
        """The areas that do not pass with the algorithm to publish at epsilon, the nearest to passing first.

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
        mine = self.passing[self.passing["mechanism"] == name]
        smallest = smallest_epsilons(mine).merge(self.areas, on="group", validate="one_to_one")
        passed = set(mine.loc[passes(mine, self.epsilon), "group"])
        passing = self.known[passes(self.known, self.epsilon)].drop_duplicates("group")
        others = dict(zip(passing["group"], passing["mechanism"], strict=True))
        left = smallest[~smallest["group"].isin(passed)].copy()
        left["instead"] = [others.get(group, "") for group in left["group"]]
        usable, near = left["standard_error"] > 0, left["passes_from"] <= NEAR * self.epsilon
        choices = [~usable, near, left["instead"] != ""]
        left["helps"] = np.select(choices, [SUPPRESSION, MORE_EPSILON, ANOTHER], default=POOLING)
        return left.sort_values(["passes_from", "group"], kind="stable", ignore_index=True)[columns]

    def verdicts(self) -> pd.Series:
        """Whether each area passes with the algorithm to publish: "pass", "fail" or NO_ERROR, by area."""
        left = self.failing().set_index("group")["helps"]
        words = left.map(lambda helps: NO_ERROR if helps == SUPPRESSION else "fail")
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
        """The epsilons at which the number of areas that pass changes, both ends of EPSILONS, and the numbers."""
        starts = rows["passes_from"]
        ends = np.where(starts <= rows["passes_to"], np.nextafter(rows["passes_to"], inf), inf)
        changes = np.append(starts, ends)
        epsilons = np.unique(
            np.append(changes[(changes >= EPSILONS[0]) & (changes <= EPSILONS[1])], EPSILONS)
        )
        begun, ended = (
            np.searchsorted(np.sort(each), epsilons, side="right") for each in (starts, ends)
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
    """Which one algorithm to publish in all areas at epsilon, in how many it passes, and what another epsilon brings.

    groups: columns group, x, y, one row per record, x and y in the unit square; see split_groups.
    mechanisms: those to choose from, with different names; algorithms without an exact law are left out, and so are
    those with a weaker guarantee than others.
    epsilon: the total budget of a release at all points in one area; above 0.
    at: the points to predict at, in the unit square, shape (m,); the question "prediction" is about the first.
    target: the share of areas that should pass, above 0, at most 1.
    question: "prediction", "slope" or "line": whose C(68) is to be at most its standard error, see passing_epsilons.
    workers, progress: as for passing_epsilons.
    accounting: what each algorithm may spend, as in compare.
    sample: look at so many areas alone, drawn at random by ``drawn_areas``, 1 or more; None: at all of them.
    seed: of that sample, 0 or more.

    The answer is read off the records: it is not private, see Decision. ValueError names a bad argument.

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
    """So many labels, drawn at random without looking at a record, in the order of all; all of them where sample is
    None or larger.

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
    """The labels in a random order: any of its beginnings is a random sample. ValueError where seed < 0."""
    validate.integer(0, validate.MOST_SEED, seed=seed)
    return sorted(
        labels, key=lambda label: sha256(f"{seed}|sample of areas|{label}".encode()).digest()
    )


def usable_areas(datasets: Mapping[Any, Dataset], budget: Budget, question: Question) -> int:
    """The number of areas with a sampling error, as passing_epsilons looks at them: of the prediction or the slope."""
    errors = (
        data.slope_standard_error
        if question == "slope"
        else float(data.standard_error(budget.at[:1])[0])
        for data in datasets.values()
    )
    return sum(error > 0 for error in errors)


def areas_of(datasets: Mapping[Any, Dataset]) -> pd.DataFrame:
    """The frame of areas of a Decision: group, n, nvar."""
    rows = [(label, data.n, data.nvar) for label, data in datasets.items()]
    return pd.DataFrame(rows, columns=["group", "n", "nvar"])
