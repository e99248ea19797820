"""Newer algorithms against the paper's at the settings that they were designed on: ``python -m benchmarks beyond``.

C(68) about the true line at x = 0.25 in standard errors of OLS, two points released together, the mean over simulated
data sets and its 95% interval. opendp and diffprivlib stand in the same table where they are installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from dpslr_core import Dataset, error_bound
from dpslr_core.mechanisms import (
    OLS,
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPGDzCDP,
    JointTheilSen,
    Mechanism,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import QUARTERS, Z95, stream
from dpslr_core.support.workers import in_order, one_thread

from . import peers

DATASETS, PEER_DATASETS, TRIALS = 200, 10, 400
SETTINGS = (  # n, var_x, var_e, epsilon
    (30, 0.01, 0.01, 2.0), (60, 0.03, 0.01, 1.0), (100, 0.03, 0.0025, 0.5), (100, 0.03, 0.01, 1.0),
    (200, 0.03, 0.01, 0.5), (250, 0.03, 0.01, 2.0), (1000, 0.03, 0.01, 1.0),
)  # fmt: skip
OURS: dict[str, Mechanism] = {
    "OLS": OLS(), "NoisyStats": NoisyStats(), "NoisyIntercept": NoisyIntercept(), "DPExpTheilSen": DPExpTheilSen(),
    "DPGDzCDP, paper": DPGDzCDP().as_in_paper(), "DPGDzCDP": DPGDzCDP(), "CenteredStats": CenteredStats(),
    "JointTheilSen": JointTheilSen(), "DeepestLine, c = 0": DeepestLine(c=0.0), "DeepestLine": DeepestLine(),
}  # fmt: skip
PEERS: tuple[peers.Peer, ...] = (peers.OpenDP(), peers.Diffprivlib())


def rows() -> Iterator[str]:
    """A line for each setting and contender."""
    fitted = _peers()
    for n, var_x, var_e, epsilon in SETTINGS:
        model = LinearModel(n, var_x, var_e)
        yield f"n = {n:,}, var_x = {var_x:g}, var_e = {var_e:g}, epsilon = {epsilon:g}"
        tasks = list(range(DATASETS))
        errors = np.array(list(in_order(partial(_errors, model=model, epsilon=epsilon), tasks, -1)))
        for name, theirs in zip(OURS, errors.T, strict=True):
            yield f"  {name:<28} {_mean(theirs)}"
        for peer in fitted:
            theirs = np.array(
                [_peer_error(peer, model, epsilon, number) for number in range(PEER_DATASETS)]
            )
            yield f"  {peer.name:<28} {_mean(theirs)}, {PEER_DATASETS} data sets of {TRIALS} fits"
    if not fitted:
        yield "opendp and diffprivlib are not installed: pip install -r benchmarks/requirements-peers.txt"


def _mean(errors: np.ndarray) -> str:
    if not np.isfinite(errors).all():
        return f"infinite on {np.mean(np.isinf(errors)):.0%} of data sets"
    half = Z95 * np.std(errors, ddof=1) / np.sqrt(errors.size)
    return f"{np.mean(errors):.3g} ± {half:.2g}"


def _errors(number: int, model: LinearModel, epsilon: float) -> list[float]:
    """C(68) of every algorithm of ours on one data set, in standard errors."""
    data, truth = model.replicate(0, number), float(model.truth(QUARTERS)[0])
    unit = float(model.standard_error(QUARTERS, data)[0])
    with one_thread():
        return [
            _error(data, mechanism, epsilon, truth, number) / unit for mechanism in OURS.values()
        ]


def _error(data: Dataset, mechanism: Mechanism, epsilon: float, truth: float, number: int) -> float:
    law = mechanism.law(data, epsilon)[0]
    if law is not None:
        return law.error_bound(68, truth)
    draws = mechanism.release(
        data, epsilon, size=TRIALS, rng=stream(0, "beyond", number, repr(mechanism))
    )
    return error_bound(draws[:, 0], truth, 68)


def _peers() -> tuple[peers.Peer, ...]:
    """The other libraries, where they are installed."""
    try:
        peers.load()
    except SystemExit:
        return ()
    return PEERS


def _peer_error(peer: peers.Peer, model: LinearModel, epsilon: float, number: int) -> float:
    """C(68) of another library on one data set, in standard errors."""
    data = model.replicate(0, number)
    return error_bound(
        peer.estimates(data, epsilon, TRIALS), float(model.truth(QUARTERS)[0]), 68
    ) / float(model.standard_error(QUARTERS, data)[0])
