"""Scenario: everything that determines a result, as one validated value.

The sidebar, the link, a JSON file and a script are faces of the same value; equal scenarios give equal numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_type_hints

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator, field_validator

from .datasets import ONE_GROUP, SAMPLES, UNIT_X, UNIT_Y, Axis, Family, load_sample
from .datasets.numbers import Style
from .datasets.uci import UCI, load_uci
from .mechanisms import MECHANISMS, Mechanism, algorithms
from .run import Budget
from .sources import LinearModel
from .tracts import BETA, simulate_tracts

UPLOAD_FIELDS = ("x_column", "y_column", "group_column", "x_bounds", "y_bounds", "x_numbers", "y_numbers")
Source = Literal["synthetic", "sample", "state", "uci", "upload"]


def simulated_state(tracts: int, elasticity: float, seed: int) -> Family:
    """A family of simulated census tracts, see simulate_tracts."""
    frame = simulate_tracts(tracts=tracts, elasticity=elasticity, rng=np.random.default_rng(seed))
    x, y = Axis("parent income rank"), Axis("child income rank")
    about = (
        f"Simulated: {tracts:,} census tracts sized and spread like Illinois', income elasticity {elasticity:g}, ranks "
        "rounded up to two decimals."
    )
    return Family("A simulated state", about, x, y, frame, reproducible=True)


def mechanism_named(name: str) -> type[Mechanism]:
    """The algorithm of this name; ValueError names those there are."""
    named = {algorithm.__name__: algorithm for algorithm in algorithms()}
    if name not in named:
        raise ValueError(f"algorithm must be one of {list(named)}, got {name!r}")
    return named[name]


def hyperparameters(mechanism: Mechanism) -> dict[str, Any]:
    """The fields of a mechanism that differ from their defaults."""
    return {f.name: getattr(mechanism, f.name) for f in fields(mechanism) if getattr(mechanism, f.name) != f.default}


def _mechanism(value: Any) -> Mechanism:
    """A mechanism from itself, from its name, or from {"algorithm": name, field: value, ...}."""
    if isinstance(value, Mechanism):
        return value
    if isinstance(value, str):
        return mechanism_named(value)()
    if not isinstance(value, Mapping):
        raise ValueError(f"a mechanism must be a name or a mapping, got {value!r}")
    chosen = dict(value)
    algorithm = mechanism_named(str(chosen.pop("algorithm", "")))
    allowed = [f.name for f in fields(algorithm)]
    if unknown := sorted(set(chosen) - set(allowed)):
        raise ValueError(f"{algorithm.__name__} has the hyperparameters {allowed}, got {unknown}")
    return algorithm(**{name: tuple(v) if isinstance(v, list) else v for name, v in chosen.items()})


def _as_mapping(mechanism: Mechanism) -> dict[str, Any]:
    return {"algorithm": type(mechanism).__name__, **hyperparameters(mechanism)}


MechanismField = Annotated[Mechanism, PlainValidator(_mechanism), PlainSerializer(_as_mapping)]


class Scenario(BaseModel):
    """A data source, a budget, the points to predict at, and the algorithms to compare.

    also_k: every algorithm that has a number of matchings k is compared with this k as well. at: points in the unit
    square. group: empty means the first usable group. sample, uci: keys of SAMPLES and
    UCI. x_column to y_numbers: what was chosen for an uploaded file, which is itself not part of a scenario; the
    bounds are in its units. Raises pydantic.ValidationError (a ValueError) that names the field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    source: Source = "synthetic"
    sample: str = SAMPLES[0].key
    uci: str = UCI[0].key
    tracts: int = Field(300, ge=2, le=100_000)
    elasticity: float = Field(BETA, ge=-10, le=10, allow_inf_nan=False)
    x_column: str = ""
    y_column: str = ""
    group_column: str = ""
    x_bounds: tuple[float, float] | None = None
    y_bounds: tuple[float, float] | None = None
    x_numbers: Style | None = None
    y_numbers: Style | None = None
    group: str = ""
    n: int = Field(250, ge=3, le=1_000_000)
    var_x: float = Field(0.03, ge=0, le=1, allow_inf_nan=False)
    var_e: float = Field(0.01, ge=0, le=10, allow_inf_nan=False)
    slope: float = Field(0.5, ge=-100, le=100, allow_inf_nan=False)
    intercept: float = Field(0.2, ge=-100, le=100, allow_inf_nan=False)
    data_seed: int = Field(0, ge=0)
    epsilon: float = Field(2.0, gt=0, allow_inf_nan=False)
    at: tuple[float, ...] = (0.25, 0.75)
    trials: int = Field(1000, ge=10, le=100_000)
    seed: int = Field(0, ge=0)
    mechanisms: tuple[MechanismField, ...] = tuple(algorithm() for algorithm in MECHANISMS)
    also_k: int | None = Field(None, ge=1, le=1_000_000)

    @field_validator("at")
    @classmethod
    def _some_finite_points(cls, at: tuple[float, ...]) -> tuple[float, ...]:
        if not at or len(at) > 8 or not np.isfinite(at).all():
            raise ValueError(f"at must be 1 to 8 finite numbers, got {at!r}")
        if len(set(at)) < len(at):
            raise ValueError(f"at must be different points, got {at!r}")
        return at

    @field_validator("x_bounds", "y_bounds", mode="before")
    @classmethod
    def _bounds_in_a_link(cls, bounds: Any) -> Any:
        return parse_points(bounds, "bounds") if isinstance(bounds, str) else bounds

    @field_validator("x_bounds", "y_bounds")
    @classmethod
    def _usable_bounds(cls, bounds: tuple[float, float] | None) -> tuple[float, float] | None:
        if bounds is not None:
            Axis("column", "", *bounds)
        return bounds

    @field_validator("sample")
    @classmethod
    def _known_sample(cls, key: str) -> str:
        return _known(key, [s.key for s in SAMPLES], "sample")

    @field_validator("uci")
    @classmethod
    def _known_uci(cls, key: str) -> str:
        return _known(key, [u.key for u in UCI], "uci")

    @property
    def compared(self) -> tuple[Mechanism, ...]:
        """The mechanisms, each followed by itself with also_k matchings where that is another."""
        pairs = [
            (m, replace(m, **{"k": self.also_k})) if self.also_k and hasattr(m, "k") else (m,) for m in self.mechanisms
        ]
        return tuple(dict.fromkeys(mechanism for pair in pairs for mechanism in pair))

    @property
    def linear_model(self) -> LinearModel:
        """The model of synthetic data: x uniform about 1/2."""
        return LinearModel(self.n, self.var_x, self.var_e, self.slope, self.intercept)

    @property
    def budget(self) -> Budget:
        """epsilon for all points together."""
        return Budget(self.epsilon, self.at)

    def family(self, upload: Family | None = None) -> Family:
        """The data this scenario names; for source "upload" the family given, or ValueError without one.

        DataUnavailable where a UCI file is not here and cannot be had.
        """
        if self.source == "sample":
            return load_sample(self.sample)
        if self.source == "uci":
            return load_uci(self.uci)
        if self.source == "state":
            return simulated_state(self.tracts, self.elasticity, self.data_seed)
        if self.source == "upload":
            if upload is None:
                raise ValueError("no file has been loaded yet")
            return upload
        return self._synthetic()

    def _synthetic(self) -> Family:
        data = self.linear_model.simulate(np.random.default_rng(self.data_seed))
        frame = {"group": [ONE_GROUP] * self.n, "x": data.x, "y": data.y}
        about = f"Simulated: uniform x, y = {self.slope:g} x + {self.intercept:g} + Gaussian noise, clipped to [0, 1]."
        return Family("Synthetic data", about, UNIT_X, UNIT_Y, pd.DataFrame(frame), reproducible=True)

    def to_query(self, x_axis: Axis = UNIT_X) -> dict[str, str | list[str]]:
        """The link's query: every field that differs from its default; x_new in the units of x_axis."""
        query: dict[str, str | list[str]] = {}
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if name not in ("at", "mechanisms") and value != info.default:
                text = ", ".join(map(repr, value)) if isinstance(value, tuple) else str(value)
                query[name] = f"{value:g}" if isinstance(value, float) else text
        if self.at != type(self).model_fields["at"].default:
            query["x_new"] = format_points(x_axis.from_unit(self.at))
        if (names := [type(m).__name__ for m in self.mechanisms]) != [m.__name__ for m in MECHANISMS]:
            query["algorithms"] = names
        for mechanism in self.mechanisms:
            for name, value in hyperparameters(mechanism).items():
                query[f"{type(mechanism).__name__}.{name}"] = _text(value)
        return query

    @classmethod
    def from_query(cls, query: Mapping[str, str | Sequence[str]], x_axis: Axis = UNIT_X) -> Scenario:
        """The scenario a link names: the inverse of to_query. ValueError names what cannot be read."""
        values: dict[str, Any] = {k: v for k, v in query.items() if k in cls.model_fields and k != "mechanisms"}
        if "x_new" in query:
            values["at"] = tuple(float(v) for v in x_axis.to_unit(parse_points(str(query["x_new"]))))
        names = query.get("algorithms", [m.__name__ for m in MECHANISMS])
        names = [names] if isinstance(names, str) else list(names)
        values["mechanisms"] = [
            mechanism_named(name)(
                **{
                    key.partition(".")[2]: parse_hyperparameter(mechanism_named(name), key.partition(".")[2], str(text))
                    for key, text in query.items()
                    if key.startswith(f"{name}.")
                }
            )
            for name in names
        ]
        return cls(**values)


def _known(key: str, keys: Sequence[str], field: str) -> str:
    if key not in keys:
        raise ValueError(f"{field} must be one of {list(keys)}, got {key!r}")
    return key


def parse_points(text: str, field: str = "x_new") -> tuple[float, ...]:
    """The numbers in "0.25, 0.75" (commas, semicolons or spaces between); ValueError names the culprit."""
    parts = text.replace(";", " ").replace(",", " ").split()
    points = []
    for part in parts:
        try:
            points.append(float(part))
        except ValueError:
            raise ValueError(f"{field} must be numbers with commas between, got {part!r}") from None
    return tuple(points)


def format_points(points: Sequence[float] | np.ndarray) -> str:
    """The points as parse_points reads them, to ten digits."""
    return ", ".join(f"{point:.10g}" for point in points)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return format_points(value)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else f"{value:.17g}"


@cache
def field_type(algorithm: type[Mechanism], name: str) -> tuple[type, bool]:
    """The plain type of a hyperparameter, int, float or tuple, and whether it may be left empty (None)."""
    hint = get_type_hints(algorithm)[name]
    options = get_args(hint) if NoneType in get_args(hint) else (hint,)
    plain = next(option for option in options if option is not NoneType)
    return (tuple if getattr(plain, "__origin__", None) is tuple else plain), NoneType in options


def parse_hyperparameter(algorithm: type[Mechanism], name: str, text: str) -> Any:
    """A hyperparameter from its text in a link; ValueError names it where it is unknown or unreadable."""
    if name not in [f.name for f in fields(algorithm)]:
        raise ValueError(f"{algorithm.__name__} has no hyperparameter {name!r}")
    plain, optional = field_type(algorithm, name)
    if optional and text == "":
        return None
    if plain is bool:
        return text.lower() in ("true", "1")
    try:
        return parse_points(text, name) if plain is tuple else plain(text)
    except ValueError:
        raise ValueError(f"{algorithm.__name__}.{name} must be a number, got {text!r}") from None
