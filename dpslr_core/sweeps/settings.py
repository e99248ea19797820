"""What a sweep varies: a parameter of the data, of the budget or of mechanisms, and the paper's choices of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from numpy.typing import ArrayLike

from .. import _validate
from ..dataset import Dataset
from ..experiments import different_names
from ..mechanisms import (
    OLS,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    Mechanism,
    NoisyStats,
    TheilSen,
)
from ..run import Budget
from ..scenario import Scenario
from ..sources import LinearModel

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
    """Every value put in its place; ValueError names what cannot be."""
    if parameter not in PARAMETERS:
        raise ValueError(f"parameter must be one of {list(PARAMETERS)}, got {parameter!r}")
    if isinstance(source, Dataset) and parameter in OF_DATA:
        raise ValueError(f"parameter can be {parameter!r} for simulated data only, not with data")
    different_names(mechanisms)
    if not mechanisms:
        raise ValueError("mechanisms must hold one or more mechanisms")
    numbers = _validate.points(values=values).tolist()
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"values must be different, got {values!r}")
    base = Setting(numbers[0], source, budget, tuple(mechanisms))
    settings = tuple(_at_value(parameter, value, base) for value in numbers)
    for setting in settings:
        if isinstance(setting.source, LinearModel):
            _validate.positive(var_x=setting.source.var_x, var_e=setting.source.var_e)
    return SweepPlan(parameter, tuple(mechanism.name for mechanism in mechanisms), settings)


def _at_value(parameter: str, value: float, base: Setting) -> Setting:
    """The base with this value of the parameter, as a whole number where it must be one."""
    if parameter in WHOLE:
        if value != int(value):
            raise ValueError(f"values must be whole numbers for {parameter}, got {value!r}")
        value = int(value)
    base, budget = replace(base, value=value), base.budget
    if parameter == "epsilon":
        return replace(base, budget=Budget(value, budget.at))
    if parameter == "x_new":
        return replace(base, budget=Budget(budget.epsilon, (value, *budget.at[1:])))
    if parameter in OF_DATA:
        return replace(base, source=replace(base.source, **{parameter: value}))  # type: ignore[arg-type]
    changed = tuple(_changed(mechanism, parameter, value) for mechanism in base.mechanisms)
    if changed == base.mechanisms and not any(_has(mechanism, parameter) for mechanism in base.mechanisms):
        raise ValueError(f"parameter {parameter!r} must be a hyperparameter of one of the mechanisms")
    return replace(base, mechanisms=changed)


def _has(mechanism: Mechanism, parameter: str) -> bool:
    return ("lower" if parameter == "width" else parameter) in {f.name for f in fields(mechanism)}


def _changed(mechanism: Mechanism, parameter: str, value: float) -> Mechanism:
    """The mechanism with this hyperparameter, itself where it has none of the name."""
    if not _has(mechanism, parameter):
        return mechanism
    if parameter != "width":
        return replace(mechanism, **{parameter: value})
    _validate.positive(width=value)
    middle = 0.5 * (mechanism.lower + mechanism.upper)  # type: ignore[attr-defined]
    return replace(mechanism, lower=middle - 0.5 * value, upper=middle + 0.5 * value)  # type: ignore[call-arg]


@dataclass(frozen=True)
class PaperSweep:
    """One panel of the paper's figures on synthetic data, as arguments of sweep."""

    key: str
    title: str
    parameter: str
    values: tuple[float, ...]
    base: Scenario
    trials: int
    datasets: int = 500


_RANGE = {"lower": -2.0, "upper": 2.0}
_COMPARED = (OLS(), TheilSen(k=10), NoisyStats(), DPExpTheilSen(**_RANGE, k=10))
_ALL_COMPARED = (
    *_COMPARED,
    DPWideTheilSen(**_RANGE, k=10, theta=0.01),
    DPSSTheilSen(**_RANGE, k=10),
    *(DPGDPure(), DPGDApprox(), DPGDzCDP()),
)
# Not in print, and chosen here: n = 1,000, sigma_x^2 = 0.03, sigma_e^2 = 0.01 and epsilon = 2 where they do not vary.
_ONE = Scenario(n=1000, var_x=0.03, var_e=0.01, epsilon=2.0, mechanisms=_ALL_COMPARED)
# In print is the product alone; here epsilon = 8, which the paper uses elsewhere, sigma_x^2 = 0.02, and n as follows.
_PRODUCTS = {40: 250, 216: 1350, 800: 5000}
_VAR_E = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.03)  # above, too many y are clipped to the unit square
_X_NEW = tuple(i / 10 for i in range(11))


def _product_sweeps(product: int, n: int) -> tuple[PaperSweep, PaperSweep]:
    """The two panels at one epsilon n sigma_x^2."""
    base = Scenario(n=n, var_x=0.02, var_e=0.01, epsilon=8.0, mechanisms=_COMPARED)
    title = f"ε n σₓ² = {product}"
    return (
        PaperSweep(f"{product}-var-e", f"{title}, varying σₑ²", "var_e", _VAR_E, base, trials=20),
        PaperSweep(f"{product}-x-new", f"{title}, varying x", "x_new", _X_NEW, base, trials=20),
    )


# Figures "Relative error (C_true / sigma) of DP and non-private algorithms on synthetic data" and "Comparing NoisyStats
# and DPExpTS10Match": epsilon pays for the predictions at 1/4 and 3/4 together, as the paper states its budgets.
PAPER_SWEEPS: tuple[PaperSweep, ...] = (
    PaperSweep("n", "Varying n", "n", (30, 57, 109, 207, 395, 753, 1437, 2742, 5233, 10_000), _ONE, trials=50),
    PaperSweep(
        "var-x",
        "Varying σₓ²",
        "var_x",
        (0.003, 0.00387, 0.005, 0.00646, 0.00834, 0.0108, 0.0139, 0.018, 0.0232, 0.03),
        _ONE,
        trials=50,
    ),
    PaperSweep(
        "epsilon",
        "Varying ε",
        "epsilon",
        (0.01, 0.0215, 0.0464, 0.1, 0.215, 0.464, 1.0, 2.15, 4.64, 10.0),
        _ONE,
        trials=50,
    ),
    *(panel for product, n in _PRODUCTS.items() for panel in _product_sweeps(product, n)),
)
