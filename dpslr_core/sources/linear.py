"""Synthetic data whose truth is known: a line with errors about it, by default Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri, stdtrit

from ..dataset import Dataset
from ..support import validate
from ..support.run import stream
from ..support.types import Floats

XShape = Literal["uniform", "normal", "skewed", "leverage"]
ErrorShape = Literal["normal", "heavy tails", "skewed", "growing"]
X_SHAPES: dict[XShape, str] = {
    "uniform": "uniform x",
    "normal": "normal x",
    "skewed": "x skewed to the right",
    "leverage": "x with one record in twenty far out",
}
ERROR_SHAPES: dict[ErrorShape, str] = {
    "normal": "Gaussian errors",
    "heavy tails": "errors with heavy tails",
    "skewed": "errors skewed to the right",
    "growing": "errors that grow with x",
}
_LEAST = 2.0**-54  # below the smallest positive number that Generator.random gives
_FAR = 0.05  # share of leverage points
_DISTANCE = 4.0  # distance of leverage points from the mean, in deviations of the other points
# Steps of the R2 sequence: 1/p and 1/p^2, where p^3 = p + 1.
_EVEN = 1.324717957244746 ** -np.array([1.0, 2.0])
_TAIL = 3.0  # degrees of freedom of heavy-tailed errors; their variance is _TAIL / (_TAIL - 2)


@dataclass(frozen=True)
class LinearModel:
    """Records on a line: y = slope x + intercept + e, then x and y clipped to [0, 1]; by default, the paper's model.

    Parameters
    ----------
    n : int
        Number of records, 3 or more.
    var_x : float
        Variance of x before it is clipped, 0 or more.
    var_e : float
        Variance of the errors e, 0 or more; their mean is 0.
    slope, intercept : float
        Slope and intercept of the true line.
    x_mean : float
        Mean of x before it is clipped, in [0, 1].
    x_shape : {"uniform", "normal", "skewed", "leverage"}
        Distribution of x: uniform on an interval of width sqrt(12 var_x), normal, skewed to the right (exponential), or
        with leverage: one record in twenty lies four standard deviations of the others away from the mean, half of them
        on each side.
    error_shape : {"normal", "heavy tails", "skewed", "growing"}
        Distribution of e: normal, Student-t with 3 degrees of freedom, skewed to the right (exponential; its median is
        below 0), or normal with a deviation in proportion to the rank of x.

    Raises
    ------
    ValueError
        If an argument is outside its range, not finite or of no known shape.

    Notes
    -----
    Source: Section "Description of the Data", Synthetic Data, for uniform x and normal e.
    """

    n: int
    var_x: float
    var_e: float
    slope: float = 0.5
    intercept: float = 0.2
    x_mean: float = 0.5
    x_shape: XShape = "uniform"
    error_shape: ErrorShape = "normal"

    def __post_init__(self) -> None:
        validate.integer(3, n=self.n)
        validate.non_negative(var_x=self.var_x, var_e=self.var_e)
        validate.finite(slope=self.slope, intercept=self.intercept)
        validate.inside(0, 1, x_mean=self.x_mean)
        validate.one_of(X_SHAPES, x_shape=self.x_shape)
        validate.one_of(ERROR_SHAPES, error_shape=self.error_shape)
        object.__setattr__(self, "n", int(self.n))
        for name in ("var_x", "var_e", "slope", "intercept", "x_mean"):
            # 1 and 1.0 are the same model, and repr is a key of caches.
            object.__setattr__(self, name, float(getattr(self, name)))

    def simulate(self, rng: np.random.Generator) -> Dataset:
        """Draw a data set of n records.

        Equal states of rng give equal noise whatever the model, so runs that differ only in a variance share their
        randomness. ValueError where rng is no numpy.random.Generator. Source: Section "Synthetic Data".
        """
        validate.generator(rng=rng)
        uniform = rng.random(self.n)  # always before the normals: the order is part of the contract
        return self.from_noise(uniform, rng.standard_normal(self.n))

    def replicate(self, seed: int, number: int, *, even: bool = True) -> Dataset:
        """Draw data set `number` of a seed, with a stream for x and one for e; alone it has the law of `simulate`.

        Models that differ in a variance or the slope share their noise, and the x of n records are the first n of any
        larger set.

        Parameters
        ----------
        seed, number : int
            Seed, and number of the data set, 0 or more.
        even : bool
            Whether the errors of OLS's mean and slope, in units of their standard errors, are spread evenly over the
            data sets of a seed (a shifted low-discrepancy sequence), the same at every n and variance. Then an average
            over few data sets hardly moves with the model. Given x, the errors' components along 1 and x - mean x are
            independent of each other and of the rest, so that the sequence may replace them. Without `even` data sets
            are independent.

        Raises
        ------
        ValueError
            If seed or number is not a whole number, 0 or more.
        """
        validate.integer(0, validate.MOST_SEED, seed=seed)
        validate.integer(0, number=number)
        uniform = stream(seed, "x", number).random(self.n)
        normal = stream(seed, "e", number).standard_normal(self.n)
        if even:
            x = _deviations_of_x(self.x_shape, 1.0, uniform)
            centred = x - x.mean()
            spread = ndtri(
                np.maximum((stream(seed, "even").random(2) + number * _EVEN) % 1, _LEAST)
            )
            for direction, component in zip(
                (np.ones(self.n), centred), spread.tolist(), strict=True
            ):
                # numpy's sums, unlike its norm, are the same on any processor.
                unit = direction / np.sqrt((direction * direction).sum())
                normal += unit * (component - (unit * normal).sum())
        return self.from_noise(uniform, normal)

    def from_noise(self, uniform: Floats, normal: Floats) -> Dataset:
        """Make a data set of uniforms on [0, 1), for x, and standard normals, for e; each of shape (n,).

        ValueError where their shape is another or they are not finite.
        """
        x = self.x_mean + _deviations_of_x(self.x_shape, self.var_x, uniform)
        e = np.sqrt(self.var_e) * _standard_errors(self.error_shape, uniform, normal)
        return Dataset(np.clip(x, 0, 1), np.clip(self.slope * x + self.intercept + e, 0, 1))

    def truth(self, at: ArrayLike) -> Floats:
        """Return slope * at + intercept, shape (len(at),), in units of y, whatever clipping does to the data.

        ValueError where at is not one or more finite numbers.
        """
        return self.slope * validate.points(at=at) + self.intercept

    def standard_error(self, at: ArrayLike, data: Dataset | None = None) -> Floats:
        """Return the true standard deviation of the OLS prediction at points, shape (len(at),), in units of y.

        sqrt(var_e (1/n + (at - mean x)^2 / (n var(x)))), given the x of a data set; without one, for x with the mean
        and variance of the model. Growing errors count with their mean variance. Infinite where x is constant.
        ValueError where at is not one or more finite numbers. Source: Equation 3, with the true sigma_e.
        """
        at = validate.points(at=at)
        if self.var_x == 0 if data is None else data.x_is_constant:
            return np.full(at.shape, np.inf)
        n, mean, nvar = (
            (self.n, self.x_mean, self.n * self.var_x)
            if data is None
            else (data.n, data.x_mean, data.nvar)
        )
        return np.sqrt(self.var_e * (1 / n + (at - mean) ** 2 / nvar))


def _deviations_of_x(shape: XShape, variance: float, uniform: Floats) -> Floats:
    """Return x less its mean, with this variance, an increasing function of the uniforms; same shape."""
    if shape == "normal":
        return np.sqrt(variance) * ndtri(np.maximum(uniform, _LEAST))
    if shape == "skewed":
        return np.sqrt(variance) * (-np.log1p(-uniform) - 1)
    if shape == "leverage":
        near = np.sqrt(12) * ((uniform - _FAR / 2) / (1 - _FAR) - 0.5)
        side = np.where(uniform < 0.5, -_DISTANCE, _DISTANCE)
        near_variance = variance / (1 - _FAR + _FAR * _DISTANCE**2)
        return np.sqrt(near_variance) * np.where(np.abs(uniform - 0.5) < 0.5 - _FAR / 2, near, side)
    return np.sqrt(12 * variance) * (uniform - 0.5)


def _standard_errors(shape: ErrorShape, uniform: Floats, normal: Floats) -> Floats:
    """Return errors of mean 0 and variance 1, each an increasing function of its normal; same shape.

    The uniforms are the ranks of x: their square has the mean 1/3.
    """
    if shape == "heavy tails":
        below = ndtr(-np.minimum(np.abs(normal), 30.0))  # beyond 30 stdtrit has no digits left
        return -np.sign(normal) * stdtrit(_TAIL, below) / np.sqrt(_TAIL / (_TAIL - 2))
    if shape == "skewed":
        return -log_ndtr(-normal) - 1
    return np.sqrt(3) * uniform * normal if shape == "growing" else normal


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
    """Draw x and y in the unit square, each of shape (n,), from `LinearModel` with uniform x and normal errors.

    Parameters
    ----------
    n : int
        Number of records, 3 or more.
    var_x : float
        Variance of x, 0 or more.
    var_e : float
        Residual variance, in squared units of y, 0 or more.
    slope, intercept : float
        Slope and intercept of the true line.
    x_mean : float
        Mean of x, in [0, 1].
    rng : numpy.random.Generator
        Source of all randomness.

    Returns
    -------
    x, y : array of float, shape (n,)

    Raises
    ------
    ValueError
        Names the argument that cannot be.

    Notes
    -----
    Source: Section "Synthetic Data".

    Examples
    --------
    >>> x, y = simulate_linear(n=4, var_x=0.03, var_e=0.0, rng=np.random.default_rng(7))
    >>> x.shape, (y - 0.5 * x).round(6).tolist()
    ((4,), [0.2, 0.2, 0.2, 0.2])
    """
    data = LinearModel(n, var_x, var_e, slope, intercept, x_mean).simulate(rng)
    return data.x.copy(), data.y.copy()
