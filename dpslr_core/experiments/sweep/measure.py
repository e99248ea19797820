"""Some data sets of a sweep: the error of each mechanism at each setting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from ... import pairs
from ...dataset import Dataset
from ...laws.base import Law
from ...mechanisms.base import Mechanism, MechanismFamily
from ...mechanisms.pairwise import MatchingMechanism
from ...pairs.grid import PublicGrid
from ...pairs.matchings import PartiallySorted, Parts
from ...privacy import Budget
from ...privacy.accounting import paid
from ...sources.linear import LinearModel
from ...support.run import Run, stream
from ...support.types import Floats
from ..errors import ErrorSummary, summarise
from .plan import Setting

# C(68) over the standard error with the ends of its interval, and whether it is exact: one element of an array.
RATIO = np.dtype([("ratio", float), ("low", float), ("high", float), ("exact", bool)])
_CHUNK = 1 << 16  # pairwise estimates formed at a time: what is done with them stays in the cache
_HELD = 1 << 22  # and those held at a time
_LISTED = 1 << 17  # estimates listed at a time for each point: data sets in one computation


class Release(NamedTuple):
    """What is released by whom; the error is measured at the first point."""

    mechanism: Mechanism
    budget: Budget


def error_ratios(group: tuple[Setting, ...], numbers: Sequence[int], run: Run) -> np.ndarray:
    """The RATIO of each setting and mechanism on these data sets, shape (numbers, settings, mechanisms).

    The settings have their data in common; what they share beside, matchings too, is made once. Data sets are measured
    side by side, which changes no number. Source: Section "Error Metric".
    """
    together = _data_sets_at_a_time(group)
    if len(numbers) > together:
        parts = [numbers[start : start + together] for start in range(0, len(numbers), together)]
        return np.concatenate([error_ratios(group, part, run) for part in parts])
    source = group[0].source
    simulated = isinstance(source, LinearModel)
    datasets = [source.replicate(run.seed, j) if isinstance(source, LinearModel) else source for j in numbers]
    releases = [[Release(m, m.first_point_alone(paid(m, s.budget))) for m in s.mechanisms] for s in group]
    different = list(dict.fromkeys(release for row in releases for release in row))
    drawn: dict[Release, list[Floats]] = {}
    if simulated:
        matched = [_matching_draws(data, different, j, run) for data, j in zip(datasets, numbers, strict=True)]
        drawn = {release: [of_data[release] for of_data in matched] for release in matched[0]}
    known: dict[Release, list[tuple[float, float, float, bool]]] = {}
    for setting, row in zip(group, releases, strict=True):
        references = [_reference(data, setting) for data in datasets]
        for release in row:
            if release not in known:
                trials = drawn.get(release) or _laws_or_trials(datasets, release, numbers, run)
                errors = _errors(trials, [center for center, _ in references])
                known[release] = [
                    (*of_data.ratios(unit), of_data.exact)
                    for of_data, (_, unit) in zip(errors, references, strict=True)
                ]
    return np.array([[[known[release][i] for release in row] for row in releases] for i in range(len(numbers))], RATIO)


def _data_sets_at_a_time(group: tuple[Setting, ...]) -> int:
    """As many as a few lists of all their pairs fit into the cache, where these are listed."""
    listed = {
        pairs.pair_count(setting.source.n, mechanism.k)
        for setting in group
        for mechanism in setting.mechanisms
        if isinstance(mechanism, MatchingMechanism) and pairs.is_complete(setting.source.n, mechanism.k)
    }
    return max(1, _LISTED // max(listed, default=1))


def _reference(data: Dataset, setting: Setting) -> tuple[float, float]:
    """What the first point is measured against, and the standard deviation of OLS there (see sweep)."""
    x_new, model = setting.budget.at[0], setting.source
    if isinstance(model, LinearModel):
        return float(model.truth(x_new)[0]), float(model.standard_error(x_new, data)[0])
    return float(data.predict(x_new)[0]), float(data.standard_error(x_new)[0])


def _laws_or_trials(
    datasets: Sequence[Dataset], release: Release, numbers: Sequence[int], run: Run
) -> list[Law | Floats]:
    """For each data set the law at the first point, or trials of its own of shape (trials,) where there is none."""
    mechanism, (epsilon, at) = release.mechanism, (release.budget.epsilon, release.budget.at)
    laws: list[Law | None] = [first for first, *_ in mechanism.laws_of_all(datasets, epsilon, at)]
    lawless = [i for i, law in enumerate(laws) if law is None]
    generators = [stream(run.seed, "trials", numbers[i]) for i in lawless]
    released = mechanism.releases_of_all([datasets[i] for i in lawless], epsilon, at, run.trials, generators)
    trials = dict(zip(lawless, released, strict=True))
    return [trials[i][:, 0] if law is None else law for i, law in enumerate(laws)]


def _errors(found: Sequence[Law | Floats], centers: Sequence[float]) -> list[ErrorSummary]:
    """The errors of each data set's law or trials about its center."""
    trials = {i: each[:, None] for i, each in enumerate(found) if isinstance(each, np.ndarray)}
    laws = [[None if isinstance(each, np.ndarray) else each] for each in found]
    return [errors for (errors,) in summarise(laws, trials, [np.array([center]) for center in centers])]


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
