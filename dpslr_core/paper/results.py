"""Results of all claims of the paper: as a frame, as a stored file, and in sentences."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..sources.samples import DataUnavailable, stored_file
from ..sources.stored import read_stored, write_stored
from ..support import VERSION
from ..support.workers import in_order, one_thread
from ..text.phrases import counted
from .claim import Claim, ClaimKind, ClaimResult
from .claims import CLAIMS, SECTIONS
from .figure import Figure, Settings
from .measured import SETTINGS

STORED = stored_file("paper_claims.json")
COMMAND = "dpslr claims"  # command that makes the stored file
COLUMNS = {  # columns of the table, with their names for people; seconds are not shown
    "where": "where in the paper",
    "claim": "claim of the paper",
    "paper": "paper",
    "ours": "here",
    "kind": "kind",
    "why": "why it differs, or how it was computed",
    "seconds": "",
}
SHOWN = ("claim", "paper", "ours", "why", "kind", "where")
CAPTION = (
    "Each number is computed, and a claim holds where it lies within what the paper says. "
    "Claims in words, such as 'close' or 'rarely', are read as numbers; the table says how. "
    "Errors on simulated data are measured as in the paper: C(68) of each data set, averaged."
)


def compute(claim: Claim) -> ClaimResult:
    """Compute the numbers of a claim; None if the data set is unavailable."""
    start = time.process_time()
    try:
        with one_thread():
            numbers: tuple[float, ...] | None = tuple(
                np.atleast_1d(np.asarray(claim.compute(), dtype=float)).tolist()
            )
    except DataUnavailable:
        numbers = None
    return ClaimResult(claim, numbers, round(time.process_time() - start, 2))


def compute_all(workers: int | str = 1) -> Iterator[list[ClaimResult]]:
    """Yield the results of each section of the paper, in the paper's order, as soon as they are computed.

    The numbers are the same with any workers, the seconds are not.

    Parameters
    ----------
    workers : int or str
        As in ``by_group``.
    """
    for claims, numbers in zip(
        SECTIONS, in_order(_computed, range(len(SECTIONS)), workers), strict=True
    ):
        yield [ClaimResult(claim, *result) for claim, result in zip(claims, numbers, strict=True)]


def _computed(section: int) -> list[tuple[tuple[float, ...] | None, float]]:
    """Return the numbers and seconds of a section, without its claims: their functions cannot be sent to processes."""
    return [(result.numbers, result.seconds) for result in map(compute, SECTIONS[section])]


def frame(results: Sequence[ClaimResult]) -> pd.DataFrame:
    """Return a row of COLUMNS for each result."""
    rows = [
        (
            r.claim.place,
            r.claim.sentence,
            r.claim.paper,
            r.ours,
            r.kind.value,
            r.claim.why,
            r.seconds,
        )
        for r in results
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def save(results: Sequence[ClaimResult], path: Path = STORED) -> None:
    """Write our numbers by key, with version and settings; Unwritable if the file cannot be written."""
    computed = {
        r.claim.key: {
            "ours": None if r.numbers is None else list(map(_plain, r.numbers)),
            "seconds": r.seconds,
        }
        for r in results
    }
    stored = {"version": VERSION, "settings": SETTINGS, "claims": computed}
    write_stored(stored, path)


def _plain(number: float) -> float | str:
    """Convert a number for JSON, which has no infinity and no NaN."""
    return number if isfinite(number) else str(number)


def load(path: Path = STORED) -> list[ClaimResult]:
    """Read the stored results, in the paper's order.

    Raises
    ------
    Damaged
        A ValueError: the file is missing or holds other claims.
    """

    def read(stored: Any) -> list[ClaimResult]:
        claims = stored["claims"]
        return [
            ClaimResult(
                claim, _numbers(claims[claim.key]["ours"]), float(claims[claim.key]["seconds"])
            )
            for claim in CLAIMS
        ]

    return read_stored(path, read, "numbers for these claims", COMMAND)


def _numbers(stored: list[float | str] | None) -> tuple[float, ...] | None:
    return None if stored is None else tuple(float(number) for number in stored)


def stored_version(path: Path = STORED) -> str:
    """Return the version of the package that computed the stored results; errors as in `load`."""
    return read_stored(path, lambda stored: str(stored["version"]), "version", COMMAND)


def headline(table: pd.DataFrame) -> str:
    """State the number of claims that hold here, from the table of `frame`."""
    return f"{_count(table, ClaimKind.HOLDS)} of {len(table)} claims of the paper hold here."


def others(table: pd.DataFrame) -> str:
    """State the number of claims of each kind that do not hold, from the table of `frame`; empty if all hold."""
    kinds = [kind for kind in ClaimKind if kind is not ClaimKind.HOLDS and _count(table, kind)]
    return " ".join(f"{_title(kind)}: {_count(table, kind)}." for kind in kinds)


def reasons(table: pd.DataFrame) -> str:
    """State the numbers of claims that fail for an error in print and for other reasons, from the table of `frame`."""
    printed, hidden = (
        _count(table, ClaimKind.ERROR_IN_PRINT),
        _count(table, ClaimKind.NOT_PUBLIC) + _count(table, ClaimKind.NOT_IN_PRINT),
    )
    rest = len(table) - _count(table, ClaimKind.HOLDS) - printed
    return (
        f"{printed} fail because of an error in print. For {hidden} the data or settings are not "
        f"public, and {rest - hidden} differ. A click on a square shows its claim."
    )


def differing(table: pd.DataFrame) -> str:
    """Write a paragraph for each claim that does not hold, by kind: place in the paper, sentence, ours, and why."""
    paragraphs = []
    for kind in ClaimKind:
        rows = table[table["kind"] == kind.value]
        if kind not in (ClaimKind.HOLDS, ClaimKind.MISSING) and len(rows):
            lines = [f"- {r.where}: {r.claim} Here: {r.ours}. {r.why}" for r in rows.itertuples()]
            paragraphs.append("\n".join([f"{_title(kind)}:", *lines]))
    return "\n\n".join(paragraphs)


def chosen(table: pd.DataFrame, kind: str | None) -> pd.DataFrame:
    """Return the rows of a kind, or all rows if it is None, with columns named for people."""
    rows = table if kind is None else table[table["kind"] == kind]
    return rows[list(SHOWN)].rename(columns=COLUMNS)


def on_figure(figure: Figure, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the claims about a figure, from the table of all results."""
    keys = [claim.key for claim in CLAIMS]
    return table.iloc[[keys.index(key) for key in figure.claims]]


def said_of(figure: Figure, rows: pd.DataFrame, settings: Settings) -> str:
    """Describe a figure's rows, or state how many of the claims about the figure hold; errors as in `load`."""
    if figure.sentence is not None:
        return figure.sentence(rows, settings)
    table = on_figure(figure, frame(load()))
    verb = "holds" if len(table) == 1 else "hold"
    return f"{_count(table, ClaimKind.HOLDS)} of {counted(len(table), 'claim')} on this figure {verb} here."


def _count(table: pd.DataFrame, kind: ClaimKind) -> int:
    return int((table["kind"] == kind.value).sum())


def _title(kind: ClaimKind) -> str:
    return f"{kind.value[0].upper()}{kind.value[1:]}"
