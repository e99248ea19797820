"""The audit of a real release: what its draws lose between neighbours, and whether they follow the law shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import chisquare

from dpslr_core.audit.loss import Loss, WorstLoss
from dpslr_core.dataset import Dataset
from dpslr_core.laws.candidates import exponential_choice, permute_and_flip
from dpslr_core.mechanisms import Mechanism
from dpslr_core.mechanisms.pairwise import PrivateTheilSen
from dpslr_core.privacy import ZCDP, PureDP
from dpslr_core.release.base import Program
from dpslr_core.release.library import amount
from dpslr_core.release.programs import PROGRAMS, program_of
from dpslr_core.support.types import Floats

from .draws import Agreement
from .suite import RELEASES, Row, label

# What the first draws of an adaptive program may have released: no slope, flat and steep ones up and down.
_RELEASED = ((-1, 1), (1, 0), (2, 1), (2, -1), (1, 10**6), (1, -(10**6)))

Columns = tuple[Sequence[int], Sequence[int]]


_RECORDS, _GRID, _PROMISE, _PAIRS = 8, 1000, 2.0, 6  # of the neighbours in ``release_row``


def release_row(mechanism: Mechanism, seed: int = 0) -> Row | None:
    """The row of an audit for a mechanism's real releases: the worst loss of some neighbours over the promise.

    Over all pairs of records. Data sets of 8 records at corners, edges and the middle of the unit square, of which one
    is replaced. Nothing is drawn: OpenDP's own draws and k matchings are left to tests. None where the mechanism has no
    program of a release. ImportError where OpenDP is not installed.
    """
    if type(mechanism) not in PROGRAMS:
        return None
    guarantee = PureDP(_PROMISE) if mechanism.guarantee(1.0).pure else ZCDP(_PROMISE)
    complete = replace(mechanism, k=None) if isinstance(mechanism, PrivateTheilSen) else mechanism
    program = program_of(complete, guarantee, (0.25, 0.75), _RECORDS, _GRID)
    rng, losses, half = np.random.default_rng(seed), list[WorstLoss](), _GRID // 2
    for number in range(_PAIRS):
        records = rng.integers(0, 3, (2, _RECORDS)) * half
        if number == 0:  # one record leaves all others, which moves sums most
            records[:] = 0
        if (
            number == 1
        ):  # a flat line between two ends, and one record that goes through it, which moves ranks most
            records = np.array([np.arange(_RECORDS) % 2 * _GRID, np.full(_RECORDS, half)])
            records[:, 0] = half, 0
        neighbours = records.copy()
        neighbours[:, 0] = (half, _GRID) if number == 1 else _GRID * (records[:, 0] < _GRID)
        share = share_lost(program, records.tolist(), neighbours.tolist())
        sets = (Dataset(x / _GRID, y / _GRID) for x, y in (records, neighbours))
        losses.append(
            WorstLoss(
                Loss(share * _PROMISE, _PROMISE, "ε" if isinstance(guarantee, PureDP) else "ρ"),
                *sets,
            )
        )
    worst = max(losses, key=lambda each: each.loss.share)
    return Row(label(mechanism), RELEASES, _PAIRS, worst)


def share_lost(program: Program, records: Columns, neighbours: Columns) -> float:
    """Compute the privacy loss of a release between two data sets, as a share of the promise, by the real draws.

    Losses of several draws add up, each at the worst of what may have been released before: in epsilon for a pure
    guarantee, in rho for zCDP (of a choice, an eighth of its squared range). Scales are read off the serialised
    measurements.

    Parameters
    ----------
    records, neighbours : Columns
        Whole numbers x and y of neighbouring data sets, as ``draw`` takes them.
    """
    both = [program.private(*program.kept(*columns)) for columns in (records, neighbours)]
    total = 0.0
    for number, call in enumerate(program.calls):
        befores = (
            [[[value] for value in pair] for pair in _RELEASED] if number == 2 else [[[0]] * number]
        )
        losses = []
        for released in befores:
            here, there = (
                np.array([int(v) for v in integers(released)], dtype=float) for integers in both
            )
            losses.append(call_loss(call, isinstance(program.guarantee, PureDP), here, there))
        total += max(losses)
    return total / amount(program.guarantee)


def call_loss(call: Mapping[str, Any], pure: bool, records: Floats, neighbours: Floats) -> float:
    """The loss of one draw between two lists of private integers, by the scale of its serialised measurement."""
    scale = call["measurement"]["__kwargs__"]["scale"]
    if call["kind"] == "noisy":
        shifts = np.abs(records - neighbours) / scale
        return float(shifts.sum() if pure else (shifts**2).sum() / 2)
    law = permute_and_flip if pure else exponential_choice
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(law(records, 1 / scale)) - np.log(law(neighbours, 1 / scale))
    ratios = ratios[np.isfinite(ratios)]
    return float(np.abs(ratios).max() if pure else np.ptp(ratios) ** 2 / 8)


def low_digits(integers: Iterable[int], modulus: int = 16) -> Agreement:
    """Whether whole numbers with wide noise leave every remainder as often: what is private is not in their digits."""
    counts = np.bincount([value % modulus for value in integers], minlength=modulus)
    return Agreement(float(chisquare(counts).pvalue), "last digits")
