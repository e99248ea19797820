"""States whose census tracts are drawn without a table: the second level of the model, read off public figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..support import validate


@dataclass(frozen=True)
class StateModel:
    """ln(mu) ~ N(log_mu_mean, log_mu_sd^2); alpha given mu is normal about a line in ln(mu); one beta for all tracts.

    mu: mean income of the parents in a tract. ln(child income) = alpha + beta ln(parent income) + noise in it.
    alpha_mean: that of a tract with the mean ln(mu). alpha_slope: per unit of ln(mu). alpha_sd: about that line.
    """

    name: str
    tracts: int
    log_mu_mean: float
    log_mu_sd: float
    alpha_mean: float
    alpha_slope: float
    alpha_sd: float
    beta: float

    def draw(self, tracts: int, elasticity: float, rng: np.random.Generator) -> pd.DataFrame:
        """Columns mu, alpha, beta of so many tracts: one normal per tract for mu, then one for alpha.

        elasticity: stands in for beta. ValueError where tracts < 2 or elasticity is not finite.
        """
        validate.integer(2, tracts=tracts)
        validate.finite(elasticity=elasticity)
        validate.generator(rng=rng)
        deviation = self.log_mu_sd * rng.standard_normal(tracts)
        alpha = self.alpha_mean + self.alpha_slope * deviation + self.alpha_sd * rng.standard_normal(tracts)
        return pd.DataFrame({"mu": np.exp(self.log_mu_mean + deviation), "alpha": alpha, "beta": elasticity})


# Read off the public figures of the Opportunity Atlas (hhinc_mean2000, kir_pooled_p25 / 100) by fit_tracts: mean and sd
# of ln(mu), then the least squares line of the fitted alpha on ln(mu) and the sd of its residuals. One child rank per
# tract cannot tell the slopes of tracts apart, so that beta is one for the whole state.
ILLINOIS = StateModel(
    "Illinois", 3108, log_mu_mean=11.2824, log_mu_sd=0.3924,
    alpha_mean=10.2244, alpha_slope=0.0684, alpha_sd=0.0338, beta=0.0654,
)  # fmt: skip
# Without the one tract whose child rank is estimated below 0, which none can be.
NORTH_CAROLINA = StateModel(
    "North Carolina", 2156, log_mu_mean=11.1741, log_mu_sd=0.3276,
    alpha_mean=9.3285, alpha_slope=0.0675, alpha_sd=0.0295, beta=0.1452,
)  # fmt: skip
STATES = {state.name: state for state in (ILLINOIS, NORTH_CAROLINA)}
