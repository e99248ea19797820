"""Figure of the paper as a value: its settings, how it is measured and drawn, and the claims about it.

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

Task = Any  # picklable value that, with its figure, determines some of the rows


class Effort(Enum):
    """Amount of computing: a quick figure, or the paper's numbers of data sets and trials."""

    QUICK = "quick"
    FULL = "full"


class Amount(NamedTuple):
    """Number of data sets or areas (0 for all), and of trials for algorithms without an exact law."""

    datasets: int
    trials: int


EVERY_AREA = Amount(0, 100)


class Parameter(NamedTuple):
    """Number that may be changed within a range.

    Attributes
    ----------
    name, label : str
        Name in settings, and label for people.
    default : float or int
        The paper's value, or a choice of ours if the paper prints none.
    low, high : float
        Ends of the range.
    printed : bool
        Whether the paper prints the default.
    """

    name: str
    label: str
    default: float | int
    low: float
    high: float
    printed: bool = True

    def checked(self, value: Any) -> float | int:
        """Convert a value to the default's type, int or float; ValueError outside the range or for a fraction."""
        validate.inside(self.low, self.high, **{self.name: value})
        if not isinstance(self.default, int):
            return float(value)
        if value != int(value):
            raise ValueError(f"{self.name} must be a whole number, got {value!r}")
        return int(value)


@dataclass(frozen=True)
class Settings:
    """Values that determine the numbers of one figure: its parameters, the amount of computing and the seed."""

    values: tuple[tuple[str, float | int], ...]
    amount: Amount
    seed: int = 0

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]


@dataclass(frozen=True)
class Figure:
    """Figure of the paper.

    Attributes
    ----------
    name : str
        Name in plain words.
    number : str
        "Figure 6" as in the paper; empty for a figure that is not in print.
    title : str
        Title.
    says : str
        Sentence of ours about what the paper says.
    measure : callable
        Computes the rows of one task; a function of a module, so that it can be sent to other processes.
    panels : callable
        Returns the specifications of the panels, by title, for the finished rows.
    parameters : tuple of Parameter
        Parameters that may be changed.
    claims : tuple of str
        Keys of the paper's claims about the figure.
    sentence : callable, optional
        Describes the finished rows, for a figure without claims.
    quick, full : Amount
        Data sets and trials of each effort.
    tasks : callable
        Returns the tasks, in order.
    finish : callable
        Converts all measured rows to the rows that are shown.
    columns : int
        Panels beside each other.
    note : str
        Choices made here because the paper does not print them.
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
        """Whether `full` differs from `quick`."""
        return self.quick != self.full

    def settings(
        self, changed: Mapping[str, Any] | None = None, effort: Effort = Effort.QUICK, seed: int = 0
    ) -> Settings:
        """Return settings of the figure.

        Parameters
        ----------
        changed : mapping, optional
            Values of parameters that differ from the defaults, by name.
        effort : Effort
            Whether the amount is `quick` or `full`.
        seed : int
            Seed of all draws.

        Raises
        ------
        ValueError
            If a name is no parameter of the figure, or a value is not allowed.
        """
        changed = dict(changed or {})
        names = [parameter.name for parameter in self.parameters]
        if unknown := sorted(set(changed) - set(names)):
            raise ValueError(f"{self.name} has the parameters {names}, got {unknown}")
        validate.integer(0, validate.MOST_SEED, seed=seed)
        values = tuple((p.name, p.checked(changed.get(p.name, p.default))) for p in self.parameters)
        return Settings(values, self.full if effort is Effort.FULL else self.quick, int(seed))

    def joined(self, parts: Sequence[pd.DataFrame], settings: Settings) -> pd.DataFrame:
        """Return the rows that are shown, from the measured rows of all tasks in order."""
        return self.finish(pd.concat(list(parts), ignore_index=True), settings)

    def compute(self, settings: Settings) -> pd.DataFrame:
        """Compute the rows that are shown, in this process."""
        return self.joined([self.measure(task) for task in self.tasks(settings)], settings)

    def changed_from_print(self, settings: Settings) -> str:
        """List the parameters that are not at their defaults, in words; empty if all are."""
        changed = [p for p in self.parameters if settings[p.name] != p.default]
        return ", ".join(f"{p.label} = {in_full(settings[p.name])}" for p in changed)


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
HYPERPARAMETERS = (THETA, DEGREES, STEPS, CLIP)  # hyperparameters of Table 1, besides the range


def epsilon(default: float, printed: bool = True) -> Parameter:
    """Return the parameter epsilon, the budget for both points together."""
    return Parameter("epsilon", "ε", default, 1e-6, 1e6, printed)


def span(lower: float, upper: float, printed: bool = True) -> tuple[Parameter, Parameter]:
    """Return the parameters of the range that Theil–Sen algorithms search."""
    low, high = (f"{end} end of the range" for end in ("lower", "upper"))
    return (
        Parameter("lower", low, lower, -1000.0, 1000.0, printed),
        Parameter("upper", high, upper, -1000.0, 1000.0, printed),
    )


def chosen(algorithms: Sequence[type[Mechanism]], settings: Settings) -> tuple[Mechanism, ...]:
    """Return the algorithms as in the paper, with the hyperparameters that the settings name.

    Algorithms outside the Theil–Sen and descent families have no hyperparameters in the paper.

    Parameters
    ----------
    algorithms : sequence of type
        Classes of the algorithms.
    settings : Settings
        Settings of a figure; k = 0 stands for all pairs.
    """
    values = {name: None if (name, value) == ("k", 0) else value for name, value in settings.values}
    mechanisms = []
    for mechanism in (algorithm().as_in_paper() for algorithm in algorithms):
        tuned = mechanism.family in (MechanismFamily.THEIL_SEN, MechanismFamily.GRADIENT_DESCENT)
        names = {f.name for f in fields(mechanism)} & set(values) if tuned else ()
        mechanisms.append(replace(mechanism, **{name: values[name] for name in names}))
    return tuple(mechanisms)
