"""The picture of a recommendation: the expected error of every algorithm, under the headings of what they promise."""

from __future__ import annotations

from ...charts.base import error_range
from ...charts.evidence import AXIS, REGION, evidence_rows
from ...charts.rows import round_ticks
from ...charts.styles import style
from ...guidance.recommendation import Recommendation
from ...support.amounts import format_amount
from .ranked import Picture, Row


def evidence_picture(recommendation: Recommendation) -> Picture:
    """A dot at the mean error of each algorithm; its line ends at the upper end of the 95% Monte-Carlo interval."""
    rows = evidence_rows(recommendation)
    span = error_range(rows[["error", "low", "high"]].to_numpy().ravel())
    drawn = zip(*(rows[name] for name in ("algorithm", "promise", "error", "high", "words")), strict=True)
    marks = tuple(
        Row(str(name), str(promise), str(style(str(name))["color"]), float(error), float(high), str(words))
        for name, promise, error, high, words in drawn
    )
    ticks = tuple((tick, format_amount(tick), "") for tick in round_ticks(span))
    return Picture(marks, span, ticks, REGION, AXIS)
