"""Seeded faults: algorithms that release, or count, less privately than they say. The audit must catch each of them.

Every fault is a small change of one algorithm. A fault that is in a shared function replaces it while the audit runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np

import dpslr_core.mechanisms as dp
from dpslr_core.depth import DepthScores, LineGrid
from dpslr_core.intervals import own_budget
from dpslr_core.laws import by_rank
from dpslr_core.laws.joint import JointMedians
from dpslr_core.privacy import Draw, ReleaseKind


@dataclass(frozen=True)
class Fault:
    """A broken algorithm under a name, and shared functions that are replaced: module or class, name, by what."""

    name: str
    mechanism: dp.Mechanism
    replaced: tuple[tuple[object, str, object], ...] = ()


FAULTS: list[Fault] = []


def fault(name: str, **hyperparameters) -> Callable[[type[dp.Mechanism]], type[dp.Mechanism]]:
    """Puts an instance of the class into the list."""

    def listed(cls: type[dp.Mechanism]) -> type[dp.Mechanism]:
        FAULTS.append(Fault(name, cls(**hyperparameters)))
        return cls

    return listed


def everywhere(name: str, mechanism: dp.Mechanism, *replaced: tuple[object, str, object]) -> None:
    FAULTS.append(Fault(name, mechanism, replaced))


# ---------------------------------------------------------------- noisy sums


def noise_times(cls: type[dp.Mechanism], *factors: float) -> type[dp.Mechanism]:
    """The algorithm with the noise of its sums, in the order in which it is drawn, times these factors."""
    turns = cycle(factors)

    class Changed(cls):
        def _noise(self, rng, size):
            return next(turns) * super()._noise(rng, size)

    return Changed


fault("nvar without noise")(noise_times(dp.NoisyStats, 0.0, 1.0, 1.0))
fault("ncov without noise")(noise_times(dp.NoisyStats, 1.0, 0.0, 1.0))
fault("intercept without noise")(noise_times(dp.NoisyStats, 1.0, 1.0, 0.0))
fault("all noise of NoisyStats times 0.8")(noise_times(dp.NoisyStats, 0.8))
fault("noise of the intercept halved")(noise_times(dp.NoisyStats, 1.0, 1.0, 0.5))
fault("Gaussian noise on ncov times 0.8")(noise_times(dp.NoisyStatsGaussian, 1.0, 0.8, 1.0))
fault("with a ridge, noise on nvar times 0.8", adaptive_ridge=True)(noise_times(dp.NoisyStats, 0.8, 1.0, 1.0))


@fault("slope over the true nvar")
class TrueDenominator(dp.NoisyStats):
    def release_statistics(self, data, epsilon, size=1000, *, rng):
        released = super().release_statistics(data, epsilon, size, rng=rng)
        return replace(released, slope=released.ncov / max(data.nvar, 1e-9))


@fault("slope over the true nvar in predictions alone")
class TrueDenominatorInPredictions(dp.NoisyStats):
    def _draw(self, data, epsilon, at, size, rng):
        released = self.release_statistics(data, epsilon, size, rng=rng)
        return data.y_mean + (released.ncov / max(data.nvar, 1e-9))[:, None] * (at - data.x_mean)


@fault("flat line where the true nvar is small", fallback=True)
class FlatByTheTruth(dp.NoisyStats):
    def _draw(self, data, epsilon, at, size, rng):
        released = super()._draw(data, epsilon, at, size, rng)
        return released if data.nvar > 0.2 else np.repeat(released[:, :1], at.size, axis=1) * 0 + data.y_mean


@fault("a failed release is answered with OLS")
class AnsweredByOLS(dp.NoisyStats):
    def _draw(self, data, epsilon, at, size, rng):
        released = super()._draw(data, epsilon, at, size, rng)
        return np.where(np.isnan(released), np.nan_to_num(data.predict(at), nan=data.y_mean), released)


def clipped_to_data(cls: type[dp.Mechanism]) -> type[dp.Mechanism]:
    class ClippedToData(cls):
        def release(self, data, epsilon, at=(0.25, 0.75), size=1000, *, rng):
            return np.clip(super().release(data, epsilon, at, size, rng=rng), data.y.min(), data.y.max())

    return ClippedToData


fault("NoisyStats clipped to the data's own range")(clipped_to_data(dp.NoisyStats))
fault("DPExpTheilSen clipped to the data's own range")(clipped_to_data(dp.DPExpTheilSen))
fault("DeepestLine clipped to the data's own range", grid=40)(clipped_to_data(dp.DeepestLine))


@fault("released bound on sigma_e is the data's own")
class OwnResidualDeviation(dp.NoisyStats):
    def release_statistics(self, data, epsilon, size=1000, *, rng):
        released = super().release_statistics(data, epsilon, size, rng=rng)
        return replace(released, residual_sd=float(np.std(data.y)))


@fault("the scale of the intercept's noise is that of the true slope")
class ScaleOfTheTruth(dp.NoisyStats):
    def release_statistics(self, data, epsilon, size=1000, *, rng):
        released = super().release_statistics(data, epsilon, size, rng=rng)
        return replace(released, intercept_scale=np.full(size, (1 + abs(data.slope)) / data.n))


@fault("the sensitivity of a mean for that of a sum")
class SensitivityOfAMean(dp.NoisyStatsGaussian):
    def noise_scale(self, sensitivity, epsilon, share=1 / 3):
        sensitivity = np.asarray(sensitivity, dtype=float)
        return super().noise_scale(np.where(sensitivity > 0.6, 1 - sensitivity, sensitivity), epsilon, share)


@fault("half the noise, declared as well")
class HalvedScale(dp.NoisyStats):
    def noise_scale(self, *arguments):
        return super().noise_scale(*arguments) / 2


def centered_noise(cls: type[dp.Mechanism], change: Callable) -> type[dp.Mechanism]:
    """The algorithm with a change of its noise, shape (5, size)."""

    class Changed(cls):
        def _noise(self, rng, shape):
            return change(super()._noise(rng, shape))

    return Changed


def times(*factors):
    return lambda noise: noise * np.array(factors)[:, None]


fault("sum of w^2 without noise")(centered_noise(dp.CenteredStats, times(1, 1, 1, 1, 0)))
fault("noise on the sum of u^2 times 0.8")(centered_noise(dp.CenteredStats, times(1, 1, 0.8, 1, 1)))
fault("all Gaussian noise times 0.8")(centered_noise(dp.CenteredStatsGaussian, times(0.8, 0.8, 0.8, 0.8, 0.8)))
fault("two sums share their noise")(centered_noise(dp.CenteredStats, lambda noise: noise[[0, 0, 2, 3, 4]]))
fault("Laplace noise cut at 3 scales")(centered_noise(dp.CenteredStats, lambda noise: np.clip(noise, -3, 3)))


@fault("five sums calibrated one by one", b=(1.0, 1.0, 0.25, 0.5, 0.25))
class OneByOne(dp.CenteredStats):
    def _check(self):
        return


@fault("a single release with half the noise")
class SingleHalved(dp.CenteredStats):
    def _noise(self, rng, shape):
        return super()._noise(rng, shape) * (0.5 if shape[1] == 1 else 1.0)


@fault("half the noise where many data sets are released")
class ManyHalved(dp.CenteredStats):
    def releases_of_all(self, datasets, epsilon, at, size, generators):
        return super().releases_of_all(datasets, 2 * epsilon, at, size, generators)


@fault("a ridge made by the true nvar", ridge=True)
class RidgeByTheTruth(dp.CenteredStats):
    def release_statistics(self, data, epsilon, size=1000, *, rng):
        released = super().release_statistics(data, epsilon, size, rng=rng)
        return replace(released, slope=released.slope * data.nvar / (data.nvar + 0.5))


# ---------------------------------------------------------------- a noisy mean


@fault("all releases of a call share one noise")
class SharedByReleases(dp.NoisyIntercept):
    def _draw(self, data, epsilon, at, size, rng):
        return np.repeat(super()._draw(data, epsilon, at, 1, rng), size, axis=0)


@fault("each second release mirrors the one before")
class Mirrored(dp.NoisyIntercept):
    def _draw(self, data, epsilon, at, size, rng):
        released = super()._draw(data, epsilon, at, size, rng)
        released[1::2] = 2 * data.y_mean - released[: size - size % 2 : 2]
        return released


@fault("noise from a fixed seed")
class FixedSeed(dp.NoisyIntercept):
    def _draw(self, data, epsilon, at, size, rng):
        return super()._draw(data, epsilon, at, size, np.random.default_rng(7))


@fault("an n that counts different records alone")
class DifferentRecords(dp.NoisyIntercept):
    def noise_scale(self, epsilon, n):
        return super().noise_scale(epsilon, n) / 1.25


# ---------------------------------------------------------------- private medians


def law_at(cls: type[dp.Mechanism], factor: float) -> type[dp.Mechanism]:
    """The algorithm whose medians have the law of so many times epsilon."""

    class Changed(cls):
        def _median_law(self, edges, epsilon, changed, grid):
            return super()._median_law(edges, factor * epsilon, changed, grid)

    return Changed


def drawn_at(cls: type[dp.Mechanism], factor: float) -> type[dp.Mechanism]:
    """The algorithm that draws all its releases with so many times epsilon."""

    class Changed(cls):
        def _draw(self, data, epsilon, at, size, rng):
            return super()._draw(data, factor * epsilon, at, size, rng)

    return Changed


def matched_at(cls: type[dp.Mechanism], factor: float) -> type[dp.Mechanism]:
    """The algorithm that draws medians of matchings with so many times epsilon."""

    class Changed(cls):
        def medians(self, estimates, epsilon, changed, grid, rng):
            return super().medians(estimates, factor * epsilon, changed, grid, rng)

    return Changed


fault("law of medians with 1.3 epsilon")(law_at(dp.DPExpTheilSen, 1.3))
fault("law of widened medians with 2 epsilon")(law_at(dp.DPWideTheilSen, 2.0))
fault("law of zCDP medians with 1.2 eta")(law_at(dp.DPExpTheilSenZCDP, 1.2))
fault("medians drawn with 1.5 epsilon")(drawn_at(dp.DPExpTheilSen, 1.5))
fault("zCDP medians drawn with 1.5 epsilon")(drawn_at(dp.DPWideTheilSenZCDP, 1.5))
fault("medians of three matchings drawn with 1.5 epsilon", k=3)(matched_at(dp.DPExpTheilSen, 1.5))
fault("widened medians of three matchings drawn with 2 epsilon", k=3)(matched_at(dp.DPWideTheilSen, 2.0))
fault("twice the rate of joint medians in draws")(drawn_at(dp.JointTheilSen, 2.0))
fault("twice the rate of joint medians of three matchings", k=3)(matched_at(dp.JointTheilSen, 2.0))


@fault("twice the rate in the law of joint medians")
class JointAtTwice(dp.JointTheilSen):
    def joint_law(self, lists, epsilon, changed, grid):
        return super().joint_law(lists, 2 * epsilon, changed, grid)


@fault("half the smooth sensitivity in draws")
class HalfSmoothDrawn(dp.DPSSTheilSen):
    def _draw(self, data, epsilon, at, size, rng):
        middle = np.array([law.median for law in self.law(data, epsilon, at)])
        return middle + (super()._draw(data, epsilon, at, size, rng) - middle) / 2


@fault("half the smooth sensitivity of three matchings", k=3)
class HalfSmoothMatched(dp.DPSSTheilSen):
    def medians(self, estimates, epsilon, changed, grid, rng):
        return super().medians(estimates, epsilon, 1, grid, rng)


@fault("half the smooth sensitivity in the law")
class HalfSmooth(dp.DPSSTheilSen):
    def _median_law(self, edges, epsilon, changed, grid):
        law = super()._median_law(edges, epsilon, changed, grid)
        return replace(law, scale=law.scale / 2)


@fault("local for smooth sensitivity")
class LocalSensitivity(dp.DPSSTheilSen):
    def _median_law(self, edges, epsilon, changed, grid):
        law, z = super()._median_law(edges, epsilon, changed, grid), edges[1:-1]
        middle = (z.size + 1) // 2 - 1
        spread = max(z[min(middle + j, z.size - 1)] - z[max(middle - changed + j, 0)] for j in range(changed + 1))
        return replace(law, scale=float(max(spread, 1e-6) / self._smoothness(epsilon)[1]))


@fault("all of epsilon at each point")
class Unsplit(dp.DPExpTheilSen):
    def draws(self, epsilon, points=2, released=ReleaseKind.PREDICTIONS):
        draws = super().draws(epsilon, points, released)
        return tuple(Draw(draw.kind, draw.size * len(draws)) for draw in draws)


@fault("all of rho at each point")
class UnsplitRho(dp.DPExpTheilSenZCDP):
    def share(self, epsilon, releases):
        return super().share(epsilon, 1)


@fault("two points drawn with the same numbers")
class SameNumbers(dp.DPExpTheilSen):
    def _draw_complete(self, data, epsilon, at, size, rng):
        u = rng.random(size)
        return np.column_stack([law.ppf(u) for law in self._laws(data, epsilon, at)])


@fault("epsilon not divided by the matchings in draws", k=3)
class IgnoringMatchings(dp.DPExpTheilSen):
    def medians(self, estimates, epsilon, changed, grid, rng):
        return super().medians(estimates, epsilon, 1, grid, rng)


@fault("all pairs in the place of three matchings, with the budget of three", k=3)
class AllPairsForThree(dp.DPExpTheilSen):
    def _draw(self, data, epsilon, at, size, rng):
        return dp.DPExpTheilSen()._draw(data, epsilon * (data.n - 1) / 3, at, size, rng)


@fault("widening by the spread of the estimates")
class WideBySpread(dp.DPWideTheilSen):
    def _median_law(self, edges, epsilon, changed, grid):
        theta = float(np.quantile(edges, 0.6) - np.quantile(edges, 0.4))
        return dp.DPWideTheilSen._median_law(replace(dp.DPWideTheilSen(), theta=theta), edges, epsilon, changed, grid)


@fault("twice epsilon by rank queries alone")
class TwiceByRanks(dp.DPExpTheilSen):
    def _rank_law(self, ranks, epsilon, grid):
        return super()._rank_law(ranks, 2 * epsilon, grid)


def accept_all(self, size, rng):
    return self._upper.ppf(rng.random(size))


everywhere("every proposal accepted in rank queries", dp.DPExpTheilSen(), (by_rank.StaircaseLaw, "sample", accept_all))
everywhere(
    "every proposal of joint medians accepted",
    dp.JointTheilSen(),
    (JointMedians, "_reaches", lambda self, level, r: np.ones(level.size, dtype=bool)),
)


# ---------------------------------------------------------------- lines by their depth


def depth_weight(cls: type[dp.Mechanism], factor: float) -> type[dp.Mechanism]:
    class Changed(cls):
        def weight(self, epsilon):
            return factor * super().weight(epsilon)

    return Changed


fault("weights of lines times 1.5", grid=40)(depth_weight(dp.DeepestLine, 1.5))
fault("weights of zCDP lines doubled", grid=40)(depth_weight(dp.DeepestLineZCDP, 2.0))
fault("lines drawn with 1.5 epsilon", grid=40)(drawn_at(dp.DeepestLine, 1.5))


class CutTies(DepthScores):
    """Cuts between records of equal x, in the order of the records."""

    @property
    def _group_ends(self):
        return np.full(self.x.size, True)


@fault("cuts between records of equal x", grid=10)
class CuttingTies(dp.DeepestLine):
    def scores(self, data):
        return data.cached("ties", lambda: CutTies(data.x, data.y, self.c, LineGrid(self.grid, self.lower, self.upper)))


@fault("residuals in units of the data's own spread", grid=20)
class OwnUnits(dp.DeepestLine):
    def scores(self, data):
        width = self.c * (0.1 + 4 * float(np.std(data.y)))
        return DepthScores(data.x, data.y, width, LineGrid(self.grid, self.lower, self.upper))


# ---------------------------------------------------------------- a choice between algorithms


@fault("the choice made on true sums", grid=40)
class TrueChoice(dp.ChooseByCenteredStats):
    def plan(self, data, first, epsilon):
        exact = dp.CenteredStats()._statistics(data, 1e9, np.zeros((5, first.slope.size)))
        return super().plan(data, exact, epsilon)


@fault("the choice made by the true nvar, in draws alone", grid=40)
class ChoiceByNvar(dp.ChooseByCenteredStats):
    def _draw(self, data, epsilon, at, size, rng):
        one = dp.CenteredStats() if data.nvar > 1 else self.line
        return one._draw(data, epsilon if data.nvar > 1 else self.rest(epsilon), at, size, rng)


@fault("the look is not paid for", grid=40)
class UnpaidLook(dp.ChooseByCenteredStats):
    def rest(self, epsilon):
        return epsilon


@fault("the first sums without noise in the answer", grid=40, share=0.6)
class NoiselessFirst(dp.ChooseByCenteredStats):
    def _of_all_sums(self, data, epsilon, noise, rng):
        return super()._of_all_sums(data, epsilon, 0 * noise, rng)


# ---------------------------------------------------------------- gradient descent


def unit_noise_times(cls: type[dp.Mechanism], factor: float) -> type[dp.Mechanism]:
    class Changed(cls):
        def unit_noise(self, rng, shape):
            return factor * super().unit_noise(rng, shape)

    return Changed


fault("noise of gradients times 0.5")(unit_noise_times(dp.DPGDPure, 0.5))
fault("Gaussian noise of gradients times 0.8")(unit_noise_times(dp.DPGDzCDP, 0.8))


@fault("gradients not clipped in a single release")
class UnclippedSingle(dp.DPGDPure):
    def _draw_all(self, datasets, epsilon, at, size, rngs):
        if size > 1:
            return super()._draw_all(datasets, epsilon, at, size, rngs)
        wide = replace(self, clip=100.0)
        return dp.DPGDPure._draw_all(wide, datasets, epsilon * wide.clip / self.clip, at, size, rngs)


@fault("every step takes the whole budget")
class UnsplitSteps(dp.DPGDPure):
    def noise_scale(self, epsilon):
        return super().noise_scale(epsilon) / self.steps


@fault("one coordinate of the gradients without noise")
class OneCoordinate(dp.DPGDApprox):
    def unit_noise(self, rng, shape):
        noise = super().unit_noise(rng, shape)
        noise[..., 1] = 0
        return noise


@fault("descents with their steps not added up in rho")
class RhoOfOneStep(dp.DPGDzCDP):
    def _size_of_step(self, epsilon):
        return super()._size_of_step(epsilon) * np.sqrt(self.steps)


# ---------------------------------------------------------------- intervals


@fault("budget of intervals times 4", grid=40)
class IntervalsAtFour(dp.DeepestLine):
    def release_intervals(self, data, epsilon, at=(0.25, 0.75), level=0.95, size=1000, *, rng):
        return super().release_intervals(data, 4 * epsilon, at, level, size, rng=rng)


@fault("every end takes all of epsilon", grid=40)
class UnsplitEnds(dp.DeepestLine):
    def draws(self, epsilon, points=2, released=ReleaseKind.PREDICTIONS):
        draws = super().draws(epsilon, points, released)
        return tuple(draw._replace(size=draw.size * len(draws)) for draw in draws)


@fault("zCDP intervals calibrated as predictions", grid=40)
class CalibratedAsPredictions(dp.DeepestLineZCDP):
    def largest_epsilon(self, guarantee, points, records=1, released=ReleaseKind.PREDICTIONS):
        return super().largest_epsilon(guarantee, points, records, ReleaseKind.PREDICTIONS)


@fault("an upper end without noise", grid=40)
class ExactUpperEnd(dp.DeepestLine):
    def release_intervals(self, data, epsilon, at=(0.25, 0.75), level=0.95, size=1000, *, rng):
        drawn = super().release_intervals(data, epsilon, at, level, size, rng=rng)
        return replace(drawn, high=np.repeat(np.nanmedian(drawn.high, axis=0)[None], size, axis=0))


@fault("ends cut to the data's own range", grid=40)
class EndsOfData(dp.DeepestLine):
    def release_intervals(self, data, epsilon, at=(0.25, 0.75), level=0.95, size=1000, *, rng):
        drawn = super().release_intervals(data, epsilon, at, level, size, rng=rng)
        return replace(drawn, high=np.minimum(drawn.high, data.y.max()))


@fault("slope intervals with half the sensitivity")
class HalfSlopeSensitivity(dp.DPExpTheilSen):
    def release_slope_intervals(self, data, epsilon, level=0.95, size=1000, *, rng):
        return super().release_slope_intervals(data, 2 * epsilon, level, size, rng=rng)


@fault("slope intervals of two matchings with twice epsilon", k=2)
class MatchedSlopeIntervals(dp.DPExpTheilSen):
    def release_slope_intervals(self, data, epsilon, level=0.95, size=1000, *, rng):
        return super().release_slope_intervals(data, 4 * epsilon, level, size, rng=rng)


@fault("each end of a zCDP slope interval takes all of rho")
class SlopeEndsUnsplit(dp.DPExpTheilSenZCDP):
    def draws(self, epsilon, points=2, released=ReleaseKind.PREDICTIONS):
        if released is ReleaseKind.SLOPE_INTERVAL:
            return super().draws(epsilon, 1) * 2
        return super().draws(epsilon, points, released)


_draw_crossings = own_budget.draw_crossings  # before a fault replaces it


def twice_the_weight(values, target, weight, size, rng):
    return _draw_crossings(values, target, 2 * weight, size, rng)


everywhere(
    "cells of ends drawn with twice the weight",
    dp.DeepestLine(grid=40),
    (own_budget, "draw_crossings", twice_the_weight),
)
everywhere(
    "cells of slopes drawn with twice the weight",
    dp.DPExpTheilSen(),
    (own_budget, "draw_crossings", twice_the_weight),
)


# ---------------------------------------------------------------- accounting and records per person


@fault("records per person forgotten")
class OneRecord(dp.CenteredStats):
    def largest_epsilon(self, guarantee, points, records=1, released=ReleaseKind.PREDICTIONS):
        return super().largest_epsilon(guarantee, points, 1, released)


@fault("calibrated to 1.25 of what is allowed")
class TooLarge(dp.NoisyStatsGaussian):
    def largest_epsilon(self, guarantee, points, records=1, released=ReleaseKind.PREDICTIONS):
        largest = super().largest_epsilon(guarantee, points, records, released)
        return largest and 1.25 * largest


@fault("calibrated for one point, whatever their number")
class OnePoint(dp.DPExpTheilSenZCDP):
    def largest_epsilon(self, guarantee, points, records=1, released=ReleaseKind.PREDICTIONS):
        return 1.1 * super().largest_epsilon(guarantee, 1, records, released)


@fault("half of each draw declared")
class HalfDeclared(dp.JointTheilSenZCDP):
    def draws(self, epsilon, points=2, released=ReleaseKind.PREDICTIONS):
        return tuple(draw._replace(size=draw.size / 2) for draw in super().draws(epsilon, points, released))

    def joint_law(self, lists, epsilon, changed, grid):
        return super().joint_law(lists, 2 * epsilon, changed, grid)
