"""Synthetic data whose truth is known."""

from __future__ import annotations

import numpy as np

from . import _validate
from ._types import Floats


def simulate_linear(
    n: int,
    var_x: float,
    var_e: float,
    slope: float = 0.5,
    intercept: float = 0.2,
    x_mean: float = 0.5,
    *,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """The paper's synthetic data: uniform x, linear y with Gaussian noise, both clipped to [0, 1].

    x_i uniform with mean x_mean and variance var_x (an interval of width sqrt(12 var_x)),
    y_i = slope x_i + intercept + e_i with e_i ~ N(0, var_e); y is made before x is clipped.
    Returns x and y, each of shape (n,). One state of rng gives the same uniforms and the same normals
    whatever the other arguments are, so runs that differ only in a variance share their randomness.
    ValueError where n < 3, a variance is negative, x_mean is outside [0, 1] or a number is not finite.
    Source: Section "Description of the Data", Synthetic Data.
    """
    _validate.integer(3, n=n)
    _validate.non_negative(var_x=var_x, var_e=var_e)
    _validate.finite(slope=slope, intercept=intercept)
    _validate.inside(0, 1, x_mean=x_mean)
    _validate.generator(rng=rng)
    uniform = rng.random(n)  # always before the normals: the order is part of the contract
    normal = rng.standard_normal(n)
    x = x_mean + np.sqrt(12 * var_x) * (uniform - 0.5)
    y = slope * x + intercept + np.sqrt(var_e) * normal
    return np.clip(x, 0, 1), np.clip(y, 0, 1)
