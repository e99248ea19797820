"""Seeded faults: algorithms that release, or count, less privately than they say. The audit must catch each of them.

Every fault is a small change of one algorithm. A fault that is in a shared function replaces it while the audit runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count, cycle
from typing import Any

import numpy as np

import dpslr_core.mechanisms as dp
from dpslr_core.depth import DepthScores, LineGrid
from dpslr_core.laws import Laplace, by_rank
from dpslr_core.laws.joint import JointMedianLaw
from dpslr_core.privacy import Draw

_NUMBERS = count(1)


def variant(
    cls: type[dp.Mechanism], /, _given: dict[str, Any] | None = None, **changes: Callable
) -> Any:
    """The algorithm with changed methods, each ``change(self, inherited, *arguments)``; _given: its hyperparameters.

    Under a name of its own, so that no data set mistakes what it has kept for the sound algorithm.
    """

    def overriding(name: str, change: Callable) -> Callable:
        return lambda self, *args, **named: change(
            self, getattr(super(made, self), name), *args, **named
        )

    methods = {name: overriding(name, change) for name, change in changes.items()}
    made = type(f"{cls.__name__}Variant{next(_NUMBERS)}", (cls,), methods)
    return made(**(_given or {}))


def spends(factor: float) -> Callable:
    """Change of a method whose second argument is epsilon: so many times as much."""
    return lambda self, inherited, first, epsilon, *rest, **named: inherited(
        first, factor * epsilon, *rest, **named
    )


def times(factor: float) -> Callable:
    """Change of a method that gives a number or noise: so many times as much."""
    return lambda self, inherited, *args: factor * inherited(*args)


def with_fields(change: Callable[[Any, dp.Dataset], dict]) -> Callable:
    """Change of what a method releases from data: of some of its fields."""

    def method(self, inherited, data, *args, **named):
        released = inherited(data, *args, **named)
        return replace(released, **change(released, data))

    return method


def unchecked(self, inherited):
    """Hyperparameters as given, whatever they are."""


def as_if_one_pair(self, inherited, estimates, epsilon, changed, *rest):
    """Change of a method that is told how many estimates one record changes: one."""
    return inherited(estimates, epsilon, 1, *rest)


@dataclass(frozen=True)
class Fault:
    """A broken algorithm under a name.

    replaced: shared functions, by module or class, name, and what replaces them.
    """

    name: str
    mechanism: dp.Mechanism
    replaced: tuple[tuple[object, str, object], ...] = ()


FAULTS: list[Fault] = []


def fault(
    name: str, cls: type[dp.Mechanism], /, _given: dict[str, Any] | None = None, **changes: Callable
) -> None:
    FAULTS.append(Fault(name, variant(cls, _given, **changes)))


# ---------------------------------------------------------------- noisy sums


def in_turn(*factors):
    """The noise of sums, in the order in which it is drawn, times these factors."""
    turns = cycle(factors)
    return lambda self, inherited, *args: next(turns) * inherited(*args)


TRUE_SLOPE = with_fields(lambda released, data: {"slope": released.ncov / max(data.nvar, 1e-9)})


def flat_by_the_truth(self, inherited, data, epsilon, at, size, rng):
    released = inherited(data, epsilon, at, size, rng)
    return released if data.nvar > 0.2 else np.full(released.shape, data.y_mean)


def slope_by_the_truth(self, inherited, data, epsilon, at, size, rng):
    released = self.release_statistics(data, epsilon, size, rng=rng)
    return data.y_mean + (released.ncov / max(data.nvar, 1e-9))[:, None] * (at - data.x_mean)


def answered_by_ols(self, inherited, data, epsilon, at, size, rng):
    released = inherited(data, epsilon, at, size, rng)
    return np.where(np.isnan(released), np.nan_to_num(data.predict(at), nan=data.y_mean), released)


def clipped_to_data(self, inherited, data, *args, **named):
    return np.clip(inherited(data, *args, **named), data.y.min(), data.y.max())


def of_a_mean(self, inherited, sensitivity, *args):
    sensitivity = np.asarray(sensitivity, dtype=float)
    return inherited(np.where(sensitivity > 0.6, 1 - sensitivity, sensitivity), *args)


fault("nvar without noise", dp.NoisyStats, _noise=in_turn(0.0, 1.0, 1.0))
fault("ncov without noise", dp.NoisyStats, _noise=in_turn(1.0, 0.0, 1.0))
fault("intercept without noise", dp.NoisyStats, _noise=in_turn(1.0, 1.0, 0.0))
fault("all noise of NoisyStats times 0.8", dp.NoisyStats, _noise=times(0.8))
fault("noise of the intercept halved", dp.NoisyStats, _noise=in_turn(1.0, 1.0, 0.5))
fault("Gaussian noise on ncov times 0.8", dp.NoisyStatsGaussian, _noise=in_turn(1.0, 0.8, 1.0))
fault("slope over the true nvar", dp.NoisyStats, release_statistics=TRUE_SLOPE)
fault("slope over the true nvar in predictions alone", dp.NoisyStats, _draw=slope_by_the_truth)
fault(
    "flat line where the true nvar is small",
    dp.NoisyStats,
    {"fallback": True},
    _draw=flat_by_the_truth,
)
fault("a failed release is answered with OLS", dp.NoisyStats, _draw=answered_by_ols)
for _cls, _hyperparameters in (
    (dp.NoisyStats, {}),
    (dp.DPExpTheilSen, {}),
    (dp.DeepestLine, {"grid": 40}),
):
    fault(
        f"{_cls.__name__} clipped to the data's own range",
        _cls,
        _hyperparameters,
        release=clipped_to_data,
    )
fault(
    "released bound on sigma_e is the data's own",
    dp.NoisyStats,
    release_statistics=with_fields(lambda released, data: {"residual_sd": float(np.std(data.y))}),
)
fault(
    "the scale of the intercept's noise is that of the true slope",
    dp.NoisyStats,
    release_statistics=with_fields(
        lambda released, data: {
            "intercept_scale": np.full(released.slope.size, (1 + abs(data.slope)) / data.n)
        }
    ),
)


fault("the sensitivity of a mean for that of a sum", dp.NoisyStatsGaussian, noise_scale=of_a_mean)
for _cls in (dp.NoisyStats, dp.NoisyStatsGaussian, dp.DPGDApprox):
    _name = f"half the noise of {_cls.__name__}, declared as well"
    fault(_name, _cls, noise_scale=times(0.5))
for _cls, _split in ((dp.NoisyStats, (0.5, 0.5, 0.5)), (dp.NoisyStatsGaussian, (0.3, 0.6, 0.3))):
    _name = f"shares of {_cls.__name__} that sum to more than one"
    fault(_name, _cls, {"split": _split}, _check=unchecked)


def each_times(*factors):
    return lambda self, inherited, *args: inherited(*args) * np.array(factors)[:, None]


fault("sum of w^2 without noise", dp.CenteredStats, _noise=each_times(1, 1, 1, 1, 0))
fault("noise on the sum of u^2 times 0.8", dp.CenteredStats, _noise=each_times(1, 1, 0.8, 1, 1))
fault("all Gaussian noise times 0.8", dp.CenteredStatsGaussian, _noise=times(0.8))
fault(
    "two sums share their noise",
    dp.CenteredStats,
    _noise=lambda self, own, *a: own(*a)[[0, 0, 2, 3, 4]],
)
fault(
    "Laplace noise cut at 3 scales",
    dp.CenteredStats,
    _noise=lambda self, own, *a: np.clip(own(*a), -3, 3),
)
fault(
    "five sums calibrated one by one",
    dp.CenteredStats,
    {"b": (1.0, 1.0, 0.25, 0.5, 0.25)},
    _check=unchecked,
)
fault("half the noise of centred sums", dp.CenteredStats, noise_scale=times(0.5))
fault("half the Gaussian noise", dp.CenteredStatsGaussian, noise_scale=times(0.5))


def uncentred(self, inherited, record):
    """Sums of x, y and their products, with noise made for those of x - 1/2 and y - 1/2."""
    x, y = record
    return np.array([x, y, x * x, x * y, y * y])


fault("noise for centred sums on others", dp.CenteredStats, summands=uncentred)
fault(
    "a single release with half the noise",
    dp.CenteredStats,
    _noise=lambda self, inherited, rng, shape: (
        inherited(rng, shape) * (0.5 if shape[1] == 1 else 1.0)
    ),
)
fault("half the noise where many data sets are released", dp.CenteredStats, releases=spends(2))
fault(
    "a ridge made by the true nvar",
    dp.CenteredStats,
    {"ridge": True},
    release_statistics=with_fields(
        lambda released, data: {"slope": released.slope * data.nvar / (data.nvar + 0.5)}
    ),
)


# ---------------------------------------------------------------- a noisy mean


def mirrored(self, inherited, data, epsilon, at, size, rng):
    released = inherited(data, epsilon, at, size, rng)
    released[1::2] = 2 * data.y_mean - released[: size - size % 2 : 2]
    return released


fault(
    "all releases of a call share one noise",
    dp.NoisyIntercept,
    _draw=lambda self, inherited, *args: np.repeat(
        inherited(*args[:3], 1, args[4]), args[3], axis=0
    ),
)
fault("each second release mirrors the one before", dp.NoisyIntercept, _draw=mirrored)
fault(
    "noise from a fixed seed",
    dp.NoisyIntercept,
    _draw=lambda self, inherited, *args: inherited(*args[:-1], np.random.default_rng(7)),
)


def halved_laws(self, inherited, *args):
    return [Laplace(law.location, law.scale / 2) for law in inherited(*args)]


fault("an n that counts different records alone", dp.NoisyIntercept, noise_scale=times(0.8))
fault("laws of a mean with half the noise", dp.NoisyIntercept, _laws=halved_laws)


# ---------------------------------------------------------------- private medians


def half_smooth_drawn(self, inherited, data, epsilon, at, size, rng):
    middle = np.array([law.median for law in self.law(data, epsilon, at)])
    return middle + (inherited(data, epsilon, at, size, rng) - middle) / 2


def half_smooth(self, inherited, *args):
    law = inherited(*args)
    return replace(law, scale=law.scale / 2)


def local_sensitivity(self, inherited, edges, epsilon, changed, grid):
    law, z = inherited(edges, epsilon, changed, grid), edges[1:-1]
    middle = (z.size + 1) // 2 - 1
    spread = max(
        z[min(middle + j, z.size - 1)] - z[max(middle - changed + j, 0)] for j in range(changed + 1)
    )
    return replace(law, scale=float(max(spread, 1e-6) / self._smoothness(epsilon)[1]))


def declared_whole(self, inherited, *args, **named):
    """Each draw with the budget of all."""
    draws = inherited(*args, **named)
    return tuple(Draw(draw.kind, draw.size * len(draws)) for draw in draws)


def share_of_one(self, inherited, epsilon, releases):
    return inherited(epsilon, 1)


def same_numbers(self, inherited, data, epsilon, at, size, rng):
    u = rng.random(size)
    return np.column_stack([law.ppf(u) for law in self._laws(data, epsilon, at)])


def wide_by_spread(self, inherited, edges, *rest):
    theta = float(np.quantile(edges, 0.6) - np.quantile(edges, 0.4))
    return dp.DPWideTheilSen._median_law(replace(dp.DPWideTheilSen(), theta=theta), edges, *rest)


fault("law of medians with 1.3 epsilon", dp.DPExpTheilSen, _median_law=spends(1.3))
fault("law of widened medians with 2 epsilon", dp.DPWideTheilSen, _median_law=spends(2.0))
fault("law of zCDP medians with 1.2 eta", dp.DPExpTheilSenZCDP, _median_law=spends(1.2))
fault("medians drawn with 1.5 epsilon", dp.DPExpTheilSen, _draw=spends(1.5))
fault("zCDP medians drawn with 1.5 epsilon", dp.DPWideTheilSenZCDP, _draw=spends(1.5))
fault(
    "medians of three matchings drawn with 1.5 epsilon",
    dp.DPExpTheilSen,
    {"k": 3},
    medians=spends(1.5),
)
fault(
    "widened medians of three matchings drawn with 2 epsilon",
    dp.DPWideTheilSen,
    {"k": 3},
    medians=spends(2.0),
)
fault("twice the rate of joint medians in draws", dp.JointTheilSen, _draw=spends(2.0))
fault(
    "twice the rate of joint medians of three matchings",
    dp.JointTheilSen,
    {"k": 3},
    medians=spends(2.0),
)
fault("twice the rate in the law of joint medians", dp.JointTheilSen, joint_law=spends(2))
fault("pairs not counted in the law of joint medians", dp.JointTheilSen, joint_law=as_if_one_pair)
fault("pairs not counted in the law", dp.DPExpTheilSen, _median_law=as_if_one_pair)
# with two of three matchings of four records each record is in two pairs, of which the grid moves both
fault("matchings not counted in the law", dp.DPExpTheilSen, {"k": 2}, _median_law=as_if_one_pair)
fault("half the smooth sensitivity in draws", dp.DPSSTheilSen, _draw=half_smooth_drawn)
fault(
    "half the smooth sensitivity of three matchings",
    dp.DPSSTheilSen,
    {"k": 3},
    medians=as_if_one_pair,
)
fault("half the smooth sensitivity in the law", dp.DPSSTheilSen, _median_law=half_smooth)
fault("local for smooth sensitivity", dp.DPSSTheilSen, _median_law=local_sensitivity)
fault("all of epsilon at each point", dp.DPExpTheilSen, draws=declared_whole)
fault("all of rho at each point", dp.DPExpTheilSenZCDP, share=share_of_one)
fault("two points drawn with the same numbers", dp.DPExpTheilSen, _draw_complete=same_numbers)
fault(
    "epsilon not divided by the matchings in draws",
    dp.DPExpTheilSen,
    {"k": 3},
    medians=as_if_one_pair,
)
fault(
    "all pairs in the place of three matchings, with the budget of three",
    dp.DPExpTheilSen,
    {"k": 3},
    _draw=lambda self, own, data, epsilon, *args: dp.DPExpTheilSen()._draw(
        data, epsilon * (data.n - 1) / 3, *args
    ),
)
fault("widening by the spread of the estimates", dp.DPWideTheilSen, _median_law=wide_by_spread)
fault("twice epsilon by rank queries alone", dp.DPExpTheilSen, _rank_law=spends(2))


ACCEPT_ALL = (
    by_rank.StaircaseLaw,
    "sample",
    lambda self, size, rng: self._upper.ppf(rng.random(size)),
)
REACH_ALL = (JointMedianLaw, "_reaches", lambda self, level, r: np.ones(level.size, dtype=bool))
FAULTS += [
    Fault("every proposal accepted in rank queries", dp.DPExpTheilSen(), (ACCEPT_ALL,)),
    Fault("every proposal of joint medians accepted", dp.JointTheilSen(), (REACH_ALL,)),
]


# ---------------------------------------------------------------- lines by their depth


class CutTies(DepthScores):
    """Cuts between records of equal x, in the order of the records."""

    @property
    def _group_ends(self):
        return np.full(self.x.size, True)


def cutting_ties(self, inherited, data):
    return data.cached(
        "ties", lambda: CutTies(data.x, data.y, self.c, LineGrid(self.grid, self.lower, self.upper))
    )


def own_units(self, inherited, data):
    width = self.c * (0.1 + 4 * float(np.std(data.y)))
    return DepthScores(data.x, data.y, width, LineGrid(self.grid, self.lower, self.upper))


fault("weights of lines times 1.5", dp.DeepestLine, {"grid": 40}, weight=times(1.5))
fault("weights of zCDP lines doubled", dp.DeepestLineZCDP, {"grid": 40}, weight=times(2.0))
fault(
    "weights of lines of signs doubled", dp.DeepestLine, {"c": 0.0, "grid": 10}, weight=times(2.0)
)


def as_shares_of_x(self, inherited, data):
    """Scores as shares of the different x, times n."""
    return inherited(data) * (data.n / np.unique(data.x).size)


fault("scores in units of the data", dp.DeepestLine, {"grid": 10}, _all_scores=as_shares_of_x)
fault("lines drawn with 1.5 epsilon", dp.DeepestLine, {"grid": 40}, _draw=spends(1.5))
fault("cuts between records of equal x", dp.DeepestLine, {"grid": 10}, scores=cutting_ties)
fault("residuals in units of the data's own spread", dp.DeepestLine, {"grid": 20}, scores=own_units)


# ---------------------------------------------------------------- gradient descent


def unclipped_single(self, inherited, datasets, epsilon, at, size, rngs):
    if size > 1:
        return inherited(datasets, epsilon, at, size, rngs)
    wide = replace(self, clip=100.0)
    return dp.DPGDPure.releases(wide, datasets, epsilon * wide.clip / self.clip, at, size, rngs)


def one_coordinate(self, inherited, rng, shape):
    noise = inherited(rng, shape)
    noise[..., 1] = 0
    return noise


fault("noise of gradients times 0.5", dp.DPGDPure, _noise=times(0.5))
fault("Gaussian noise of gradients times 0.8", dp.DPGDzCDP, _noise=times(0.8))
fault("gradients not clipped in a single release", dp.DPGDPure, releases=unclipped_single)
fault("every step takes the whole budget", dp.DPGDPure, noise_scale=times(1 / 30))
fault("one coordinate of the gradients without noise", dp.DPGDApprox, _noise=one_coordinate)
fault("descents with their steps not added up in rho", dp.DPGDzCDP, _size_of_step=times(30**0.5))
fault(
    "descent without clipping",
    dp.DPGDPure,
    {"clip": 1e6},
    noise_scale=lambda self, inherited, epsilon: 4 * self.steps / epsilon,
)


# ---------------------------------------------------------------- accounting and records per person


def one_record(self, inherited, guarantee, points, records=1):
    return inherited(guarantee, points, 1)


def too_large(self, inherited, *args, **named):
    largest = inherited(*args, **named)
    return largest and 1.25 * largest


def one_point(self, inherited, guarantee, points, *rest, **named):
    return 1.1 * inherited(guarantee, 1, *rest, **named)


def half_declared(self, inherited, *args, **named):
    return tuple(draw._replace(size=draw.size / 2) for draw in inherited(*args, **named))


fault("records per person forgotten", dp.CenteredStats, largest_epsilon=one_record)
fault("calibrated to 1.25 of what is allowed", dp.NoisyStatsGaussian, largest_epsilon=too_large)
fault(
    "calibrated for one point, whatever their number",
    dp.DPExpTheilSenZCDP,
    largest_epsilon=one_point,
)
fault("half of each draw declared", dp.JointTheilSenZCDP, draws=half_declared, joint_law=spends(2))
