"""Real releases through OpenDP: costs by the library's own map, and seconds.

``python -m benchmarks release``: a release each at n = 250 and 10,000, its measurements and answer included, and a
table of 3,108 tracts with a release of CenteredStats for each, through plan, log and certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dpslr_core import simulate_linear
from dpslr_core.mechanisms import (
    CenteredStats,
    CenteredStatsGaussian,
    DeepestLine,
    DeepestLineZCDP,
    DPExpTheilSen,
    JointTheilSen,
    JointTheilSenZCDP,
    Mechanism,
    NoisyStats,
)
from dpslr_core.privacy import ZCDP, PureDP
from dpslr_core.release import plan, release
from dpslr_core.release.log import FOLDER
from dpslr_core.release.programs import program_of, to_grid
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.tables import read_table
from dpslr_core.sources.tracts import SIZE_SCALE, SIZE_SHIFT

from .timing import Row, seconds

TRACTS = 3108
EPSILON = 4.0
# By algorithm: the seconds that a release of 250 and of 10,000 records may take.
MEASURED: tuple[tuple[Mechanism, float, float], ...] = (
    (CenteredStats(), 1, 0.5), (CenteredStatsGaussian(), 0.5, 0.5), (NoisyStats(), 0.5, 0.5),
    (DPExpTheilSen(), 1, 30), (JointTheilSen(), 10, 40), (JointTheilSenZCDP(), 10, 40), (DeepestLine(), 10, 20),
    (DeepestLineZCDP(), 10, 20),
)  # fmt: skip


def rows() -> Iterator[Row]:
    """Measure each algorithm and number of records, then the table of tracts."""
    for mechanism, few, many in MEASURED:
        yield _release(mechanism, 250, few)
        yield _release(mechanism, 10_000, many)
    yield _tracts()


def _release(mechanism: Mechanism, n: int, aim: float) -> Row:
    guarantee = PureDP(EPSILON) if mechanism.guarantee(1.0).pure else ZCDP(EPSILON**2 / 2)
    x, y = simulate_linear(n, 0.03, 0.01, rng=np.random.default_rng(n))
    program = program_of(mechanism, guarantee, (0.25, 0.75), n)
    records = to_grid(x, 1000), to_grid(y, 1000)
    taken = seconds(lambda: program.answer(program.draw(*records)))
    spent = float(sum(Fraction(call["opendp map"]) for call in program.calls))
    what = f"{mechanism.name}, {guarantee}, n = {n:,}; the library's maps add up to {spent:.12g}"
    return Row(what, f"{taken:.2f} s", f"under {aim:g} s", taken < aim)


def _tracts() -> Row:
    """Measure a table with the sizes of the simulated states; a second run draws nothing."""
    rng = np.random.default_rng(0)
    sizes = np.floor(rng.exponential(SIZE_SCALE, TRACTS) + SIZE_SHIFT).astype(int).tolist()
    areas = {f"tract {i:04}": n for i, n in enumerate(sizes)}
    lines = ["tract,parent,child"]
    for area, n in areas.items():
        x, y = simulate_linear(n, 0.03, 0.01, rng=rng)
        lines += [f"{area},{a:.4f},{b:.4f}" for a, b in zip(x, y, strict=True)]
    data = read_table("\n".join(lines).encode())
    columns = UploadedFile(
        x_column="parent",
        y_column="child",
        group_column="tract",
        x_bounds=(0, 1),
        y_bounds=(0, 1),
        x_numbers="point",
        y_numbers="point",
    )
    scenario = Scenario(source=columns, epsilon=EPSILON, mechanisms=(CenteredStats(),))
    planned = plan(scenario, bounds_from="shares", choice_from="simulated data", areas=areas)
    with TemporaryDirectory() as folder:
        run = partial(release, planned, data, Path(folder) / FOLDER)
        taken, again = seconds(run), seconds(run)
    what = f"a table of {TRACTS:,} tracts, plan to certificate; the same again {again:.0f} s"
    return Row(what, f"{taken:.0f} s", "under 300 s", taken < 300)
