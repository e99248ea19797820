"""The stories of the Start page: a scenario each, opened by a plain link so that the address says it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dpslr_core.mechanisms import DPExpTheilSen, DPGDzCDP, NoisyStats
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import PublicData, SampleData, SimulatedState, UploadedFile


@dataclass(frozen=True)
class Preset:
    """A scenario with a title, the page it opens on and what there is to see."""

    title: str
    text: str
    page: str
    scenario: Scenario


PRESETS = (
    Preset("Your file", "Upload a table, choose its columns and say what their public bounds are.", "data",
           Scenario(source=UploadedFile())),
    Preset(
        "Teach with it",
        "What can a line give away, and which noise hides it? Seven steps for a class, each with one thing to move "
        "and one guess. Plans and exercises are in docs/teaching.md.",
        "lesson",
        Scenario(),
    ),
    Preset(
        "A census tract",
        "The Opportunity Atlas releases a line for each tract at ε = 16. In small tracts one algorithm's error "
        "stays below the sampling error; another's does not.",
        "compare",
        Scenario(source=SampleData(sample="tracts"), epsilon=16),
    ),
    Preset(
        "A whole state",
        "In what share of 300 simulated tracts is the error below the sampling error, at ε = 16? By each algorithm, "
        "and by the method that was deployed, which is not differentially private.",
        "small_areas",
        Scenario(source=SimulatedState(), epsilon=16),
    ),
    Preset(
        "A state as large as Illinois",
        "3,108 simulated tracts at ε = 16: a random 200 of them decide in seconds, all of them on request.",
        "small_areas",
        Scenario(source=SimulatedState(tracts=3108), epsilon=16),
    ),
    Preset(
        "Bike share",
        "Rides against temperature, January at 8 in the morning, ε = 2. The temperatures of these 60 hours "
        "differ so little that a flat line beats every sloped one.",
        "compare",
        Scenario(source=PublicData(uci="bikes"), group="month 1, hour 8"),
    ),
    Preset(
        "Stock exchange",
        "250 days of the Istanbul index in two currencies at ε = 2: the paper's picture of output distributions.",
        "compare",
        Scenario(source=PublicData(uci="stocks")),
    ),
    Preset(
        "Nanotubes",
        "10,683 atoms almost on a line, at ε = 1. The paper could use one matching of them. With all 57 million "
        "pairs, what remains is the gap between Theil–Sen and OLS. NoisyStats adds the same noise however good "
        "the fit: hundreds of standard errors here.",
        "compare",
        Scenario(
            source=PublicData(uci="nanotubes"),
            epsilon=1,
            mechanisms=(NoisyStats(), DPExpTheilSen(), DPGDzCDP()),
            also_k=1,
        ),
    ),
)  # fmt: skip


def balanced_rows(presets: Sequence[Preset], most: int = 3) -> list[Sequence[Preset]]:
    """The presets in rows that differ by one in length at most."""
    rows = -(-len(presets) // most)
    ends = [round(len(presets) * row / rows) for row in range(rows + 1)]
    return [presets[start:end] for start, end in pairwise(ends)]
