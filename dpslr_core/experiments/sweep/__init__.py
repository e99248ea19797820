"""How errors change with one parameter, on simulated data, and where the curves of two algorithms cross."""

from .batches import BLOCK, batch_ranges, run_sweep, sweep, sweep_batches
from .measure import RATIO
from .plan import SweepPlan, plan_sweep
from .results import COLUMNS, Sweep, SweepBatch, combine

__all__ = [
    "BLOCK",
    "COLUMNS",
    "RATIO",
    "Sweep",
    "SweepBatch",
    "SweepPlan",
    "batch_ranges",
    "combine",
    "plan_sweep",
    "run_sweep",
    "sweep",
    "sweep_batches",
]
