"""What the table of the paper's claims says, in sentences, and how it is shown."""

from __future__ import annotations

import pandas as pd

from .claim import Kind

COLUMNS = {
    "claim": "claim of the paper",
    "paper": "paper",
    "ours": "here",
    "why": "why it differs, or how it was computed",
    "kind": "kind",
    "where": "where in the paper",
}
CAPTION = (
    "Each number is computed, and a claim holds where it lies within what the paper says. "
    "Claims in words, such as 'close' or 'rarely', are read as numbers; the table says how."
)


def headline(table: pd.DataFrame) -> str:
    """How many of the claims hold here; table: of paper.claims.frame."""
    return f"{_count(table, Kind.HOLDS)} of {len(table)} claims of the paper hold here."


def others(table: pd.DataFrame) -> str:
    """How many of the claims that do not hold are of each kind; empty where all hold."""
    kinds = [kind for kind in Kind if kind is not Kind.HOLDS and _count(table, kind)]
    return " ".join(f"{_title(kind)}: {_count(table, kind)}." for kind in kinds)


def _count(table: pd.DataFrame, kind: Kind) -> int:
    return int((table["kind"] == kind.value).sum())


def _title(kind: Kind) -> str:
    return f"{kind.value[0].upper()}{kind.value[1:]}"


def differing(table: pd.DataFrame) -> str:
    """Kind after kind a paragraph for each claim that does not hold: where it stands, what it says, ours, and why."""
    parts = []
    for kind in Kind:
        rows = table[table["kind"] == kind.value]
        if kind not in (Kind.HOLDS, Kind.MISSING) and len(rows):
            told = [f"- {r.where}: {r.claim} Here: {r.ours}. {r.why}" for r in rows.itertuples()]
            parts.append("\n".join([f"{_title(kind)}:", *told]))
    return "\n\n".join(parts)


def chosen(table: pd.DataFrame, kind: str | None) -> pd.DataFrame:
    """The rows of a kind, or all where it is None, with columns named for people."""
    rows = table if kind is None else table[table["kind"] == kind]
    return rows[list(COLUMNS)].rename(columns=COLUMNS)
