"""Rows that sum up the others: a word says so, such as "Total", that stands in no other row.

Only the first and the last record are looked at.
"""

from __future__ import annotations

import re

import pandas as pd

from .columns import Table, warning
from .numbers import Problem, is_number, short

_WORDS = (
    "total|totals|sum|sums|all|overall|everyone|combined|mean|means|average|avg|grand "
    "total|sub-?total|gesamt|insgesamt|summe|gesamtsumme|zusammen|alle|mittel|mittelwert|durchschnitt|somme|totaux|ensemble|moyenne|totale|somma|media|suma|promedio|totaal|som|gemiddelde|soma|média|summa|totalt|samtliga|sammanlagt|razem|ogółem|celkem|итого|всего|合計|总计|總計"
)
_OF_WHAT = "areas|regions|districts|groups|schools|rows|records|columns|persons|people"
_TOTAL = re.compile(
    rf"(?:the )?(?:{_WORDS})(?: (?:of )?(?:all )?(?:{_OF_WHAT}))?[\W\d]*(?:\([^()]*\))?[\W\d]*",
    re.IGNORECASE,
)
_LOOKED_AT = 10  # columns of text


def totals_problem(table: Table, rows: pd.Index) -> Problem | None:
    """Return a question on a first or last record that looks like a totals row; None where neither does.

    Parameters
    ----------
    table : Table
        Table of the file.
    rows : Index
        Row numbers of the records.
    """
    if len(rows) < 2:
        return None
    for row in (rows[-1], rows[0]):
        if why := said_in(table, row):
            return warning(
                f"Row {row} looks like a totals row: {why}. It is counted as a record. Remove it "
                "from the file, or move it between the others where it is a record.",
                doubtful=True,
            )
    return None


def refuse_total(table: Table, name: str) -> None:
    """Raise ValueError if the first or last row of a table of areas names a total, which is no area."""
    for row in (table.rows[-1], table.rows[0]):
        if why := said_in(table, row):
            raise ValueError(
                f"Row {row} of {name} looks like a totals row: {why}. Remove it: it is no area."
            )


def said_in(table: Table, row: int) -> str:
    """Return the word of a row that names a total, with its column; "" where there is none."""
    texts = [name for name in table.names if _holds_texts(table.column(name))]
    for name in texts[:_LOOKED_AT]:
        cells = table.column(name)
        cell = str(cells[row]).strip()
        if _TOTAL.fullmatch(cell) and not is_number(cell) and int((cells == cells[row]).sum()) == 1:
            return f"column {name!r} says {short(cell)}"
    return ""


def _holds_texts(cells: pd.Series) -> bool:
    """Tell whether cells are texts."""
    return pd.api.types.is_string_dtype(cells) or pd.api.types.is_object_dtype(cells)
