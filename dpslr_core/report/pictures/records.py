"""The picture of the records with the OLS and Theil-Sen lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...charts.compare import MANY_POINTS, OLS_LINE, THEIL_SEN_LINE, axes_of
from ...dataset import Dataset
from ...experiments.moved import AFTER, BEFORE, MovedRecord
from ...sources.axis import UNIT_X, UNIT_Y, Axis
from .drawing import Box, Dot, Drawing, Line, Mark, Words
from .plot import AXES, Curve, Plot

HEIGHT, LEGEND = 330, 22  # pixels, of the plot and of the names of its lines
RECORD, CHOSEN, ERROR = "#3fa0dc", "#c2185b", "#8a8a93"
LINES = {"ols": ("OLS", str(OLS_LINE["color"])), "theil_sen": ("Theil–Sen", str(THEIL_SEN_LINE["color"]))}
CELLS = (80, 60)  # across and up, of a density


@dataclass(frozen=True)
class RecordsPicture:
    """Records and lines in the units of the axes. chosen: where the record was, and where it is.

    More than MANY_POINTS records are a density, so that the file stays small.
    """

    records: tuple[np.ndarray, np.ndarray]
    lines: tuple[Curve, ...]
    spans: tuple[tuple[float, float], tuple[float, float]]
    axes: tuple[str, str]
    chosen: tuple[tuple[float, float], ...] = ()

    def drawing(self, width: float, beside: bool = True) -> Drawing:
        """The picture this wide, in pixels; names stand above, so that beside changes nothing."""
        plot = Plot(self.spans, width, HEIGHT, LEGEND + 12)
        marks = [*plot.frame(*self.axes), *self._records(plot)]
        for curve in self.lines:
            marks += plot.curve(curve)
        places = [plot.place(*record) for record in self.chosen]
        if len(places) > 1:
            marks.append(Line(*places[0], *places[-1], CHOSEN, 1))
        marks += [Dot(*place, CHOSEN, 5.5) for place in places[-1:]]
        return Drawing(width, LEGEND + 12 + HEIGHT + AXES, (*self._names(), *marks))

    def _records(self, plot: Plot) -> Iterator[Mark]:
        """A dot for each record inside, or boxes the darker the more records there are."""
        x, y = self.records
        if x.size <= MANY_POINTS:
            yield from (
                Dot(*plot.place(*record), RECORD, 3) for record in zip(x, y, strict=True) if plot.inside(*record)
            )
            return
        counts, across, up = np.histogram2d(x, y, CELLS, self.spans)
        for column, row in np.argwhere(counts > 0):
            left, bottom = plot.place(across[column], up[row])
            right, top = plot.place(across[column + 1], up[row + 1])
            share = (counts[column, row] / counts.max()) ** 0.5
            yield Box(left, top, right - left, bottom - top, _between("#ffffff", RECORD, 0.15 + 0.85 * share))

    def _names(self) -> Iterator[Mark]:
        """The names of the lines, each in its colour."""
        x = 4.0
        for curve in self.lines:
            if curve.name:
                yield Words(x, 14, curve.name, curve.color, bold=True)
                x += 8 * len(curve.name) + 18


def records_picture(
    data: Dataset, lines: pd.DataFrame, x: Axis = UNIT_X, y: Axis = UNIT_Y, zoom: bool = False
) -> RecordsPicture:
    """The picture of the Data page; lines: of curves.regression_lines."""
    curves = [Curve(title, color, 2.5, *_path(lines, name, x, y)) for name, (title, color) in LINES.items()]
    ends = [Curve(title, ERROR, 1, *_path(lines, name, x, y)) for name, title in _ERROR.items()]
    return RecordsPicture(_places(data, x, y), (*curves, *ends), _spans(data, x, y, zoom), (x.label, y.label))


_ERROR = {"low": "OLS ± one standard error", "high": ""}


def moved_picture(moved: MovedRecord, x: Axis = UNIT_X, y: Axis = UNIT_Y, zoom: bool = False) -> RecordsPicture:
    """The picture with a record moved: lines after the move and, thin, before it."""
    data, lines = moved.before, moved.lines()
    curves = []
    for when, thick in ((BEFORE, 1.0), (AFTER, 2.5)):
        if when == BEFORE and not moved.moved:
            continue
        rows = lines[lines["data"] == when]
        names = {name: f"{title}, {when} (thin)" if thick == 1 else title for name, (title, _) in LINES.items()}
        curves += [Curve(names[name], color, thick, *_path(rows, name, x, y)) for name, (_, color) in LINES.items()]
    both = [moved.old, (moved.x, moved.y)] if moved.moved else [moved.old]
    chosen = tuple((float(x.from_unit(a)), float(y.from_unit(b))) for a, b in both)
    return RecordsPicture(_places(data, x, y), tuple(curves), _spans(data, x, y, zoom), (x.label, y.label), chosen)


def _places(data: Dataset, x: Axis, y: Axis) -> tuple[np.ndarray, np.ndarray]:
    return x.from_unit(data.x), y.from_unit(data.y)


def _spans(data: Dataset, x: Axis, y: Axis, zoom: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of both axes, as on the page."""
    across, up = (tuple(map(float, side["range"])) for side in axes_of(data, x, y, zoom).values())
    return (across[0], across[1]), (up[0], up[1])


def _path(rows: pd.DataFrame, name: str, x: Axis, y: Axis) -> tuple[np.ndarray, np.ndarray]:
    """A line of the page, in the user's units."""
    return x.from_unit(rows["x"]), y.from_unit(rows[name])


def _between(one: str, other: str, share: float) -> str:
    """The colour this share of the way from one to the other."""
    ends = [[int(color[place : place + 2], 16) for place in (1, 3, 5)] for color in (one, other)]
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(*ends, strict=True))
