"""What a class has moved in the lesson, as one value that stands in the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from .people import HOURS, SCORE, TEN

STEPS = 6
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
SIZES = (20, 30, 50, 100, 150, 200, 300, 500, 1000)
SCATTERS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)  # points
# What each setting may be: one of these, or a number between the bounds of an axis.
CHOICES: dict[str, tuple[float, ...]] = {
    "step": tuple(range(1, STEPS + 1)),
    "leaver": tuple(range(len(TEN) + 1)),
    "person": tuple(range(1, len(TEN) + 1)),
    "class_epsilon": EPSILONS,
    "students": SIZES,
    "scatter": SCATTERS,
}
AXES = {"person_x": HOURS, "person_y": SCORE}


@dataclass(frozen=True)
class Lesson:
    """The step, and what has been moved in any of them.

    leaver: the person who leaves in step 1, 0 for nobody. person: the one who is moved in steps 2 and 4, to person_x
    hours and person_y points; None: as in the data. students, scatter: size of the class, and points by which scores
    scatter about the line. ValueError names a field that cannot be.
    """

    step: int = 1
    leaver: int = 0
    person: int = len(TEN)
    person_x: float | None = None
    person_y: float | None = None
    class_epsilon: float = 2.0
    students: int = 300
    scatter: float = 10.0

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {list(allowed)}, got {getattr(self, name)!r}")
        for name, axis in AXES.items():
            value = getattr(self, name)
            if value is not None and not axis.lower <= value <= axis.upper:
                raise ValueError(f"{name} must lie in [{axis.lower}, {axis.upper}], got {value!r}")

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Lesson:
        """The lesson a link names; what it does not name, or cannot be, is as usual."""
        return cls(**{f.name: read(f.name, [query[f.name]] if f.name in query else []) for f in fields(cls)})

    def to_query(self) -> dict[str, str]:
        """The inverse of from_query: what is not as usual."""
        texts = {f.name: written(f.name, getattr(self, f.name)) for f in fields(self)}
        return {name: found[0] for name, found in texts.items() if found}


def read(name: str, texts: Sequence[str]) -> Any:
    """The value of a setting that the texts of a link mean; the usual one where there is none of use."""
    usual = getattr(Lesson, name)
    try:
        value: Any = float(texts[-1])
        if name in CHOICES:
            value = next(choice for choice in CHOICES[name] if choice == value)
        Lesson(**{name: value})
    except (IndexError, ValueError, StopIteration):
        return usual
    return value


def written(name: str, value: Any) -> list[str]:
    """How a setting is written in a link; nothing for the usual value."""
    return [] if value == getattr(Lesson, name) else [repr(value).removesuffix(".0")]
