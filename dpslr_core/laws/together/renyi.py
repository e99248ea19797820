"""How far apart two laws are in zCDP: the least rho with which every Rényi divergence of order a is at most rho a."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from scipy.special import expit

from ...support.types import Floats
from ..base import Law
from ..by_rank import joint_median_renyi, renyi, staircase_renyi
from ..joint import JointLaw
from ..piecewise import PiecewiseUniform, Staircase
from .medians import JointMedians

_OUTCOMES = 4096  # ends of intervals of outcomes
_ROUNDING = 1e-15  # of a difference of two values of a cdf
_ORDERS = 1 + np.geomspace(1e-3, 200, 25)


def joint_rho(joint: JointLaw | JointMedians, other: JointLaw | JointMedians) -> float:
    """The largest D_a / a over orders a > 1 and both directions, D_a the Rényi divergence; NaN where not known.

    Over 25 orders from 1.001 to 201, so never more than the supremum. At each exact for laws of constant pieces; a
    lower bound for laws known by ranks, and for others, whose outcomes are taken together in intervals.
    """
    both = [_divergences(joint, other), _divergences(other, joint)]
    return float(np.max(np.array(both) / _ORDERS))


def _divergences(joint: JointLaw | JointMedians, other: JointLaw | JointMedians) -> Floats:
    """The Rényi divergences of joint from other at each order."""
    if isinstance(joint, JointMedians) and isinstance(other, JointMedians):
        return joint_median_renyi(joint, other, _ORDERS)
    if isinstance(joint, JointMedians) or isinstance(other, JointMedians):
        raise TypeError("joint and other must be laws of one mechanism")
    if not (joint.parts and other.parts):
        return np.full(_ORDERS.size, np.nan)
    columns = list(zip(*(laws for _, laws in (*joint.parts, *other.parts)), strict=True))
    if len(joint.parts) == len(other.parts) == 1:
        add_up = np.max if joint.apart else np.sum
        return np.asarray(add_up([_at_one_point(*pair) for pair in columns], axis=0))
    return _of_mixtures(joint, other, columns)


def _at_one_point(law: Law, other: Law) -> Floats:
    if isinstance(law, Staircase | PiecewiseUniform) and isinstance(other, Staircase | PiecewiseUniform):
        return staircase_renyi(law, other, _ORDERS)
    shares = expit(np.linspace(-27.6, 27.6, _OUTCOMES // 2))
    outcomes = np.unique(np.concatenate([each.ppf(shares * (1 - each.failure)) for each in (law, other)]))
    masses, theirs = (np.diff([0.0, *each.cdf(outcomes), 1 - each.failure, 1.0]) for each in (law, other))
    sure = masses > _ROUNDING
    mine = np.log(masses[sure] - _ROUNDING)
    return renyi(mine, mine - np.log(theirs[sure] + _ROUNDING), _ORDERS)


def _of_mixtures(joint: JointLaw, other: JointLaw, columns: Sequence[Sequence[Law]]) -> Floats:
    """Of mixtures of laws of constant pieces: NaN where there are others."""
    pieces = [[law for law in column if isinstance(law, PiecewiseUniform)] for column in columns]
    if any(len(known) < len(column) for known, column in zip(pieces, columns, strict=True)):
        return np.full(_ORDERS.size, np.nan)
    edges = [np.unique(np.concatenate([law.edges for law in known])) for known in pieces]
    outcomes = [each[:-1] for each in edges]
    mine, theirs = joint.log_density(outcomes), other.log_density(outcomes)
    log_mass = mine + reduce(np.add.outer, [np.log(np.diff(each)) for each in edges])
    possible = mine > -np.inf
    return renyi(log_mass[possible], (mine - theirs)[possible], _ORDERS)
