"""Every option and limit of the sidebar. A key is also the name in the link, and a field of Scenario."""

from __future__ import annotations

from typing import Any, NamedTuple

from dpslr_core.mechanisms import USUAL as USUAL_ALGORITHMS
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import KINDS
from dpslr_core.sources.samples import SAMPLES
from dpslr_core.sources.tract_models import STATES
from dpslr_core.sources.uci import UCI

DEFAULT = Scenario()
# Of each kind of source, its fields and their usual values.
USUAL: dict[str, dict[str, Any]] = {
    kind: {name: info.default for name, info in choice.model_fields.items() if name != "kind"}
    for kind, choice in KINDS.items()
}
BOUND: Any = {"bind": "query-params"}  # of every widget that stands in the link

SOURCES = {
    "synthetic": "simulated with the sliders below",
    "sample": "a file that comes with the project",
    "state": "a simulated state of census tracts",
    "uci": "a public data set of the paper",
    "upload": "your own CSV",
}
SAMPLE_TITLES = {sample.key: sample.title for sample in SAMPLES}
UCI_TITLES = {data.key: data.title for data in UCI}
ALGORITHMS = tuple(algorithm.__name__ for algorithm in USUAL_ALGORITHMS)  # chosen at first
# A small set that shows the differences between the families.
FEW = ("OLS", "NoisyStats", "CenteredStats", "NoisyIntercept", "DPExpTheilSen", "DeepestLine", "DPGDzCDP")


class Range(NamedTuple):
    """A number of the sidebar: its label, the stops of its slider, and the limits of its box."""

    label: str
    stops: tuple[float, ...]
    least: float
    most: float
    help: str


def _steps(low: float, high: float, step: float) -> tuple[float, ...]:
    return tuple(round(low + step * i, 6) for i in range(round((high - low) / step) + 1))


SIZES = (10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1350, 2000, 5000, 10_000)
VARIANCES_X = (1e-4, 3e-4, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08)
VARIANCES_E = (1e-6, 1e-5, 1e-4, 3e-4, 0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
SLIDERS: dict[str, Range] = {
    "n": Range("Records, n", SIZES, 3, 1_000_000, "The number of people or other units in the data. It is public."),
    "var_x": Range("Variance of x, σₓ²", VARIANCES_X, 0, 1, "x lies about 1/2, between 0 and 1."),
    "var_e": Range("Residual variance, σₑ²", VARIANCES_E, 0, 10, "Variance of the errors about the line."),
    "slope": Range("Slope", _steps(-1, 1, 0.1), -100, 100, "Slope of the true line."),
    "intercept": Range("Intercept", _steps(0, 1, 0.05), -100, 100, "Height of the true line at x = 0."),
}
EPSILON = Range(
    "Privacy budget ε", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 8, 10, 16, 32), 1e-6, 1e9,
    "The total for all points released together. Neighbours differ in one record; n is public.",
)  # fmt: skip
TRACTS = (50, 100, 300, 1000, *sorted(state.tracts for state in STATES.values()))
ELASTICITIES = (*sorted({0, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, *(state.beta for state in STATES.values())}),)
TRIALS = (20, 50, 100, 200, 500, 1000, 2000, 5000)
LARGEST_SEED = 2**31 - 1
MAX_POINTS = 8
MOST_RECORDS = 1000  # of one person

LOOKING = (
    "Looking at the true data is not private, and neither is choosing an algorithm by looking: use public or "
    "synthetic data that resemble yours."
)
