"""What the sentences of a page speak of, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..dataset import Dataset
from ..mechanisms.base import Mechanism
from ..privacy.accounting import SpendingRule
from ..sources.axis import Axis
from ..sources.grouping import GroupedData


class Settings(Protocol):
    """What sentences read of a Scenario."""

    @property
    def epsilon(self) -> float:
        """The total budget."""

    @property
    def at(self) -> tuple[float, ...]:
        """The points, in the unit square."""

    @property
    def accounting(self) -> SpendingRule:
        """What each algorithm may spend."""

    @property
    def records_per_person(self) -> int:
        """How many records of one person the guarantee covers."""

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """The chosen algorithms."""

    @property
    def compared(self) -> tuple[Mechanism, ...]:
        """Those and, where it is wished, the same with few matchings."""

    @property
    def trials(self) -> int:
        """Draws where there is no exact output distribution."""

    @property
    def seed(self) -> int:
        """Of those draws."""

    def model_dump_json(self) -> str:
        """All of it, so that it can be read again."""


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class View(Generic[S]):
    """What a page shows: the scenario, its grouped data, the data set of one group, and the axes to speak in."""

    scenario: S
    grouped: GroupedData
    group: str
    data: Dataset
    x: Axis
    y: Axis

    @property
    def data_name(self) -> str:
        """The name of the data set, with its group where there are several."""
        return f"{self.grouped.name}, {self.group}" if len(self.grouped.groups) > 1 else self.grouped.name


def shown_group(wanted: str, grouped: GroupedData) -> str:
    """The group of this label, or the first usable one where it belongs to other data.

    ValueError where no group can be used.
    """
    if not grouped.usable:
        raise ValueError(f"no group of {grouped.name} can be used")
    return wanted if wanted in grouped.usable else grouped.usable[0]
