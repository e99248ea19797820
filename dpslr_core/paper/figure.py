"""A figure of the paper as a value: what determines it, how it is measured and drawn, and the claims that it shows.

Then what several figures share: the paper's algorithms with the hyperparameters that a figure names, and parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, NamedTuple

import pandas as pd

from ..charts.vega import Spec
from ..mechanisms import MECHANISMS, MaximumObservedSensitivity
from ..mechanisms.base import Mechanism, MechanismFamily
from ..support import validate
from ..support.readable import in_full

Task = Any  # a picklable value that, with its figure, determines one part of the numbers


class Effort(Enum):
    """How much is computed."""

    QUICK = "quick"
    FULL = "full"


class Amount(NamedTuple):
    """Number of data sets or areas (0: all there are), and of trials where there is no exact law."""

    datasets: int
    trials: int


EVERY_AREA = Amount(0, 100)


class Parameter(NamedTuple):
    """A number that may be changed within a range; its default is the paper's, or stands in where none is printed."""

    name: str
    label: str
    default: float | int
    low: float
    high: float
    printed: bool = True

    def checked(self, value: Any) -> float | int:
        """The value as its kind of number; ValueError where it is none, or beyond the range."""
        validate.inside(self.low, self.high, **{self.name: value})
        if not isinstance(self.default, int):
            return float(value)
        if value != int(value):
            raise ValueError(f"{self.name} must be a whole number, got {value!r}")
        return int(value)


@dataclass(frozen=True)
class Settings:
    """Everything that determines the numbers of one figure."""

    values: tuple[tuple[str, float | int], ...]
    amount: Amount
    seed: int = 0

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]


@dataclass(frozen=True)
class Figure:
    """A figure of the paper.

    name: in plain words. number: in the paper's order; empty where it has none. title: what it shows.
    says: what the paper says, in a sentence of ours.
    measure: the rows of one part of the work; a function of a module, so that other processes can be given it.
    panels: the specifications of what is drawn, by title, of the shown rows. claims: keys of the paper's claims on it.
    sentence: what the shown rows say, of a figure without claims.
    tasks: the parts of the work, in order. finish: the rows that are shown, of all that were measured.
    columns: of panels beside each other. note: what is not in print, and chosen here.
    """

    name: str
    number: str
    title: str
    says: str
    measure: Callable[[Task], pd.DataFrame]
    panels: Callable[[pd.DataFrame, Settings], Mapping[str, Spec]]
    parameters: tuple[Parameter, ...] = ()
    claims: tuple[str, ...] = ()
    sentence: Callable[[pd.DataFrame, Settings], str] | None = None
    quick: Amount = EVERY_AREA
    full: Amount = EVERY_AREA
    tasks: Callable[[Settings], Sequence[Task]] = field(default=lambda settings: [settings])
    finish: Callable[[pd.DataFrame, Settings], pd.DataFrame] = field(
        default=lambda frame, settings: frame
    )
    columns: int = 2
    note: str = ""

    @property
    def heading(self) -> str:
        """Number and title."""
        return f"{self.number}: {self.title}" if self.number else self.title

    @property
    def has_full(self) -> bool:
        """Whether full differs from quick."""
        return self.quick != self.full

    def settings(
        self, changed: Mapping[str, Any] | None = None, effort: Effort = Effort.QUICK, seed: int = 0
    ) -> Settings:
        """The defaults with what is changed; ValueError names what is no parameter of the figure, or cannot be."""
        changed = dict(changed or {})
        names = [parameter.name for parameter in self.parameters]
        if unknown := sorted(set(changed) - set(names)):
            raise ValueError(f"{self.name} has the parameters {names}, got {unknown}")
        validate.integer(0, validate.MOST_SEED, seed=seed)
        values = tuple((p.name, p.checked(changed.get(p.name, p.default))) for p in self.parameters)
        return Settings(values, self.full if effort is Effort.FULL else self.quick, int(seed))

    def joined(self, parts: Sequence[pd.DataFrame], settings: Settings) -> pd.DataFrame:
        """The rows that are shown, of the parts in order."""
        return self.finish(pd.concat(list(parts), ignore_index=True), settings)

    def compute(self, settings: Settings) -> pd.DataFrame:
        """The rows that are shown, all computed here and now."""
        return self.joined([self.measure(task) for task in self.tasks(settings)], settings)

    def changed_from_print(self, settings: Settings) -> str:
        """Which parameters are not the defaults, in words; empty where all are."""
        others = [p for p in self.parameters if settings[p.name] != p.default]
        return ", ".join(f"{p.label} = {in_full(settings[p.name])}" for p in others)


PRIVATE: tuple[type[Mechanism], ...] = tuple(
    m for m in MECHANISMS if m.in_paper and m().guarantee(1.0).private
)
WITH_OI: tuple[type[Mechanism], ...] = (*PRIVATE, MaximumObservedSensitivity)
ROBUST = ("DPExpTheilSen", "DPWideTheilSen", "DPSSTheilSen")
DESCENTS = ("DPGDPure", "DPGDApprox", "DPGDzCDP")
THETA = Parameter("theta", "widening θ", 0.01, 0.0, 1.0)
DEGREES = Parameter("df", "degrees of freedom d", 3.0, 0.1, 100.0)
STEPS = Parameter("steps", "gradient steps T", 80, 2, 2000)
CLIP = Parameter("clip", "gradient bound τ", 1.0, 0.001, 100.0)
HYPERPARAMETERS = (THETA, DEGREES, STEPS, CLIP)  # those of Table 1, with the range


def epsilon(default: float, printed: bool = True) -> Parameter:
    """The budget for both points together."""
    return Parameter("epsilon", "ε", default, 1e-6, 1e6, printed)


def span(lower: float, upper: float, printed: bool = True) -> tuple[Parameter, Parameter]:
    """The range that Theil–Sen algorithms search."""
    low, high = (f"{end} end of the range" for end in ("lower", "upper"))
    return (
        Parameter("lower", low, lower, -1000.0, 1000.0, printed),
        Parameter("upper", high, upper, -1000.0, 1000.0, printed),
    )


def chosen(algorithms: Sequence[type[Mechanism]], settings: Settings) -> tuple[Mechanism, ...]:
    """The algorithms as in the paper, with the hyperparameters that the settings name; k = 0 stands for all pairs.

    Those outside the two families with hyperparameters have none in the paper.
    """
    values = {name: None if (name, value) == ("k", 0) else value for name, value in settings.values}
    mechanisms = []
    for mechanism in (algorithm().as_in_paper() for algorithm in algorithms):
        tuned = mechanism.family in (MechanismFamily.THEIL_SEN, MechanismFamily.GRADIENT_DESCENT)
        names = {f.name for f in fields(mechanism)} & set(values) if tuned else ()
        mechanisms.append(replace(mechanism, **{name: values[name] for name in names}))
    return tuple(mechanisms)
