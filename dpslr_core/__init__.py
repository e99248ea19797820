"""Differentially private simple linear regression: mechanisms, exact laws, experiments.

Pure Python on numpy and scipy; knows nothing of any user interface.
"""

from .dataset import Dataset
from .experiments import Comparison, compare, error_bound
from .simulate import simulate_linear

__all__ = ["Comparison", "Dataset", "compare", "error_bound", "simulate_linear"]
