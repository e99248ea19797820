"""What every mechanism offers. A mechanism is a frozen dataclass; its fields are its public hyperparameters."""

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
    """The kind of an algorithm: decides its colours and the reason that guidance gives; lists are in this order."""

    BASELINE = "exact estimates, not private"
    NOISY_STATISTICS = "OLS from noisy statistics"
    MEAN = "a noisy mean, whatever x is"
    THEIL_SEN = "private medians of pairwise estimates"
    DEPTH = "a line drawn by its regression depth"
    GRADIENT_DESCENT = "noisy gradient descent"
    OTHER = "private algorithms of another kind"
    NOT_PRIVATE = "noise without a guarantee"


class BudgetSplit(Enum):
    """What a release at several points spends on each of them."""

    NO_BUDGET = "nothing: epsilon is of no account"
    ONE_RELEASE = "all on one release, from which every point is read off"
    EQUAL_SHARES = "epsilon / len(at) on a release of its own for each point"
    EQUAL_RHO = "a release of its own for each point, each with the same share of a zCDP budget"
    TOGETHER = "anything else: the law at one point depends on how many others there are"

    @property
    def separate(self) -> bool:
        """Whether every point is a release of its own, independent of the others."""
        return self in (BudgetSplit.EQUAL_SHARES, BudgetSplit.EQUAL_RHO)

    def parts(self, points: int) -> int:
        """Number of independent releases that one at some points consists of, as far as the split shows."""
        return points if self.separate else 1


CLIP_HELP = "Move predictions into [lower, upper]."
LOWER_HELP = "Lower end of the range that predictions are clipped to (public knowledge)."
UPPER_HELP = "Upper end of the range that predictions are clipped to (public knowledge)."
UNLIMITED = 1e18  # an epsilon at which releases are at their target
_TARGET_TRIALS = 999
_FAR = 1e6  # a point at which a line is as good as its slope


def hyperparameter(
    default: Any = MISSING,
    *,
    help: str,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
) -> Any:
    """A dataclass field with what a form needs to offer it.

    default: the value where none is given. help: the text beside the field.
    low, high: the ends of the range that the form offers, None where there is none; step: between two of its values.
    """
    return field(default=default, metadata={"help": help, "low": low, "high": high, "step": step})


class View(NamedTuple):
    """What an audit compares: a data set and the joint law of one release from it, all points together."""

    data: Dataset
    law: JointLaw | JointMedianLaw


class Chance(NamedTuple):
    """The chance that a release is within given ends, and that it is a flat line for want of another answer."""

    inside: float
    flat: float = 0.0


@dataclass(frozen=True)
class Mechanism(ABC):
    """Predictions at the points of ``at``, released together under one total epsilon.

    Neighbours differ by replacing one record; n is public. The data, epsilon and the generator are arguments;
    whatever is a field is public.
    """

    family: ClassVar[MechanismFamily] = MechanismFamily.OTHER
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.TOGETHER
    noise_kind: ClassVar[NoiseKind] = (
        NoiseKind.PURE
    )  # how the loss of each of its ``draws`` is made
    strength: ClassVar[str] = (
        ""  # what sets it apart in its family, to end the sentence on why it is recommended
    )
    source: ClassVar[str] = ""  # where the algorithm is defined
    released: ClassVar[str] = "the release"  # what a row of its ledger calls it
    in_paper: ClassVar[bool] = False  # whether it is one of the algorithms that the paper compares
    corrections: ClassVar[
        tuple[str, ...]
    ] = ()  # what is wrong in print, and what is done here instead
    loss_by_law: ClassVar[bool] = (
        True  # whether laws are compared, and not noisy numbers, for which ``loss`` suffices
    )
    interval_remark: ClassVar[str] = ""  # what a reader of its intervals must know
    flat_interval: ClassVar[bool] = False  # whether its intervals are right only if the slope is 0
    aim: ClassVar[str] = (
        "its own target"  # what ``target`` is called in a sentence that says how far it is from OLS
    )
    by_ranks: ClassVar[bool] = False  # whether laws of many records are computed from rank queries

    def __post_init__(self) -> None:
        """Refuse values that cannot be, and make 1, 1.0 and numpy's 1.0 the same: repr is the key of a stream."""
        for f in fields(self):
            if isinstance(value := getattr(self, f.name), Decimal | Fraction):
                object.__setattr__(self, f.name, validate.number(f.name, value))
        self._check()
        for f in fields(self):
            kind = f.type.__name__ if isinstance(f.type, type) else f.type
            object.__setattr__(self, f.name, _plain(getattr(self, f.name), str(kind)))

    def _check(self) -> None:
        """ValueError names the hyperparameter that cannot be; without hyperparameters there is nothing to check."""
        return

    @property
    def name(self) -> str:
        """The name used in tables and charts."""
        return type(self).__name__

    @abstractmethod
    def guarantee(self, epsilon: float) -> Guarantee:
        """The privacy guarantee of one release with this epsilon."""

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """Rows (what is released, share of the budget); the shares add up to epsilon.

        By default one row; one for each point, with an equal share, where each is a release of its own. at: the points,
        shape (m,). ValueError where they have rows and are not finite numbers.
        """
        epsilon = validate.number("epsilon", epsilon)
        if not self.budget_split.separate:
            return (Spend(self.released, epsilon),)
        points = validate.points(at=at).tolist()
        return tuple(Spend(self.released, epsilon / len(points), point) for point in points)

    def draws(self, epsilon: float, points: int = len(QUARTERS)) -> tuple[Draw, ...]:
        """The random draws that one release with this epsilon consists of, in order.

        Calibration, ledgers and audits read them, and so do the methods that draw: both tell the same.
        points: their number. By default equal parts, by noise_kind and budget_split.

        >>> from dpslr_core.mechanisms import DPExpTheilSen
        >>> [draw.size for draw in DPExpTheilSen().draws(2.0, points=2)]
        [1.0, 1.0]
        """
        return equal_draws(
            self.guarantee(epsilon), self.noise_kind, self.budget_split.parts(points)
        )

    def largest_epsilon(
        self, guarantee: Guarantee, points: int = len(QUARTERS), records: int = 1
    ) -> float | None:
        """The largest epsilon, up to 2^70, with which one release satisfies a guarantee; None where none does.

        points: their number. records: how many may be replaced under the guarantee. It goes by the algorithm's own
        guarantee and by what is known of its draws; rounded down.
        ValueError where points or records is not 1 or more, or the guarantee is none of differential privacy.

        >>> from dpslr_core.mechanisms import DPGDzCDP, NoisyIntercept
        >>> from dpslr_core.privacy import ZCDP
        >>> [round(each.largest_epsilon(ZCDP(0.5)), 3) for each in (NoisyIntercept(), DPGDzCDP())]
        [1.198, 1.0]
        """
        validate.integer(1, points=points, records=records)
        limit = limits(guarantee)
        return largest(
            lambda each: satisfies(
                self.guarantee(each), self.draws(each, points), guarantee, limit, records
            )
        )

    def as_in_paper(self) -> Mechanism:
        """The algorithm with the paper's hyperparameters, where its defaults are others."""
        return self

    def first_point_alone(self, budget: Budget) -> Budget:
        """The least budget that gives the first point the law that it has in a release at all points."""
        if self.budget_split is BudgetSplit.TOGETHER:
            return budget
        of_first = {
            BudgetSplit.NO_BUDGET: 1.0,  # the same for every epsilon
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
        """size independent releases, shape (size, len(at)), in units of y; NaN = the mechanism failed.

        data: the records, in the unit square.
        epsilon: the total budget for all points of one release; above 0.
        at: the points to predict at, in the unit square, shape (m,), finite.
        size: the number of releases, 1 or more.
        rng: the generator that all randomness comes from.

        ValueError names the argument that is none of these, or where the mechanism is out of reach; TypeError where
        data is no Dataset.

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
        """The releases of each data set, as release, with a generator of its own; raises as release does.

        To be defined anew where an algorithm is faster on many data sets together; the numbers must stay the same.
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
        """The law of the release at each point of at, shape (m,); None where no law is known.

        ValueError where epsilon is not above 0, or at is not one or more finite numbers.

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
        """The laws of each data set, as law; raises as law does.

        To be defined anew where an algorithm is faster on many data sets together; the numbers must stay the same.
        """
        validate.positive(epsilon=epsilon)
        points, laws = checked_points(datasets, at), []
        for data in datasets:
            checkpoint()
            laws.append(tuple(self._laws(data, float(epsilon), points)))
        return laws

    def target(self, data: Dataset, at: ArrayLike = QUARTERS) -> Floats:
        """The number that the release at each point is noise about, shape (m,), in units of y.

        The limit of the release as epsilon grows without bound, hyperparameters included; of a limit that is random the
        median. NaN where there is no limit. Its distance from OLS is the gap, which no epsilon buys down. Cached with
        the data. ValueError where at is not one or more finite numbers.

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
        """What the target depends on beside data and points: algorithms with the same key have the same target."""
        return repr(self)

    def chance_within(
        self, data: Dataset, at: Sequence[float], low: float, high: float
    ) -> Callable[[float], Chance | None]:
        """The chance that a release lies in [low, high] at the first point of at, by epsilon; None without a law.

        data: the records, in the unit square; low, high: in units of y. As a function of the epsilon spent, so that
        what does not depend on it is computed once, for whoever asks at many.
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
        """The chance that the slope of a release at 1/4 and 3/4 lies in [low, high], by epsilon; None without a law.

        data: the records, in the unit square; low, high: in units of y per unit of x. The slope is twice the difference
        of the two predictions. That of a line is read off its prediction far outside, where its height is of no
        account; that of two medians follows from their joint law. A line that is flat for want of another answer has no
        slope: it is never inside.
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
                found = of_line(epsilon)
                if found is None or not low <= 0 <= high:
                    return found
                return Chance(max(found.inside - found.flat, 0.0), found.flat)

            return with_slope
        ends, points = 0.5 * np.array([low, high]), np.array(QUARTERS)

        def chance(epsilon: float) -> Chance | None:
            below = difference_cdf(self.view(data, epsilon, points).law, ends)
            return None if below is None else Chance(float(below[1] - below[0]))

        return chance

    def slope_kept(self, data: Dataset, epsilon: float) -> float:
        """The share of the slope that a release keeps, its noise aside: 1; 0 where every release is a flat line.

        data: the records, in the unit square; epsilon: what is spent. In between where the slope is shrunk.
        """
        return 0.0 if _always_flat(self) else 1.0

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        """What ``loss`` compares, at points of shape (m,).

        Without a law where none is known, or where noisy numbers are compared instead. Points that may depend on each
        other are apart: each is compared alone.
        """
        if not self.loss_by_law:
            return View(data, JointLaw())
        return View(
            data,
            JointLaw.independent(
                self._laws(data, epsilon, at), dependence_unknown=not self.budget_split.separate
            ),
        )

    def loss(self, mine: View, theirs: View, epsilon: float) -> float | None:
        """The privacy loss of one release between two views at the same points and epsilon, in closed form.

        The supremum of |log density ratio|; the zCDP parameter rho where the noise is Gaussian. None where an audit
        compares the laws of the two views instead.
        """
        return None

    def informed_by(self, groups: Sequence[Dataset], at: ArrayLike) -> Mechanism:
        """The mechanism to use on each of many groups, at points of shape (m,).

        Only one that is not private may look at the other groups.
        """
        return self

    @abstractmethod
    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        """Draw `size` releases, shape (size, len(at)); arguments as of release, which has checked them."""

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        """Compute the law at each point; arguments as of law, which has checked them."""
        return [None] * at.size

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """target, with its arguments checked: here the medians of the release with an epsilon beyond any limit."""
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
    """ValueError unless epsilon is above 0, size is 1 or more and each generator is a numpy.random.Generator."""
    validate.positive(epsilon=epsilon)
    validate.integer(1, size=size)
    for rng in generators:
        validate.generator(rng=rng)


def checked_points(datasets: Sequence[Dataset], at: ArrayLike) -> Floats:
    """Check the arguments of laws and releases, and return the points as an array, shape (m,).

    TypeError unless each data set is a Dataset; ValueError unless at is one or more finite numbers.
    """
    for data in datasets:
        validate.instance(Dataset, data=data)
    return validate.points(at=at)


class AddedNoise(Mechanism):
    """A mechanism that adds noise to numbers: Laplace noise is eps-DP, Gaussian noise rho-zCDP with rho = eps^2 / 2."""

    @property
    def noise_name(self) -> Kind:
        """The distribution of the noise."""
        return "Laplace" if self.noise_kind is NoiseKind.LAPLACE else "Gaussian"

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon) if self.noise_name == "Laplace" else ZCDP(rho_of(epsilon))

    def draws(self, epsilon: float, points: int = len(QUARTERS)) -> tuple[Draw, ...]:
        """The noises of one release, from which all else follows."""
        return tuple(Draw(self.noise_kind, size) for size in self.noise_sizes(epsilon))

    def noise_sizes(self, epsilon: float) -> Sequence[float]:
        """Of each draw the number of scales of its noise that one record moves it by; all of epsilon on one draw."""
        return (epsilon,)

    def _noise(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Floats:
        """Noise of scale one, shape size."""
        return NOISES[self.noise_name].draw(rng, size)


class EqualDraws(Mechanism):
    """A mechanism of one or several draws, each with an equal part of epsilon."""

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def draws(self, epsilon: float, points: int = len(QUARTERS)) -> tuple[Draw, ...]:
        """Number of draws: one for all points, or one for each."""
        count = self.budget_split.parts(points)
        return (Draw(self.noise_kind, self.share(epsilon, count)),) * count

    def share(self, epsilon: float, releases: int) -> float:
        """The size of each of some draws that cost epsilon together."""
        return epsilon / releases


RANGE_SOURCE = "range η gives (η²/8)-zCDP: Cesar and Rogers 2021"


class BoundedRange:
    """An exponential mechanism charged in zCDP: rho = epsilon^2 / 2 for all of its releases.

    With weight exp(-eta u / (2 D)) and D the sensitivity of u, the log ratio of the densities on two neighbours lies in
    an interval of length eta: its normaliser is constant, and (eta / (2 D)) |u - u'| <= eta / 2. That costs eta^2 / 8
    in zCDP (proof: privacy.bounded_range_rho), and rho adds up: each of r releases may have eta = sqrt(8 rho / r).
    """

    corrections: ClassVar[tuple[str, ...]] = ()  # of what is in print: the variant is not
    in_paper: ClassVar[bool] = False

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def share(self, epsilon: float, releases: int) -> float:
        """eta of each of some independent draws that cost rho together."""
        return 2 * (epsilon / sqrt(releases))  # sqrt(8 rho / releases), and epsilon^2 may overflow


@lru_cache(maxsize=256)
def _always_flat(mechanism: Mechanism) -> bool:
    """Whether every release is a flat line: what it is noise about is one, of records on a steep line too."""
    steep = np.linspace(0, 1, 30)
    low, high = mechanism.target(Dataset(steep, steep), QUARTERS)
    return bool(abs(high - low) < 1e-9)


def _plain(value: Any, kind: str) -> Any:
    """A checked hyperparameter as Python's own int, float or tuple of floats, by its annotation."""
    if value is None:
        return None
    if kind.startswith("tuple"):
        return tuple(float(part) for part in value)
    return {"int": int, "float": float, "bool": bool}[kind.split(" |")[0]](value)


def all_mechanisms(mechanisms: Iterable[Mechanism]) -> list[Mechanism]:
    """The mechanisms as a list, in their order; a container that can be run through once is, once.

    TypeError unless these are several mechanisms in an order: objects and not names or classes.
    """
    ordered = isinstance(mechanisms, Iterable) and not isinstance(
        mechanisms, str | Mapping | set | frozenset
    )
    if not ordered or isinstance(mechanisms, type):
        raise TypeError(
            f"mechanisms must be a list such as [NoisyStats()], got {validate.given(mechanisms)}"
        )
    every = list(mechanisms)
    for place, mechanism in enumerate(every):
        if not isinstance(mechanism, Mechanism):
            expected = "an object of an algorithm, such as NoisyStats()"
            raise TypeError(
                f"mechanisms[{place}] must be {expected}, got {validate.given(mechanism)}"
            )
    return every


def different_names(mechanisms: Iterable[Mechanism]) -> list[Mechanism]:
    """The mechanisms as all_mechanisms lists them; ValueError where two would share the rows of a table."""
    every = all_mechanisms(mechanisms)
    names = [mechanism.name for mechanism in every]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise ValueError(
            f"mechanisms must have different names, got {sorted(doubled)} more than once"
        )
    return every


def hyperparameters(mechanism: Mechanism) -> dict[str, Any]:
    """The fields of a mechanism that differ from their defaults."""
    return {
        f.name: getattr(mechanism, f.name)
        for f in fields(mechanism)
        if getattr(mechanism, f.name) != f.default
    }
