"""Scenario: everything that determines a result, as a single validated value.

The sidebar, the link, a JSON file and a script are faces of the same value; equal scenarios give equal numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache, cached_property
from math import inf
from types import NoneType
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    field_validator,
    model_validator,
)

from .mechanisms import REPLACED, USUAL, algorithms
from .mechanisms.base import Mechanism, hyperparameters
from .privacy import Budget, Guarantee
from .privacy.accounting import PAPER, Accounting, admitted
from .sources.axis import UNIT_X, Axis
from .sources.choices import FLAT, KINDS, Source, Synthetic, source_from
from .sources.linear import LinearModel
from .sources.numbers import format_points, parse_pair, parse_points, read_number, read_whole
from .support.readable import one_name


def mechanism_named(name: str) -> type[Mechanism]:
    """Return the algorithm class of this name; ValueError lists the names that there are."""
    named = {algorithm.__name__: algorithm for algorithm in algorithms()}
    if name in REPLACED:
        raise ValueError(f"{name} is no longer offered: {REPLACED[name]}")
    if name not in named:
        raise ValueError(f"algorithm must be one of {list(named)}, got {name!r}")
    return named[name]


def _mechanism(value: Any) -> Mechanism:
    """Return a mechanism from itself, from its name, or from {"algorithm": name, field: value, ...}."""
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


def _accounting(value: Any) -> Accounting:
    """Return an accounting that a link can say, from itself or its text."""
    accounting = Accounting.parse(value)
    if isinstance(accounting.rule, Guarantee):
        raise ValueError(
            f"accounting must be a rule of its own name, not a guarantee, got {accounting}"
        )
    return accounting


def _as_mapping(mechanism: Mechanism) -> dict[str, Any]:
    return {"algorithm": type(mechanism).__name__, **hyperparameters(mechanism)}


MAX_POINTS = 8  # of one release
FOR_PERSON = (
    "The guarantee is for a person with up to K records; algorithms add enough noise for all K."
)
UNIT_SQUARE = "unit_square"  # the setting of a link whose points are not in the units of the data
_NOT_IN_A_LINK = ("kind", "source", "at", "mechanisms")  # fields that stand there otherwise
AccountingField = Annotated[Accounting, PlainValidator(_accounting), PlainSerializer(str)]
MechanismField = Annotated[Mechanism, PlainValidator(_mechanism), PlainSerializer(_as_mapping)]


class Scenario(BaseModel):
    """Data source, budget, points to predict at, and algorithms to compare.

    An uploaded file is itself not part of a scenario. Raises pydantic.ValidationError (a ValueError) that names the
    field.

    Attributes
    ----------
    group : str
        Label of the group; empty for the first usable group.
    at : tuple of float
        Points in the unit square.
    accounting : Accounting
        What each algorithm may spend. Scenario(records_per_person=3) makes it hold for people with up to three records
        each.
    also_k : int, optional
        Number of matchings k with which every algorithm that has a k is compared as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    source: Source = Synthetic()
    group: str = ""
    epsilon: float = Field(
        2.0,
        gt=0,
        allow_inf_nan=False,
        title="Privacy budget ε",
        description="The total privacy budget for all points released together. Neighbours differ in one record; n is "
        "public.",
    )
    at: tuple[float, ...] = (0.25, 0.75)
    accounting: AccountingField = PAPER
    trials: int = Field(
        1000,
        ge=10,
        le=100_000,
        title="Trials",
        description="How often every algorithm is run. Exact laws do not depend on it.",
    )
    seed: int = Field(
        0, ge=0, title="Seed of the noise", description="The same seed gives the same numbers."
    )
    mechanisms: tuple[MechanismField, ...] = tuple(algorithm() for algorithm in USUAL)
    also_k: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Theil–Sen also with k matchings",
        description="Adds every chosen Theil–Sen algorithm a second time, with this many random matchings.",
    )

    @field_validator("group")
    @classmethod
    def _one_name(cls, group: str) -> str:
        return one_name(group)

    @field_validator("mechanisms", mode="before")
    @classmethod
    def _in_an_order(cls, mechanisms: Any) -> Any:
        if isinstance(mechanisms, set | frozenset):
            raise ValueError("mechanisms must be a list: a set has no order")
        return mechanisms

    @field_validator("at")
    @classmethod
    def _some_finite_points(cls, at: tuple[float, ...]) -> tuple[float, ...]:
        if not at or len(at) > MAX_POINTS or not np.isfinite(at).all():
            raise ValueError(f"at must be 1 to {MAX_POINTS} finite numbers, got {at!r}")
        if len(set(at)) < len(at):
            raise ValueError(f"at must be different points, got {at!r}")
        return tuple(point + 0.0 for point in at)  # -0.0 is 0.0: points are keys of random streams

    @model_validator(mode="before")
    @classmethod
    def _flat_source(cls, values: Any) -> Any:
        """Move fields of the source that stand beside the others, as they do in a link: Scenario(n=50)."""
        if not isinstance(values, Mapping):
            return values
        if "records_per_person" in values:
            values = dict(values)
            accounting = Accounting.parse(values.get("accounting", PAPER))
            values["accounting"] = replace(accounting, records=values.pop("records_per_person"))
        flat, source = (
            {k: v for k, v in values.items() if k in FLAT},
            values.get("source", "synthetic"),
        )
        if not flat and not isinstance(source, str):
            return values
        if not isinstance(source, str):
            raise ValueError(
                f"source is given as a value, so its fields {sorted(flat)} cannot be given "
                "beside it"
            )
        return {k: v for k, v in values.items() if k not in FLAT} | {
            "source": source_from(source, flat)
        }

    def model_copy(
        self, *, update: Mapping[str, Any] | None = None, deep: bool = False
    ) -> Scenario:
        """Copy the scenario with other values, which are checked; a rule alone leaves the records of a person."""
        given = dict(update or {})
        if "accounting" in given and Accounting.parse(given["accounting"]).records == 1:
            given.setdefault("records_per_person", self.records_per_person)
        return type(self)(
            **({name: getattr(self, name) for name in type(self).model_fields} | given)
        )

    @cached_property
    def compared(self) -> tuple[Mechanism, ...]:
        """Mechanisms, each followed by itself with also_k matchings where that differs."""
        pairs = [
            (m, replace(m, **{"k": self.also_k})) if self.also_k and hasattr(m, "k") else (m,)
            for m in self.mechanisms
        ]
        return tuple(dict.fromkeys(mechanism for pair in pairs for mechanism in pair))

    @cached_property
    def admitted(self) -> tuple[Mechanism, ...]:
        """Compared mechanisms that the rule of accounting does not leave out."""
        return tuple(admitted(self.compared, self.budget))

    @property
    def records_per_person(self) -> int:
        """Number of records of one person that the guarantee covers."""
        return self.accounting.records

    @property
    def linear_model(self) -> LinearModel:
        """Model of synthetic data; ValueError where the data are from elsewhere."""
        if not isinstance(self.source, Synthetic):
            raise ValueError(
                f"source must be 'synthetic' for a linear model, got {self.source.kind!r}"
            )
        return self.source.model

    @cached_property
    def budget(self) -> Budget:
        """Budget: epsilon for all points together, and what each algorithm may spend of it."""
        return Budget(self.epsilon, self.at, self.accounting)

    def settings(self, x_axis: Axis = UNIT_X) -> dict[str, Any]:
        """Return all settings, of source and algorithms, too, by their names in a link; x_new in units of x_axis."""
        model_fields = [
            (model, name) for model in (self.source, self) for name in type(model).model_fields
        ]
        usual = (
            self.at == type(self).model_fields["at"].default
            and getattr(self.source, "x_most", None) is None
        )
        at = "" if usual else format_points(map(x_axis.nearest, self.at))
        return {
            "source": self.source.kind,
            **{
                name: getattr(model, name)
                for model, name in model_fields
                if name not in _NOT_IN_A_LINK
            },
            "accounting": replace(self.accounting, records=1),
            "records_per_person": self.records_per_person,
            "x_new": at,
            "algorithms": [type(mechanism).__name__ for mechanism in self.mechanisms],
            **{
                f"{type(m).__name__}.{f.name}": getattr(m, f.name)
                for m in self.mechanisms
                for f in fields(m)
            },
        }

    def to_query(self, x_axis: Axis = UNIT_X) -> dict[str, str | list[str]]:
        """Return the link's query: every setting that differs from the usual value; every number to its last digit.

        x_new is in the units of x_axis; in the unit square, and the link says so, where these units cannot say a point.
        """
        axis = x_axis if all(x_axis.typed(point) is not None for point in self.at) else UNIT_X
        usual = {
            name: info.default
            for model in (self.source, self)
            for name, info in type(model).model_fields.items()
        }
        usual |= {
            f"{type(m).__name__}.{f.name}": f.default for m in self.mechanisms for f in fields(m)
        }
        names = [algorithm.__name__ for algorithm in USUAL]
        usual |= {"source": "synthetic", "records_per_person": 1, "x_new": "", "algorithms": names}
        query = {
            key: _text(value) for key, value in self.settings(axis).items() if value != usual[key]
        }
        return query if axis is x_axis or "x_new" not in query else query | {UNIT_SQUARE: "true"}

    @classmethod
    def from_query(
        cls, query: Mapping[str, str | Sequence[str]], x_axis: Axis = UNIT_X
    ) -> Scenario:
        """Read the scenario of a link: the inverse of to_query. ValueError names what cannot be read."""
        # Fields of other kinds are left out.
        kind = KINDS.get(str(query.get("source", "synthetic")), Synthetic)
        field_names = {*kind.model_fields, *cls.model_fields, "records_per_person"} - {
            "kind",
            "mechanisms",
        }
        values: dict[str, Any] = {k: v for k, v in query.items() if k in field_names}
        numbers = {"records_per_person": True} | _numbers_of(kind) | _numbers_of(cls)
        for name in values.keys() & numbers.keys():
            values[name] = _number(name, str(values[name]), numbers[name])
        for name in ("x_bounds", "y_bounds", "x_most"):
            if name in values:
                values[name] = parse_pair(str(values[name]), name)
        if "x_new" in query:
            x_axis = UNIT_X if query.get(UNIT_SQUARE) == "true" else x_axis
            typed = parse_points(str(query["x_new"]), style=x_axis.numbers)
            values["at"] = tuple(float(v) for v in x_axis.to_unit(typed))
        names = query.get("algorithms", [m.__name__ for m in USUAL])
        names = _each_name(names)
        values["mechanisms"] = [
            mechanism_named(name)(
                **{
                    key.partition(".")[2]: parse_hyperparameter(
                        mechanism_named(name), key.partition(".")[2], str(text)
                    )
                    for key, text in query.items()
                    if key.startswith(f"{name}.")
                }
            )
            for name in names
        ]
        return cls(**values)

    @classmethod
    def from_opened(cls, query: Mapping[str, str | Sequence[str]]) -> tuple[Scenario, list[str]]:
        """Read the scenario of a link that anybody may have written, and the names of settings that are unreadable.

        Unreadable settings keep their usual values; names of no algorithm are left out.
        """
        usable: dict[str, str | Sequence[str]] = {}
        refused: list[str] = []
        # The source first: it decides which other settings there are.
        keys = sorted(query.keys() - {"algorithms"}, key="source".__ne__)
        if "algorithms" in query:
            names = _each_name(query["algorithms"])
            offered = [
                algorithm.__name__ for algorithm in algorithms() if algorithm.__name__ in names
            ]
            usable = {"algorithms": offered} if offered or names == [""] else {}
            refused = ["algorithms"] if {*names} - {*offered, *REPLACED, ""} else []
        with suppress(ValueError):
            return cls.from_query(usable | {key: query[key] for key in keys}), refused
        # Twice: a setting may be readable only after a later one, as the ends of a range.
        for _ in range(2):
            unread = []
            for key in keys:
                try:
                    cls.from_query(usable | {key: query[key]})
                    usable[key] = query[key]
                except ValueError:
                    unread.append(key)
            keys = unread
        return cls.from_query(usable), refused + keys


def _each_name(texts: str | Sequence[str]) -> list[str]:
    """Split the names in a link: the setting stands there several times, or has commas between the names."""
    return [
        name.strip()
        for text in ([texts] if isinstance(texts, str) else texts)
        for name in text.split(",")
    ]


@cache
def _names_with(offered: tuple[type[Mechanism], ...]) -> frozenset[str]:
    return frozenset(
        {*FLAT, *Scenario(mechanisms=tuple(algorithm() for algorithm in offered)).settings()}
    )


def link_names() -> frozenset[str]:
    """Return the names of all settings of scenarios in links."""
    return _names_with(algorithms())


def field_limits(model: type[BaseModel], name: str) -> tuple[float, float]:
    """Return the least and the largest value of a number, infinite where there is no limit or an open one."""
    limits = model.model_fields[name].metadata
    least = next((limit.ge for limit in limits if hasattr(limit, "ge")), -inf)
    most = next((limit.le for limit in limits if hasattr(limit, "le")), inf)
    return least, most


@cache
def _numbers_of(model: type[BaseModel]) -> dict[str, bool]:
    """Return the fields that are a single number, and whether it is whole."""
    annotations = {name: info.annotation for name, info in model.model_fields.items()}
    return {
        name: kind is not float
        for name, kind in annotations.items()
        if kind in (int, float, int | None)
    }


def _number(name: str, text: str, is_whole: bool) -> float | None:
    """Read a number from its text, None from an empty text; ValueError names the setting."""
    try:
        return (read_whole(text) if is_whole else read_number(text)) if text else None
    except ValueError as problem:
        raise ValueError(f"{name} must be a number: {problem}") from None


def _text(value: Any) -> Any:
    """Write a value as a link says it: every digit, whole numbers without a point; a list of names as it is."""
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return (
        ""
        if value is None
        else str(value).removesuffix(".0")
        if isinstance(value, float)
        else str(value)
    )


@cache
def field_type(algorithm: type[Mechanism], name: str) -> tuple[type, bool]:
    """Return the plain type of a hyperparameter, int, float or tuple, and whether it may be None.

    KeyError where the algorithm has no hyperparameter of the name.
    """
    hint = get_type_hints(algorithm)[name]
    options = get_args(hint) if NoneType in get_args(hint) else (hint,)
    plain = next(option for option in options if option is not NoneType)
    return (tuple if getattr(plain, "__origin__", None) is tuple else plain), NoneType in options


def parse_hyperparameter(algorithm: type[Mechanism], name: str, text: str) -> Any:
    """Read a hyperparameter from its text in a link; ValueError names it where it is unknown or unreadable."""
    if name not in [f.name for f in fields(algorithm)]:
        raise ValueError(f"{algorithm.__name__} has no hyperparameter {name!r}")
    plain, optional = field_type(algorithm, name)
    if optional and text == "":
        return None
    if plain is bool:
        return text.lower() in ("true", "1")
    if plain is tuple:
        return parse_points(text, f"{algorithm.__name__}.{name}")
    return _number(f"{algorithm.__name__}.{name}", text, plain is int)
