"""Every option and limit of the sidebar. A key is also the name in the link, and a field of Scenario.

Options stand in the link as they are drawn, so each number reads the same by str() and by format(value, "g").
"""

from __future__ import annotations

from dpslr_core.datasets import SAMPLES
from dpslr_core.datasets.uci import UCI
from dpslr_core.mechanisms import MECHANISMS
from dpslr_core.scenario import Scenario

DEFAULT = Scenario()

SOURCES = {
    "synthetic": "draw data with sliders",
    "sample": "a file that comes with the project",
    "state": "a simulated state of census tracts",
    "uci": "a public data set, as in the paper",
    "upload": "your own CSV",
}
SAMPLE_TITLES = {sample.key: sample.title for sample in SAMPLES}
UCI_TITLES = {data.key: data.title for data in UCI}
ALGORITHMS = tuple(algorithm.__name__ for algorithm in MECHANISMS)


def _steps(low: float, high: float, step: float) -> tuple[float, ...]:
    """Round numbers from low to high; whole ones as int, so that they read "1" and not "1.0"."""
    values = (round(low + step * i, 6) for i in range(round((high - low) / step) + 1))
    return tuple(value if value % 1 else int(value) for value in values)


SLIDERS: dict[str, tuple[str, tuple[float, ...], str]] = {
    # key: label, options, help
    "n": ("n", (10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1350, 2000, 5000, 10000), "Records."),
    "var_x": (
        "σₓ²",
        (0.0001, 0.0003, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08),
        "Variance of x: x is uniform about 1/2.",
    ),
    "var_e": (
        "σₑ²",
        (0.000001, 0.00001, 0.0001, 0.0003, 0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1),
        "Variance of the Gaussian noise around the line.",
    ),
    "slope": ("slope", _steps(-1, 1, 0.1), "Slope of the true line."),
    "intercept": ("intercept", _steps(0, 1, 0.05), "Height of the true line at x = 0."),
}
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 8, 10, 16, 32)
TRACTS = (50, 100, 300, 1000, 3108)
ELASTICITIES = (0, 0.0654, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)
TRIALS = (20, 50, 100, 200, 500, 1000, 2000, 5000)
LARGEST_SEED = 2**31 - 1
MAX_POINTS = 8

LOOKING = (
    "Looking at the true data is not private, and neither is choosing an algorithm by looking: use public or "
    "synthetic data that resemble yours."
)
