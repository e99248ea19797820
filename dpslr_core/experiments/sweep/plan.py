"""What a sweep varies: a parameter of the data, of the budget or of mechanisms, and the paper's choices of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from numpy.typing import ArrayLike

from ...dataset import Dataset
from ...mechanisms.base import Mechanism, different_names
from ...privacy import Budget
from ...privacy.accounting import admitted
from ...sources.linear import LinearModel
from ...support import validate

OF_DATA = ("n", "var_x", "var_e", "slope")
OF_RANGE = ("lower", "upper", "width")
PARAMETERS = (*OF_DATA, "epsilon", "x_new", "theta", "beta", "df", "k", *OF_RANGE, "steps", "clip", "delta")
WHOLE = ("n", "k", "steps")


@dataclass(frozen=True)
class Setting:
    """One value of the parameter put where it belongs: the data or their model, the budget and the mechanisms.

    The error is measured at the first point of the budget.
    """

    value: float
    source: LinearModel | Dataset
    budget: Budget
    mechanisms: tuple[Mechanism, ...]


@dataclass(frozen=True)
class SweepPlan:
    """A setting for every value of a parameter. names: of the mechanisms, the same at all values."""

    parameter: str
    names: tuple[str, ...]
    settings: tuple[Setting, ...]

    @property
    def averaged(self) -> bool:
        """Whether there are simulated data sets to average over."""
        return isinstance(self.settings[0].source, LinearModel)


def plan_sweep(
    parameter: str,
    values: ArrayLike,
    source: LinearModel | Dataset,
    budget: Budget,
    mechanisms: Sequence[Mechanism],
) -> SweepPlan:
    """A setting for every value of a parameter.

    parameter: one of PARAMETERS.
    values: of the parameter, all different, shape (v,).
    source: the model of the data, or a data set.
    budget: epsilon, the points and the accounting; the error is measured at the first point.
    mechanisms: one or more, with different names; those that the accounting leaves out at some value are not run.

    ValueError names the argument that cannot be.
    """
    if parameter not in PARAMETERS:
        raise ValueError(f"parameter must be one of {list(PARAMETERS)}, got {parameter!r}")
    if isinstance(source, Dataset) and parameter in OF_DATA:
        raise ValueError(f"parameter can be {parameter!r} for simulated data only, not with data")
    different_names(mechanisms)
    if not mechanisms:
        raise ValueError("mechanisms must hold one or more mechanisms")
    numbers = validate.points(values=values).tolist()
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"values must be different, got {values!r}")
    base = Setting(numbers[0], source, budget, tuple(mechanisms))
    settings = tuple(_at_value(parameter, value, base) for value in numbers)
    for setting in settings:
        if isinstance(setting.source, LinearModel):
            validate.positive(var_x=setting.source.var_x, var_e=setting.source.var_e)
    places = [i for i in range(len(mechanisms)) if all(admitted(s.mechanisms[i : i + 1], s.budget) for s in settings)]
    if not places:
        raise ValueError(f"mechanisms must hold one that is run under the accounting {budget.accounting}")
    run = tuple(replace(s, mechanisms=tuple(s.mechanisms[i] for i in places)) for s in settings)
    return SweepPlan(parameter, tuple(mechanisms[i].name for i in places), run)


def _at_value(parameter: str, value: float, base: Setting) -> Setting:
    """The base with this value of the parameter, as a whole number where it must be one."""
    if parameter in WHOLE:
        if value != int(value):
            raise ValueError(f"values must be whole numbers for {parameter}, got {value!r}")
        value = int(value)
    base, budget = replace(base, value=value), base.budget
    if parameter == "epsilon":
        return replace(base, budget=replace(budget, epsilon=value))
    if parameter == "x_new":
        return replace(base, budget=replace(budget, at=(value, *budget.at[1:])))
    if parameter in OF_DATA:
        return replace(base, source=replace(base.source, **{parameter: value}))  # type: ignore[arg-type]
    changed = tuple(_changed(mechanism, parameter, value) for mechanism in base.mechanisms)
    if changed == base.mechanisms and not any(_has(mechanism, parameter) for mechanism in base.mechanisms):
        raise ValueError(f"parameter {parameter!r} must be a hyperparameter of one of the mechanisms")
    return replace(base, mechanisms=changed)


def numeric_hyperparameters(mechanism: Mechanism) -> set[str]:
    """The names of its hyperparameters that a sweep can vary: switches, which are on or off, are left out."""
    return {f.name for f in fields(mechanism) if not isinstance(getattr(mechanism, f.name), bool)}


def _has(mechanism: Mechanism, parameter: str) -> bool:
    return ("lower" if parameter == "width" else parameter) in numeric_hyperparameters(mechanism)


def _changed(mechanism: Mechanism, parameter: str, value: float) -> Mechanism:
    """The mechanism with this hyperparameter, itself where it has none of the name."""
    if not _has(mechanism, parameter):
        return mechanism
    if parameter != "width":
        return replace(mechanism, **{parameter: value})
    validate.positive(width=value)
    middle = 0.5 * (mechanism.lower + mechanism.upper)  # type: ignore[attr-defined]
    return replace(mechanism, lower=middle - 0.5 * value, upper=middle + 0.5 * value)  # type: ignore[call-arg]
