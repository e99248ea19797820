"""Is there a slope at all? A Monte Carlo F test from one release of centred sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..support import validate
from ..support.types import Floats

REPETITIONS = 399
_AT_ONCE = 400_000


def slope_test(release: Any, repetitions: int = REPETITIONS, *, rng: np.random.Generator) -> Floats:
    """p values of the hypothesis that the true slope is 0, shape (size,); they cost no privacy budget.

    release: from CenteredStats.release_statistics, or another that can be ``simulated`` with a slope of 0.
    repetitions: simulated releases for each; the smallest p value is 1 / (repetitions + 1).

    F = ncov^2 / (nvar sigma_e^2), 0 where nvar <= 0. p = (1 + #{F* >= F}) / (1 + repetitions) with F* of releases from
    data with slope 0 that are otherwise as the release describes them. ValueError where the release tells no residual
    variance, or repetitions < 19. Source: Alabi and Vadhan (2022).
    """
    validate.generator(rng=rng)
    validate.integer(19, repetitions=repetitions)
    if not hasattr(release, "simulated"):
        raise ValueError(f"release must describe its data well enough to simulate them, got {type(release).__name__}")
    size, step = release.nvar.size, max(1, _AT_ONCE // repetitions)
    parts = [release.part(first, first + step) for first in range(0, size, step)]
    return np.concatenate([_p_values(part, repetitions, rng) for part in parts])


def _p_values(release: Any, repetitions: int, rng: np.random.Generator) -> Floats:
    null = f_statistic(release.simulated(repetitions, rng, slope=0.0)).reshape(-1, repetitions)
    return (1 + (null >= f_statistic(release)[:, None]).sum(axis=1)) / (1 + repetitions)


def f_statistic(release: Any) -> Floats:
    """ncov^2 / (nvar sigma_e^2), shape (size,); 0 where nvar <= 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = release.ncov**2 / (release.nvar * release.residual_sd**2)
    return np.where(release.nvar > 0, ratio, 0.0)
