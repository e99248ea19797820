"""All claims of the paper computed, as a frame and as a stored file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...sources.files.stored import read_stored, write_stored
from ...sources.samples import stored_file
from ...sources.uci import DataUnavailable
from ...support.version import VERSION
from ...support.workers import in_order, one_thread
from .claim import Claim, Result
from .sections import CLAIMS, SECTIONS
from .settings import SETTINGS

STORED = stored_file("paper_claims.json")
COMMAND = "dpslr claims"  # makes the file
COLUMNS = ("where", "claim", "paper", "ours", "kind", "why", "seconds")
KEY = {claim.key: claim for claim in CLAIMS}


def compute(claim: Claim) -> Result:
    """The claim's numbers, now."""
    start = time.process_time()
    try:
        with one_thread():
            numbers: tuple[float, ...] | None = tuple(np.atleast_1d(np.asarray(claim.compute(), dtype=float)).tolist())
    except DataUnavailable:
        numbers = None
    return Result(claim, numbers, round(time.process_time() - start, 2))


def compute_all(workers: int | str = 1) -> Iterator[list[Result]]:
    """The results of each section of the paper as they arrive, in the paper's order; workers: as in by_group.

    The numbers are the same whatever the workers, the seconds are not.
    """
    for parts in in_order(_computed, range(len(SECTIONS)), workers):
        yield [Result(KEY[key], numbers, seconds) for key, numbers, seconds in parts]


def _computed(section: int) -> list[tuple[str, tuple[float, ...] | None, float]]:
    """The results of one section without their claims, whose functions do not travel between processes."""
    return [(result.claim.key, result.numbers, result.seconds) for result in map(compute, SECTIONS[section])]


def frame(results: Sequence[Result]) -> pd.DataFrame:
    """A row of COLUMNS for each result; the kind follows from the numbers and the claim."""
    rows = [
        (
            r.claim.where, r.claim.sentence, r.claim.expected.text, r.ours, r.kind.value, r.claim.why, r.seconds,
        )
        for r in results
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def save(results: Sequence[Result], path: Path = STORED) -> None:
    """Write our numbers by key, with version and settings; Unwritable where the file cannot be written."""
    computed = {
        r.claim.key: {"ours": None if r.numbers is None else list(map(_plain, r.numbers)), "seconds": r.seconds}
        for r in results
    }
    stored = {"version": VERSION, "settings": SETTINGS, "claims": computed}
    write_stored(json.dumps(stored, indent=1, allow_nan=False), path)


def _plain(number: float) -> float | str:
    """A number for JSON, which has none that is not finite."""
    return number if isfinite(number) else str(number)


def load(path: Path = STORED) -> list[Result]:
    """The stored results, in the paper's order; Damaged, a ValueError, where the file is missing or holds others."""

    def read(stored: Any) -> list[Result]:
        mine = stored["claims"]
        return [Result(claim, _numbers(mine[claim.key]["ours"]), float(mine[claim.key]["seconds"])) for claim in CLAIMS]

    return read_stored(path, read, "numbers for these claims", COMMAND)


def stored_version(path: Path = STORED) -> str:
    """The version of the package that computed the stored results; errors as of load."""
    return read_stored(path, lambda stored: str(stored["version"]), "version", COMMAND)


def _numbers(stored: list[float | str] | None) -> tuple[float, ...] | None:
    return None if stored is None else tuple(float(number) for number in stored)
