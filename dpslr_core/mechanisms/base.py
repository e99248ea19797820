"""Base classes of all algorithms. A mechanism is a frozen dataclass; its fields are its public hyperparameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..laws.base import Law
from ..laws.difference import difference_cdf
from ..laws.joint import JointLaw, JointMedianLaw
from ..laws.quadrature import NOISES, Kind
from ..privacy import (
    ZCDP,
    Budget,
    Draw,
    Guarantee,
    NoiseKind,
    PureDP,
    Spend,
    equal_draws,
    largest,
    limits,
    rho_of,
    satisfies,
)
from ..support import validate
from ..support.run import QUARTERS, checkpoint, stream
from ..support.types import Floats


class MechanismFamily(Enum):
    """Family of an algorithm, which decides its colours and the reason that guidance gives; lists keep this order."""

    BASELINE = "exact estimates, not private"
    NOISY_STATISTICS = "OLS from noisy statistics"
    MEAN = "a noisy mean, whatever x is"
    THEIL_SEN = "private medians of pairwise estimates"
    DEPTH = "a line drawn by its regression depth"
    GRADIENT_DESCENT = "noisy gradient descent"
    OTHER = "private algorithms of another kind"
    NOT_PRIVATE = "noise without a guarantee"


class BudgetSplit(Enum):
    """Division of the budget of one release among its points."""

    NO_BUDGET = "nothing: epsilon is of no account"
    ONE_RELEASE = "all on one release, from which every point is read off"
    EQUAL_SHARES = "epsilon / len(at) on a release of its own for each point"
    EQUAL_RHO = "a release of its own for each point, each with the same share of a zCDP budget"
    TOGETHER = "anything else: the law at one point depends on how many others there are"

    @property
    def separate(self) -> bool:
        """Whether every point has a release of its own, independent of the releases at the other points."""
        return self in (BudgetSplit.EQUAL_SHARES, BudgetSplit.EQUAL_RHO)

    def independent_releases(self, points: int) -> int:
        """Count the independent releases that make up one release at this number of points: `points`, or 1."""
        return points if self.separate else 1


CLIP_HELP = "Move predictions into [lower, upper]."
LOWER_HELP = "Lower end of the range that predictions are clipped to (public knowledge)."
UPPER_HELP = "Upper end of the range that predictions are clipped to (public knowledge)."
UNLIMITED = 1e18  # epsilon at which a release equals its target
_TARGET_TRIALS = 999
_FAR = 1e6  # a point where the height of a line shows its slope alone


def hyperparameter(
    default: Any = MISSING,
    *,
    help: str,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
) -> Any:
    """Declare a field of a mechanism, with the text and the range that a form shows for it.

    Parameters
    ----------
    default : any
        Value where none is given; without one the field is required.
    help : str
        Text beside the field.
    low, high : float, optional
        Ends of the range that the form offers. Values beyond them are allowed where `_check` allows them.
    step : float, optional
        Distance between neighbouring values that the form offers.

    Returns
    -------
    field
        A dataclass field with the texts and numbers in its metadata.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Rounded:
    ...     digits: int = hyperparameter(2, help="Digits after the point.", low=0)
    >>> Rounded().digits
    2
    """
    return field(default=default, metadata={"help": help, "low": low, "high": high, "step": step})


class View(NamedTuple):
    """A data set and the joint law of one release from it at all points: one side of the comparison in an audit."""

    data: Dataset
    law: JointLaw | JointMedianLaw


class Chance(NamedTuple):
    """Probabilities that a release lies between two given ends, and that it is the flat line of a fallback."""

    inside: float
    flat: float = 0.0


@dataclass(frozen=True)
class Mechanism(ABC):
    """An algorithm that predicts y at the points of ``at``; one release of all predictions costs one total epsilon.

    Neighbouring data sets differ by replacing one record; n is public. Data, epsilon and the random generator are
    arguments of the methods; all fields are public.
    """

    family: ClassVar[MechanismFamily] = MechanismFamily.OTHER
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.TOGETHER
    noise_kind: ClassVar[NoiseKind] = NoiseKind.PURE  # the kind of loss of its ``draws``
    strength: ClassVar[str] = ""  # its advantage in its family, to end a recommendation with
    source: ClassVar[str] = ""  # section or article that defines the algorithm
    released: ClassVar[str] = "the release"  # name of the released statistic in a row of the ledger
    in_paper: ClassVar[bool] = False  # whether the paper compares it
    corrections: ClassVar[tuple[str, ...]] = ()  # errors in print, with the correction made here
    loss_by_law: ClassVar[bool] = True  # whether an audit compares laws and not noisy numbers
    interval_remark: ClassVar[str] = ""  # caution for readers of its intervals
    flat_interval: ClassVar[bool] = False  # whether its intervals are valid only at slope 0
    aim: ClassVar[str] = "its own target"  # name of ``target`` in sentences on its gap to OLS
    by_ranks: ClassVar[bool] = False  # whether laws of many records are computed from rank queries

    def __post_init__(self) -> None:
        """Check the hyperparameters and store plain Python numbers: 1, 1.0 and np.float64(1) give the same repr.

        The repr is part of the key of every random stream.
        """
        for f in fields(self):
            if isinstance(value := getattr(self, f.name), Decimal | Fraction):
                object.__setattr__(self, f.name, validate.number(f.name, value))
        self._check()
        for f in fields(self):
            kind = f.type.__name__ if isinstance(f.type, type) else f.type
            object.__setattr__(self, f.name, _plain(getattr(self, f.name), str(kind)))

    def _check(self) -> None:
        """Raise ValueError, with the name of the hyperparameter, if a value is impossible."""
        return

    @property
    def name(self) -> str:
        """Name of the algorithm in tables and charts."""
        return type(self).__name__

    @abstractmethod
    def guarantee(self, epsilon: float) -> Guarantee:
        """State the privacy guarantee of one release at this epsilon."""

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """List the parts of one release with their shares of the budget, which add up to epsilon.

        By default one row; with separate releases one row for each point, all with the same share.

        Parameters
        ----------
        epsilon : float
            Total budget of the release.
        at : array_like, shape (m,)
            Points of the release, in the unit square.

        Raises
        ------
        ValueError
            The rows have points and a point is not a finite number.
        """
        epsilon = validate.number("epsilon", epsilon)
        if not self.budget_split.separate:
            return (Spend(self.released, epsilon),)
        points = validate.points(at=at).tolist()
        return tuple(Spend(self.released, epsilon / len(points), point) for point in points)

    def draws(self, epsilon: float, points: int = len(QUARTERS)) -> tuple[Draw, ...]:
        """List the random draws that one release consists of, in order, with the loss of each.

        Calibration, ledgers, audits and the methods that draw all read this list. By default the draws are equal and
        follow from noise_kind and budget_split.

        Parameters
        ----------
        epsilon : float
            Total budget of the release.
        points : int
            Number of points of the release.

        Examples
        --------
        >>> from dpslr_core.mechanisms import DPExpTheilSen
        >>> [draw.size for draw in DPExpTheilSen().draws(2.0, points=2)]
        [1.0, 1.0]
        """
        return equal_draws(
            self.guarantee(epsilon), self.noise_kind, self.budget_split.independent_releases(points)
        )

    def largest_epsilon(
        self, guarantee: Guarantee, points: int = len(QUARTERS), records: int = 1
    ) -> float | None:
        """Find the largest epsilon, up to 2^70, with which one release satisfies a guarantee; rounded down.

        A release satisfies it by the algorithm's own guarantee at that epsilon, or by the losses of its draws.

        Parameters
        ----------
        guarantee : Guarantee
            The guarantee to satisfy.
        points : int
            Number of points of the release.
        records : int
            Number of records that may be replaced under the guarantee.

        Returns
        -------
        float or None
            None if no epsilon is small enough.

        Raises
        ------
        ValueError
            points or records is below 1, or the guarantee is not one of differential privacy.

        Examples
        --------
        >>> from dpslr_core.mechanisms import DPGDzCDP, NoisyIntercept
        >>> from dpslr_core.privacy import ZCDP
        >>> [round(algorithm.largest_epsilon(ZCDP(0.5)), 3) for algorithm in (NoisyIntercept(), DPGDzCDP())]
        [1.198, 1.0]
        """
        validate.integer(1, points=points, records=records)
        limit = limits(guarantee)
        return largest(
            lambda epsilon: satisfies(
                self.guarantee(epsilon), self.draws(epsilon, points), guarantee, limit, records
            )
        )

    def as_in_paper(self) -> Mechanism:
        """Return the algorithm with the paper's hyperparameters; by default the algorithm itself."""
        return self

    def first_point_alone(self, budget: Budget) -> Budget:
        """Find the least budget that gives the first point alone the law that it has in the full release."""
        if self.budget_split is BudgetSplit.TOGETHER:
            return budget
        of_first = {
            BudgetSplit.NO_BUDGET: 1.0,  # any epsilon gives the same law
            BudgetSplit.ONE_RELEASE: budget.epsilon,
            BudgetSplit.EQUAL_SHARES: budget.epsilon / len(budget.at),
            BudgetSplit.EQUAL_RHO: budget.epsilon / sqrt(len(budget.at)),  # rho = epsilon^2 / 2
        }
        return Budget(of_first[self.budget_split], budget.at[:1])

    def release(
        self,
        data: Dataset,
        epsilon: float,
        at: ArrayLike = QUARTERS,
        size: int = 1000,
        *,
        rng: np.random.Generator,
    ) -> Floats:
        """Draw `size` independent releases.

        Parameters
        ----------
        data : Dataset
            The records, in the unit square.
        epsilon : float
            Total budget for all points of one release; above 0.
        at : array_like, shape (m,)
            Points to predict at, in the unit square; finite.
        size : int
            Number of releases, 1 or more.
        rng : numpy.random.Generator
            Source of all randomness.

        Returns
        -------
        array, shape (size, m)
            Predictions in units of y; NaN where the mechanism failed.

        Raises
        ------
        ValueError
            An argument is none of these, or the data are out of the mechanism's reach.
        TypeError
            data is not a Dataset.

        Examples
        --------
        >>> from dpslr_core.mechanisms import NoisyIntercept
        >>> data = Dataset(x=[0.0, 0.5, 1.0], y=[0.2, 0.5, 0.6])
        >>> released = NoisyIntercept().release(data, 2.0, at=(0.25, 0.75), size=4, rng=np.random.default_rng(7))
        >>> released.shape, bool((released[:, 0] == released[:, 1]).all())
        ((4, 2), True)
        """
        return self.releases([data], epsilon, at, size, [rng])[0]

    def releases(
        self,
        datasets: Sequence[Dataset],
        epsilon: float,
        at: ArrayLike,
        size: int,
        generators: Sequence[np.random.Generator],
    ) -> list[Floats]:
        """Draw releases from several data sets: a list of what `release` returns, each data set with its own generator.

        Raises as `release` does. A subclass may override this method to be faster on many data sets; the numbers must
        stay the same.
        """
        check_release(epsilon, size, *generators)
        points, released = checked_points(datasets, at), []
        for data, rng in zip(datasets, generators, strict=True):
            checkpoint()
            released.append(self._draw(data, float(epsilon), points, int(size), rng))
        return released

    def law(
        self, data: Dataset, epsilon: float, at: ArrayLike = QUARTERS
    ) -> tuple[Law | None, ...]:
        """Compute the exact law of the release at each point of at; None at a point whose law is not known.

        The arguments are those of `release`. ValueError unless epsilon is above 0 and at is one or more finite numbers.

        Examples
        --------
        >>> from dpslr_core.mechanisms import NoisyIntercept
        >>> data = Dataset(x=[0.0, 0.5, 1.0], y=[0.2, 0.5, 0.6])
        >>> (law,) = NoisyIntercept().law(data, epsilon=2.0, at=0.5)
        >>> round(law.median, 3), round(law.error_bound(68, center=law.median), 3)
        (0.433, 0.19)
        """
        return self.laws([data], epsilon, at)[0]

    def laws(
        self, datasets: Sequence[Dataset], epsilon: float, at: ArrayLike = QUARTERS
    ) -> list[tuple[Law | None, ...]]:
        """Compute the laws for several data sets: a list of what `law` returns, in the order of the data sets.

        Raises as `law` does. A subclass may override this method to be faster on many data sets; the numbers must stay
        the same.
        """
        validate.positive(epsilon=epsilon)
        points, laws = checked_points(datasets, at), []
        for data in datasets:
            checkpoint()
            laws.append(tuple(self._laws(data, float(epsilon), points)))
        return laws

    def target(self, data: Dataset, at: ArrayLike = QUARTERS) -> Floats:
        """Compute the limit of the release at each point as epsilon grows, in units of y; NaN where there is no limit.

        Hyperparameters count. Where the limit is random, the target is its median. The distance of the target from OLS
        is the gap, which no epsilon removes. The result is cached with the data.

        Parameters
        ----------
        data : Dataset
            The records, in the unit square.
        at : array_like, shape (m,)
            Points, in the unit square; ValueError unless finite.

        Returns
        -------
        array, shape (m,)

        Examples
        --------
        >>> from dpslr_core.mechanisms import NoisyIntercept, NoisyStats
        >>> data = Dataset(x=[0.0, 0.5, 1.0], y=[0.2, 0.5, 0.6])
        >>> NoisyStats().target(data, at=1.0).round(3).tolist(), NoisyIntercept().target(data, at=1.0).round(3).tolist()
        ([0.633], [0.433])
        """
        validate.instance(Dataset, data=data)
        points = validate.points(at=at)
        key = ("target", self._target_key, *points.tolist())
        return data.cached(key, lambda: self._target(data, points), small_value=True).copy()

    @property
    def _target_key(self) -> Hashable:
        """Key of the settings that the target depends on; algorithms with equal keys have equal targets."""
        return repr(self)

    def chance_within(
        self, data: Dataset, at: Sequence[float], low: float, high: float
    ) -> Callable[[float], Chance | None]:
        """Prepare the probability that a release at the first point lies in [low, high], as a function of epsilon.

        Computations that do not depend on epsilon are done once, before the function is returned.

        Parameters
        ----------
        data : Dataset
            The records, in the unit square.
        at : sequence of float
            Points of the release, in the unit square.
        low, high : float
            Ends of the interval, in units of y.

        Returns
        -------
        callable
            Maps the epsilon spent to a Chance, or to None where the law is not known.
        """

        def chance(epsilon: float) -> Chance | None:
            law = self.law(data, epsilon, at)[0]
            if law is None:
                return None
            inside = float(np.diff(law.cdf(np.array([low, high])))[0])
            return Chance(inside, float(law.fallback))

        return chance

    def slope_within(
        self, data: Dataset, low: float, high: float
    ) -> Callable[[float], Chance | None]:
        """Prepare the probability that the slope of a release lies in [low, high], as a function of epsilon.

        The slope is twice the difference of the predictions at 3/4 and 1/4. If one release gives a whole line, its
        slope is read off the prediction at a point far outside, where the height of the line is negligible; otherwise
        the slope follows from the joint law of the two predictions. A flat line of a fallback counts as no slope and is
        never inside.

        Parameters
        ----------
        data : Dataset
            The records, in the unit square.
        low, high : float
            Ends of the interval, in units of y per unit of x.

        Returns
        -------
        callable
            Maps the epsilon spent to a Chance, or to None where the law is not known.
        """
        if self.budget_split is BudgetSplit.ONE_RELEASE:
            unclipped: dict[str, Any] = (
                {"clip": False} if getattr(self, "clip", None) is True else {}
            )
            line = replace(self, **unclipped)
            away = _FAR - data.x_mean
            of_line = line.chance_within(
                data, (_FAR,), data.y_mean + low * away, data.y_mean + high * away
            )

            def with_slope(epsilon: float) -> Chance | None:
                in_range = of_line(epsilon)
                if in_range is None or not low <= 0 <= high:
                    return in_range
                return Chance(max(in_range.inside - in_range.flat, 0.0), in_range.flat)

            return with_slope
        ends, points = 0.5 * np.array([low, high]), np.array(QUARTERS)

        def chance(epsilon: float) -> Chance | None:
            below = difference_cdf(self.view(data, epsilon, points).law, ends)
            return None if below is None else Chance(float(below[1] - below[0]))

        return chance

    def slope_kept(self, data: Dataset, epsilon: float) -> float:
        """Compute the factor by which a release shrinks the slope, apart from noise: 1, less with a ridge, 0 if flat.

        Parameters
        ----------
        data : Dataset
            The records, in the unit square.
        epsilon : float
            Budget spent on the release.

        Returns
        -------
        float, from 0 to 1
        """
        return 0.0 if _always_flat(self) else 1.0

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        """Prepare one side of a comparison by `loss`: data and the joint law of one release at the points, shape (m,).

        The law is empty where it is not known, or where `loss` compares noisy numbers instead. If predictions at
        different points may depend on each other in an unknown way, the law is marked ``apart`` and each point is
        compared alone.
        """
        if not self.loss_by_law:
            return View(data, JointLaw())
        return View(
            data,
            JointLaw.independent(
                self._laws(data, epsilon, at), dependence_unknown=not self.budget_split.separate
            ),
        )

    def loss(self, before: View, after: View, epsilon: float) -> float | None:
        """Compute the privacy loss of one release between two neighbours in closed form.

        Parameters
        ----------
        before, after : View
            Views of the two data sets, from `view`, at the same points and epsilon.
        epsilon : float
            Total budget of the release.

        Returns
        -------
        float or None
            Supremum of |log density ratio|; the zCDP parameter rho if the noise is Gaussian. None if there is no closed
            form and the audit has to compare the laws of the two views.
        """
        return None

    def informed_by(self, groups: Sequence[Dataset], at: ArrayLike) -> Mechanism:
        """Return the mechanism to use on each of many groups, at points of shape (m,); by default the mechanism itself.

        Only a mechanism without a privacy guarantee may depend on the groups.
        """
        return self

    @abstractmethod
    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        """Draw `size` releases, shape (size, len(at)); `release` has checked the arguments."""

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        """Compute the law at each point, None where it is not known; `law` has checked the arguments."""
        return [None] * at.size

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """Compute `target`, whose arguments are checked: here the median of the release at the epsilon UNLIMITED."""
        laws = [law for law in self._laws(data, UNLIMITED, at) if law is not None]
        if len(laws) == at.size:
            return np.array([law.median for law in laws])
        rng = stream(0, "target", data.digest, repr(self), at.tolist())
        released = self._draw(data, UNLIMITED, at, _TARGET_TRIALS, rng)
        answered = ~np.isnan(released).all(axis=0)
        medians = np.full(at.size, np.nan)
        medians[answered] = np.nanmedian(released[:, answered], axis=0)
        return medians


def check_release(epsilon: float, size: int, *generators: np.random.Generator) -> None:
    """Raise ValueError unless epsilon is above 0, size is 1 or more and each generator is a numpy.random.Generator."""
    validate.positive(epsilon=epsilon)
    validate.integer(1, size=size)
    for rng in generators:
        validate.generator(rng=rng)


def checked_points(datasets: Sequence[Dataset], at: ArrayLike) -> Floats:
    """Check the arguments of laws and releases and return the points, shape (m,).

    TypeError unless each data set is a Dataset; ValueError unless at is one or more finite numbers.
    """
    for data in datasets:
        validate.instance(Dataset, data=data)
    return validate.points(at=at)


class AddedNoise(Mechanism):
    """A mechanism that adds noise to numbers: Laplace noise is eps-DP, Gaussian noise rho-zCDP with rho = eps^2 / 2."""

    @property
    def noise_name(self) -> Kind:
        """Name of the distribution of the noise."""
        return "Laplace" if self.noise_kind is NoiseKind.LAPLACE else "Gaussian"

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon) if self.noise_name == "Laplace" else ZCDP(rho_of(epsilon))

    def draws(self, epsilon: float, points: int = len(QUARTERS)) -> tuple[Draw, ...]:
        """List the noises of one release, which decide calibration, ledger and audit."""
        return tuple(Draw(self.noise_kind, size) for size in self.noise_sizes(epsilon))

    def noise_sizes(self, epsilon: float) -> Sequence[float]:
        """List the largest shifts of the noisy numbers by one record, in scales of their noise; here (epsilon,)."""
        return (epsilon,)

    def _noise(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Floats:
        """Draw noise of scale 1, shape size."""
        return NOISES[self.noise_name].draw(rng, size)


class EqualDraws(Mechanism):
    """A mechanism of one or several draws, each with an equal part of epsilon."""

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def draws(self, epsilon: float, points: int = len(QUARTERS)) -> tuple[Draw, ...]:
        """List the equal draws of one release: one for all points together, or one for each point."""
        count = self.budget_split.independent_releases(points)
        return (Draw(self.noise_kind, self.share(epsilon, count)),) * count

    def share(self, epsilon: float, releases: int) -> float:
        """Compute the size of each of `releases` equal draws that cost epsilon together."""
        return epsilon / releases


RANGE_SOURCE = "Cesar and Rogers (2021) prove that a range η gives (η²/8)-zCDP"


class BoundedRange:
    """An exponential mechanism charged in zCDP: rho = epsilon^2 / 2 for all of its releases together.

    With weight exp(-eta u / (2 D)) and D the sensitivity of u, the log ratio of the densities on two neighbours lies in
    an interval of length eta: its normaliser is constant, and (eta / (2 D)) |u - u'| <= eta / 2. That costs eta^2 / 8
    in zCDP (proof: privacy.bounded_range_rho), and rho adds up: each of r releases may have eta = sqrt(8 rho / r).
    """

    corrections: ClassVar[tuple[str, ...]] = ()  # none: the variant is not in print
    in_paper: ClassVar[bool] = False

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def share(self, epsilon: float, releases: int) -> float:
        """Compute eta of each of `releases` independent draws that cost rho = epsilon^2 / 2 together."""
        return 2 * (epsilon / sqrt(releases))  # sqrt(8 rho / releases), and epsilon^2 may overflow


@lru_cache(maxsize=256)
def _always_flat(mechanism: Mechanism) -> bool:
    """Whether every release is a flat line: the target is flat even if the records lie on a steep line."""
    steep = np.linspace(0, 1, 30)
    low, high = mechanism.target(Dataset(steep, steep), QUARTERS)
    return bool(abs(high - low) < 1e-9)


def _plain(value: Any, kind: str) -> Any:
    """Convert a checked hyperparameter to Python's own int, float, bool or tuple of floats, by its annotation."""
    if value is None:
        return None
    if kind.startswith("tuple"):
        return tuple(float(number) for number in value)
    return {"int": int, "float": float, "bool": bool}[kind.split(" |")[0]](value)


def all_mechanisms(mechanisms: Iterable[Mechanism]) -> list[Mechanism]:
    """List the mechanisms, in their order; a generator is consumed once.

    TypeError unless `mechanisms` is an ordered collection of Mechanism objects, not of names or classes.
    """
    ordered = isinstance(mechanisms, Iterable) and not isinstance(
        mechanisms, str | Mapping | set | frozenset
    )
    if not ordered or isinstance(mechanisms, type):
        raise TypeError(
            f"mechanisms must be a list such as [NoisyStats()], got {validate.given(mechanisms)}"
        )
    every = list(mechanisms)
    for index, mechanism in enumerate(every):
        if not isinstance(mechanism, Mechanism):
            expected = "an object of an algorithm, such as NoisyStats()"
            raise TypeError(
                f"mechanisms[{index}] must be {expected}, got {validate.given(mechanism)}"
            )
    return every


def different_names(mechanisms: Iterable[Mechanism]) -> list[Mechanism]:
    """List the mechanisms as all_mechanisms does; ValueError if two have the same name."""
    every = all_mechanisms(mechanisms)
    names = [mechanism.name for mechanism in every]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise ValueError(
            f"mechanisms must have different names, got {sorted(doubled)} more than once"
        )
    return every


def hyperparameters(mechanism: Mechanism) -> dict[str, Any]:
    """Collect the fields of a mechanism that differ from their defaults, by name."""
    return {
        f.name: getattr(mechanism, f.name)
        for f in fields(mechanism)
        if getattr(mechanism, f.name) != f.default
    }
