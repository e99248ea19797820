"""One data set of a sweep: the error of each mechanism at each setting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

import numpy as np

from ... import pairs
from ...dataset import Dataset
from ...mechanisms.accounting import paid
from ...mechanisms.base import Mechanism
from ...mechanisms.family import MechanismFamily
from ...mechanisms.theil_sen.matchings import MatchingMechanism
from ...pairs.grid import PublicGrid
from ...pairs.partially_sorted import PartiallySorted, Parts
from ...sources.linear import LinearModel
from ...support.run import Budget, Run
from ...support.streams import stream
from ...support.types import Floats
from ..errors import ErrorSummary, summarise
from .plan import Setting

# C(68) over the standard error with the ends of its interval, and whether it is exact: one element of an array.
RATIO = np.dtype([("ratio", float), ("low", float), ("high", float), ("exact", bool)])
_CHUNK = 1 << 16  # pairwise estimates formed at a time: what is done with them stays in the cache
_HELD = 1 << 22  # and those held at a time


class Release(NamedTuple):
    """What is released by whom; the error is measured at the first point."""

    mechanism: Mechanism
    budget: Budget


def error_ratios(group: tuple[Setting, ...], number: int, run: Run) -> np.ndarray:
    """The RATIO of each setting and mechanism on data set ``number``, shape (settings, mechanisms).

    The settings have their data in common; what they share beside, matchings too, is made once.
    Source: Section "Error Metric".
    """
    source = group[0].source
    simulated = isinstance(source, LinearModel)
    data = source.replicate(run.seed, number) if isinstance(source, LinearModel) else source
    releases = [[Release(m, m.first_point_alone(paid(m, s.budget))) for m in s.mechanisms] for s in group]
    drawn = _matching_draws(data, (r for row in releases for r in row), number, run) if simulated else {}
    known: dict[Release, tuple[float, float, float, bool]] = {}
    for setting, row in zip(group, releases, strict=True):
        center, unit = _reference(data, setting)
        for release in row:
            if release not in known:
                errors = _errors(data, release, drawn.get(release), center, number, run)
                known[release] = (*errors.ratios(unit), errors.exact)
    return np.array([[known[release] for release in row] for row in releases], dtype=RATIO)


def _reference(data: Dataset, setting: Setting) -> tuple[float, float]:
    """What the first point is measured against, and the standard deviation of OLS there (see sweep)."""
    x_new, model = setting.budget.at[0], setting.source
    if isinstance(model, LinearModel):
        return float(model.truth(x_new)[0]), float(model.standard_error(x_new, data)[0])
    return float(data.predict(x_new)[0]), float(data.standard_error(x_new)[0])


def _errors(
    data: Dataset, release: Release, drawn: Floats | None, center: float, number: int, run: Run
) -> ErrorSummary:
    """The errors at the first point: of what is drawn, else off the law, else off trials of their own."""
    mechanism, (epsilon, at) = release.mechanism, (release.budget.epsilon, release.budget.at)
    law = mechanism.law(data, epsilon, at)[0] if drawn is None else None
    if drawn is None and law is None:
        drawn = mechanism.release(data, epsilon, at, run.trials, rng=stream(run.seed, "trials", number))[:, 0]
    return summarise([law], None if drawn is None else drawn[:, None], np.array([center]))[0]


def _matching_draws(data: Dataset, releases: Iterable[Release], number: int, run: Run) -> dict[Release, Floats]:
    """Draws of shape (trials,) at the first point of all that k random matchings are asked for.

    The same matchings for the same k.

    An average of conditional laws would take too many matchings for each of hundreds of data sets, and that of a
    few has too small a C.
    """
    alike: dict[tuple[int, tuple[float, ...], int], dict[Release, None]] = {}
    for release in releases:
        mechanism, at = release.mechanism, release.budget.at
        if isinstance(mechanism, MatchingMechanism) and not pairs.is_complete(data.n, mechanism.k):
            bits = mechanism.grid(np.array(at)).bits
            alike.setdefault((int(mechanism.k or 0), at, bits), {})[release] = None
    drawn: dict[Release, Floats] = {}
    for (k, at, _), same in alike.items():
        drawn |= _on_matchings(data, k, np.array(at), list(same), number, run)
    return drawn


def _on_matchings(
    data: Dataset, k: int, at: Floats, releases: list[Release], number: int, run: Run
) -> dict[Release, Floats]:
    """The draws on one sequence of sets of k matchings; each takes its noise from its own copy of one stream.

    at: the points of the releases, shape (m,).
    """
    noises = {release: stream(run.seed, "trials", number) for release in releases}
    grids = {release: _matching(release).grid(at) for release in releases}
    grid = grids[releases[0]]  # they differ in their ranges only, which are of no account yet
    drawn: dict[Release, list[Floats]] = {release: [] for release in releases}
    # The exact medians last: by then the others have sorted what they need.
    in_turn = sorted(releases, key=lambda r: r.mechanism.family is MechanismFamily.BASELINE)
    rng = stream(run.seed, "matchings", number)
    for parts in _parts_of_trials(data, k, grid, run.trials, rng):
        estimates = PartiallySorted(parts, grid.spacing)
        for release in in_turn:
            spent = release.budget.epsilon, k, grids[release], noises[release]
            drawn[release].append(_matching(release).medians(estimates, *spent)[0])
    return {release: np.concatenate(part) for release, part in drawn.items()}


def _parts_of_trials(data: Dataset, k: int, grid: PublicGrid, trials: int, rng: np.random.Generator) -> Iterator[Parts]:
    """The estimates of so many trials as parts that fit into the cache, as many together as fit into memory."""
    x, y, each = grid.from_first(data.x), grid.positions(data.y), pairs.pair_count(data.n, k) * grid.at.size
    size = max(1, _CHUNK // each)
    together = size * max(1, _HELD // (size * each))
    for start in range(0, trials, together):
        some = min(together, trials - start)
        sizes = tuple(min(size, some - first) for first in range(0, some, size))
        arriving = (pairs.matched_estimates(x, y, k, part, grid.steps, rng) for part in sizes)
        yield Parts(arriving, grid.at.size, sizes, pairs.pair_count(data.n, k))


def _matching(release: Release) -> MatchingMechanism:
    """The mechanism of a release that draws matchings."""
    return cast(MatchingMechanism, release.mechanism)
