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
from . import measured, printed
from .claim import Claim, ClaimKind
from .figure import DESCENTS, ROBUST
from .measured import AT, MATCHED, NON_ROBUST, STATS
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
    "closed-form": printed.closed_form_gap,
    "standardised-variance": measured.standardised_variance,
    "small-epsilon": lambda: math.exp(0.1) / 1.1,
    "ols-sensitivity": lambda: printed.change_of_ols(1e-6),
    "winsorization": measured.winsorized_share,
    # sufficient statistics
    "noisy-stats-deviation": lambda: math.sqrt(2) * NoisyStats().noise_scale(1 - 1 / 250, 1.0),
    "noisy-stats-loss": lambda: printed.loss(NoisyStats()),
    "noisy-intercept-loss": lambda: printed.loss(NoisyIntercept()),
    "noisy-intercept-flat": measured.without_a_slope,
    "descent-delta": lambda: DPGDApprox().delta,
    "descent-strength": lambda: max(
        zcdp_rho(e, DPGDApprox().delta) / rho_of(e) for e in np.geomspace(0.01, 16, 33).tolist()
    ),
    "descent-sensitivity": printed.gradient_sensitivities,
    "descent-pure-loss": lambda: printed.loss(DPGDPure().as_in_paper()),
    "descent-zcdp-loss": lambda: printed.loss(DPGDzCDP().as_in_paper()),
    "descent-printed-sign": printed.printed_descent_misses,
    # theil sen
    "matchings-even": lambda: printed.pairs_in(50, 49),
    "matchings-odd": lambda: printed.matchings_of_all_pairs(51),
    "changed-share": printed.changed_shares,
    "all-pairs-count": measured.pairs_with_a_slope,
    "two-medians": lambda: printed.loss(DPExpTheilSen(), 2.0, n=4),
    "exponential-loss": lambda: printed.loss(DPExpTheilSen(), n=4),
    "matching-loss": lambda: printed.loss(DPExpTheilSen(k=1), n=4, grid=(0.0, 1.0)),
    "utility-sensitivity": printed.utility_sensitivity,
    "algorithm-three": printed.algorithm_three_gap,
    "uniform-where-equal": lambda: printed.mass_near_the_median(DPExpTheilSen(), 0.1),
    "widening-helps": lambda: printed.mass_near_the_median(DPWideTheilSen(), 0.01),
    "theta-floor": printed.floor_of_theta,
    "theta-zero": lambda: (
        measured.error_ratio(measured.line(60, *NOISY), DPWideTheilSen(theta=0.0), 2.0)
        / measured.error_ratio(measured.line(60, *NOISY), DPExpTheilSen(), 2.0)
    ),
    "widened-loss": lambda: printed.loss(DPWideTheilSen()),
    "algorithm-four": lambda: np.diff(
        printed.widened_edges(np.linspace(0.2, 0.8, 7), 0.05, *printed.ENDS)
    ).min(),
    # smooth sensitivity
    "smooth-two-forms": printed.forms_factor,
    "smooth-upper-bound": printed.moved_over_sensitivity,
    "smooth-smooth": printed.sensitivity_change,
    "smooth-even-median": printed.moved_by_the_mean_of_two,
    "smooth-divisor": printed.divisor_at_the_default,
    "smooth-loss": lambda: printed.loss(DPSSTheilSen()),
    "smooth-loss-beta": lambda: printed.loss(DPSSTheilSen(beta=0.9)),
    "smooth-dropping": lambda: privacy_loss(
        PointMass(math.nan), printed.student_law(np.array([0.5, 0.5]), 1.0)
    ),
    "smooth-proof": printed.printed_proof_loss,
    # experimental outline
    "tracts-typical": lambda: measured.share((measured.sizes() >= 100) & (measured.sizes() <= 400)),
    "tracts-people": lambda: measured.sizes().sum(),
    "tracts-sizes": lambda: measured.ends(measured.sizes()),
    "tracts-nvar": lambda: measured.ends(measured.nvars()),
    "tracts-nvar-printed": lambda: max(SMALL_TRACT[0], ILLINOIS_TRACT[0]),
    "tracts-nvar-majority": lambda: measured.share(measured.nvars() <= 5),
    "bikes-count": lambda: len(measured.bikes()),
    "bikes-sizes": lambda: measured.ends([data.n for data in measured.bikes().values()]),
    "bikes-errors": lambda: measured.ends(
        [measured.standard_error(data) for data in measured.bikes().values()]
    ),
    "carbon-literal": measured.rows_within_the_square,
    "carbon-size": lambda: measured.uci_dataset("nanotubes").n,
    "stocks-size": lambda: measured.uci_dataset("stocks").n,
    "stocks-noisier": lambda: (
        measured.uci_dataset("stocks").n / measured.uci_dataset("nanotubes").n,
        measured.uci_dataset("nanotubes").residual_sd / measured.uci_dataset("stocks").residual_sd,
    ),
    "lines-model": lambda: (LINE.slope, LINE.intercept, LINE.x_mean),
    "lines-moments": lambda: (
        measured.line(200_000, *NOISY).x_mean,
        measured.line(200_000, *NOISY).var_x / NOISY[0],
    ),
    "table-range": lambda: (DPExpTheilSen().lower, DPExpTheilSen().upper),
    "table-synthetic-range": lambda: (ALL.settings()["lower"], ALL.settings()["upper"]),
    "table-theta": lambda: DPWideTheilSen().theta,
    "table-freedom": lambda: DPSSTheilSen().df,
    "table-descent": lambda: (DPGDPure().clip, DPGDPure().steps),
    "table-best": measured.printed_over_default_tuning,
    # results on real data
    "halved-budget": lambda: tuple(row.share for row in DPExpTheilSen().ledger(16.0)),
    "pair-for-free": measured.one_point_or_two,
    "tracts-deployed": lambda: measured.share_in_order(
        measured.state_errors(), "DPExpTheilSen", "MaximumObservedSensitivity"
    ),
    "tracts-noise": lambda: measured.share_in_order(
        measured.state_errors(), (*ROBUST, STATS), "standard_error"
    ),
    "tracts-best": lambda: measured.share_in_order(measured.state_errors(), "DPExpTheilSen", STATS),
    "tracts-order": lambda: measured.share_in_order(
        measured.state_errors(), "DPWideTheilSen", "DPSSTheilSen"
    ),
    "bikes-noise": lambda: measured.share_in_order(
        measured.bike_errors(10.0), "DPExpTheilSen", "standard_error"
    ),
    "stocks-noise": lambda: measured.stock_ratios()["DPExpTheilSen"],
    "carbon-noise": lambda: measured.carbon_ratios(1)["DPExpTheilSen"],
    "real-best": lambda: sum(ranking[0] == "DPExpTheilSen" for ranking in measured.rankings()),
    "real-order": lambda: sum(tuple(ranking[:3]) == ROBUST for ranking in measured.rankings()[1:]),
    "stocks-classes": lambda: measured.worst_over_best(measured.stock_ratios(), ROBUST, NON_ROBUST),
    "carbon-product": lambda: measured.uci_dataset("nanotubes").nvar,
    "carbon-noisy-stats": lambda: (
        measured.carbon_ratios(1)[STATS] / measured.carbon_ratios(1)["DPExpTheilSen"]
    ),
    # results on the product
    "panels-ranges": lambda: [
        end for name in ("n", "var_x", "epsilon") for end in measured.ends(VALUES[name])
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
    "best-three": lambda: measured.over_the_best(
        measured.every_setting(), MATCHED, "DPGDzCDP", STATS
    ).max(),
    "panels-pure-best": lambda: measured.share(measured.every_setting().idxmin(axis=1) == MATCHED),
    "threshold-pure": lambda: measured.above_the_threshold(without=("DPGDApprox", "DPGDzCDP")),
    "threshold-all": measured.above_the_threshold,
    "threshold-ten": lambda: measured.ratios(measured.large_products(), STATS, MATCHED).max(),
    "threshold-all-pairs": lambda: measured.ratios(
        measured.large_products(), STATS, "DPExpTheilSen"
    ).max(),
    "threshold-indicator": measured.spread_at_one_product,
    "rates": lambda: np.diff(np.log(measured.deviations()), axis=0)[0] / math.log(800 / 50),
    "constant-factor": lambda: measured.deviations()[:, 1] / measured.deviations()[:, 0],
    "noise-below-gap": measured.noise_over_gap,
    # results on roles
    "residual-small-product": lambda: measured.ratios(
        measured.means(measured.panel("40-var_e")), STATS, MATCHED
    ).min(),
    "residual-cross-over": measured.cross_over,
    "residual-small": lambda: measured.ratios(
        measured.means(measured.panel("800-var_e")), STATS, MATCHED
    ).loc[1e-4],
    "point-best": lambda: [
        measured.errors_by_point(p)[name].idxmin() for p in PRODUCTS for name in (STATS, MATCHED)
    ],
    "point-order": lambda: (
        50
        + np.mean(
            [
                abs(measured.share_in_order(measured.errors_by_point(p), STATS, MATCHED) - 50)
                for p in PRODUCTS
            ]
        )
    ),
    "point-noisy-stats": lambda: measured.growth(40, STATS) / measured.growth(40, MATCHED),
    "point-product": lambda: measured.growth(40, STATS) / measured.growth(800, STATS),
    # results on tuning
    "carbon-wide-range": lambda: measured.worst_over_best(
        measured.carbon_ratios(0.01, -50, 50), NON_ROBUST, ROBUST
    ),
    "carbon-large-epsilon": lambda: (
        measured.carbon_ratios(1, -50, 50)["DPExpTheilSen"]
        / measured.carbon_ratios(1)["DPExpTheilSen"]
    ),
    "carbon-uniform": lambda: (
        measured.carbon_ratios(0.01, -50, 50)["DPExpTheilSen"]
        * measured.standard_error(measured.uci_dataset("nanotubes"))
        / (0.68 * 50)
    ),
    "smooth-rarely": lambda: measured.share_in_order(
        measured.bike_errors(10.0), ROBUST[2], ROBUST[:2]
    ),
    "widened-significantly": lambda: measured.ratios(
        measured.bike_errors(2.0).nsmallest(14, "standard_error"), *ROBUST[1::-1]
    ).median(),
    "carbon-theta": lambda: (
        DPWideTheilSen().theta / measured.standard_error(measured.uci_dataset("nanotubes"))
    ),
    "carbon-widened": lambda: (
        measured.carbon_ratios(1)["DPWideTheilSen"] / measured.carbon_ratios(1)["DPExpTheilSen"]
    ),
    # results on non robust
    "descent-order": lambda: measured.share_in_order(
        measured.every_setting(), "DPGDzCDP", "DPGDApprox", "DPGDPure"
    ),
    "descent-behind": lambda: min(
        measured.share_in_order(measured.every_setting(), STATS, name) for name in DESCENTS[:2]
    ),
    "descent-ahead": lambda: measured.share_in_order(measured.every_setting(), "DPGDzCDP", STATS),
    "descent-gap": lambda: measured.ratios(
        measured.large_products_of_non_robust(), STATS, "DPGDzCDP"
    ).max(),
    "descent-fair": lambda: measured.ratios(
        measured.large_products_of_non_robust(), "NoisyStatsGaussian", "DPGDzCDP"
    ).max(),
    "limit-noisy-stats": lambda: measured.limit(NoisyStats()),
    "limit-descent": lambda: measured.limit(DPGDPure().as_in_paper()),
    "limit-theil-sen": lambda: measured.limit(DPExpTheilSen()),
    "unbiased": lambda: measured.estimates(BIASED, 300).mean(axis=0) / BIASED.standard_error(AT),
    # appendix
    "size-law": lambda: measured.sizes().mean(),
    "lognormal": printed.lognormal_moments,
    "two-decimals": lambda: len(np.unique(np.concatenate([data.x for data in measured.tracts()]))),
    "coarse-grid": measured.coarse_over_fine,
    "lemma-sensitivities": printed.largest_changes,
    "intercept-sensitivity": lambda: np.ptp([y - 0.5 * x for x in (0, 1) for y in (0, 1)]) / 5,
    "footnote-means": lambda: noise_loss([1.0, 1.0], PureDP(0.5)),
    "theta-varies": measured.theta_spreads,
    "beta-half": measured.beta_half,
    "zcdp-to-approximate": lambda: gaussian_delta(1.0, printed.printed_epsilon(0.5, 1e-6)),
    "zcdp-any-delta": lambda: printed.printed_epsilon(0.01, 0.5),
    # failures
    "failure-alone": measured.failure_of_the_others,
    "failure-low": lambda: measured.failure(*SMALL_TRACT, POWERS),
    "failure-high-illinois": lambda: measured.failure(*ILLINOIS_TRACT, POWERS),
    "failure-high-north": lambda: measured.failure(*CAROLINA_TRACT, POWERS),
    "failure-even": lambda: measured.failure(*ILLINOIS_TRACT, np.linspace(2.0**-7, 8, 1001)),
    "failure-majority": lambda: measured.share(
        [measured.failure(data.nvar, data.n, 8.0) < 0.5 for data in measured.tracts()]
    ),
    "failure-tracts": lambda: max(
        measured.failure(data.nvar, data.n, 8.0) for data in measured.tracts()
    ),
    "failure-printed-tract": lambda: measured.failure(*SMALL_TRACT, 8.0),
    "failure-small": lambda: measured.failure(1.0, 250, 1.0),
    "failure-large": lambda: measured.failure(40.0, 250, 1.0),
}


def _section(rows: dict[str, Any]) -> tuple[Claim, ...]:
    """Return the claims of one section of the file, with the functions that compute their numbers."""
    return tuple(
        Claim(key, ClaimKind(row.pop("kind")), NUMBERS[key], **row) for key, row in rows.items()
    )


# A section is the work of one process: its claims share measurements.
SECTIONS = tuple(map(_section, tomllib.loads(FILE.read_text(encoding="utf-8")).values()))
CLAIMS = tuple(claim for section in SECTIONS for claim in section)
