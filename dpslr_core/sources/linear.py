"""Synthetic data whose truth is known: a line with Gaussian noise about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..dataset import Dataset
from ..support import validate
from ..support.streams import stream
from ..support.types import Floats

Shape = Literal["uniform", "normal"]
_LEAST = 2.0**-54  # below the smallest positive number that Generator.random gives


@dataclass(frozen=True)
class LinearModel:
    """The paper's synthetic data: y = slope x + intercept + e with e ~ N(0, var_e), x and y clipped to [0, 1].

    x has mean x_mean and variance var_x and is uniform (on an interval of width sqrt(12 var_x)) or normal. y is made
    before x is clipped. ValueError where n < 3, a variance is negative, x_mean is outside [0, 1], a number is not
    finite or x_shape is another. Source: Section "Description of the Data", Synthetic Data.
    """

    n: int
    var_x: float
    var_e: float
    slope: float = 0.5
    intercept: float = 0.2
    x_mean: float = 0.5
    x_shape: Shape = "uniform"

    def __post_init__(self) -> None:
        validate.integer(3, n=self.n)
        validate.non_negative(var_x=self.var_x, var_e=self.var_e)
        validate.finite(slope=self.slope, intercept=self.intercept)
        validate.inside(0, 1, x_mean=self.x_mean)
        if self.x_shape not in get_args(Shape):
            raise ValueError(f"x_shape must be one of {list(get_args(Shape))}, got {self.x_shape!r}")
        object.__setattr__(self, "n", int(self.n))
        for name in ("var_x", "var_e", "slope", "intercept", "x_mean"):
            object.__setattr__(self, name, float(getattr(self, name)))  # 1 and 1.0 are the same model: repr is a key

    def simulate(self, rng: np.random.Generator) -> Dataset:
        """One data set of n records.

        One state of rng gives the same noise whatever the model, so runs that differ only in a variance share their
        randomness. ValueError where rng is no numpy.random.Generator. Source: Section "Synthetic Data".
        """
        validate.generator(rng=rng)
        uniform = rng.random(self.n)  # always before the normals: the order is part of the contract
        return self.from_noise(uniform, rng.standard_normal(self.n))

    def replicate(self, seed: int, number: int) -> Dataset:
        """Data set ``number`` of a seed, with a stream for x and one for e.

        n records are the first n of any larger set, and models that differ in a variance or the slope share their
        noise. ValueError where seed is not a whole number, 0 or more.
        """
        uniform = stream(seed, "x", number).random(self.n)
        return self.from_noise(uniform, stream(seed, "e", number).standard_normal(self.n))

    def from_noise(self, uniform: Floats, normal: Floats) -> Dataset:
        """The data set made of uniforms on [0, 1), for x, and standard normals, for e; each of shape (n,).

        ValueError where they are of another shape or not finite.
        """
        if self.x_shape == "uniform":
            x = self.x_mean + np.sqrt(12 * self.var_x) * (uniform - 0.5)
        else:
            x = self.x_mean + np.sqrt(self.var_x) * ndtri(np.maximum(uniform, _LEAST))
        y = self.slope * x + self.intercept + np.sqrt(self.var_e) * normal
        return Dataset(np.clip(x, 0, 1), np.clip(y, 0, 1))

    def truth(self, at: ArrayLike) -> Floats:
        """slope at + intercept, shape (len(at),), in units of y, whatever clipping does to the data.

        ValueError where at is not one or more finite numbers.
        """
        return self.slope * validate.points(at=at) + self.intercept

    def standard_error(self, at: ArrayLike, data: Dataset | None = None) -> Floats:
        """The true standard deviation of the OLS prediction at these points, shape (len(at),), in units of y.

        sqrt(var_e (1/n + (at - mean x)^2 / (n var(x)))), given the x of a data set; without one, for x with the mean
        and variance of the model. Infinite where all x are equal. ValueError where at is not one or more finite
        numbers. Source: Equation 3, with the true sigma_e.
        """
        mean, nvar = (self.x_mean, self.n * self.var_x) if data is None else (data.x_mean, data.nvar)
        away = validate.points(at=at) - mean
        spread = away**2 / nvar if nvar > 0 else np.full(away.shape, np.inf)
        return np.sqrt(self.var_e * (1 / (self.n if data is None else data.n) + spread))


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
    """x and y in the unit square, each of shape (n,), of LinearModel with uniform x.

    n: the number of records, 3 or more.
    var_x: the variance of x, 0 or more.
    var_e: the residual variance, in squared units of y, 0 or more.
    slope, intercept: of the true line.
    x_mean: the mean of x, in [0, 1].
    rng: the generator that all randomness comes from.

    ValueError names the argument that cannot be. Source: Section "Synthetic Data".

    >>> x, y = simulate_linear(n=4, var_x=0.03, var_e=0.0, rng=np.random.default_rng(7))
    >>> x.shape, (y - 0.5 * x).round(6).tolist()
    ((4,), [0.2, 0.2, 0.2, 0.2])
    """
    data = LinearModel(n, var_x, var_e, slope, intercept, x_mean).simulate(rng)
    return data.x.copy(), data.y.copy()
