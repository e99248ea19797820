"""All claims of the paper computed, as a frame and as a stored file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

import numpy as np
import pandas as pd

from ...sources.samples import stored_file
from ...sources.uci import DataUnavailable
from ...support.version import VERSION
from ...support.workers import in_order, one_thread
from .claim import Claim, Result
from .sections import CLAIMS, SECTIONS
from .settings import SETTINGS

STORED = stored_file("paper_claims.json")
COLUMNS = ("where", "claim", "paper", "ours", "verdict", "why", "seconds")
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
    """A row of COLUMNS for each result; the verdict follows from the numbers."""
    rows = [
        (
            r.claim.where, r.claim.sentence, r.claim.expected.text, r.ours, r.verdict, r.claim.why, r.seconds,
        )
        for r in results
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def save(results: Sequence[Result], path: Path = STORED) -> None:
    """Write our numbers by key, with version and settings; OSError where the file cannot be written."""
    computed = {
        r.claim.key: {"ours": None if r.numbers is None else list(map(_plain, r.numbers)), "seconds": r.seconds}
        for r in results
    }
    stored = {"version": VERSION, "settings": SETTINGS, "claims": computed}
    path.write_text(json.dumps(stored, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _plain(number: float) -> float | str:
    """A number for JSON, which has none that is not finite."""
    return number if isfinite(number) else str(number)


def load(path: Path = STORED) -> list[Result]:
    """The stored results, in the paper's order; ValueError where the file holds others, OSError where there is none."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))["claims"]
        return [
            Result(claim, _numbers(stored[claim.key]["ours"]), float(stored[claim.key]["seconds"])) for claim in CLAIMS
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path.name} holds no claims or others ({error!r}); make it with dpslr claims") from error


def stored_version(path: Path = STORED) -> str:
    """The version of the package that computed the stored results; errors as of load."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path.name} names no version ({error!r}); make it with dpslr claims") from error


def _numbers(stored: list[float | str] | None) -> tuple[float, ...] | None:
    return None if stored is None else tuple(float(number) for number in stored)
