"""Differentially private simple linear regression: mechanisms, exact laws, experiments.

Pure Python on numpy and scipy; knows nothing of any user interface. A name is imported when it is first used, so that
``dpslr --help`` need not wait for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dataset import Dataset
    from .experiments import Comparison, by_group, compare, error_bound
    from .experiments.pooling import pool_areas
    from .experiments.sweep import sweep
    from .guidance import Recommendation, recommend
    from .guidance.decision import decide
    from .sources import simulate_linear
    from .sources.tracts import simulate_tracts

# Module of each public name.
_HOMES = {
    "Comparison": "experiments",
    "Dataset": "dataset",
    "Recommendation": "guidance",
    "by_group": "experiments",
    "compare": "experiments",
    "decide": "guidance.decision",
    "error_bound": "experiments",
    "pool_areas": "experiments.pooling",
    "recommend": "guidance",
    "simulate_linear": "sources",
    "simulate_tracts": "sources.tracts",
    "sweep": "experiments.sweep",
}
_PARTS = (
    "audit",
    "charts",
    "experiments",
    "guidance",
    "laws",
    "mechanisms",
    "privacy",
    "scenario",
    "sources",
    "sweeps",
)


def __getattr__(name: str) -> Any:
    """Import a name of __all__, or a module such as dpslr_core.mechanisms, at its first use."""
    if name == "__version__":
        return import_module(".support", __name__).VERSION
    if name in _PARTS:
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


__all__ = [
    "Comparison",
    "Dataset",
    "Recommendation",
    "by_group",
    "compare",
    "decide",
    "error_bound",
    "pool_areas",
    "recommend",
    "simulate_linear",
    "simulate_tracts",
    "sweep",
]
