"""The panels of the paper's figures on synthetic data, as arguments of ``sweep``."""

from __future__ import annotations

from dataclasses import dataclass

from ...mechanisms.baselines import OLS, TheilSen
from ...mechanisms.descent import DPGDApprox, DPGDPure, DPGDzCDP
from ...mechanisms.noisy_stats import NoisyStats
from ...mechanisms.theil_sen import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen
from ...scenario import Scenario
from ...sources.choices import Synthetic
from .paper_values import VALUES


@dataclass(frozen=True)
class PaperSweep:
    """One panel of the paper's figures on synthetic data, as arguments of sweep."""

    key: str
    title: str
    parameter: str
    values: tuple[float, ...]
    base: Scenario
    trials: int
    datasets: int = 500


_RANGE = {"lower": -2.0, "upper": 2.0}
_COMPARED = (OLS(), TheilSen(k=10), NoisyStats(), DPExpTheilSen(**_RANGE, k=10))
_ALL_COMPARED = (
    *_COMPARED,
    DPWideTheilSen(**_RANGE, k=10, theta=0.01),
    DPSSTheilSen(**_RANGE, k=10),
    *(descent().as_in_paper() for descent in (DPGDPure, DPGDApprox, DPGDzCDP)),
)
# Not in print, and chosen here: n = 1,000, sigma_x^2 = 0.03, sigma_e^2 = 0.01 and epsilon = 2 where they do not vary.
_BASE = Scenario(source=Synthetic(n=1000, var_x=0.03, var_e=0.01), epsilon=2.0, mechanisms=_ALL_COMPARED)
# In print is the product alone; here epsilon = 8, which the paper uses elsewhere, sigma_x^2 = 0.02, and n as follows.
_PRODUCTS = {40: 250, 216: 1350, 800: 5000}


def _product_sweeps(product: int, n: int) -> tuple[PaperSweep, PaperSweep]:
    """The two panels at one epsilon n sigma_x^2."""
    base = Scenario(source=Synthetic(n=n, var_x=0.02, var_e=0.01), epsilon=8.0, mechanisms=_COMPARED)
    title = f"ε n σₓ² = {product}"
    return (
        PaperSweep(f"{product}-var-e", f"{title}, varying σₑ²", "var_e", VALUES["var_e"], base, trials=20),
        PaperSweep(f"{product}-x-new", f"{title}, varying x", "x_new", VALUES["x_new"], base, trials=20),
    )


# Figures "Relative error (C_true / sigma) of DP and non-private algorithms on synthetic data" and "Comparing NoisyStats
# and DPExpTS10Match": epsilon pays for the predictions at 1/4 and 3/4 together, as the paper states its budgets.
PAPER_SWEEPS: tuple[PaperSweep, ...] = (
    PaperSweep("n", "Varying n", "n", VALUES["n"], _BASE, trials=50),
    PaperSweep(
        "var-x",
        "Varying σₓ²",
        "var_x",
        VALUES["var_x"],
        _BASE,
        trials=50,
    ),
    PaperSweep(
        "epsilon",
        "Varying ε",
        "epsilon",
        VALUES["epsilon"],
        _BASE,
        trials=50,
    ),
    *(panel for product, n in _PRODUCTS.items() for panel in _product_sweeps(product, n)),
)
