"""What the table of the paper's claims says, in sentences, and how it is shown."""

from __future__ import annotations

import pandas as pd

from .claim import AGREES, DIFFERS, MISSING

COLUMNS = {
    "claim": "claim of the paper",
    "paper": "paper",
    "ours": "here",
    "why": "why it differs, or how it was computed",
    "verdict": "verdict",
    "where": "where in the paper",
}
CAPTION = (
    "Each number is computed, and the verdict follows from it: it agrees where it lies within what the paper says. "
    "Claims in words, such as 'close' or 'rarely', are read as numbers; the table says how."
)


def headline(table: pd.DataFrame) -> str:
    """How many of the claims hold here; table: of paper.claims.frame."""
    counts = table["verdict"].value_counts()
    agreeing, differing, missing = (int(counts.get(verdict, 0)) for verdict in (AGREES, DIFFERS, MISSING))
    said = f"{agreeing} of {len(table)} claims of the paper hold here; {differing} {_verb(differing, 'differ')}"
    return f"{said}; {missing} {_verb(missing, 'need')} a data set." if missing else f"{said}."


def _verb(count: int, plural: str) -> str:
    return f"{plural}s" if count == 1 else plural


def differing(table: pd.DataFrame) -> str:
    """A paragraph for each claim that differs: where it stands, what it says, our number, why."""
    rows = table[table["verdict"] == DIFFERS]
    return "\n".join(f"- {r.where}: {r.claim} Here: {r.ours}. {r.why}" for r in rows.itertuples())


def chosen(table: pd.DataFrame, verdict: str | None) -> pd.DataFrame:
    """The rows with a verdict, or all where it is None, with columns named for people."""
    rows = table if verdict is None else table[table["verdict"] == verdict]
    return rows[list(COLUMNS)].rename(columns=COLUMNS)
