"""Draws against their declared sizes, and declared sizes against every rule of accounting and records per person.

A release consists of draws, each of a kind and a size (``Mechanism.draws``). Measured is how large the
loss of each draw is between neighbours. And for every rule the worst pair of its kind is composed exactly, over all
draws, and compared with the guarantee that is shown: these pairs exist, so that a loss above it is a broken promise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.special import ndtr

from dpslr_core.audit.loss import Loss
from dpslr_core.dataset import Dataset
from dpslr_core.laws.divergence import joint_divergences, max_divergences
from dpslr_core.laws.named import StudentT
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.mechanisms.centered import CenteredSums
from dpslr_core.mechanisms.deepest_line import DeepestLine
from dpslr_core.mechanisms.descent import GradientDescent, gradient_shifts
from dpslr_core.mechanisms.noisy_stats import NoisySufficientStatistics
from dpslr_core.mechanisms.theil_sen import DPSSTheilSen
from dpslr_core.privacy import (
    ZCDP,
    Accounting,
    ApproxDP,
    Budget,
    Draw,
    GaussianDP,
    Guarantee,
    NoiseKind,
    PureDP,
    gaussian_mu,
    largest,
)
from dpslr_core.privacy.accounting import RULES, guarantee, spent
from dpslr_core.support.types import Floats

RECORDS = (1, 2, 3)

_ORDERS = 1 + np.geomspace(1e-3, 200, 25)
_CELLS = 2**13  # of the grid that losses are rounded down to
_RATIOS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999)  # of the larger log ratio of two outcomes, over their range
_LEAST = 1e-12  # probability of a test that is looked at
_LAPLACE_NODES = 512
_ASKED = np.linspace(0.01, 0.99, 25)  # epsilons that tests are looked at, over the largest loss
_UNBOUNDED = {NoiseKind.GAUSSIAN, NoiseKind.CONCENTRATED}  # in the log ratio of a draw


# ---------------------------------------------------------------- what is declared, under every rule


def spendings(mechanism: Mechanism, epsilons: Sequence[float], points: Sequence[int]) -> Iterator[Loss]:
    """The loss of its draws on the worst pair of their kind, of every way to spend that a rule admits."""
    for rule, count, epsilon, at in product(RULES, RECORDS, epsilons, points):
        budget = Budget(epsilon, np.arange(at), Accounting(rule, records=count))
        run = spent(mechanism, budget)
        if run is not None:
            yield attained(mechanism.draws(run, at), guarantee(mechanism, budget).bare, count)


def attained(draws: Sequence[Draw], shown: Guarantee, records: int = 1) -> Loss:
    """The loss of draws of these kinds and sizes on a pair that each kind admits, against a guarantee that is shown.

    records: how many are replaced, each of which moves a draw by its size. Exact for pure privacy; for zCDP over 25
    orders; otherwise composed on a grid of losses rounded down. So never more than what the draws can lose; NaN where
    the kind of a draw is not known.
    """
    sizes = Counter(Draw(draw.kind, records * draw.size) for draw in draws)
    kinds = {draw.kind for draw in sizes}
    if NoiseKind.UNKNOWN in kinds:
        return Loss.against(np.nan, shown)
    composed = (_composed(sizes, ratio) for ratio in (_RATIOS if NoiseKind.BOUNDED_RANGE in kinds else (0.5,)))
    match shown:
        case PureDP():
            measured = np.inf if kinds & _UNBOUNDED else sum(count * draw.size for draw, count in sizes.items())
        case ZCDP():
            measured = max(_rho(sizes, ratio) for ratio in _RATIOS)
        case GaussianDP():  # of Gaussian noise with the delta of the pair at some epsilon
            measured = 0.0
            for losses, chances in composed:
                tests = [(epsilon, _delta(losses, chances, epsilon)) for epsilon in _ASKED * float(losses.max())]
                mus = [gaussian_mu(float(epsilon), delta) for epsilon, delta in tests if _LEAST < delta < 1]
                measured = max([measured, *mus])
        case ApproxDP(_, delta):
            measured = max(_epsilon(*pair, delta) for pair in composed)
        case _:
            measured = np.nan
    return Loss.against(float(measured), shown)


def _pair(draw: Draw, ratio: float) -> tuple[Floats, Floats]:
    """Losses and their probabilities, of the worst pair of a kind; shape (some,).

    Laplace noise: one number that moves. Bounded range: two outcomes with the log ratios ratio eta and that less eta.
    Pure: two outcomes with the log ratios eps and -eps. Gaussian noise, and zCDP: one number that moves by mu.
    """
    size = draw.size
    if draw.kind is NoiseKind.LAPLACE:
        cell = size / _LAPLACE_NODES
        t = np.arange(_LAPLACE_NODES) * cell
        within = 0.5 * np.exp(-t) * -np.expm1(-cell)
        losses = size - 2 * (t + cell)  # the least of each cell
        return np.concatenate([[size], losses, [-size]]), np.concatenate([[0.5], within, [0.5 * np.exp(-size)]])
    if draw.kind in _UNBOUNDED:
        ends = np.linspace(-9, 9, 2 * _LAPLACE_NODES + 1)
        return size**2 / 2 + size * ends[:-1], np.diff(ndtr(ends))
    span, top = (2 * size, size) if draw.kind is NoiseKind.PURE else (size, ratio * size)
    share = -np.expm1(top - span) / -np.expm1(-span)  # P of the outcome with the larger log ratio: q e^top
    return np.array([top, top - span]), np.array([share, 1 - share])


def _rho(sizes: Counter[Draw], ratio: float) -> float:
    """The largest D_a / a over orders a."""
    total = np.zeros(_ORDERS.size)
    for draw, count in sizes.items():
        if draw.kind in _UNBOUNDED:
            total += count * _ORDERS * draw.size**2 / 2
        else:
            losses, chances = _pair(draw, ratio)
            logs = np.log(np.maximum(chances, 1e-300)) + (_ORDERS[:, None] - 1) * losses
            total += count * np.logaddexp.reduce(logs, axis=1) / (_ORDERS - 1)
    return float(np.max(total / _ORDERS))


def _composed(sizes: Counter[Draw], ratio: float) -> tuple[Floats, Floats]:
    """Losses of all draws together, on an even grid and rounded down, and their probabilities."""
    pairs = [(*_pair(draw, ratio), count) for draw, count in sizes.items()]
    step = sum(count * float(np.ptp(losses)) for losses, _, count in pairs) / _CELLS
    start, spectrum, length = 0.0, np.ones(_CELLS + 2, dtype=complex), 2 * (_CELLS + 1)
    for losses, chances, count in pairs:
        least = float(losses.min())
        cells = np.minimum(np.floor((losses - least) / step * (1 + 1e-12)), _CELLS).astype(int)
        spectrum = spectrum * np.fft.rfft(np.bincount(cells, chances, length)) ** count
        start += count * least
    chances = np.maximum(np.fft.irfft(spectrum, length), 0.0)[: _CELLS + 1]
    return np.asarray(start + step * np.arange(_CELLS + 1)), np.where(chances > 1e-15, chances, 0.0)


def _delta(losses: Floats, chances: Floats, epsilon: float) -> float:
    above = losses > epsilon
    return float(chances[above] @ -np.expm1(epsilon - losses[above]))


def _epsilon(losses: Floats, chances: Floats, delta: float) -> float:
    """The least epsilon with which these losses are (epsilon, delta)-private."""
    return largest(lambda epsilon: _delta(losses, chances, epsilon) > delta) or 0.0


# ---------------------------------------------------------------- what is drawn, against what is declared


def measured_sizes(
    mechanism: Mechanism,
    data: Dataset,
    other: Dataset,
    epsilon: float,
    at: Sequence[float],
    records: int = 1,
) -> list[tuple[float, Draw]]:
    """The size of the loss of each draw between two data sets, and the draw that is declared for it.

    records: in how many the data sets differ; then a loss may be as many times the declared size.

    Of Laplace noise the shifts in scales, added up; of Gaussian noise their root sum of squares; of a bounded range
    the range of the log ratios of all outcomes; else the largest of them. Empty where no law is known.
    """
    declared = mechanism.draws(epsilon, len(at))
    points, kind = np.array(at), declared[0].kind
    sizes: list[float] = []

    def norm(shift: Floats) -> float:
        return float(np.abs(shift).sum() if kind is NoiseKind.LAPLACE else np.sqrt((shift**2).sum()))

    if isinstance(mechanism, GradientDescent):
        if records > 1:
            return []
        replaced = data.replaced(other)
        moved = gradient_shifts(*replaced, mechanism.clip) if replaced else np.zeros((1, 2))
        sizes = [max(norm(shift / mechanism.noise_scale(epsilon)) for shift in moved)] * len(declared)
    elif isinstance(mechanism, CenteredSums):
        every = (zip(each.x.tolist(), each.y.tolist(), strict=True) for each in (data, other))
        sums = [np.sum([mechanism.summands(record) for record in each], axis=0) for each in every]
        sizes = [norm((sums[0] - sums[1]) / mechanism.noise_scale(epsilon))]
    elif isinstance(mechanism, NoisySufficientStatistics):
        intercept = max(abs(data.y_mean - other.y_mean), abs(data.x_mean - other.x_mean))
        shifts = np.abs([data.nvar - other.nvar, data.ncov - other.ncov, intercept])
        sizes = (shifts / mechanism._scales(data.n, epsilon)).tolist()
    elif isinstance(mechanism, DeepestLine):
        views = [mechanism.view(each, epsilon, points) for each in (data, other)]
        sizes = [float(np.ptp(mechanism._change(views[0], views[1], epsilon)))]
    elif isinstance(mechanism, DPSSTheilSen) and records == 1:
        laws_of_both = (mechanism.law(each, epsilon, points) for each in (data, other))
        for one, another, draw in zip(*laws_of_both, declared, strict=True):
            if not (isinstance(one, StudentT) and isinstance(another, StudentT)):  # as with matchings
                return []
            sizes.append(_size_of_smooth(mechanism, one, another, draw.size))
    else:
        joint, other_joint = (mechanism.view(each, epsilon, points).law for each in (data, other))
        if not (joint.parts and other_joint.parts):
            return []
        if len(declared) == 1:
            ways = [joint_divergences(joint, other_joint)]
        elif mechanism.budget_split.separate and len(joint.parts) == len(other_joint.parts) == 1:
            ways = [max_divergences(*pair) for pair in zip(joint.parts[0][1], other_joint.parts[0][1], strict=True)]
        else:
            return []
        sizes = [sum(way) if kind is NoiseKind.BOUNDED_RANGE else max(way) for way in ways]
    return list(zip(sizes, declared, strict=False)) if len(sizes) <= len(declared) else [(np.inf, declared[0])]


def _size_of_smooth(mechanism: DPSSTheilSen, law: StudentT, other: StudentT, size: float) -> float:
    """The part of its size that smooth sensitivity uses: the median moves by at most s scales, log scales by at most t.

    t = size beta / (d + 1), s = 2 sqrt(d) (size - t (d + 1)) / (d + 1), by the appendix's lemma.
    """
    t = size * mechanism.beta / (mechanism.df + 1)
    s = 2 * np.sqrt(mechanism.df) * (size - t * (mechanism.df + 1)) / (mechanism.df + 1)
    moved = abs(law.location - other.location) / min(law.scale, other.scale) / s
    wider = abs(float(np.log(law.scale / other.scale)))
    return size * max(moved, wider / t if t > 0 else np.inf if wider > 0 else 0.0)
