"""Work in parts: how long the rest takes is told by the parts that are done; where that is long, the page asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from dpslr_core.support.work.limits import Cost

from .ask import Work, within_budget
from .run import current_run

Part = TypeVar("Part")
ENOUGH = 1.0  # seconds of computing from which the rest can be told
COSTLY = 0.001  # seconds of a part that was not kept from before


class Pace:
    """The seconds of the parts of a run so far, and what the others will take.

    total: how many parts there are.
    """

    def __init__(self, total: int, work: Work) -> None:
        self.total, self.work = total, work
        self._before, self._costly, self._spent = current_run().spent, 0, 0.0

    def rest(self, done: int) -> Cost:
        """What the parts that are left take, at the mean of those that were computed."""
        return Cost(self._spent / self._costly * (self.total - done) if self._costly else 0.0)

    def step(self, done: int) -> None:
        """A part more is done; a question and the end of the page where the rest takes long."""
        now = current_run().spent
        if now - self._before > COSTLY:
            self._costly, self._spent = self._costly + 1, self._spent + now - self._before
        self._before = now
        rest = self.rest(done)
        if self._spent > ENOUGH and done < self.total:
            within_budget(rest, self.work)


def paced(parts: Sequence[Part], work: Work) -> Iterator[Part]:
    """The parts in order, each worked on before the next is asked for."""
    pace = Pace(len(parts), work)
    for number, part in enumerate(parts, 1):
        yield part
        pace.step(number)
