"""Points near which panels get short, and the intervals between two of them."""

from __future__ import annotations

from typing import NamedTuple


class Spot(NamedTuple):
    """A point of the w axis, near which panels get short: w, 1 - |w|, w - w*, and the first panel's length.

    The three are kept apart because each is tiny, and must be exact, somewhere.
    """

    w: float
    rest: float
    gap: float
    step: float

    def moved(self, sign: float, offset: float) -> Spot:
        """The point at a signed offset from this one, where w has this sign."""
        return Spot(self.w + offset, self.rest - sign * offset, self.gap + offset, 0.0)


def growing_intervals(left: Spot, right: Spot) -> list[tuple[Spot, float, float]]:
    """(spot, low, high): intervals between two spots that grow threefold away from either, as signed offsets."""
    length = right.gap - left.gap
    reach = 0.5 * length if left.step and right.step else length
    intervals = []
    for spot, sign in ((left, 1), (right, -1)):
        if spot.step == 0:
            continue
        near, far = 0.0, spot.step
        while near < reach:
            far = far if far < 0.7 * reach else reach
            intervals.append((spot, near, far) if sign > 0 else (spot, -far, -near))
            near, far = far, 3 * far
    return intervals or [(left, 0.0, length)]
