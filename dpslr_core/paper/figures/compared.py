"""The paper's algorithms with the hyperparameters that a figure names, parameters that many share, and Table 1."""

from __future__ import annotations

from dataclasses import fields, replace

import pandas as pd

from ...charts.paper.look import Panel, Table
from ...mechanisms.base import Mechanism
from ...mechanisms.family import MechanismFamily
from ...mechanisms.gradient.descent import DPGDApprox, DPGDPure, DPGDzCDP
from ...mechanisms.noisy_intercept import NoisyIntercept
from ...mechanisms.noisy_stats import NoisyStats
from ...mechanisms.observed_sensitivity import MaximumObservedSensitivity
from ...mechanisms.theil_sen.exponential import DPExpTheilSen, DPWideTheilSen
from ...mechanisms.theil_sen.smooth import DPSSTheilSen
from ...text.phrases import in_full, listed
from .figure import Agreement, Amount, Figure, Parameter, Settings, agreement

LARGEST = 1e6


def epsilon(default: float, printed: bool = True) -> Parameter:
    """The budget for both points together."""
    return Parameter("epsilon", "ε", default, 1e-6, LARGEST, printed)


def span(lower: float, upper: float, printed: bool = True) -> tuple[Parameter, Parameter]:
    """The range that Theil–Sen algorithms search."""
    return (
        Parameter("lower", "lower end of the range", lower, -1000.0, 1000.0, printed),
        Parameter("upper", "upper end of the range", upper, -1000.0, 1000.0, printed),
    )


THETA = Parameter("theta", "widening θ", 0.01, 0.0, 1.0)
DEGREES = Parameter("df", "degrees of freedom d", 3.0, 0.1, 100.0)
STEPS = Parameter("steps", "gradient steps T", 80, 2, 2000)
CLIP = Parameter("clip", "gradient bound τ", 1.0, 0.001, 100.0)
HYPERPARAMETERS = (THETA, DEGREES, STEPS, CLIP)  # those of Table 1, with the range
PRIVATE: tuple[type[Mechanism], ...] = (
    NoisyStats, NoisyIntercept, DPExpTheilSen, DPWideTheilSen, DPSSTheilSen, DPGDPure, DPGDApprox, DPGDzCDP,
)  # fmt: skip
WITH_OI: tuple[type[Mechanism], ...] = (*PRIVATE, MaximumObservedSensitivity)
THEIL_SEN = ("DPExpTheilSen", "DPWideTheilSen", "DPSSTheilSen")
DESCENTS = ("DPGDPure", "DPGDApprox", "DPGDzCDP")


def chosen(algorithms: tuple[type[Mechanism], ...], settings: Settings, k: int | None = None) -> tuple[Mechanism, ...]:
    """The algorithms as in the paper, with the hyperparameters that the settings name; k matchings where they can."""
    values = dict(settings.values) | ({} if k is None else {"k": k})
    return tuple(_with(algorithm().as_in_paper(), values) for algorithm in algorithms)


def _with(mechanism: Mechanism, values: dict[str, float | int]) -> Mechanism:
    """The mechanism with those of its hyperparameters that are named; the others have none in the paper."""
    if mechanism.family not in (MechanismFamily.THEIL_SEN, MechanismFamily.GRADIENT_DESCENT):
        return mechanism
    mine = {f.name for f in fields(mechanism)}
    return replace(mechanism, **{name: value for name, value in values.items() if name in mine})


_RANGE = {"lower": -0.5, "upper": 1.5}
PRINTED: dict[str, dict[str, float]] = {
    "DPExpTheilSen": _RANGE,
    "DPWideTheilSen": _RANGE | {"theta": 0.01},
    "DPSSTheilSen": _RANGE | {"df": 3.0},
    "DPGDPure": {"clip": 1.0, "steps": 80},
    "DPGDApprox": {"clip": 1.0, "steps": 80},
    "DPGDzCDP": {"clip": 1.0, "steps": 80},
}  # for the data of Opportunity Insights and UCI; on synthetic data the range is [-2, 2]
SYNTHETIC_RANGE = "[-2, 2]"
SYMBOLS = {"theta": "θ", "df": "d", "clip": "τ", "steps": "T"}


def _itself(settings: Settings) -> list[Settings]:
    return [settings]


def _measure(settings: Settings) -> pd.DataFrame:
    """A row per algorithm: in print, as run on this page, and the default elsewhere."""
    rows = []
    for algorithm in PRIVATE:
        names = list(PRINTED.get(algorithm.__name__, {}))
        rows.append({
            "algorithm": algorithm.__name__,
            "in print": _told(PRINTED.get(algorithm.__name__, {})),
            "in these figures": _told(values_of(algorithm().as_in_paper(), names)),
            "default elsewhere": _told(values_of(algorithm(), names)),
        })  # fmt: skip
    return pd.DataFrame(rows)


def values_of(mechanism: Mechanism, names: list[str]) -> dict[str, float]:
    """These hyperparameters of a mechanism."""
    return {f.name: float(getattr(mechanism, f.name)) for f in fields(mechanism) if f.name in names}


def _told(values: dict[str, float]) -> str:
    """As in the table: "range [-0.5, 1.5], θ = 0.01"; "none" without any."""
    ends = [f"range [{in_full(values['lower'])}, {in_full(values['upper'])}]"] if "lower" in values else []
    others = [f"{SYMBOLS[name]} = {in_full(values[name])}" for name in SYMBOLS if name in values]
    return ", ".join([*ends, *others]) or "none"


def _panels(frame: pd.DataFrame, settings: Settings) -> dict[str, Panel]:
    return {"Hyperparameters": Table(frame)}


def _agrees(frame: pd.DataFrame, settings: Settings) -> Agreement:
    same = frame["in print"] == frame["in these figures"]
    other = frame.loc[frame["in print"] != frame["default elsewhere"], "algorithm"].tolist()
    elsewhere = (
        f"Elsewhere in the app {listed(other)} have other defaults." if other else "So does the rest of the app."
    )
    return agreement(f"these figures use the hyperparameters in print for {same.sum()} of {len(frame)} algorithms. "
                     f"{elsewhere}", bool(same.all()))  # fmt: skip


HYPERPARAMETERS_TABLE = Figure(
    "hyperparameters", "Table 1", "Hyperparameters",
    "NoisyStats and NoisyIntercept need none; the others have a range, θ, d, or τ and T.",
    _itself, _measure, _panels, _agrees, quick=Amount(1, 1), full=Amount(1, 1), as_table=True, width=760,
    note=f"For the tract, bike share, stock exchange and nanotube data. On synthetic data the range is "
    f"{SYNTHETIC_RANGE}.",
)  # fmt: skip
