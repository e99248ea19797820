"""A row that sums up the others is no record: which one looks so, and why.

The first and the last record are looked at. A word says it, such as "Total", that stands in no other row; or the
numbers do: the sum or the mean of all others, in x and in y.
"""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pandas as pd

from .columns import Table, warning
from .numbers import Problem, is_number, short

_WORDS = (
    "total|totals|sum|sums|all|overall|everyone|combined|mean|means|average|avg|grand "
    "total|sub-?total|"
    "gesamt|insgesamt|summe|gesamtsumme|zusammen|alle|mittel|mittelwert|durchschnitt|"
    "somme|totaux|ensemble|moyenne|totale|somma|media|suma|promedio|totaal|som|gemiddelde|soma|média|"
    "summa|totalt|samtliga|sammanlagt|razem|ogółem|celkem|итого|всего|合計|总计|總計"
)
_OF_WHAT = "areas|regions|districts|groups|schools|rows|records|columns|persons|people"
_TOTAL = re.compile(
    rf"(?:the )?(?:{_WORDS})(?: (?:of )?(?:all )?(?:{_OF_WHAT}))?[\W\d]*(?:\([^()]*\))?[\W\d]*",
    re.IGNORECASE,
)
LEAST = 5  # other rows, from which on numbers alone say it
_LOOKED_AT = 10  # columns of text
_FINE = 1000  # times that a spread is larger than the last digit of a mean that is no chance
_ROUNDED = 200  # a sum is at least so many times what is lost by rounding
_CLOSE = 1e-9


def totals_problem(table: Table, records: pd.DataFrame, x: str, y: str) -> Problem | None:
    """Ask about a first or last record that looks like a totals row; None where neither does.

    Parameters
    ----------
    table : of the file. records : columns x and y, the index the rows. x, y : the names of these columns.
    """
    if len(records) < 2:
        return None
    for row in (records.index[-1], records.index[0]):
        why = said_in(table, row) or _summed(records, row, x, y)
        if why:
            return warning(
                f"Row {row} looks like a totals row: {why}. It is counted as a record. Remove it "
                "from the file, or move it between the others where it is a record.",
                doubtful=True,
            )
    return None


def refuse_total(table: Table, name: str) -> None:
    """ValueError where the first or last row of a table of areas names a total, which is no area."""
    for row in (table.rows[-1], table.rows[0]):
        if why := said_in(table, row):
            raise ValueError(
                f"Row {row} of {name} looks like a totals row: {why}. Remove it: it is no area."
            )


def said_in(table: Table, row: int) -> str:
    """The word of a row that names a total, with its column; "" where there is none."""
    first = table.head(1)
    texts = [name for name in table.names if _holds_texts(first.column(name))]
    for name in texts[:_LOOKED_AT]:
        cells = table.column(name)
        cell = str(cells[row]).strip()
        if _TOTAL.fullmatch(cell) and not is_number(cell) and int((cells == cells[row]).sum()) == 1:
            return f"column {name!r} says {short(cell)}"
    return ""


def _holds_texts(cells: pd.Series) -> bool:
    """Whether cells are texts."""
    return pd.api.types.is_string_dtype(cells) or pd.api.types.is_object_dtype(cells)


def _summed(records: pd.DataFrame, row: int, x: str, y: str) -> str:
    """How the numbers of a row follow from all others; "" where they do not."""
    others = records.drop(index=row)
    if len(others) < LEAST:
        return ""
    kinds = [_kind(float(records.at[row, axis]), others[axis].to_numpy()) for axis in ("x", "y")]
    if not all(kinds):
        return ""
    if kinds[0] == kinds[1]:
        return f"its {x!r} and {y!r} are the {kinds[0]}s of all other rows"
    return f"its {x!r} is the {kinds[0]} and its {y!r} the {kinds[1]} of all other rows"


def _kind(number: float, others: np.ndarray) -> str:
    """Name "sum" or "mean" where a number is that of others to its digits, and hardly by chance; "" elsewhere."""
    total = float(others.sum())
    mean = total / len(others)
    step = 10.0 ** -_decimals(number)
    rounding = min(step / 2, abs(number) / _ROUNDED) + _CLOSE * abs(total)
    if abs(number) > float(np.abs(others).max()) and abs(number - total) <= rounding:
        return "sum"
    spread = float(others.std())
    if step * _FINE <= spread and abs(number - mean) <= step / 2 + _CLOSE * abs(mean):
        return "mean"
    return ""


def _decimals(number: float) -> int:
    """The number of decimals with which a number is written."""
    exponent = Decimal(f"{number:.15g}").as_tuple().exponent
    return max(0, -int(exponent))
