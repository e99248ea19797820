"""The picture of a privacy loss: both densities, and below them the loss in the band that the guarantee allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...charts.privacy.loss import allowed_loss, loss_reach
from ...charts.styles import style
from ...promise.pair import Pair
from ...sources.axis import UNIT_Y, Axis
from ...text.phrases import format_amount, format_share
from .drawing import INK, SHADE, SMALL, Box, Drawing, Line, Mark, Words
from .plot import AXES, LEFT, RIGHT, Curve, Plot

HEIGHT, TOP, BETWEEN, ROW = 170, 40, 66, 15  # pixels: of each plot, above them, between them, of a row of words
PALE = "#8a8a93"


@dataclass(frozen=True)
class LossPicture:
    """The pair, and the axis of its answers. What is no number is told in words below."""

    pair: Pair
    y: Axis = UNIT_Y

    def drawing(self, width: float, beside: bool = True) -> Drawing:
        """The picture this wide, in pixels; no name stands beside a curve."""
        pair, table = self.pair, self.pair.table(self.y)
        low, high = (float(end) for end in self.y.from_unit(pair.window))
        color, x = str(style(pair.name)["color"]), table["estimate"].to_numpy()
        both = table[["before", "after"]].to_numpy()
        most = float(np.max(both[np.isfinite(both)], initial=0.0)) or 1.0
        above = Plot(((low, high), (0.0, 1.05 * most)), width, HEIGHT, TOP)
        reach = loss_reach(pair)
        below = Plot(((low, high), (-reach, reach)), width, HEIGHT, TOP + HEIGHT + BETWEEN)
        title = f"released prediction: {self.y.label}"
        marks: list[Mark] = [
            Words(4, 14, f"{pair.name}, before (thin, grey) and after the move", color, bold=True),
            *above.frame(title, "density", numbered=False),
            *above.curve(Curve("before", PALE, 1.5, x, both[:, 0])),
            *above.curve(Curve("after", color, 3, x, both[:, 1])),
            *_band(pair, below),
            *below.frame(title, "privacy loss"),
            *below.curve(Curve("loss", color, 3, x, np.clip(table["loss"].to_numpy(), -2 * reach, 2 * reach))),
        ]
        end = below.top + HEIGHT + AXES
        for number, words in enumerate(_outcomes(pair), 1):
            marks.append(Words(4, end + ROW * number, words, size=SMALL))
        return Drawing(width, end + ROW * len(_outcomes(pair)) + 8, tuple(marks))


def _band(pair: Pair, plot: Plot) -> list[Mark]:
    """What the guarantee allows, or what epsilon would."""
    allowed = allowed_loss(pair)
    _, top = plot.place(0, allowed)
    _, bottom = plot.place(0, -allowed)
    left, right = float(LEFT), plot.width - RIGHT
    edges = [Line(left, y, right, y, INK, 1) for y in (top, bottom)]
    return [Box(left, top, right - left, bottom - top, SHADE), *edges]


def _outcomes(pair: Pair) -> list[str]:
    """Each outcome with a probability of its own, in words."""
    return [
        f"{row.outcome}: {format_share(row.before)} before, {format_share(row.after)} after, "
        f"privacy loss {format_amount(row.loss)}"
        for row in pair.atoms.itertuples()
    ]
