"""The core against opendp and diffprivlib, on the same data and at the same budget: ``python -m benchmarks peers``.

Each peer is called with the parameter that makes its guarantee under *replacing one record*, n public, the
same as ours; the budgets are read off the running peers, not off their documentation.
"""

from __future__ import annotations

import importlib
import itertools
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any
from unittest import mock

import numpy as np

from dpslr_core import Dataset, compare, error_bound
from dpslr_core.experiments import error_bound_interval
from dpslr_core.mechanisms import (
    DPExpTheilSen,
    DPGDzCDP,
    DPSSTheilSen,
    Mechanism,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.privacy import ZCDP, PureDP, rho_of
from dpslr_core.sources.samples import load_sample
from dpslr_core.support.types import Floats

from .core import data_of
from .timing import seconds, taking_turns

POINT, FITS, TURNS = 0.25, 1000, 7
TURN_SECONDS = 0.05  # about how long one contender's turn takes; the slowest make one fit a turn
MODULES = ("opendp.prelude", "diffprivlib.models", "sklearn.linear_model")
WIDTHS = (32, 32, 22, 19, 7, 18, 9)
HEADINGS = (
    "algorithm",
    "called with",
    "real budget",
    "C(68)/SE",
    "failed",
    "one by one",
    "one call",
)

NOTES = """\
real budget   the total of one fit where neighbours differ by replacing one record and n is public
C(68)/SE      at x = 0.25, relative to OLS; in brackets 95% limits from {fits:,} fits, otherwise off the exact law
one by one    seconds per 1,000 fits, each on data that no cache knows; scaled from the number of fits in brackets
one call      seconds for 1,000 releases of one data set in one call, which the peers do not offer

opendp counts adding or removing a record; replacing one is two of its steps. Its measurement's own map gives
  2/scale for one step and 4/scale for two, both medians together (runs = 1). It takes no seed. It chooses among 100
  candidates within the bounds of y, [0, 1], so its answers lie on a grid, as those of DPExpTheilSen1Match on [0, 1].
diffprivlib names no neighbours; its sensitivities (range/n for a mean) are those of replacing one record. The
  Laplace mechanisms of one fit add up to {spent:.3g} times its epsilon, where its accountant books 1: half goes to the
  mean of x, half again to the mean of y, a sixth each to the sums of y², xy and x² (the line does not use y²). So it
  is called with epsilon/{spent:.3g}. Its noise on the sum of x² is scaled by the lower bound of x alone, not by the
  larger end, and vanishes where the noisy mean of x is at that bound: what a fit draws has no finite budget."""


@dataclass(frozen=True)
class Ours:
    """An algorithm of the core."""

    mechanism: Mechanism
    note: str = ""

    @property
    def name(self) -> str:
        return self.mechanism.name + self.note

    def budget(self, epsilon: float) -> tuple[str, str]:
        """The privacy parameter that a call takes, and what one fit then really spends."""
        return f"epsilon {epsilon:g}", str(self.mechanism.guarantee(epsilon))

    def errors(self, data: Dataset, epsilon: float) -> tuple[str, float]:
        """C(68) over the standard error as text, and the failure rate."""
        row = (
            compare(data, [self.mechanism], epsilon, trials=FITS).summary.set_index("at").loc[POINT]
        )
        low, high = row.c68_low / row.standard_error, row.c68_high / row.standard_error
        return (
            f"{row.ratio:.2f}" if row.exact else f"{row.ratio:.2f} ({low:.2f}-{high:.2f})"
        ), row.failure_rate

    def fitting(self, data: Dataset, epsilon: float, size: int = 1) -> Callable[[], object]:
        """A task: so many releases from scratch."""
        rng = np.random.default_rng(0)
        return lambda: self.mechanism.release(Dataset(data.x, data.y), epsilon, size=size, rng=rng)


class Peer(ABC):
    """Another library's regression, fitted once per call."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in the table."""

    @abstractmethod
    def budget(self, epsilon: float) -> tuple[str, str]:
        """The privacy parameter that a call takes, and what one fit then really spends."""

    @abstractmethod
    def line(self, data: Dataset, epsilon: float) -> Callable[[int], tuple[float, float]]:
        """A task that takes a seed, fits once and returns slope and intercept."""

    def estimates(self, data: Dataset, epsilon: float, fits: int = FITS) -> Floats:
        """Predictions at POINT of so many fits; NaN where a fit raised or gave no finite number."""
        fit, found = self.line(data, epsilon), np.full(fits, np.nan)
        for seed in range(fits):
            try:
                slope, intercept = fit(seed)
            except Exception:  # whatever a peer raises is a failed fit
                continue
            found[seed] = intercept + slope * POINT
        return np.where(np.isfinite(found), found, np.nan)

    def errors(self, data: Dataset, epsilon: float) -> tuple[str, float]:
        """C(68) over the standard error as text, and the failure rate."""
        found, center = self.estimates(data, epsilon), float(data.predict([POINT])[0])
        bounds = np.array(
            [error_bound(found, center, 68), *error_bound_interval(found, center, 68)]
        )
        ratio, low, high = bounds / float(data.standard_error([POINT])[0])
        return f"{ratio:.2f} ({low:.2f}-{high:.2f})", float(np.mean(np.isnan(found)))

    def fitting(self, data: Dataset, epsilon: float) -> Callable[[], object]:
        """A task: one fit from scratch."""
        fit, seeds = self.line(data, epsilon), itertools.count()
        return lambda: fit(next(seeds))


@dataclass(frozen=True)
class OpenDP(Peer):
    """opendp's LinearRegression: the medians of one random matching's estimates at x = 0.25 and 0.75."""

    zcdp: bool = False

    @property
    def name(self) -> str:
        return f"opendp LinearRegression{', zCDP' if self.zcdp else ''}"

    def model(self, scale: float) -> Any:
        """The regression with noise of this scale on the counts."""
        dp = importlib.import_module("opendp.prelude")
        measure = dp.zero_concentrated_divergence() if self.zcdp else dp.max_divergence()
        return dp.sklearn.linear_model.LinearRegression(
            measure, x_bounds=[(0, 1)], y_bounds=(0, 1), scale=scale
        )

    def scale(self, epsilon: float) -> float:
        """The scale whose loss at symmetric distance 2, one record replaced, is epsilon or rho = epsilon^2 / 2."""
        loss_at_one = self.model(1.0).measurement.map(
            2
        )  # falls as 1/scale, or as 1/scale^2 in zCDP
        return float(np.sqrt(loss_at_one / rho_of(epsilon))) if self.zcdp else loss_at_one / epsilon

    def budget(self, epsilon: float) -> tuple[str, str]:
        scale = self.scale(epsilon)
        added, replaced = (self.model(scale).measurement.map(distance) for distance in (1, 2))
        own = f"{'ρ' if self.zcdp else 'ε'} {added:.3g}"
        return f"scale {scale:.3g} (add/remove {own})", str(
            ZCDP(replaced) if self.zcdp else PureDP(replaced)
        )

    def line(self, data: Dataset, epsilon: float) -> Callable[[int], tuple[float, float]]:
        model, x, y = self.model(self.scale(epsilon)), data.x[:, None], data.y

        def fit(_seed: int) -> tuple[float, float]:
            with np.errstate(
                divide="ignore", invalid="ignore"
            ):  # pairs with equal x, which it drops afterwards
                fitted = model.fit(x, y)
            return fitted.coef_[0], fitted.intercept_

        return fit


@dataclass(frozen=True)
class Diffprivlib(Peer):
    """diffprivlib's LinearRegression: noisy means, then noise on the coefficients of the squared error."""

    name = "diffprivlib LinearRegression"

    @cached_property
    def spent(self) -> float:
        """What the Laplace mechanisms of one fit add up to, in units of the epsilon it is called with."""
        laplace, spent = importlib.import_module("diffprivlib.mechanisms").Laplace, []
        randomise = laplace.randomise

        def counted(mechanism: Any, value: float) -> float:
            spent.append(mechanism.epsilon)
            return randomise(mechanism, value)

        with mock.patch.object(
            laplace, "randomise", counted
        ):  # its truncated and folded kinds call this one
            self.fit(data_of(100), 1.0, seed=0)
        return float(sum(spent))

    def budget(self, epsilon: float) -> tuple[str, str]:
        return f"epsilon {epsilon / self.spent:.3g}", f"sum {epsilon:.3g}, no bound"

    def fit(self, data: Dataset, epsilon: float, seed: int) -> tuple[float, float]:
        """One fit; the accountant is new, because the shared one slows down with every entry."""
        library = importlib.import_module("diffprivlib")
        model = library.models.LinearRegression(
            epsilon=epsilon,
            bounds_X=(0.0, 1.0),
            bounds_y=(0.0, 1.0),
            random_state=seed,
            accountant=library.BudgetAccountant(),
        ).fit(data.x[:, None], data.y)
        return float(model.coef_[0]), float(model.intercept_)

    def line(self, data: Dataset, epsilon: float) -> Callable[[int], tuple[float, float]]:
        call = epsilon / self.spent
        return lambda seed: self.fit(data, call, seed)


CONTENDERS: tuple[Ours | Peer, ...] = (
    Ours(NoisyStats()),
    Ours(DPExpTheilSen()),
    Ours(DPSSTheilSen()),
    Ours(DPExpTheilSen(k=1)),
    Ours(DPExpTheilSen(0, 1, k=1), " on [0, 1]"),
    OpenDP(),
    Diffprivlib(),
    Ours(NoisyStatsGaussian()),
    Ours(DPGDzCDP()),
    OpenDP(zcdp=True),
)


def load() -> None:
    """Import the peers, or leave with the sentence that says what to install."""
    try:
        for name in MODULES:
            importlib.import_module(name)
    except ImportError as error:
        raise SystemExit(
            "python -m benchmarks peers needs opendp and diffprivlib, best in an environment of "
            "its own: "
            f"pip install -r benchmarks/requirements-peers.txt ({error})"
        ) from error
    allow_opendp()


def allow_opendp() -> None:
    """Let opendp offer its regression: it keeps it, and noise on real numbers, behind these three words."""
    importlib.import_module("opendp.prelude").enable_features(
        "contrib", "honest-but-curious", "idealized-numerics"
    )


def cases() -> Iterator[tuple[str, Dataset]]:
    """What the contenders are fitted to."""
    for n in (100, 1000):
        yield f"synthetic linear, n = {n:,}, var_x = 0.03, var_e = 0.01", data_of(n)
    sample = load_sample("linear").dataset()
    yield f"sample_data linear, n = {sample.n}", sample


def timings(data: Dataset, epsilon: float) -> list[tuple[str, str]]:
    """For each contender the seconds per 1,000 fits, one by one and in one call; all take turns."""
    tasks: list[Callable[[], object]] = []
    counts: list[int] = []  # fits a turn
    for contender in CONTENDERS:
        one = contender.fitting(data, epsilon)
        one()  # warms up
        counts.append(int(np.clip(TURN_SECONDS / seconds(one), 1, 1000)))
        at_once = (
            contender.fitting(data, epsilon, FITS) if isinstance(contender, Ours) else lambda: None
        )
        tasks += [repeated(one, counts[-1]), at_once]
    taken = taking_turns(*tasks, turns=TURNS)
    return [
        (
            f"{one / count * 1000:.3g} ({count * TURNS:,})",
            f"{at_once / FITS * 1000:.2g}" if isinstance(contender, Ours) else "",
        )
        for contender, count, one, at_once in zip(
            CONTENDERS, counts, taken[::2], taken[1::2], strict=True
        )
    ]


def repeated(task: Callable[[], object], count: int) -> Callable[[], None]:
    """A task that does another so many times."""

    def run() -> None:
        for _ in range(count):
            task()

    return run


def table(data: Dataset, epsilon: float) -> Iterator[str]:
    """The lines of one table."""
    yield line_of(HEADINGS)
    for contender, times in zip(CONTENDERS, timings(data, epsilon), strict=True):
        ratio, failed = contender.errors(data, epsilon)
        yield line_of((contender.name, *contender.budget(epsilon), ratio, f"{failed:.1%}", *times))


def line_of(cells: tuple[str, ...]) -> str:
    """One line of a table."""
    return " ".join(f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


def main() -> None:
    """Print a table for each data set and epsilon, and what its columns mean."""
    load()
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("opendp", "diffprivlib", "scikit-learn", "numpy")
    )
    print(
        f"{platform.machine()}, Python {platform.python_version()}, {versions}; medians of "
        f"{TURNS} turns"
    )
    for (what, data), epsilon in itertools.product(list(cases()), (1.0, 4.0)):
        print(f"\n{what}; epsilon = {epsilon:g}, zCDP: ρ = ε²/2 = {rho_of(epsilon):g}")
        for line in table(data, epsilon):
            print(line, flush=True)
    print("\n" + NOTES.format(fits=FITS, spent=Diffprivlib().spent))
