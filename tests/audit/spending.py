"""Draws against their declared sizes, and declared sizes against every rule of accounting and records per person.

A release consists of draws, each of a kind and a size (``Mechanism.draws``). Measured is how large the
loss of each draw is between neighbours. And for every rule an accountant that shares nothing with the core adds up what
all draws lose, which is compared with the guarantee that is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from itertools import product

import numpy as np

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
    NoiseKind,
    PureDP,
)
from dpslr_core.privacy.accounting import RULES, guarantee, spent
from dpslr_core.support.types import Floats
from tests.reference.privacy import composed, overspent

RECORDS = (1, 2, 3)

# The kinds of draws as the independent accountant of tests.reference.privacy names them.
KINDS = {
    NoiseKind.PURE: "pure",
    NoiseKind.LAPLACE: "laplace",
    NoiseKind.BOUNDED_RANGE: "range",
    NoiseKind.GAUSSIAN: "gaussian",
    NoiseKind.CONCENTRATED: "concentrated",
}
PROMISES = {PureDP: "pure", ZCDP: "zcdp", GaussianDP: "gaussian", ApproxDP: "approx"}


# ---------------------------------------------------------------- what is declared, under every rule


def spendings(
    mechanism: Mechanism, epsilons: Sequence[float], points: Sequence[int]
) -> Iterator[Loss]:
    """By what factor its draws lose more than is shown, for every way to spend that a rule admits."""
    for rule, count, epsilon, at in product(RULES, RECORDS, epsilons, points):
        budget = Budget(epsilon, np.arange(at), Accounting(rule, records=count))
        run = spent(mechanism, budget)
        draws = [] if run is None else mechanism.draws(run, at)
        if draws and all(draw.kind in KINDS for draw in draws):
            shown = guarantee(mechanism, budget).bare
            losses = composed([(KINDS[draw.kind], draw.size) for draw in draws], count)
            yield Loss(
                float(overspent(losses, (PROMISES[type(shown)], *astuple(shown)))), 1.0, "times"
            )


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
        return float(
            np.abs(shift).sum() if kind is NoiseKind.LAPLACE else np.sqrt((shift**2).sum())
        )

    if isinstance(mechanism, GradientDescent):
        if records > 1:
            return []
        replaced = data.replaced(other)
        moved = gradient_shifts(*replaced, mechanism.clip) if replaced else np.zeros((1, 2))
        sizes = [max(norm(shift / mechanism.noise_scale(epsilon)) for shift in moved)] * len(
            declared
        )
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
            if not (
                isinstance(one, StudentT) and isinstance(another, StudentT)
            ):  # as with matchings
                return []
            sizes.append(_size_of_smooth(mechanism, one, another, draw.size))
    else:
        joint, other_joint = (mechanism.view(each, epsilon, points).law for each in (data, other))
        if not (joint.parts and other_joint.parts):
            return []
        if len(declared) == 1:
            ways = [joint_divergences(joint, other_joint)]
        elif mechanism.budget_split.separate and len(joint.parts) == len(other_joint.parts) == 1:
            ways = [
                max_divergences(*pair)
                for pair in zip(joint.parts[0][1], other_joint.parts[0][1], strict=True)
            ]
        else:
            return []
        sizes = [sum(way) if kind is NoiseKind.BOUNDED_RANGE else max(way) for way in ways]
    return (
        list(zip(sizes, declared, strict=False))
        if len(sizes) <= len(declared)
        else [(np.inf, declared[0])]
    )


def _size_of_smooth(mechanism: DPSSTheilSen, law: StudentT, other: StudentT, size: float) -> float:
    """The part of its size that smooth sensitivity uses: the median moves by at most s scales, log scales by at most t.

    t = size beta / (d + 1), s = 2 sqrt(d) (size - t (d + 1)) / (d + 1), by the appendix's lemma.
    """
    t = size * mechanism.beta / (mechanism.df + 1)
    s = 2 * np.sqrt(mechanism.df) * (size - t * (mechanism.df + 1)) / (mechanism.df + 1)
    moved = abs(law.location - other.location) / min(law.scale, other.scale) / s
    wider = abs(float(np.log(law.scale / other.scale)))
    return size * max(moved, wider / t if t > 0 else np.inf if wider > 0 else 0.0)
