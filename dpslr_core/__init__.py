"""Differentially private simple linear regression: mechanisms, exact laws, experiments.

Pure Python on numpy and scipy; knows nothing of any user interface.
"""

from .dataset import Dataset
from .experiments import Comparison, by_group, compare, error_bound
from .experiments.sweep import sweep
from .guidance import Recommendation, recommend
from .sources import simulate_linear
from .sources.tracts import simulate_tracts

__all__ = [
    "Comparison",
    "Dataset",
    "Recommendation",
    "by_group",
    "compare",
    "error_bound",
    "recommend",
    "simulate_linear",
    "simulate_tracts",
    "sweep",
]
