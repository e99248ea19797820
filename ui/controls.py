"""Every setting of the sidebar; its key is the name in the link, and a field of Scenario with its limits and help."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dpslr_core.mechanisms import USUAL as USUAL_ALGORITHMS
from dpslr_core.scenario import FOR_PERSON, Scenario, field_limits
from dpslr_core.sources.choices import KINDS, SimulatedState, Synthetic
from dpslr_core.sources.linear import ERROR_SHAPES, X_SHAPES
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
    "upload": "your own file",
}
TITLES = {"sample": {each.key: each.title for each in SAMPLES}, "uci": {each.key: each.title for each in UCI}}
ALGORITHMS = tuple(algorithm.__name__ for algorithm in USUAL_ALGORITHMS)  # chosen at first
# A small set that shows the differences between the families.
FEW = ("OLS", "NoisyStats", "CenteredStats", "NoisyIntercept", "DPExpTheilSen", "DeepestLine", "DPGDzCDP")
LARGEST_SEED = 2**31 - 1
MOST_RECORDS = 1000  # of one person


def options_text(options: Iterable[str], most: int = 12) -> str:
    """Return the options as a list for a sentence; of more than so many the first ones, the last and how many."""
    texts = [text for text in options if text]
    if len(texts) <= most:
        return ", ".join(texts)
    return f"{', '.join(texts[:3])}, … {texts[-1]} ({len(texts):,} values)"


class Setting(NamedTuple):
    """A setting: its label and help, the least and the largest number, and the stops of its slider or its options."""

    label: str
    help: str | None
    least: float
    most: float
    stops: tuple[Any, ...] = ()


def _steps(low: float, high: float, step: float) -> tuple[float, ...]:
    return tuple(round(low + step * i, 6) for i in range(round((high - low) / step) + 1))


def _setting(key: str, stops: tuple[Any, ...] = (), **changes: Any) -> Setting:
    """A field of Scenario or of a source, with the stops of its slider; changes: what differs from the field."""
    model = next(each for each in (Scenario, Synthetic, SimulatedState) if key in each.model_fields)
    info = model.model_fields[key]
    return Setting(str(info.title), info.description, *field_limits(model, key), stops)._replace(**changes)


_TRACTS = (50, 100, 300, 1000, *sorted(state.tracts for state in STATES.values()))
_ELASTICITIES = (*sorted({0, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, *(state.beta for state in STATES.values())}),)
_FITS = "; ".join(f"{name} {state.beta}" for name, state in STATES.items())
SETTINGS: dict[str, Setting] = {
    "epsilon": _setting(  # a scenario has more
        "epsilon", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 8, 10, 16, 32), least=1e-6, most=1e9
    ),
    "n": _setting(
        "n", (10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1350, 2000, 5000, 10_000)
    ),
    "var_x": _setting(
        "var_x", (1e-4, 3e-4, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08)
    ),
    "var_e": _setting("var_e", (1e-6, 1e-5, 1e-4, 3e-4, 0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)),
    "slope": _setting("slope", _steps(-1, 1, 0.1)),
    "intercept": _setting("intercept", _steps(0, 1, 0.05)),
    "x_shape": _setting("x_shape", tuple(X_SHAPES), help="; ".join(X_SHAPES.values()).capitalize() + "."),
    "error_shape": _setting(
        "error_shape", tuple(ERROR_SHAPES), help="; ".join(ERROR_SHAPES.values()).capitalize() + "."
    ),
    "data_seed": _setting("data_seed", most=LARGEST_SEED),
    "state": _setting("state", tuple(STATES), label="Like"),
    "tracts": _setting(
        "tracts", _TRACTS, label="Tracts",
        help="; ".join(f"{name} has {state.tracts:,}" for name, state in STATES.items()) + ".",
    ),
    "elasticity": _setting(
        "elasticity", _ELASTICITIES,
        help=f"{SimulatedState.model_fields['elasticity'].description} What fits the public data: {_FITS}.",
    ),
    "records_per_person": Setting(
        "How many rows can one person have?", f"{FOR_PERSON} n counts records. It is public: say it without "
        "looking at the data.", 1, MOST_RECORDS,
    ),
    "trials": _setting("trials", (20, 50, 100, 200, 500, 1000, 2000, 5000)),
    "seed": _setting("seed", most=LARGEST_SEED),
}  # fmt: skip
EPSILON = SETTINGS["epsilon"]

LOOKING = (
    "Looking at the true data is not private, and neither is choosing an algorithm by looking: use public or "
    "synthetic data that resemble yours."
)
