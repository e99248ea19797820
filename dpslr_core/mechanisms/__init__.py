"""The algorithms. A new one is one file and one entry in MECHANISMS; everything else reads it from there."""

from .base import Mechanism
from .baselines import OLS, TheilSen
from .choose import ChooseByNoisyVariance
from .family import BudgetSplit, MechanismFamily
from .gradient import DPGDApprox, DPGDPure, DPGDzCDP
from .noisy_intercept import NoisyIntercept
from .noisy_stats import NoisyStatistics, NoisyStats, NoisyStatsGaussian
from .observed_sensitivity import MaximumObservedSensitivity
from .theil_sen import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen

MECHANISMS: tuple[type[Mechanism], ...] = (
    OLS,
    TheilSen,
    NoisyStats,
    NoisyStatsGaussian,
    NoisyIntercept,
    DPExpTheilSen,
    DPWideTheilSen,
    DPSSTheilSen,
    ChooseByNoisyVariance,
    DPGDPure,
    DPGDApprox,
    DPGDzCDP,
    MaximumObservedSensitivity,
)

__all__ = [
    "MECHANISMS",
    "OLS",
    "BudgetSplit",
    "ChooseByNoisyVariance",
    "DPExpTheilSen",
    "DPGDApprox",
    "DPGDPure",
    "DPGDzCDP",
    "DPSSTheilSen",
    "DPWideTheilSen",
    "MaximumObservedSensitivity",
    "Mechanism",
    "MechanismFamily",
    "NoisyIntercept",
    "NoisyStatistics",
    "NoisyStats",
    "NoisyStatsGaussian",
    "TheilSen",
]
