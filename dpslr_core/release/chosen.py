"""Releases of a candidate from a public list by its score: medians of pairwise estimates, and the deepest line."""

from __future__ import annotations

import math
import secrets
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, reduce

import numpy as np

from .. import pairs
from ..dataset import Dataset
from ..laws.base import Law
from ..laws.candidates import CandidateLaw, exponential_choice, permute_and_flip
from ..mechanisms.deepest_line import DeepestLine
from ..mechanisms.pairwise import PrivateTheilSen
from ..mechanisms.theil_sen import DPWideTheilSen
from ..pairs.grid import PublicGrid
from ..privacy import PureDP
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Answer, Private, Program, Step, decimal

MEDIANS = 4000  # candidates for a single median
LINES = 400  # candidates along each axis for two medians at once
_AT_ONCE = 1_000_000  # pairwise estimates formed at a time


def cell_centres(lower: Fraction, upper: Fraction, cells: int) -> list[Fraction]:
    """Return the centres of equal cells of a range."""
    return [lower + (upper - lower) * Fraction(2 * j + 1, 2 * cells) for j in range(cells)]


class Choice(Program):
    """Program that chooses among public candidates by whole scores; the score of a candidate is a penalty."""

    @property
    def largest_term(self) -> int:
        return 1

    def chances(self, scores: Sequence[int] | np.ndarray, number: int) -> Floats:
        """Return the probabilities of the candidates of a draw, shape (count,).

        The choice is by permute-and-flip (pure) or the exponential mechanism (zCDP).
        """
        law = permute_and_flip if isinstance(self.guarantee, PureDP) else exponential_choice
        return law(scores, 1 / self.scale(number))

    @abstractmethod
    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        """Return the scores of the candidates of each draw, whole numbers, shape (count,)."""

    def private(self, x: Integers, y: Integers) -> Private:
        every = self.scores(x, y)
        return lambda released: every[len(released)]

    def indices(self, integers: Sequence[Sequence[int]]) -> list[int]:
        """Return the indices of the chosen candidates; ValueError where an index is out of range."""
        self.must_be_released(integers, *[1] * len(self.steps))
        for (index,), step in zip(integers, self.steps, strict=True):
            if not 0 <= index < step.count:
                raise ValueError(
                    f"integers must be below {step.count:,} for {step.label}, got {index}"
                )
        return [draw[0] for draw in integers]


class Medians(Choice):
    """DPExpTheilSen, DPWideTheilSen and their zCDP variants: a choice for each point, among MEDIANS candidates.

    Each record is in at most k pairs, or in n - 1 of all. A pair's estimate is a function of its two records alone, to
    the last bit, and pairs with equal x count at both ends of the range in turn. So the number of estimates up to a
    candidate moves by at most k = `changed` when one record is replaced: of the k pairs that change, the t that become
    or cease to be equal in x move the half that counts at the lower end by at most (t + 1) / 2 <= t for t >= 1.

    The score of a candidate is |N - 2 B|, B of N estimates up to it; widened by theta, the score is the smallest in
    the window, max(0, N - 2 B(+theta), 2 B(-theta) - N). Sensitivity 2 k: B moves by k at most, and a maximum by no
    more than its arguments.

    k matchings are drawn with the operating system's randomness, whatever the records are, and are not released.
    """

    mechanism: PrivateTheilSen

    def __post_init__(self) -> None:
        if self.complete and self.n > 30_000:
            raise ValueError(
                f"k must be a number of matchings for more than 30,000 records, got n = {self.n:,}"
            )
        super().__post_init__()
        self.pair_grid  # noqa: B018 - refuses a range or points too far from the unit square

    @property
    def complete(self) -> bool:
        """Whether all pairs count."""
        return pairs.is_complete(self.n, self.mechanism.k)

    @property
    def changed(self) -> int:
        """Number of pairwise estimates that one record can change."""
        return pairs.lipschitz(self.n, self.mechanism.k)

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(
            Step(
                f"median of the pairwise estimates at x = {float(at):g}",
                "select",
                MEDIANS,
                2 * self.changed,
            )
            for at in self.at
        )

    @property
    def drawn_from(self) -> str:
        return f"{self.across:,} candidates at each point"

    @property
    def across(self) -> int:
        """Number of candidates at each point."""
        return MEDIANS

    @cached_property
    def candidates(self) -> list[Fraction]:
        """Predictions that can be released."""
        lower, upper = decimal(self.mechanism.lower), decimal(self.mechanism.upper)
        return cell_centres(lower, upper, self.across)

    @cached_property
    def pair_grid(self) -> PublicGrid:
        """Public grid of pairwise estimates."""
        return self.mechanism.grid(np.array(self.points))

    @cached_property
    def windows(self) -> Floats:
        """Candidates moved up by theta, then the same moved down, as whole numbers of spacings of `pair_grid`."""
        grid, mechanism = self.pair_grid, self.mechanism
        theta = decimal(mechanism.theta) if isinstance(mechanism, DPWideTheilSen) else Fraction(0)
        moved = [
            math.floor((candidate + way) * 2**grid.bits)
            for way in (theta, -theta)
            for candidate in self.candidates
        ]
        return np.clip(np.array(moved, dtype=float), grid.first, grid.last)

    def ends(
        self, x: Floats, y: Floats
    ) -> Iterator[tuple[tuple[Floats, Floats], tuple[Floats, Floats]]]:
        """Yield x, then y, at both ends of every pair that counts, about a million pairs at a time."""
        if self.complete:
            labels, chosen = np.arange(self.n), np.arange(pairs.round_count(self.n))
        else:
            system = secrets.SystemRandom()
            shuffled, rounds = list(range(self.n)), range(pairs.round_count(self.n))
            chosen = np.array(system.sample(rounds, int(self.mechanism.k or 0)))
            system.shuffle(shuffled)
            labels = np.array(shuffled)
        step = max(1, _AT_ONCE // self.n)
        for first in range(0, len(chosen), step):
            start, end = (
                labels[side.ravel()] for side in pairs.rounds(self.n, chosen[first : first + step])
            )
            yield (x[start], x[end]), (y[start], y[end])

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        grid = self.pair_grid
        x_on_grid, y_on_grid = (grid.positions(column / self.grid) for column in (x, y))
        counts = np.zeros((len(self.points), self.windows.size), dtype=np.int64)
        missing = 0
        for x_ends, y_ends in self.ends(x_on_grid, y_on_grid):
            checkpoint()
            estimates = np.sort(grid.estimates(x_ends, y_ends), axis=-1)
            missing += int(np.count_nonzero(np.isnan(estimates[0])))
            for count, row in zip(counts, estimates, strict=True):
                count += np.searchsorted(row, self.windows, side="right")
        total = pairs.pair_count(self.n, self.mechanism.k)
        up, down = np.split(counts + (missing + 1) // 2, 2, axis=1)
        return list(np.maximum(np.maximum(total - 2 * up, 2 * down - total), 0))

    def answer(self, integers: Sequence[Sequence[int]]) -> Answer:
        return Answer(tuple(self.candidates[index] for index in self.indices(integers)))

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        if not self.complete:
            return (None,) * len(self.points)
        values, chances = np.array(self.candidates, dtype=float), self.by_point(data)
        return tuple(CandidateLaw.of(values, point_chances) for point_chances in chances)

    def by_point(self, data: Dataset) -> list[Floats]:
        """Return the probabilities of the candidates at each point."""
        every = enumerate(self.scores(*self.on_grid(data)))
        return [self.chances(scores, number) for number, scores in every]


class JointMedians(Medians):
    """JointTheilSen and JointTheilSenZCDP: a single choice for one or two points, for two among LINES^2 candidates.

    The score is max_j |N - 2 B_j|, B_j of the N estimates at point j up to the candidate's prediction there.
    Sensitivity 2 k: each B_j moves by k at most, see Medians.
    """

    def __post_init__(self) -> None:
        if len(self.points) > 2:
            raise ValueError(
                f"points must be one or two for {self.mechanism.name}, got {len(self.points)}"
            )
        super().__post_init__()

    @property
    def across(self) -> int:
        """Number of candidates at each point."""
        return MEDIANS if len(self.points) == 1 else LINES

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of candidates, with an axis for each point."""
        return (self.across,) * len(self.points)

    @property
    def steps(self) -> tuple[Step, ...]:
        label, count = "medians of the pairwise estimates at all points", math.prod(self.shape)
        return (Step(label, "select", count, 2 * self.changed),)

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        return [reduce(np.maximum.outer, super().scores(x, y)).ravel()]

    def answer(self, integers: Sequence[Sequence[int]]) -> Answer:
        indices = np.unravel_index(self.indices(integers)[0], self.shape)
        return Answer(tuple(self.candidates[index] for index in indices))

    def by_point(self, data: Dataset) -> list[Floats]:
        chances = super().by_point(data)[0].reshape(self.shape)
        return [chances] if chances.ndim == 1 else [chances.sum(axis=1), chances.sum(axis=0)]


_FINENESS = 8  # shares of a cell of the records' grid, to which heights of lines are rounded down
_LARGEST_PRODUCT = 2**62
_WHOLE = 2**20  # what a record counts in full


class DeepLine(Choice):
    """DeepestLine and DeepestLineZCDP: a choice among the lines in the centres of a public grid, by their depth.

    With the records in the order of x, s_i what record i counts for a line, and t before, between and behind all
    different x: M = max_t |sum_(x_i <= t) s_i - sum_(x_i > t) s_i|. s_i is the residual, clipped and rounded to 2^-20:
    a whole number of size 2^20 at most, a function of the record and the line alone. So each sum moves by 2 * 2^20 at
    most when one record is replaced, and so does their maximum.
    """

    mechanism: DeepestLine

    def __post_init__(self) -> None:
        largest = max(abs(centre) for centre in (self.centres[0], self.centres[-1])) * self._common
        if largest * 8 * self.grid * _FINENESS > _LARGEST_PRODUCT:
            raise ValueError(
                "lower and upper must have fewer decimals in a release, got "
                f"{self.mechanism.lower!r} and {self.mechanism.upper!r}"
            )
        super().__post_init__()

    @property
    def steps(self) -> tuple[Step, ...]:
        return (Step("a line near the deepest", "select", self.side**2, 2 * _WHOLE),)

    @property
    def largest_term(self) -> int:
        return 4 * _WHOLE

    @property
    def drawn_from(self) -> str:
        return f"{self.side**2:,} lines"

    @property
    def side(self) -> int:
        """Number of cells along each axis."""
        return self.mechanism.grid

    @cached_property
    def centres(self) -> list[Fraction]:
        """Predictions of the lines at 1/4, which are also the predictions at 3/4."""
        return cell_centres(decimal(self.mechanism.lower), decimal(self.mechanism.upper), self.side)

    @property
    def _common(self) -> int:
        """Common denominator of all predictions at 1/4 and 3/4."""
        return math.lcm(*(centre.denominator for centre in self.centres))

    def line(self, index: int) -> tuple[Fraction, Fraction]:
        """Return intercept and slope of the line with this index."""
        quarter, three_quarters = (self.centres[cell] for cell in divmod(index, self.side))
        slope = 2 * (three_quarters - quarter)
        return quarter - slope / 4, slope

    def groups(self, x: Integers, y: Integers) -> Iterator[tuple[Integers, Integers]]:
        """Yield for each different x, in order, the heights of all lines there, shape (side^2,), and y of the records.

        Heights are in shares of a cell of the records' grid, rounded down.
        """
        common = self._common
        numerators = np.array([int(centre * common) for centre in self.centres], dtype=np.int64)
        for at in np.unique(x).tolist():
            checkpoint()
            # The line through p at 1/4 and q at 3/4 passes x / K at ((3K - 4x) p + (4x - K) q) / (2K).
            first, second = (3 * self.grid - 4 * at) * numerators, (4 * at - self.grid) * numerators
            heights = np.add.outer(first * (_FINENESS // 2), second * (_FINENESS // 2)).ravel()
            yield np.floor_divide(heights, common, out=heights), y[x == at]

    @property
    def reach(self) -> int:
        """Residual from which on a record counts in full, in shares of a cell; at least 1.

        No line is farther from a record than the height range is wide.
        """
        lower, upper = decimal(self.mechanism.lower), decimal(self.mechanism.upper)
        unit, half = _FINENESS * self.grid, (upper - lower) / 2
        farthest = math.ceil((upper + half) * unit) - math.floor((lower - half) * unit)
        return min(math.ceil(decimal(self.mechanism.c) * unit), farthest) + 1

    @cached_property
    def counted(self) -> Integers:
        """Count of a record for a line by its height above the line: -a - reach, ..., a + reach shares of a cell.

        The unit interval has a shares. The middle of each share stands for it: with c = 0 no residual is 0.
        """
        far = _FINENESS * self.grid + self.reach
        residual = 2 * np.arange(-far, far + 1, dtype=np.int64) - 1  # in half shares of a cell
        if self.mechanism.c == 0:
            return np.sign(residual) * _WHOLE
        full = float(2 * decimal(self.mechanism.c) * _FINENESS * self.grid)
        return np.rint(np.clip(residual / full, -1, 1) * _WHOLE).astype(np.int64)

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        reach, highest = self.reach, _FINENESS * self.grid + self.reach
        running, top, bottom = np.zeros((3, self.side**2), dtype=np.int64)
        for heights, group in self.groups(x, y):
            # Beyond the reach all records count alike.
            positions = np.clip(heights, -reach, highest, out=heights) + reach
            running += sums_by_height(group, self.counted, reach, self.grid)[positions]
            np.maximum(top, running, out=top)
            np.minimum(bottom, running, out=bottom)
        return [np.maximum(2 * top - running, running - 2 * bottom)]

    def answer(self, integers: Sequence[Sequence[int]]) -> Answer:
        intercept, slope = self.line(self.indices(integers)[0])
        return Answer(tuple(intercept + slope * at for at in self.at), intercept, slope)

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        chances = self.chances(self.scores(*self.on_grid(data))[0], 0)
        centres, laws = np.array(self.centres, dtype=float), []
        for at in self.points:
            predictions = np.add.outer(2 * (0.75 - at) * centres, 2 * (at - 0.25) * centres)
            laws.append(CandidateLaw.of(predictions.ravel().round(12), chances))
        return tuple(laws)


def sums_by_height(y: Integers, counted: Integers, reach: int, grid: int) -> Integers:
    """Sum the counts of records for a line at each height -reach, ..., a + reach; shape (a + 2 reach + 1,).

    Parameters
    ----------
    y : array of int
        Heights of the records, whole numbers 0, ..., grid.
    counted : array of int, shape (2 a + 2 reach + 1,)
        Count of a record by its height above the line, from -a - reach to a + reach.
    reach, grid : int
        Reach in shares of a cell, and number of cells; a = 8 grid shares make the unit interval.
    """
    unit = _FINENESS * grid
    falling, total = counted[::-1], np.zeros(unit + 2 * reach + 1, dtype=np.int64)
    for value, times in zip(*np.unique(y, return_counts=True), strict=True):
        first = unit - _FINENESS * int(value)  # where the line is reach below 0
        total += int(times) * falling[first : first + total.size]
    return total
