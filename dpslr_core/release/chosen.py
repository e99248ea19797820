"""Releases of one of many public candidates by its score: medians of pairwise estimates and the deepest line."""

from __future__ import annotations

import math
import secrets
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from .. import pairs
from ..dataset import Dataset
from ..intervals import Target
from ..intervals.own_budget import CELLS, SHARE, DepthPlan, rank_reach, safety, slopes_of_pairs
from ..laws.base import Law
from ..laws.candidates import CandidateLaw, exponential_choice, permute_and_flip
from ..mechanisms.deepest_line import DeepestLine
from ..mechanisms.pairwise import PrivateTheilSen
from ..mechanisms.theil_sen import DPWideTheilSen
from ..pairs.grid import PublicGrid
from ..privacy import PureDP
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Answer, Interval, Private, Program, Step, decimal

MEDIANS = 4000  # candidates for one median
LINES = 400  # candidates along each axis for two medians at once
_AT_ONCE = 1_000_000  # pairwise estimates formed at a time


def cell_centres(lower: Fraction, upper: Fraction, cells: int) -> list[Fraction]:
    """The centres of equal cells of a range."""
    return [lower + (upper - lower) * Fraction(2 * j + 1, 2 * cells) for j in range(cells)]


class Choice(Program):
    """A program that chooses among public candidates by whole scores; the score of a candidate is a penalty."""

    @property
    def largest_term(self) -> int:
        return 1

    def chances(self, scores: Sequence[int] | np.ndarray, number: int) -> Floats:
        """The chances of the candidates of one draw: permute-and-flip (pure) or the exponential mechanism (zCDP)."""
        law = permute_and_flip if isinstance(self.guarantee, PureDP) else exponential_choice
        return law(scores, 1 / self.scale(number))

    @abstractmethod
    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        """The scores of the candidates of each draw, whole numbers, shape (count,)."""

    def private(self, x: Integers, y: Integers) -> Private:
        every = self.scores(x, y)
        return lambda released: every[len(released)]

    def indices(self, integers: Sequence[Sequence[int]]) -> list[int]:
        """The candidates that were chosen; ValueError where one is none."""
        self.must_be_released(integers, *[1] * len(self.steps))
        for (index,), step in zip(integers, self.steps, strict=True):
            if not 0 <= index < step.count:
                raise ValueError(f"integers must be below {step.count:,} for {step.label}, got {index}")
        return [part[0] for part in integers]


class Pairs(Choice):
    """A program that counts pairwise estimates: each record is in at most k pairs, or in n - 1 of all.

    A pair's estimate is a function of its two records alone, to the last bit, and pairs with equal x count at both
    ends of the range in turn. So the number of estimates up to a place moves by at most k = ``changed`` when one record
    is replaced: of the k pairs that change, those that become or cease to be equal in x, t of them, move the half that
    counts at the lower end by at most (t + 1) / 2 <= t for t >= 1.

    k matchings are drawn with the operating system's randomness, whatever the records are, and are not released.
    """

    mechanism: PrivateTheilSen

    def __post_init__(self) -> None:
        if pairs.is_complete(self.n, self.mechanism.k) and self.n > 30_000:
            raise ValueError(f"k must be a number of matchings for more than 30,000 records, got n = {self.n:,}")
        super().__post_init__()

    @property
    def changed(self) -> int:
        """The number of pairwise estimates that one record can change."""
        return pairs.lipschitz(self.n, self.mechanism.k)

    @property
    def pair_count(self) -> int:
        """The number of pairwise estimates."""
        return pairs.pair_count(self.n, self.mechanism.k)

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        """The public range of predictions."""
        return decimal(self.mechanism.lower), decimal(self.mechanism.upper)

    def ends(self, x: Floats, y: Floats) -> Iterator[tuple[tuple[Floats, Floats], tuple[Floats, Floats]]]:
        """x and y at both ends of every pair that counts, about a million pairs at a time."""
        n, k = self.n, int(self.mechanism.k or 0)
        if pairs.is_complete(n, self.mechanism.k):
            step, starts = max(1, _AT_ONCE // n), range(1, n // 2 + 1)
            for first in range(0, len(starts), step):
                # every pair once: record i and the one d places on around a circle, for d = n / 2 in half of it
                d = np.array(starts[first : first + step])[:, None]
                i = np.broadcast_to(np.arange(n), (d.size, n))
                once = (2 * d != n) | (i < n // 2)
                one, other = i[once], ((i + d) % n)[once]
                yield (x[one], x[other]), (y[one], y[other])
            return
        system = secrets.SystemRandom()
        labels, chosen = list(range(n)), system.sample(range(pairs.round_count(n)), k)
        system.shuffle(labels)
        for r in chosen:
            one, other = (np.array(labels)[side[0]] for side in pairs.rounds(n, [r]))
            yield (x[one], x[other]), (y[one], y[other])

    def below(self, x: Floats, y: Floats, estimates: Callable[..., Floats], places: Sequence[Floats]) -> list[Integers]:
        """The numbers of estimates up to each of some places, of several lists of estimates.

        estimates: of the ends of pairs, shape (lists, pairs), NaN where x is equal; half of these, rounded up, count.
        places: of each list, shape (some,).
        """
        counts, missing = [np.zeros(place.size, dtype=np.int64) for place in places], 0
        for x_ends, y_ends in self.ends(x, y):
            checkpoint()
            found = np.sort(estimates(x_ends, y_ends), axis=-1)
            missing += int(np.count_nonzero(np.isnan(found[0])))
            for count, row, place in zip(counts, found, places, strict=True):
                count += np.searchsorted(row, place, side="right")
        return [count + (missing + 1) // 2 for count in counts]


class Medians(Pairs):
    """DPExpTheilSen, DPWideTheilSen and their zCDP variants: one choice for each point, among MEDIANS candidates.

    The score of a candidate is |N - 2 B|, B of N estimates up to it; widened by theta it is the least of that over
    the window, max(0, N - 2 B(+theta), 2 B(-theta) - N). Sensitivity 2 k: B moves by k at most, see Pairs, and a
    maximum by no more than what it is of.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.pair_grid  # noqa: B018 - refuses a range or points too far from the unit square

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(
            Step(f"median of the pairwise estimates at x = {float(at):g}", "select", MEDIANS, 2 * self.changed)
            for at in self.at
        )

    @property
    def drawn_from(self) -> str:
        return f"{self.across:,} candidates at each point"

    @cached_property
    def candidates(self) -> list[Fraction]:
        """The predictions that can be released."""
        return cell_centres(*self.range, self.across)

    @property
    def across(self) -> int:
        """Candidates at each point."""
        return MEDIANS

    @cached_property
    def pair_grid(self) -> PublicGrid:
        """The public grid of pairwise estimates."""
        return self.mechanism.grid(np.array(self.points))

    @cached_property
    def windows(self) -> Floats:
        """Where the candidates moved up by theta, then down, are on that grid, as whole numbers of spacings."""
        grid = self.pair_grid
        moved = (
            math.floor((each + way) * 2**grid.bits) for way in (self.theta, -self.theta) for each in self.candidates
        )
        return np.array([min(max(place, grid.first), grid.last) for place in moved], dtype=float)

    @property
    def theta(self) -> Fraction:
        """The widening; 0 where there is none."""
        return decimal(self.mechanism.theta) if isinstance(self.mechanism, DPWideTheilSen) else Fraction(0)

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        grid = self.pair_grid
        x_on_grid, y_on_grid = (grid.positions(column / self.grid) for column in (x, y))
        counts = self.below(x_on_grid, y_on_grid, grid.estimates, [self.windows] * len(self.points))
        total, halves = self.pair_count, [np.split(count, 2) for count in counts]
        return [np.maximum(np.maximum(total - 2 * up, 2 * down - total), 0) for up, down in halves]

    def answer(self, integers: Sequence[Sequence[int]], intervals: bool = True) -> Answer:
        return Answer(tuple(self.candidates[index] for index in self.indices(integers)))

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        if not pairs.is_complete(self.n, self.mechanism.k):
            return (None,) * len(self.points)
        values, records = np.array([float(each) for each in self.candidates]), self.on_grid(data)
        every = enumerate(self.scores(*records))
        return tuple(CandidateLaw.of(values, self.chances(scores, number)) for number, scores in every)


class JointMedians(Medians):
    """JointTheilSen and JointTheilSenZCDP: one choice for one or two points, of two among LINES^2 candidates.

    The score is max_j |N - 2 B_j|, B_j of the N estimates at point j up to the candidate's prediction there.
    Sensitivity 2 k: each B_j moves by k at most, see Pairs.
    """

    def __post_init__(self) -> None:
        if len(self.points) > 2:
            raise ValueError(f"points must be one or two for {self.mechanism.name}, got {len(self.points)}")
        super().__post_init__()

    @property
    def across(self) -> int:
        """Candidates at each point."""
        return MEDIANS if len(self.points) == 1 else LINES

    @property
    def steps(self) -> tuple[Step, ...]:
        count = self.across ** len(self.points)
        return (Step("medians of the pairwise estimates at all points", "select", count, 2 * self.changed),)

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        away = super().scores(x, y)
        return [away[0] if len(away) == 1 else np.maximum.outer(*away).ravel()]

    def answer(self, integers: Sequence[Sequence[int]], intervals: bool = True) -> Answer:
        (index,) = self.indices(integers)
        places = (index,) if len(self.points) == 1 else divmod(index, self.across)
        return Answer(tuple(self.candidates[place] for place in places))

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        if not pairs.is_complete(self.n, self.mechanism.k):
            return (None,) * len(self.points)
        values = np.array([float(each) for each in self.candidates])
        chances = self.chances(self.scores(*self.on_grid(data))[0], 0).reshape([self.across] * len(self.points))
        sums = [chances] if len(self.points) == 1 else [chances.sum(axis=1), chances.sum(axis=0)]
        return tuple(CandidateLaw.of(values, each) for each in sums)


class SlopeEnds(Pairs):
    """The interval for the slope of DPExpTheilSen: one choice among CELLS cells for each end, at half of the budget.

    The upper end is where the number of slopes below crosses a public target, the lower end likewise from above; the
    score of a cell is the distance of the target from the numbers at its two edges. Sensitivity k, see Pairs: both
    numbers move by k at most, and so does the distance of a number from an interval.
    """

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(
            Step(f"{end} end of the interval for the slope", "select", CELLS, self.changed)
            for end in ("lower", "upper")
        )

    @cached_property
    def edges(self) -> list[Fraction]:
        """The ends of the cells: slopes of lines within the range at 1/4 and 3/4 are between the first and the last."""
        lower, upper = self.range
        return [2 * (upper - lower) * Fraction(2 * j - CELLS, CELLS) for j in range(CELLS + 1)]

    @property
    def target(self) -> int:
        """The number of slopes that is crossed, as intervals.own_budget has it, rounded up."""
        rank = rank_reach(self.pair_count, self.changed, 1 - (1 - self.level) * (1 - SHARE))
        margin = safety(CELLS, (1 - self.level) * SHARE / 2, 1 / self.scale(0))
        return math.ceil(self.pair_count / 2 + rank + margin)

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        inner = np.array([float(edge) for edge in self.edges[1:-1]])
        places = np.concatenate([np.nextafter(inner, -np.inf), inner])  # slopes below an edge, and up to it
        (counts,) = self.below(x / self.grid, y / self.grid, slopes_of_pairs, [places])
        below, up_to = np.split(counts, 2)
        above = (self.pair_count - up_to)[::-1]
        return [crossing_scores(values, self.target) for values in (above, below)]

    def answer(self, integers: Sequence[Sequence[int]], intervals: bool = True) -> Answer:
        lower, upper = self.indices(integers)
        ends = self.edges[CELLS - 1 - lower], self.edges[1 + upper]
        return Answer(intervals=(between(ends, self.edges, Target.TRUE_SLOPE, None, self.level),))

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        return (None,) * len(self.points)


def crossing_scores(values: Integers, target: int) -> Integers:
    """The distances of the target from [f_j, f_(j+1)], shape (cells,); values: f at the inner edges, nondecreasing."""
    above = np.append(target - values, 0)  # f is infinite at the last edge, and minus infinity at the first
    below = np.append(0, values - target)
    return np.maximum(np.maximum(above, below), 0)


def between(
    ends: Sequence[Fraction], edges: Sequence[Fraction], target: Target, at: Fraction | None, level: float
) -> Interval:
    """The interval between two ends in any order; an end at the end of the public range is none."""
    low, high = min(ends), max(ends)
    return Interval(target, at, low if low > edges[0] else None, high if high < edges[-1] else None, level)


_FINENESS = 8  # heights of lines are rounded down to this share of a cell of the records' grid
_LARGEST_PRODUCT = 2**62
_WHOLE = 2**20  # what a record counts in full


class Lines(Choice):
    """A program that scores the lines in the centres of a public grid by their depth among the records.

    With the records in the order of x, s_i what record i counts for a line, and t before, between and behind all
    different x: M = max_t |sum_(x_i <= t) s_i - sum_(x_i > t) s_i|. s_i is a whole number of size ``whole`` at most,
    a function of the record and the line alone. So each sum moves by 2 whole at most when one record is replaced, and
    so does their maximum.
    """

    mechanism: DeepestLine

    def __post_init__(self) -> None:
        largest = max(abs(part) for part in (self.centres[0], self.centres[-1])) * self._common
        if largest * 8 * self.grid * _FINENESS > _LARGEST_PRODUCT:
            raise ValueError(
                f"lower and upper must have fewer decimals in a release, got {self.mechanism.lower!r} and "
                f"{self.mechanism.upper!r}"
            )
        super().__post_init__()

    @property
    def _common(self) -> int:
        """The denominator of all predictions at 1/4 and 3/4."""
        return math.lcm(self.centres[0].denominator, self.cell.denominator)

    @property
    def drawn_from(self) -> str:
        return f"{self.side**2:,} lines"

    @property
    def side(self) -> int:
        """Cells along each axis."""
        return self.mechanism.grid

    @cached_property
    def centres(self) -> list[Fraction]:
        """Predictions at 1/4, and at 3/4, of the lines."""
        return cell_centres(decimal(self.mechanism.lower), decimal(self.mechanism.upper), self.side)

    @property
    def cell(self) -> Fraction:
        """The width of a cell."""
        return (decimal(self.mechanism.upper) - decimal(self.mechanism.lower)) / self.side

    def line(self, index: int) -> tuple[Fraction, Fraction]:
        """Intercept and slope of one of the lines."""
        quarter, three_quarters = (self.centres[place] for place in divmod(index, self.side))
        slope = 2 * (three_quarters - quarter)
        return quarter - slope / 4, slope

    def groups(self, x: Integers, y: Integers) -> Iterator[tuple[int, Integers, Integers]]:
        """For each different x, in order: x, the heights of all lines there, shape (side^2,), and y of the records.

        Heights are in shares of a cell of the records' grid, rounded down.
        """
        common = self._common
        start, step = (int(part * common) for part in (self.centres[0], self.cell))
        places = start + step * np.arange(self.side, dtype=np.int64)
        order = np.argsort(x, kind="stable")
        for at, group in zip(*records_by_x(x[order], y[order]), strict=True):
            checkpoint()
            # the line through p at 1/4 and q at 3/4 passes x / K at ((3K - 4x) p + (4x - K) q) / (2K)
            first, second = (3 * self.grid - 4 * at) * places, (4 * at - self.grid) * places
            heights = np.add.outer(first * (_FINENESS // 2), second * (_FINENESS // 2)).ravel()
            yield at, np.floor_divide(heights, common, out=heights), group

    def places(self, heights: Integers, reach: int) -> Integers:
        """The places of heights among -reach, ..., a + reach, beyond which all records count alike; in place."""
        np.clip(heights, -reach, _FINENESS * self.grid + reach, out=heights)
        heights += reach
        return heights

    @property
    def height_range(self) -> tuple[int, int]:
        """The least and the greatest height that a line can have at x from 0 to 1, in shares of a cell."""
        lower, upper, unit = decimal(self.mechanism.lower), decimal(self.mechanism.upper), _FINENESS * self.grid
        half = (upper - lower) / 2
        return math.floor((lower - half) * unit), math.ceil((upper + half) * unit)


def sums_by_height(y: Integers, counted: Integers, reach: int, grid: int) -> Integers:
    """What some records count for a line of height -reach, ..., a + reach, the sum; shape (a + 2 reach + 1,).

    y: whole numbers 0, ..., grid. counted: of one record by its height above the line, from -a - reach to a + reach,
    all in shares of a cell, of which a make the unit interval.
    """
    whole = _FINENESS * grid
    falling, total = counted[::-1], np.zeros(whole + 2 * reach + 1, dtype=np.int64)
    for value, times in zip(*np.unique(y, return_counts=True), strict=True):
        first = whole - _FINENESS * int(value)  # where the line is reach below 0
        total += int(times) * falling[first : first + total.size]
    return total


def records_by_x(x: Integers, y: Integers) -> tuple[list[int], list[Integers]]:
    """The different x and the y of each; x: in order."""
    starts = np.flatnonzero(np.diff(x, prepend=-1))
    return x[starts].tolist(), np.split(y, starts[1:])


class DeepLine(Lines):
    """DeepestLine and DeepestLineZCDP: one choice among all lines, with residuals clipped and rounded to 2^-20."""

    @property
    def steps(self) -> tuple[Step, ...]:
        return (Step("a line near the deepest", "select", self.side**2, 2 * _WHOLE),)

    @property
    def largest_term(self) -> int:
        return 4 * _WHOLE

    @property
    def reach(self) -> int:
        """The residual from which on a record counts in full, in shares of a cell; at least 1."""
        low, high = self.height_range
        return min(math.ceil(decimal(self.mechanism.c) * _FINENESS * self.grid), high - low) + 1

    @cached_property
    def counted(self) -> Integers:
        """What a record counts by its height above a line, -a - reach, ..., a + reach shares of a cell, a = K shares.

        The middle of each share stands for it: with c = 0 no residual is 0.
        """
        far = _FINENESS * self.grid + self.reach
        residual = 2 * np.arange(-far, far + 1, dtype=np.int64) - 1  # in half shares of a cell
        if self.mechanism.c == 0:
            return np.sign(residual) * _WHOLE
        full = float(2 * decimal(self.mechanism.c) * _FINENESS * self.grid)
        return np.rint(np.clip(residual / full, -1, 1) * _WHOLE).astype(np.int64)

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        reach, counted = self.reach, self.counted
        running, top, bottom = np.zeros((3, self.side**2), dtype=np.int64)
        for _, heights, group in self.groups(x, y):
            running += sums_by_height(group, counted, reach, self.grid)[self.places(heights, reach)]
            np.maximum(top, running, out=top)
            np.minimum(bottom, running, out=bottom)
        return [np.maximum(2 * top - running, running - 2 * bottom)]

    def answer(self, integers: Sequence[Sequence[int]], intervals: bool = True) -> Answer:
        intercept, slope = self.line(self.indices(integers)[0])
        return Answer(tuple(intercept + slope * at for at in self.at), intercept, slope)

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        chances = self.chances(self.scores(*self.on_grid(data))[0], 0)
        centres = np.array([float(centre) for centre in self.centres])
        laws = []
        for at in self.points:
            predictions = np.add.outer(2 * (0.75 - at) * centres, 2 * (at - 0.25) * centres)
            laws.append(CandidateLaw.of(predictions.ravel().round(12), chances))
        return tuple(laws)


class DeepRegion(Lines):
    """The intervals of DeepestLine: one choice among ``side`` cells for each of two ends at each point.

    Signs are counted. Of each cell of lines the least M that a line in its area may have with the records, also where
    rounding to their grid has moved these by half a cell, is bounded from below: with l_i <= s_i <= h_i in {-1, 1} by
    max_t |sum_(x_i <= t) .. - ..| with l_i on one side and h_i on the other, whichever is less. That moves by 2 at most
    when one record is replaced, as M does. A(t), the least over the cells with predictions from t on, cut at a public
    number, moves by 2 at most, and does not fall in t. An end is where A crosses a public target: the score of a cell
    is the distance of the target from A at its two edges, of sensitivity 2.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plan.out_of_reach:
            raise ValueError(
                f"n must be larger for intervals of DeepestLine with {self.guarantee}: they would have no ends at "
                f"n = {self.n:,}"
            )

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(
            Step(f"{end} end of the interval at x = {float(at):g}", "select", self.side, 2)
            for at in self.at
            for end in ("lower", "upper")
        )

    @property
    def plan(self) -> DepthPlan:
        """The public numbers of the intervals, by the budget of one end."""
        budget = 4 / self.scale(0)  # of an end, so that the weight of a score is one over the scale
        return DepthPlan.of(self.n, self.level, budget, self.side)

    def edges(self, at: Fraction) -> list[Fraction]:
        """The ends of the cells of predictions at a point."""
        lower, upper = decimal(self.mechanism.lower), decimal(self.mechanism.upper)
        half = (abs(Fraction(3, 4) - at) + abs(at - Fraction(1, 4))) * (upper - lower)
        middle = (lower + upper) / 2
        return [middle + half * Fraction(2 * j - self.side, self.side) for j in range(self.side + 1)]

    def least_scores(self, x: Integers, y: Integers) -> Integers:
        """Numbers that no M of a line in the area of each cell is below, shape (side^2,)."""
        slopes = np.abs(np.subtract.outer(*[np.arange(self.side)] * 2)).ravel() + 1  # at most, in cells
        moved = _FINENESS * (0.5 + float(self.cell) * slopes)  # by half a cell of y, and of x times the slope
        one = np.where(np.arange(-_FINENESS * self.grid - 1, _FINENESS * self.grid + 2) > 0, 1, -1)
        running, top, bottom, low = np.zeros((4, self.side**2), dtype=np.int64)
        for at, heights, group in self.groups(x, y):
            half_cell = float(self.cell) * (abs(3 * self.grid - 4 * at) + abs(4 * at - self.grid)) / 4 * _FINENESS
            reach = np.ceil(moved + half_cell).astype(np.int64) + 1
            counts = sums_by_height(group, one, 1, self.grid)
            under = counts[self.places(heights + reach, 1)]
            over = counts[self.places(heights - reach, 1)]
            low += under
            running += under + over
            np.maximum(top, running, out=top)
            np.minimum(bottom, running, out=bottom)
        high = running - low
        return np.maximum(top - high, low - bottom)

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        plan = self.plan
        target = math.ceil(plan.target)
        most = target + math.ceil(plan.most - plan.target)
        least = np.minimum(self.least_scores(x, y), most)
        centres = np.array([float(centre) for centre in self.centres])
        every = []
        for point, at in zip(self.points, self.at, strict=True):
            weights = 2 * (0.75 - point), 2 * (point - 0.25)
            middle = np.add.outer(weights[0] * centres, weights[1] * centres).ravel()
            half = float(self.cell) * (abs(weights[0]) + abs(weights[1])) / 2
            edges = np.array([float(edge) for edge in self.edges(at)])
            for side, greatest in ((-edges[::-1], half - middle), (edges, middle + half)):
                place = np.searchsorted(side, greatest + 1e-9 * float(self.cell), side="right") - 1
                lowest = np.full(side.size, most, dtype=np.int64)
                np.minimum.at(lowest, np.clip(place, 0, side.size - 1), least)
                values = np.minimum.accumulate(lowest[::-1])[::-1]
                every.append(crossing_scores(values[1:-1], target))
        return every

    def answer(self, integers: Sequence[Sequence[int]], intervals: bool = True) -> Answer:
        chosen, found = self.indices(integers), []
        for number, at in enumerate(self.at):
            edges, (lower, upper) = self.edges(at), chosen[2 * number : 2 * number + 2]
            ends = edges[self.side - 1 - lower], edges[1 + upper]
            found.append(between(ends, edges, Target.TRUE_LINE, at, self.level))
        return Answer(intervals=tuple(found))

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        return (None,) * len(self.points)
