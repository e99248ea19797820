"""Functions that compute the number of each claim of the paper, by key; the claims themselves are in claims.toml."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..audit import privacy_loss
from ..laws.named import PointMass
from ..mechanisms import (
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
)
from ..privacy import PureDP, gaussian_delta, noise_loss, rho_of, zcdp_rho
from ..sources.linear import LinearModel
from .claim import Claim, ClaimKind
from .figure import DESCENTS, ROBUST
from .measured import (
    AT,
    MATCHED,
    NON_ROBUST,
    STATS,
    above_the_threshold,
    beta_half,
    bike_errors,
    bikes,
    carbon_ratios,
    coarse_over_fine,
    cross_over,
    deviations,
    ends,
    error_ratio,
    errors_by_point,
    estimates,
    every_setting,
    failure,
    failure_of_the_others,
    growth,
    large_products,
    large_products_of_non_robust,
    limit,
    line,
    means,
    noise_over_gap,
    nvars,
    one_point_or_two,
    over_the_best,
    pairs_with_a_slope,
    panel,
    printed_over_default_tuning,
    rankings,
    ratios,
    rows_within_the_square,
    share,
    share_in_order,
    sizes,
    spread_at_one_product,
    standard_error,
    standardised_variance,
    state_errors,
    stock_ratios,
    theta_spreads,
    tracts,
    uci_dataset,
    winsorized_share,
    without_a_slope,
    worst_over_best,
)
from .printed import (
    ENDS,
    algorithm_three_gap,
    change_of_ols,
    changed_shares,
    closed_form_gap,
    divisor_at_the_default,
    floor_of_theta,
    forms_factor,
    gradient_sensitivities,
    largest_changes,
    lognormal_moments,
    loss,
    mass_near_the_median,
    matchings_of_all_pairs,
    moved_by_the_mean_of_two,
    moved_over_sensitivity,
    pairs_in,
    printed_descent_misses,
    printed_epsilon,
    printed_proof_loss,
    sensitivity_change,
    student_law,
    utility_sensitivity,
    widened_edges,
)
from .synthetic import ALL, PAPER_PANELS, PRODUCTS, VALUES
from .synthetic import PRODUCT as PRODUCT_FIGURE

FILE = Path(__file__).with_name("claims.toml")
# Printed n var(x) and n of three tracts.
SMALL_TRACT, ILLINOIS_TRACT, CAROLINA_TRACT = (0.0245, 39), (28.002, 381), (31.154, 433)
POWERS = np.exp2(np.arange(-7.0, 4.0))  # epsilon from 2^-7 to 8
LINE = LinearModel(30, 0.03, 0.01)
NOISY = 0.03, 0.01  # variances of x and of the errors
BIASED = LinearModel(200, 0.02, 0.0025)

NUMBERS: dict[str, Callable[[], ArrayLike]] = {
    # introduction
    "closed-form": closed_form_gap,
    "standardised-variance": standardised_variance,
    "small-epsilon": lambda: math.exp(0.1) / 1.1,
    "ols-sensitivity": lambda: change_of_ols(1e-6),
    "winsorization": winsorized_share,
    # sufficient statistics
    "noisy-stats-deviation": lambda: math.sqrt(2) * NoisyStats().noise_scale(1 - 1 / 250, 1.0),
    "noisy-stats-loss": lambda: loss(NoisyStats()),
    "noisy-intercept-loss": lambda: loss(NoisyIntercept()),
    "noisy-intercept-flat": without_a_slope,
    "descent-delta": lambda: DPGDApprox().delta,
    "descent-strength": lambda: max(
        zcdp_rho(e, DPGDApprox().delta) / rho_of(e) for e in np.geomspace(0.01, 16, 33).tolist()
    ),
    "descent-sensitivity": gradient_sensitivities,
    "descent-pure-loss": lambda: loss(DPGDPure().as_in_paper()),
    "descent-zcdp-loss": lambda: loss(DPGDzCDP().as_in_paper()),
    "descent-printed-sign": printed_descent_misses,
    # theil sen
    "matchings-even": lambda: pairs_in(50, 49),
    "matchings-odd": lambda: matchings_of_all_pairs(51),
    "changed-share": changed_shares,
    "all-pairs-count": pairs_with_a_slope,
    "two-medians": lambda: loss(DPExpTheilSen(), 2.0, n=4),
    "exponential-loss": lambda: loss(DPExpTheilSen(), n=4),
    "matching-loss": lambda: loss(DPExpTheilSen(k=1), n=4, grid=(0.0, 1.0)),
    "utility-sensitivity": utility_sensitivity,
    "algorithm-three": algorithm_three_gap,
    "uniform-where-equal": lambda: mass_near_the_median(DPExpTheilSen(), 0.1),
    "widening-helps": lambda: mass_near_the_median(DPWideTheilSen(), 0.01),
    "theta-floor": floor_of_theta,
    "theta-zero": lambda: (
        error_ratio(line(60, *NOISY), DPWideTheilSen(theta=0.0), 2.0)
        / error_ratio(line(60, *NOISY), DPExpTheilSen(), 2.0)
    ),
    "widened-loss": lambda: loss(DPWideTheilSen()),
    "algorithm-four": lambda: np.diff(widened_edges(np.linspace(0.2, 0.8, 7), 0.05, *ENDS)).min(),
    # smooth sensitivity
    "smooth-two-forms": forms_factor,
    "smooth-upper-bound": moved_over_sensitivity,
    "smooth-smooth": sensitivity_change,
    "smooth-even-median": moved_by_the_mean_of_two,
    "smooth-divisor": divisor_at_the_default,
    "smooth-loss": lambda: loss(DPSSTheilSen()),
    "smooth-loss-beta": lambda: loss(DPSSTheilSen(beta=0.9)),
    "smooth-dropping": lambda: privacy_loss(
        PointMass(math.nan), student_law(np.array([0.5, 0.5]), 1.0)
    ),
    "smooth-proof": printed_proof_loss,
    # experimental outline
    "tracts-typical": lambda: share((sizes() >= 100) & (sizes() <= 400)),
    "tracts-people": lambda: sizes().sum(),
    "tracts-sizes": lambda: ends(sizes()),
    "tracts-nvar": lambda: ends(nvars()),
    "tracts-nvar-printed": lambda: max(SMALL_TRACT[0], ILLINOIS_TRACT[0]),
    "tracts-nvar-majority": lambda: share(nvars() <= 5),
    "bikes-count": lambda: len(bikes()),
    "bikes-sizes": lambda: ends([data.n for data in bikes().values()]),
    "bikes-errors": lambda: ends([standard_error(data) for data in bikes().values()]),
    "carbon-literal": rows_within_the_square,
    "carbon-size": lambda: uci_dataset("nanotubes").n,
    "stocks-size": lambda: uci_dataset("stocks").n,
    "stocks-noisier": lambda: (
        uci_dataset("stocks").n / uci_dataset("nanotubes").n,
        uci_dataset("nanotubes").residual_sd / uci_dataset("stocks").residual_sd,
    ),
    "lines-model": lambda: (LINE.slope, LINE.intercept, LINE.x_mean),
    "lines-moments": lambda: (
        line(200_000, *NOISY).x_mean,
        line(200_000, *NOISY).var_x / NOISY[0],
    ),
    "table-range": lambda: (DPExpTheilSen().lower, DPExpTheilSen().upper),
    "table-synthetic-range": lambda: (ALL.settings()["lower"], ALL.settings()["upper"]),
    "table-theta": lambda: DPWideTheilSen().theta,
    "table-freedom": lambda: DPSSTheilSen().df,
    "table-descent": lambda: (DPGDPure().clip, DPGDPure().steps),
    "table-best": printed_over_default_tuning,
    # results on real data
    "halved-budget": lambda: tuple(row.share for row in DPExpTheilSen().ledger(16.0)),
    "pair-for-free": one_point_or_two,
    "tracts-deployed": lambda: share_in_order(
        state_errors(), "DPExpTheilSen", "MaximumObservedSensitivity"
    ),
    "tracts-noise": lambda: share_in_order(state_errors(), (*ROBUST, STATS), "standard_error"),
    "tracts-best": lambda: share_in_order(state_errors(), "DPExpTheilSen", STATS),
    "tracts-order": lambda: share_in_order(state_errors(), "DPWideTheilSen", "DPSSTheilSen"),
    "bikes-noise": lambda: share_in_order(bike_errors(10.0), "DPExpTheilSen", "standard_error"),
    "stocks-noise": lambda: stock_ratios()["DPExpTheilSen"],
    "carbon-noise": lambda: carbon_ratios(1)["DPExpTheilSen"],
    "real-best": lambda: sum(ranking[0] == "DPExpTheilSen" for ranking in rankings()),
    "real-order": lambda: sum(tuple(ranking[:3]) == ROBUST for ranking in rankings()[1:]),
    "stocks-classes": lambda: worst_over_best(stock_ratios(), ROBUST, NON_ROBUST),
    "carbon-product": lambda: uci_dataset("nanotubes").nvar,
    "carbon-noisy-stats": lambda: carbon_ratios(1)[STATS] / carbon_ratios(1)["DPExpTheilSen"],
    # results on the product
    "panels-ranges": lambda: [
        end for name in ("n", "var_x", "epsilon") for end in ends(VALUES[name])
    ],
    "panels-products": lambda: [
        p.epsilon * p.model.n * p.model.var_x
        for key, p in PAPER_PANELS.items()
        if key.endswith("-var_e")
    ],
    "panels-sets": lambda: (
        ALL.full.trials,
        ALL.full.datasets,
        PRODUCT_FIGURE.full.trials,
        PRODUCT_FIGURE.full.datasets,
    ),
    "best-three": lambda: over_the_best(every_setting(), MATCHED, "DPGDzCDP", STATS).max(),
    "panels-pure-best": lambda: share(every_setting().idxmin(axis=1) == MATCHED),
    "threshold-pure": lambda: above_the_threshold(without=("DPGDApprox", "DPGDzCDP")),
    "threshold-all": above_the_threshold,
    "threshold-ten": lambda: ratios(large_products(), STATS, MATCHED).max(),
    "threshold-all-pairs": lambda: ratios(large_products(), STATS, "DPExpTheilSen").max(),
    "threshold-indicator": spread_at_one_product,
    "rates": lambda: np.diff(np.log(deviations()), axis=0)[0] / math.log(800 / 50),
    "constant-factor": lambda: deviations()[:, 1] / deviations()[:, 0],
    "noise-below-gap": noise_over_gap,
    # results on roles
    "residual-small-product": lambda: ratios(means(panel("40-var_e")), STATS, MATCHED).min(),
    "residual-cross-over": cross_over,
    "residual-small": lambda: ratios(means(panel("800-var_e")), STATS, MATCHED).loc[1e-4],
    "point-best": lambda: [
        errors_by_point(p)[name].idxmin() for p in PRODUCTS for name in (STATS, MATCHED)
    ],
    "point-order": lambda: (
        50
        + np.mean([abs(share_in_order(errors_by_point(p), STATS, MATCHED) - 50) for p in PRODUCTS])
    ),
    "point-noisy-stats": lambda: growth(40, STATS) / growth(40, MATCHED),
    "point-product": lambda: growth(40, STATS) / growth(800, STATS),
    # results on tuning
    "carbon-wide-range": lambda: worst_over_best(carbon_ratios(0.01, -50, 50), NON_ROBUST, ROBUST),
    "carbon-large-epsilon": lambda: (
        carbon_ratios(1, -50, 50)["DPExpTheilSen"] / carbon_ratios(1)["DPExpTheilSen"]
    ),
    "carbon-uniform": lambda: (
        carbon_ratios(0.01, -50, 50)["DPExpTheilSen"]
        * standard_error(uci_dataset("nanotubes"))
        / (0.68 * 50)
    ),
    "smooth-rarely": lambda: share_in_order(bike_errors(10.0), ROBUST[2], ROBUST[:2]),
    "widened-significantly": lambda: ratios(
        bike_errors(2.0).nsmallest(14, "standard_error"), *ROBUST[1::-1]
    ).median(),
    "carbon-theta": lambda: DPWideTheilSen().theta / standard_error(uci_dataset("nanotubes")),
    "carbon-widened": lambda: (
        carbon_ratios(1)["DPWideTheilSen"] / carbon_ratios(1)["DPExpTheilSen"]
    ),
    # results on non robust
    "descent-order": lambda: share_in_order(every_setting(), "DPGDzCDP", "DPGDApprox", "DPGDPure"),
    "descent-behind": lambda: min(
        share_in_order(every_setting(), STATS, name) for name in DESCENTS[:2]
    ),
    "descent-ahead": lambda: share_in_order(every_setting(), "DPGDzCDP", STATS),
    "descent-gap": lambda: ratios(large_products_of_non_robust(), STATS, "DPGDzCDP").max(),
    "descent-fair": lambda: ratios(
        large_products_of_non_robust(), "NoisyStatsGaussian", "DPGDzCDP"
    ).max(),
    "limit-noisy-stats": lambda: limit(NoisyStats()),
    "limit-descent": lambda: limit(DPGDPure().as_in_paper()),
    "limit-theil-sen": lambda: limit(DPExpTheilSen()),
    "unbiased": lambda: estimates(BIASED, 300).mean(axis=0) / BIASED.standard_error(AT),
    # appendix
    "size-law": lambda: sizes().mean(),
    "lognormal": lognormal_moments,
    "two-decimals": lambda: len(np.unique(np.concatenate([data.x for data in tracts()]))),
    "coarse-grid": coarse_over_fine,
    "lemma-sensitivities": largest_changes,
    "intercept-sensitivity": lambda: np.ptp([y - 0.5 * x for x in (0, 1) for y in (0, 1)]) / 5,
    "footnote-means": lambda: noise_loss([1.0, 1.0], PureDP(0.5)),
    "theta-varies": theta_spreads,
    "beta-half": beta_half,
    "zcdp-to-approximate": lambda: gaussian_delta(1.0, printed_epsilon(0.5, 1e-6)),
    "zcdp-any-delta": lambda: printed_epsilon(0.01, 0.5),
    # failures
    "failure-alone": failure_of_the_others,
    "failure-low": lambda: failure(*SMALL_TRACT, POWERS),
    "failure-high-illinois": lambda: failure(*ILLINOIS_TRACT, POWERS),
    "failure-high-north": lambda: failure(*CAROLINA_TRACT, POWERS),
    "failure-even": lambda: failure(*ILLINOIS_TRACT, np.linspace(2.0**-7, 8, 1001)),
    "failure-majority": lambda: share([failure(data.nvar, data.n, 8.0) < 0.5 for data in tracts()]),
    "failure-tracts": lambda: max(failure(data.nvar, data.n, 8.0) for data in tracts()),
    "failure-printed-tract": lambda: failure(*SMALL_TRACT, 8.0),
    "failure-small": lambda: failure(1.0, 250, 1.0),
    "failure-large": lambda: failure(40.0, 250, 1.0),
}


def _section(rows: dict[str, Any]) -> tuple[Claim, ...]:
    """Return the claims of one section of the file, with the functions that compute their numbers."""
    return tuple(
        Claim(key, ClaimKind(row.pop("kind")), NUMBERS[key], **row) for key, row in rows.items()
    )


# A section is the work of one process: its claims share measurements.
SECTIONS = tuple(map(_section, tomllib.loads(FILE.read_text(encoding="utf-8")).values()))
CLAIMS = tuple(claim for section in SECTIONS for claim in section)
