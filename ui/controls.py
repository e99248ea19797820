"""Every option of the sidebar. A key is also the name in the link, and a field of Scenario with its limits and help."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel

from dpslr_core.mechanisms import USUAL as USUAL_ALGORITHMS
from dpslr_core.scenario import Scenario, field_limits
from dpslr_core.sources.choices import KINDS, Synthetic
from dpslr_core.sources.samples import SAMPLES, UCI
from dpslr_core.sources.tracts import STATES

DEFAULT = Scenario()
# Of each kind of source, its fields and their usual values.
USUAL: dict[str, dict[str, Any]] = {
    kind: {name: info.default for name, info in choice.model_fields.items() if name != "kind"}
    for kind, choice in KINDS.items()
}
# Of every setting of a scenario in a link, which is a key of the session.
USUAL_SETTINGS = {key: value for kind in USUAL if kind != "upload" for key, value in USUAL[kind].items()}
USUAL_SETTINGS |= DEFAULT.settings()
BOUND: Any = {"bind": "query-params"}  # of widgets of one page that stand in the link
KEEP: Any = {"persist_state": "session"}  # of widgets whose value counts where they are not drawn

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


def _range(model: type[BaseModel], name: str, stops: tuple[float, ...]) -> Range:
    """The label, limits and help of a field, with the stops of its slider."""
    info = model.model_fields[name]
    return Range(str(info.title), stops, *field_limits(model, name), str(info.description))


SIZES = (10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1350, 2000, 5000, 10_000)
VARIANCES_X = (1e-4, 3e-4, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08)
VARIANCES_E = (1e-6, 1e-5, 1e-4, 3e-4, 0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
SLIDERS: dict[str, Range] = {
    "n": _range(Synthetic, "n", SIZES),
    "var_x": _range(Synthetic, "var_x", VARIANCES_X),
    "var_e": _range(Synthetic, "var_e", VARIANCES_E),
    "slope": _range(Synthetic, "slope", _steps(-1, 1, 0.1)),
    "intercept": _range(Synthetic, "intercept", _steps(0, 1, 0.05)),
}
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 8, 10, 16, 32)
EPSILON = _range(Scenario, "epsilon", EPSILONS)._replace(least=1e-6, most=1e9)  # a scenario has any above 0
TRACTS = (50, 100, 300, 1000, *sorted(state.tracts for state in STATES.values()))
ELASTICITIES = (*sorted({0, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, *(state.beta for state in STATES.values())}),)
TRIALS = (20, 50, 100, 200, 500, 1000, 2000, 5000)
LARGEST_SEED = 2**31 - 1
MOST_RECORDS = 1000  # of one person
# Of settings whose widgets take less than a scenario.
LIMITS: dict[str, tuple[float, float]] = {
    "epsilon": (EPSILON.least, EPSILON.most), "seed": (0, LARGEST_SEED), "data_seed": (0, LARGEST_SEED),
    "records_per_person": (1, MOST_RECORDS),
}  # fmt: skip

LOOKING = (
    "Looking at the true data is not private, and neither is choosing an algorithm by looking: use public or "
    "synthetic data that resemble yours."
)
