"""Plans, data and logs of small releases, for tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from dpslr_core.mechanisms import CenteredStats
from dpslr_core.release import plan
from dpslr_core.release.certificate import as_text
from dpslr_core.release.plans import Promise, digest_of
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.tables import read_table

COLUMNS = UploadedFile(
    x_column="hours",
    y_column="score",
    group_column="school",
    x_bounds=(0, 8),
    y_bounds=(20, 120),
    x_numbers="point",
    y_numbers="point",
)
SAID = {"bounds_from": "the timetable and the test's scale", "choice_from": "simulated data"}
N = 60
STORED = (
    Path(__file__).parents[1] / "core" / "release" / "stored_0_2_0"
)  # a log that version 0.2.0 wrote


def planned(mechanism=None, epsilon=2.0, records=1, **more):
    """A plan for the data of ``text``, of one release unless areas are given."""
    scenario = Scenario(
        source=COLUMNS,
        epsilon=epsilon,
        mechanisms=(mechanism or CenteredStats(),),
        records_per_person=records,
    )
    size = {} if "areas" in more else {"n": N}
    return plan(scenario, **(size | SAID | more))


def text(seed=0, n=N, areas=1):
    """A CSV file of n records, in so many areas."""
    rng = np.random.default_rng(seed)
    hours = rng.uniform(0, 8, n)
    scores = 30 + 8 * hours + rng.normal(0, 6, n)
    rows = [
        f"s{i % areas:03},{x:.2f},{y:.1f}"
        for i, (x, y) in enumerate(zip(hours, scores, strict=True))
    ]
    return "\n".join(["school,hours,score", *rows]) + "\n"


def table(**given):
    """The table of such a file."""
    return read_table(text(**given).encode())


def pure(amount):
    """A promise of pure privacy."""
    return Promise(definition="pure", amount=amount)


def rho(amount):
    """A promise of zero-concentrated privacy."""
    return Promise(definition="zcdp", amount=amount)


def sealed(held):
    """The text of a certificate whose digest is made anew, as somebody who forges it would."""
    rest = {name: value for name, value in held.items() if name != "sha256"}
    return as_text(rest | {"sha256": digest_of(rest)})


def copy_of_stored(place):
    """The stored log in a folder of its own, open to nobody else."""
    shutil.copytree(STORED, place)
    for path in (place, *place.iterdir()):
        path.chmod(0o700 if path.is_dir() else 0o600)
