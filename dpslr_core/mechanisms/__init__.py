"""The algorithms. A new one is one file and one entry in MECHANISMS; everything else reads it from there."""

from __future__ import annotations

import os
from functools import cache

from .base import BudgetSplit, Mechanism, MechanismFamily, hyperparameter
from .baselines import OLS, MaximumObservedSensitivity, TheilSen
from .centered import CenteredStats, CenteredStatsGaussian
from .deepest_line import DeepestLine, DeepestLineZCDP
from .descent import DPGDApprox, DPGDPure, DPGDzCDP
from .from_file import mechanisms_of_file
from .noisy_stats import NoisyIntercept, NoisyMean, NoisyStatistics, NoisyStats, NoisyStatsGaussian
from .theil_sen import (
    DPExpTheilSen,
    DPExpTheilSenZCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    DPWideTheilSenZCDP,
    JointTheilSen,
    JointTheilSenZCDP,
)

MECHANISMS: tuple[type[Mechanism], ...] = (
    OLS,
    TheilSen,
    NoisyStats,
    NoisyStatsGaussian,
    CenteredStats,
    CenteredStatsGaussian,
    NoisyIntercept,
    DPExpTheilSen,
    DPWideTheilSen,
    DPSSTheilSen,
    JointTheilSen,
    DPExpTheilSenZCDP,
    DPWideTheilSenZCDP,
    JointTheilSenZCDP,
    DeepestLine,
    DeepestLineZCDP,
    DPGDPure,
    DPGDApprox,
    DPGDzCDP,
    MaximumObservedSensitivity,
)

# Compared by default: the paper's algorithms, and the newer ones with a pure guarantee.
USUAL = tuple(
    algorithm for algorithm in MECHANISMS if algorithm.in_paper or algorithm().guarantee(1.0).pure
)

_BY_PUBLIC_NUMBERS = "choose CenteredStats or DeepestLine by n and ε, which are public"
REPLACED = {  # names in old links and files, with the advice to give
    "ChooseByCenteredStats": _BY_PUBLIC_NUMBERS,
    "ChooseByNoisyVariance": _BY_PUBLIC_NUMBERS,
}

# Environment variable with the path of a file of further algorithms.
FILE_VARIABLE = "DPSLR_MECHANISMS"


def algorithms() -> tuple[type[Mechanism], ...]:
    """List MECHANISMS together with the algorithms of the file that $DPSLR_MECHANISMS names, sorted by family.

    The file is run, once in a process.

    Returns
    -------
    tuple of subclasses of Mechanism

    Raises
    ------
    ValueError
        The file cannot be used; the text names the file and the fault.
    """
    path = os.environ.get(FILE_VARIABLE)
    return _with_file(path) if path else MECHANISMS


@cache
def _with_file(path: str) -> tuple[type[Mechanism], ...]:
    """List MECHANISMS and the algorithms of this file, sorted by family; ValueError if two have one name."""
    own, listed = mechanisms_of_file(path), {algorithm.__name__ for algorithm in MECHANISMS}
    if taken := sorted(listed & {algorithm.__name__ for algorithm in own}):
        raise ValueError(
            f"mechanisms of {path} cannot be used: there are already algorithms called {taken}"
        )
    families = list(MechanismFamily)
    return tuple(
        sorted((*MECHANISMS, *own), key=lambda algorithm: families.index(algorithm.family))
    )


__all__ = [
    "FILE_VARIABLE",
    "MECHANISMS",
    "OLS",
    "REPLACED",
    "USUAL",
    "BudgetSplit",
    "CenteredStats",
    "CenteredStatsGaussian",
    "DPExpTheilSen",
    "DPExpTheilSenZCDP",
    "DPGDApprox",
    "DPGDPure",
    "DPGDzCDP",
    "DPSSTheilSen",
    "DPWideTheilSen",
    "DPWideTheilSenZCDP",
    "DeepestLine",
    "DeepestLineZCDP",
    "JointTheilSen",
    "JointTheilSenZCDP",
    "MaximumObservedSensitivity",
    "Mechanism",
    "MechanismFamily",
    "NoisyIntercept",
    "NoisyMean",
    "NoisyStatistics",
    "NoisyStats",
    "NoisyStatsGaussian",
    "TheilSen",
    "algorithms",
    "hyperparameter",
]
