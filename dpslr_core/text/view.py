"""What the sentences of a page speak of, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from ..dataset import Dataset
from ..scenario import Scenario
from ..sources.axis import Axis
from ..sources.grouping import GroupedData


@dataclass(frozen=True)
class View:
    """What a page shows: the scenario, its grouped data, the data set of one group, and the axes to speak in."""

    scenario: Scenario
    family: GroupedData
    group: str
    data: Dataset
    x: Axis
    y: Axis

    @property
    def data_name(self) -> str:
        """The name of the data set, with its group where there are several."""
        return f"{self.family.name}, {self.group}" if len(self.family.groups) > 1 else self.family.name
