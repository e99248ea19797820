"""The error of a release beside the error that pages explore."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.mechanisms import JointTheilSen
from dpslr_core.privacy import Budget
from dpslr_core.release.explored import rehearsal_data, released_error
from dpslr_core.release.programs import PROGRAMS
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.choices import Synthetic

SCORE = Axis("score", "points", 0, 100)


def smallest_bound(values, chances, center, share):
    """The least c with a share of the chances within c of the center, by sorting."""
    order = np.argsort(np.abs(values - center))
    reached = np.cumsum(chances[order])
    return float(np.abs(values - center)[order][np.searchsorted(reached, share)])


def literal_joint(data, epsilon, at, cells=400):
    """C(68) at the first point: permute-and-flip among cells^2 candidates in [-0.5, 1.5], by its definition.

    The candidates come in the order of uniform times; the first that is accepted is chosen.
    """
    n = data.n
    x, y = np.rint(data.x * 1000) / 1000, np.rint(data.y * 1000) / 1000
    i, j = np.triu_indices(n, 1)
    i, j = i[x[i] != x[j]], j[x[i] != x[j]]
    slope = (y[j] - y[i]) / (x[j] - x[i])
    middle_x, middle_y = (x[i] + x[j]) / 2, (y[i] + y[j]) / 2
    centres = -0.5 + 2 * (np.arange(cells) + 0.5) / cells
    away = []
    for point in at:
        below = np.searchsorted(
            np.sort(middle_y + slope * (point - middle_x)), centres, side="right"
        )
        away.append(np.abs(i.size - 2 * below))
    penalty = np.maximum.outer(*away).ravel().astype(float)
    accepted = np.exp(-(penalty - penalty.min()) * epsilon / (2 * 2 * (n - 1)))
    chances = flip_chances(accepted).reshape(cells, cells).sum(axis=1)
    return smallest_bound(centres, chances, float(data.predict(at)[0]), 0.68)


def flip_chances(accepted):
    """Chances of permute-and-flip: p_i times the integral over its time t of the product of 1 - t p_j over others."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    t, weights = (nodes + 1) / 2, weights / 2
    logs = np.zeros(t.size)
    values, times = np.unique(accepted, return_counts=True)
    for value, count in zip(values, times, strict=True):
        logs += count * np.log1p(-t * np.minimum(value, 1 - 1e-15))
    chance = {
        value: value * float(weights @ np.exp(logs - np.log1p(-t * min(value, 1 - 1e-15))))
        for value in values
    }
    result = np.array([chance[value] for value in accepted])
    assert result.sum() == pytest.approx(1, rel=1e-3)
    return result


def test_the_error_of_a_release_is_that_of_the_definition():
    """Of JointTheilSen: every pair of two records, every candidate, and its chance by an integral."""
    data = rehearsal_data(Synthetic(), 150)
    error = released_error(JointTheilSen(), data, Budget(4.0, (0.25, 0.75)))
    assert error is not None and error.drawn_from == "400 candidates at each point"
    assert error.released == pytest.approx(literal_joint(data, 4.0, (0.25, 0.75)), rel=0.02)
    (law, _) = JointTheilSen().law(data, 4.0, (0.25, 0.75))
    assert error.explored == law.error_bound(68, center=float(data.predict(0.25)[0]))


def test_programs_of_whole_numbers_have_the_error_that_is_explored():
    data = rehearsal_data(Synthetic(), 60)
    for algorithm in PROGRAMS:
        error = released_error(algorithm(), data, Budget(2.0, (0.25, 0.75)))
        assert error is not None
        if error.drawn_from == "whole numbers":
            assert error.released == pytest.approx(error.explored, rel=0.02)
