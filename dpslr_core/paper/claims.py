"""The paper's numeric claims as a table, in its order: each row says what is claimed, and what computes our number.

A row is key, kind where our numbers are others, place in the paper, the paper's numbers, ours, the claim in words, and
why ours differ or how they were computed.
"""

from __future__ import annotations

import math

import numpy as np

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
from ..privacy import PureDP, gaussian_delta, gaussian_epsilon, noise_loss, pure_rho, rho_of, zcdp_rho
from ..sources.linear import LinearModel
from . import measured, printed
from .claim import Claim, Kind, above, at_least, at_most, below, between, equal
from .figure import DESCENTS, ROBUST
from .measured import AT, MATCHED, NON_ROBUST, STATS
from .synthetic import ALL, PAPER_PANELS, PRODUCTS, VALUES
from .synthetic import PRODUCT as PRODUCT_FIGURE

SETUP = "Introduction, Simple Linear Regression"
PRIVACY = "Introduction, Differential Privacy"
DESIGN = "Introduction, Robustness and DP Algorithm Design"
NOISY_STATS = "Algorithms, NoisyStats"
NOISY_INTERCEPT = "Algorithms, NoisyIntercept"
DESCENT = "Algorithms, DP Gradient Descent"
DESCENT_PROOFS = "Appendix DPGradDescent"
MATCHINGS = "Algorithms, DP TheilSen"
EXPONENTIAL = "Algorithms, exponential mechanism"
WIDENED = "Algorithms, widened mechanism"
SMOOTH = "Algorithms, smooth sensitivity"
SMOOTH_PROOFS = "Appendix DPSSTheilSen"
STATE = "Experimental Outline, Opportunity Insights data"
BIKES = "Experimental Outline, Bikeshare"
CARBON = "Experimental Outline, Carbon Nanotubes"
STOCKS = "Experimental Outline, Stock Exchange"
LINES = "Experimental Outline, Synthetic Data"
TABLE = "Experimental Outline, table of hyperparameters"
REAL = "Results, Real Data and the Opportunity Insights Application"
ROBUSTNESS = "Results, Robustness vs. Non-robustness"
PARAMETERS = "Results, privacy parameters"
TAKEOVER = "Results, NoisyStats and DPExpTheilSen"
PRODUCT = "Results, Role of ε n var(x)"
RESIDUAL = "Results, The Role of σₑ²"
POINT = "Results, The Role of |x_new − mean of x|"
TUNING = "Results, The Role of Hyperparameter Tuning"
WHICH_ROBUST = "Results, Which robust estimator?"
WHICH_NON_ROBUST = "Results, Which non-robust estimator?"
BIAS = "Results, Analyzing the bias"
TRACTS = "Appendix, Data Generating Process"
PROOF = "Appendix NoisyStats, Privacy Proof"
FAILURE = "Appendix NoisyStats, On the Failure Rate"

_SIMULATED = "The paper's own tracts are not public: this is the appendix's simulator, sized like Illinois."
_AT_16 = "On the appendix's simulated state at ε = 16; the paper's own tracts are not public."
_PANELS = "In the 30 settings of n, var(x) and ε, with the paper's hyperparameters."

SMALL_TRACT, ILLINOIS_TRACT, CAROLINA_TRACT = (0.0245, 39), (28.002, 381), (31.154, 433)  # n var(x) and n in print
POWERS = np.exp2(np.arange(-7.0, 4.0))  # epsilon from 2^-7 to 8
LINE = LinearModel(30, 0.03, 0.01)
NOISY = 0.03, 0.01  # variances of x and of the errors
BIASED = LinearModel(200, 0.02, 0.0025)
ERROR_IN_PRINT, NOT_REPRODUCED, NOT_PUBLIC = Kind.ERROR_IN_PRINT, Kind.NOT_REPRODUCED, Kind.NOT_PUBLIC
NOT_IN_PRINT, OUR_DEFAULTS = Kind.NOT_IN_PRINT, Kind.OUR_DEFAULTS

# fmt: off
INTRODUCTION = (
    Claim("closed-form", ERROR_IN_PRINT, f"{SETUP}, Equation 2", equal(0, within=1e-9), printed.closed_form_gap,
          "ncov / nvar and its intercept minimise the squared residuals: their distance from a solver's answer is {}."),
    Claim("standardised-variance", ERROR_IN_PRINT, f"{SETUP}, below Equation 3", equal(1, within=0.07),
          measured.standardised_variance,
          "For large n the variance of (p̂ − p) / σ̂ is {}.",
          "At n = 200, over 4,000 simulated data sets; (n − 2)/(n − 4) in theory."),
    Claim("small-epsilon", ERROR_IN_PRINT, f"{PRIVACY}, below the definition", equal(1, within=0.01),
          lambda: math.exp(0.1) / 1.1,
          "e^ε is about 1 + ε for small ε: at ε = 0.1 their ratio is {}."),
    Claim("ols-sensitivity", ERROR_IN_PRINT, DESIGN, above(1000, unit=" units of y"),
          lambda: printed.change_of_ols(1e-6),
          "The global sensitivity of a prediction is infinite: one record can move it by {}.",
          "The paper says infinite. Here 29 records share one x and the other moves by 2 × 10⁻⁶; less moves it "
          "further."),
    Claim("winsorization", NOT_PUBLIC, DESIGN, at_most(0.5), measured.winsorized_share,
          "Winsorizing sometimes shrinks the local sensitivity greatly: the smallest ratio is {}.",
          "Over 40 simulated tracts, x and y pulled in to their tenth and ninetieth percentiles; 'greatly' is half."),
)

SUFFICIENT_STATISTICS = (
    Claim("noisy-stats-deviation", ERROR_IN_PRINT, NOISY_STATS, equal(1, within=0.5),
          lambda: math.sqrt(2) * NoisyStats().noise_scale(1 - 1 / 250, 1.0),
          "The noise on nvar(x) and ncov(x, y) has a standard deviation of about 1/ε: times ε it is {}.",
          "Laplace noise of scale 3(1 − 1/n)/ε has a standard deviation of 3√2(1 − 1/n)/ε. Algorithm 1 says so. "
          "'About' is read as up to a half."),
    Claim("noisy-stats-loss", ERROR_IN_PRINT, f"{NOISY_STATS}, lemma", at_most(1), lambda: printed.loss(NoisyStats()),
          "NoisyStats is ε-differentially private, noisy statistics included: at ε = 1 the worst loss is {}.",
          "The worst loss over all neighbours of three records on a grid. The paper's proof covers every data set."),
    Claim("noisy-intercept-loss", ERROR_IN_PRINT, NOISY_INTERCEPT, at_most(1), lambda: printed.loss(NoisyIntercept()),
          "The mean of y with Laplace noise of scale 1/(εn) is ε-private: at ε = 1 the worst loss is {}.",
          "The bound is attained where y moves from 0 to 1."),
    Claim("noisy-intercept-flat", NOT_IN_PRINT, NOISY_INTERCEPT, below(1), measured.without_a_slope,
          "NoisyIntercept performs well where the slope is very small: its error over the best other one is {}.",
          "At slope 0, n = 100, ε = 1, against the paper's other purely private algorithms."),
    Claim("descent-delta", OUR_DEFAULTS, DESCENT, equal(2.0**-30), lambda: DPGDApprox().delta,
          "DPGDApprox has δ = {}, which is 2⁻³⁰.",
          "The default here."),
    Claim("descent-strength", ERROR_IN_PRINT, DESCENT, below(1),
          lambda: max(zcdp_rho(e, DPGDApprox().delta) / rho_of(e) for e in np.geomspace(0.01, 16, 33).tolist()),
          "DPGDApprox promises more than DPGDzCDP, whose ρ is ε²/2: its own ρ over that is {}.",
          "The largest ratio for ε from 0.01 to 16 at δ = 2⁻³⁰, by the best conversion known. "
          "How much weaker 'slightly weaker' is has no number in print: "
          f"at ε = 16, ε²/2 is {rho_of(16) / pure_rho(16):.3g} times the ρ that ε-privacy implies."),
    Claim("descent-sensitivity", ERROR_IN_PRINT, f"{DESCENT_PROOFS}, proofs", equal(4, 2 * math.sqrt(2), within=1e-9),
          printed.gradient_sensitivities,
          "One record moves a sum of clipped gradients by {} clipping bounds in L1 and in L2.",
          "Both bounds are attained, by residuals of opposite sign at x between 1/4 and 3/4."),
    Claim("descent-pure-loss", ERROR_IN_PRINT, f"{DESCENT_PROOFS}, lemma on Algorithm 6", at_most(1),
          lambda: printed.loss(DPGDPure().as_in_paper()),
          "DPGDPure is ε-differentially private: at ε = 1 the worst loss is {}.",
          "Over all neighbours of three records on a grid, each step charged as the worst."),
    Claim("descent-zcdp-loss", ERROR_IN_PRINT, f"{DESCENT_PROOFS}, lemma on Algorithm 7", at_most(0.5),
          lambda: printed.loss(DPGDzCDP().as_in_paper()),
          "DPGDzCDP is (ε²/2)-zCDP: at ε = 1 the worst ρ is {}.",
          "Over all neighbours of three records on a grid, each step charged as the worst."),
    Claim("descent-printed-sign", ERROR_IN_PRINT, f"{DESCENT_PROOFS}, Algorithms 6 and 7", at_most(0.01),
          printed.printed_descent_misses,
          "Without noise, gradient descent as printed ends near OLS: its distance at x = 0.25 is {}.",
          "The step p − γΔ has the wrong sign, as Δ is proportional to y − ŷ: it climbs. Here the step is p + γΔ, "
          "which approaches OLS."),
)

THEIL_SEN = (
    Claim("matchings-even", ERROR_IN_PRINT, MATCHINGS, equal(1225), lambda: printed.pairs_in(50, 49),
          "n − 1 matchings hold every pair of n records once: at n = 50 they hold {} pairs.",
          "By the circle method."),
    Claim("matchings-odd", ERROR_IN_PRINT, "Appendix, lemma on k-Lipschitz transformations", equal(50),
          lambda: printed.matchings_of_all_pairs(51),
          "The complete graph on n records splits into n − 1 matchings, for every n: at n = 51 that is {}.",
          "A matching of 51 records holds at most 25 of the 1,275 pairs, so that an odd n takes n matchings. Each "
          "leaves one record out."),
    Claim("changed-share", ERROR_IN_PRINT, MATCHINGS, equal(4, 4, 4, within=1e-9, unit="%"), printed.changed_shares,
          "One record affects k of k n/2 estimates: for n = 50 and k = 1, 10 and 49 that is {}.",
          "Whatever k is, as the paper says."),
    Claim("all-pairs-count", NOT_PUBLIC, DESIGN, equal(100, within=1e-9, unit="%"), measured.pairs_with_a_slope,
          "DPTheilSen takes the median over all pairs of records: {} of them give an estimate.",
          "Ranks with two decimals are often equal within a tract, and Algorithm 2 drops pairs with equal x. Here "
          "such pairs are kept, one at each end of the range in turn."),
    Claim("two-medians", ERROR_IN_PRINT, f"{MATCHINGS}, Algorithm 2 and lemma", at_most(1),
          lambda: printed.loss(DPExpTheilSen(), 2.0, n=4),
          "Algorithm 2 is ε-differentially private: at ε = 1 the worst loss is {}.",
          "As printed each of the two medians gets all of ε: the pair is 2ε-private, and here is a loss above ε."),
    Claim("exponential-loss", ERROR_IN_PRINT, f"{EXPONENTIAL}, lemma", at_most(1),
          lambda: printed.loss(DPExpTheilSen(), n=4),
          "DPExpTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
          "With ε/2 for each of two predictions, over all neighbours of four records on a grid."),
    Claim("matching-loss", ERROR_IN_PRINT, f"{MATCHINGS}, lemma on k matchings", at_most(1),
          lambda: printed.loss(DPExpTheilSen(k=1), n=4, grid=(0.0, 1.0)),
          "With one random matching DPExpTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
          "Over all neighbours of four records at the corners, averaged over the matchings."),
    Claim("utility-sensitivity", ERROR_IN_PRINT, f"{EXPONENTIAL}, Algorithm 3", equal(2), printed.utility_sensitivity,
          "One changed estimate moves the utility |#above − #below| by {}, as the factor ε/2 needs.",
          "Over all lists of four numbers from five values."),
    Claim("algorithm-three", ERROR_IN_PRINT, f"{EXPONENTIAL}, Algorithm 3", equal(0, within=1e-9),
          printed.algorithm_three_gap,
          "Algorithm 3 draws from the density of the definition: the largest difference of a probability is {}.",
          "Its distance from the median is rounded up, which changes all scores alike."),
    Claim("uniform-where-equal", ERROR_IN_PRINT, WIDENED, equal(10, within=0.01, unit="%"),
          lambda: printed.mass_near_the_median(DPExpTheilSen(), 0.1),
          "Where all estimates coincide, DPExpTheilSen is uniform on [−0.5, 1.5]: {} of the releases are within 0.1.",
          "Whatever ε is; here 16."),
    Claim("widening-helps", ERROR_IN_PRINT, WIDENED, above(1, unit="%"),
          lambda: printed.mass_near_the_median(DPWideTheilSen(), 0.01),
          "Widening puts more mass around the median: {} of the releases are within θ = 0.01.",
          "On coinciding estimates at ε = 16, where DPExpTheilSen has 1%."),
    Claim("theta-floor", ERROR_IN_PRINT, WIDENED, at_least(1), printed.floor_of_theta,
          "θ is a lower bound on the error: C(68) over θ is {}.",
          "All within θ of the median is equally likely, so that C(68) falls to 0.68 θ. θ bounds C(100)."),
    Claim("theta-zero", ERROR_IN_PRINT, "Algorithms, A Note on Hyperparameters", equal(1, within=1e-9),
          lambda: measured.error_ratio(measured.line(60, *NOISY), DPWideTheilSen(theta=0.0), 2.0)
          / measured.error_ratio(measured.line(60, *NOISY), DPExpTheilSen(), 2.0),
          "DPExpTheilSen is DPWideTheilSen with θ = 0: the ratio of their errors is {}."),
    Claim("widened-loss", ERROR_IN_PRINT, f"{WIDENED}, lemma", at_most(1), lambda: printed.loss(DPWideTheilSen()),
          "DPWideTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
          "With the density of the definition, over all neighbours of three records on a grid."),
    Claim("algorithm-four", ERROR_IN_PRINT, f"{WIDENED}, Algorithm 4", at_least(0),
          lambda: np.diff(printed.widened_edges(np.linspace(0.2, 0.8, 7), 0.05, *printed.ENDS)).min(),
          "The intervals of Algorithm 4 are lengths: the smallest is {}.",
          "The line for the upper half uses z[i] in the place of z[n − i − 1]. Here the definition is computed."),
)

SMOOTH_SENSITIVITY = (
    Claim("smooth-two-forms", ERROR_IN_PRINT, f"{SMOOTH}, lemma", equal(1, within=0.01), printed.forms_factor,
          "The main text and the appendix state the same smooth sensitivity: their ratio is {}.",
          "They are different formulas. This is the median over lists of 100 normal numbers; the appendix's is used."),
    Claim("smooth-upper-bound", ERROR_IN_PRINT, f"{SMOOTH}, lemma", at_most(1), printed.moved_over_sensitivity,
          "The smooth sensitivity is no smaller than the local one: local over smooth is {}.",
          "The appendix's form, both ends included, over all lists of four numbers from five values."),
    Claim("smooth-smooth", ERROR_IN_PRINT, f"{SMOOTH}, lemma", at_most(1 + 1e-12), printed.sensitivity_change,
          "Between neighbours the smooth sensitivity changes by a factor of eᵗ at most: the change over eᵗ is {}.",
          "The same lists, t = 0.5."),
    Claim("smooth-even-median", ERROR_IN_PRINT, f"{SMOOTH_PROOFS}, Algorithm 5", at_most(1),
          printed.moved_by_the_mean_of_two,
          "The median, to which noise is added, moves by its smooth sensitivity at most: the ratio is {}.",
          "The mean of two middle values moves by up to (1 + eᵗ)/2 of them, here with t = 0.5. Here the noise is "
          "about the entry z_m itself."),
    Claim("smooth-divisor", ERROR_IN_PRINT, f"{SMOOTH_PROOFS}, Sensitivity of Hyperparameters",
          equal(math.sqrt(3) / 2, within=1e-6), printed.divisor_at_the_default,
          "β = 1/2 gives Algorithm 5's s = ε√d/(d + 1): at ε = 2 and d = 3 it is {}."),
    Claim("smooth-loss", ERROR_IN_PRINT, f"{SMOOTH}, lemma", at_most(1), lambda: printed.loss(DPSSTheilSen()),
          "DPSSTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
          "With pairs of equal x kept, over all neighbours of three records on a grid."),
    Claim("smooth-loss-beta", ERROR_IN_PRINT, f"{SMOOTH_PROOFS}, Sensitivity of Hyperparameters", at_most(1),
          lambda: printed.loss(DPSSTheilSen(beta=0.9)),
          "The guarantee of DPSSTheilSen holds for other β: with β = 0.9 at ε = 1 the worst loss is {}.",
          "The paper allows β = 1 as well, where s is 0 and the noise has no scale."),
    Claim("smooth-dropping", ERROR_IN_PRINT, f"{SMOOTH}, Algorithm 2 and lemma", at_most(1),
          lambda: privacy_loss(PointMass(math.nan), printed.student_law(np.array([0.5, 0.5]), 1.0)),
          "DPSSTheilSen is ε-private with pairs of equal x dropped: at ε = 1 the worst loss is {}.",
          "Where all x are equal nothing is left to release, which one record changes. The proof needs a fixed "
          "number of estimates; here such pairs are kept."),
    Claim("smooth-proof", ERROR_IN_PRINT, f"{SMOOTH_PROOFS}, Student-t lemma", at_most(0.05),
          printed.printed_proof_loss,
          "The last line of the proof, median + S/s + N, is ε-private: at ε = 0.05 the loss is {}.",
          "A typo: the lemma itself says median + (S/s) N, which is what runs here."),
)

EXPERIMENTAL_OUTLINE = (
    Claim("tracts-typical", NOT_PUBLIC, "Introduction, Opportunity Atlas", above(50, unit="%"),
          lambda: measured.share((measured.sizes() >= 100) & (measured.sizes() <= 400)),
          "The tracts' data sets typically have 100 to 400 records: {} of them do.",
          "The appendix's law of tract sizes, ⌊Exp(52) + 20⌋, has the median 56. " + _SIMULATED),
    Claim("tracts-people", NOT_PUBLIC, STATE, equal(219_594, within=9_000), lambda: measured.sizes().sum(),
          "Illinois has {} people in all tracts.",
          "Three standard deviations of the simulated total are 8,700. " + _SIMULATED),
    Claim("tracts-sizes", NOT_PUBLIC, STATE, between(30, 400), lambda: measured.ends(measured.sizes()),
          "Every tract has {} people.",
          "The smallest and largest tract. The appendix's law of sizes begins at 20 and has no end. " + _SIMULATED),
    Claim("tracts-nvar", NOT_PUBLIC, STATE, between(0, 25), lambda: measured.ends(measured.nvars()),
          "n var(x) of the tracts is {}.",
          _SIMULATED),
    Claim("tracts-nvar-printed", ERROR_IN_PRINT, STATE, at_most(25), lambda: max(SMALL_TRACT[0], ILLINOIS_TRACT[0]),
          "n var(x) of the tracts of Illinois is {}, and so it is of the larger of the two that the appendix shows.",
          "The appendix prints 28.002 for it, with n = 381, where it shows failure rates."),
    Claim("tracts-nvar-majority", NOT_PUBLIC, STATE, above(50, unit="%"), lambda: measured.share(measured.nvars() <= 5),
          "The majority of tracts have n var(x) of at most 5: {} do.",
          _SIMULATED),
    Claim("bikes-count", NOT_REPRODUCED, BIKES, equal(288), lambda: len(measured.bikes()),
          "Bike share splits into {} data sets by month and hour."),
    Claim("bikes-sizes", NOT_REPRODUCED, BIKES, equal(45, 62),
          lambda: measured.ends([data.n for data in measured.bikes().values()]),
          "The smallest and the largest bike-share data set have {} records."),
    Claim("bikes-errors", NOT_REPRODUCED, BIKES, equal(0.0003, 0.32, within=0.00051),
          lambda: measured.ends([measured.standard_error(data) for data in measured.bikes().values()]),
          "The smallest and the largest standard error of bike share are {}.",
          "At x = 0.25, the smallest and the largest."),
    Claim("carbon-literal", NOT_REPRODUCED, CARBON, equal(10_683), measured.rows_within_the_square,
          "Without points outside the unit square the u-coordinates have {} records.",
          "No column u gives the paper's number. The reading that does: w and w', less 38 rows of three decimals or "
          "fewer."),
    Claim("carbon-size", NOT_REPRODUCED, CARBON, equal(10_683), lambda: measured.uci_dataset("nanotubes").n,
          "The nanotube data have {} records.",
          "Columns w and w', without 38 rows in which one has three decimals or fewer."),
    Claim("stocks-size", NOT_REPRODUCED, STOCKS, equal(250), lambda: measured.uci_dataset("stocks").n,
          "The stock-exchange data have {} records.",
          "One calendar year, of 536 rows in the file."),
    Claim("stocks-noisier", NOT_REPRODUCED, STOCKS, below(1, count=2),
          lambda: (measured.uci_dataset("stocks").n / measured.uci_dataset("nanotubes").n,
                   measured.uci_dataset("nanotubes").residual_sd / measured.uci_dataset("stocks").residual_sd),
          "The stock-exchange data are smaller and noisier than the nanotubes: n and 1/σₑ over theirs are {}."),
    Claim("lines-model", OUR_DEFAULTS, LINES, equal(0.5, 0.2, 0.5), lambda: (LINE.slope, LINE.intercept, LINE.x_mean),
          "Synthetic data have a slope, an intercept and a mean of x of {}.",
          "The defaults here."),
    Claim("lines-moments", ERROR_IN_PRINT, LINES, equal(0.5, 1, within=0.01),
          lambda: (measured.line(200_000, *NOISY).x_mean, measured.line(200_000, *NOISY).var_x / NOISY[0]),
          "x has the mean 0.5 and the variance asked for: mean, and variance over the one asked for, are {}.",
          "Over 200,000 records."),
    Claim("table-range", OUR_DEFAULTS, TABLE, equal(-0.5, 1.5), lambda: (DPExpTheilSen().lower, DPExpTheilSen().upper),
          "The output range on real data is {}.",
          "The defaults here."),
    Claim("table-synthetic-range", OUR_DEFAULTS, TABLE, equal(-2, 2),
          lambda: (ALL.settings()["lower"], ALL.settings()["upper"]),
          "The output range on synthetic data is {}.",
          "As in this project's panels of those figures."),
    Claim("table-theta", OUR_DEFAULTS, TABLE, equal(0.01), lambda: DPWideTheilSen().theta,
          "DPWideTheilSen has θ = {}.",
          "The default here."),
    Claim("table-freedom", OUR_DEFAULTS, TABLE, equal(3), lambda: DPSSTheilSen().df,
          "DPSSTheilSen has d = {} degrees of freedom.",
          "The default here."),
    Claim("table-descent", OUR_DEFAULTS, TABLE, equal(1, 80), lambda: (DPGDPure().clip, DPGDPure().steps),
          "Gradient descent has a clipping bound τ and T steps of {}.",
          "The defaults here are τ = 0.1 and T = 30, better at small ε and worse on tracts at ε = 16. Figures use "
          "the paper's."),
    Claim("table-best", NOT_PUBLIC, "Experimental Outline, Hyperparameters", at_most(1),
          measured.printed_over_default_tuning,
          "The hyperparameters are the best of many that were tried: the error of DPGDzCDP over that with ours is {}.",
          "With τ = 0.1 and T = 30. Median errors of 200 simulated tracts at ε = 16: the paper tuned on tracts."),
)

RESULTS_ON_REAL_DATA = (
    Claim("halved-budget", OUR_DEFAULTS, PARAMETERS, equal(8, 8),
          lambda: tuple(row.share for row in DPExpTheilSen().ledger(16.0)),
          "At ε = 16 the Theil-Sen algorithms spend {} on the two predictions."),
    Claim("pair-for-free", ERROR_IN_PRINT, PARAMETERS, equal(1, within=1e-9), measured.one_point_or_two,
          "NoisyStats releases both predictions at the price of one: the ratio of its errors is {}."),
    Claim("tracts-deployed", NOT_PUBLIC, REAL, above(50, unit="%"),
          lambda: measured.share_in_order(measured.state_errors(), "DPExpTheilSen", "MaximumObservedSensitivity"),
          "DPExpTheilSen is more accurate than the deployed method in many tracts: in {} of them.",
          "The scale of the deployed noise is set by the worst of all tracts. " + _AT_16),
    Claim("tracts-noise", NOT_PUBLIC, REAL, above(50, unit="%"),
          lambda: measured.share_in_order(measured.state_errors(), (*ROBUST, STATS), "standard_error"),
          "A differentially private algorithm can have noise below the standard error: in {} of the tracts.",
          _AT_16),
    Claim("tracts-best", NOT_PUBLIC, REAL, above(50, unit="%"),
          lambda: measured.share_in_order(measured.state_errors(), "DPExpTheilSen", STATS),
          "DPExpTheilSen is the best algorithm on the tracts: it beats NoisyStats in {} of them.",
          "The simulated tracts are noisy, which favours NoisyStats. " + _AT_16),
    Claim("tracts-order", NOT_PUBLIC, ROBUSTNESS, above(50, unit="%"),
          lambda: measured.share_in_order(measured.state_errors(), "DPWideTheilSen", "DPSSTheilSen"),
          "DPSSTheilSen comes after DPWideTheilSen on the tracts: it has the larger error in {} of them.",
          _AT_16),
    Claim("bikes-noise", NOT_REPRODUCED, REAL, above(50, unit="%"),
          lambda: measured.share_in_order(measured.bike_errors(10.0), "DPExpTheilSen", "standard_error"),
          "On bike share at ε = 10 the noise of DPExpTheilSen is below the standard error: in {} of the data sets.",
          "'Less' is read as in most data sets."),
    Claim("stocks-noise", NOT_REPRODUCED, REAL, below(1), lambda: measured.stock_ratios()["DPExpTheilSen"],
          "On the stock exchange at ε = 2 the noise of DPExpTheilSen over the standard error is {}."),
    Claim("carbon-noise", NOT_REPRODUCED, REAL, below(1), lambda: measured.carbon_ratios(1)["DPExpTheilSen"],
          "On the nanotubes at ε = 1 the error of DPExpTheilSen over the standard error is {}.",
          "Theil-Sen itself is more than two standard errors from OLS here, which no ε makes smaller. One matching."),
    Claim("real-best", NOT_REPRODUCED, ROBUSTNESS, above(2),
          lambda: sum(ranking[0] == "DPExpTheilSen" for ranking in measured.rankings()),
          "DPExpTheilSen is the best algorithm on most of the four real data: on {}.",
          "NoisyStats leads on the simulated state. Tracts and bike share count by their median."),
    Claim("real-order", NOT_REPRODUCED, ROBUSTNESS, at_least(2),
          lambda: sum(tuple(ranking[:3]) == ROBUST for ranking in measured.rankings()[1:]),
          "DPExpTheilSen, DPWideTheilSen and DPSSTheilSen lead most real data in this order: {} of the three public.",
          "Bike share counts by its median. On it and on the nanotubes DPSSTheilSen is ahead of DPWideTheilSen. The "
          "tracts, the fourth data, are not public."),
    Claim("stocks-classes", NOT_REPRODUCED, ROBUSTNESS, below(1),
          lambda: measured.worst_over_best(measured.stock_ratios(), ROBUST, NON_ROBUST),
          "Robust algorithms beat non-robust ones: on the stock exchange worst over best is {}.",
          "At ε = 2, gradient descent with the paper's hyperparameters."),
    Claim("carbon-product", NOT_REPRODUCED, RESIDUAL, equal(889.222, within=0.001, digits=6),
          lambda: measured.uci_dataset("nanotubes").nvar,
          "At ε = 1 the nanotubes have an ε n var(x) of {}."),
    Claim("carbon-noisy-stats", NOT_REPRODUCED, RESIDUAL, above(1),
          lambda: measured.carbon_ratios(1)[STATS] / measured.carbon_ratios(1)["DPExpTheilSen"],
          "NoisyStats does worse than Theil-Sen on the nanotubes, though ε n var(x) is large: the ratio is {}."),
)

RESULTS_ON_THE_PRODUCT = (
    Claim("panels-ranges", OUR_DEFAULTS, TAKEOVER, equal(30, 10_000, 0.003, 0.03, 0.01, 10),
          lambda: [end for name in ("n", "var_x", "epsilon") for end in measured.ends(VALUES[name])],
          "n, the variance of x and ε vary from and to {}.",
          "As in this project's panels of those figures."),
    Claim("panels-products", OUR_DEFAULTS, PRODUCT, equal(40, 216, 800, within=1e-6),
          lambda: [p.epsilon * p.model.n * p.model.var_x
                   for key, p in PAPER_PANELS.items() if key.endswith("-var_e")],
          "ε n σₓ² is {} in the three pairs of panels.",
          "Of this project's panels. The paper prints no single factor."),
    Claim("panels-sets", OUR_DEFAULTS, TAKEOVER, equal(50, 500, 20, 500),
          lambda: (ALL.full.trials, ALL.full.datasets, PRODUCT_FIGURE.full.trials, PRODUCT_FIGURE.full.datasets),
          "Averages are over trials and data sets of {} with one parameter varied, then with one product.",
          "As in this project's panels. The numbers in this table take fewer data sets: 40 and 100."),
    Claim("best-three", NOT_IN_PRINT, TAKEOVER, at_most(1.25),
          lambda: measured.over_the_best(measured.every_setting(), MATCHED, "DPGDzCDP", STATS).max(),
          "DPExpTheilSen, DPGDzCDP or NoisyStats is always best or close to it: the best of them over the best is {}.",
          "The largest ratio over 30 settings of n, var(x) and ε; 'close' is read as a quarter. What is held fixed "
          "is not printed."),
    Claim("panels-pure-best", NOT_IN_PRINT, WHICH_ROBUST, above(50, unit="%"),
          lambda: measured.share(measured.every_setting().idxmin(axis=1) == MATCHED),
          "DPExpTheilSen outperforms all other private algorithms in the majority of regimes: in {} of them.",
          "Over 10 matchings, gradient descent with the paper's hyperparameters."),
    Claim("threshold-pure", NOT_IN_PRINT, PRODUCT, at_most(1.1),
          lambda: measured.above_the_threshold(without=("DPGDApprox", "DPGDzCDP")),
          "Once ε n σₓ² > 400 and σₑ² ≥ 0.01, NoisyStats is close to the best pure algorithm: error over best is {}.",
          "The worse of n = 10,000 at ε = 2 and of ε n σₓ² = 800 at ε = 8. Theil-Sen over 10 matchings; 'close' is "
          "read as a tenth."),
    Claim("threshold-all", NOT_IN_PRINT, PRODUCT, at_most(1.1), measured.above_the_threshold,
          "Once ε n σₓ² > 400 and σₑ² ≥ 0.01, NoisyStats is close to the best algorithm of all: error over best is {}.",
          "DPGDzCDP, whose guarantee is weaker, is ahead at n = 10,000 and ε = 2."),
    Claim("threshold-ten", NOT_IN_PRINT, PRODUCT, at_most(1.1),
          lambda: measured.ratios(measured.large_products(), STATS, MATCHED).max(),
          "From ε n σₓ² = 400 on NoisyStats is close to DPExpTheilSen10Match or ahead: its error over that one's is "
          "{}.",
          "The largest ratio at 400, 800 and 1,600, at ε = 8 and σₑ² = 0.01; 'close' is read as a tenth."),
    Claim("threshold-all-pairs", NOT_IN_PRINT, PRODUCT, at_most(1.1),
          lambda: measured.ratios(measured.large_products(), STATS, "DPExpTheilSen").max(),
          "From ε n σₓ² = 400 on NoisyStats is close to DPExpTheilSen over all pairs, or ahead: error over error is "
          "{}.",
          "The paper measured 10 matchings and takes them for all pairs, over which Theil-Sen is better."),
    Claim("threshold-indicator", NOT_IN_PRINT, PRODUCT, at_most(1.25, unit="-fold"), measured.spread_at_one_product,
          "ε n σₓ² is the main indicator of the better one: at 200, however made, the ratios of errors differ by {}.",
          "At ε = 8, 2 and 0.5. In standard errors the noise of NoisyStats falls with ε √n σₓ σₑ. Ten times the "
          "records do not make up for a tenth of ε."),
    Claim("rates", ERROR_IN_PRINT, PRODUCT, equal(-0.5, -0.5, within=0.06),
          lambda: np.diff(np.log(measured.deviations()), axis=0)[0] / math.log(800 / 50),
          "The errors of OLS and Theil-Sen fall with n at the same rate: the powers of n are {}.",
          "From n = 50 to 800, over 300 data sets."),
    Claim("constant-factor", NOT_IN_PRINT, PRODUCT, between(1, 1.2),
          lambda: measured.deviations()[:, 1] / measured.deviations()[:, 0],
          "OLS is a constant factor better than Theil-Sen: at n = 50 and at n = 800 the factor is {}.",
          "Over all pairs. The paper gives no factor; for normal errors it is small."),
    Claim("noise-below-gap", NOT_IN_PRINT, PRODUCT, below(1), measured.noise_over_gap,
          "At large ε n σₓ² the noise of NoisyStats is below the distance of OLS and Theil-Sen: the ratio is {}.",
          "At ε n σₓ² = 800, Theil-Sen over 10 matchings."),
)

RESULTS_ON_ROLES = (
    Claim("residual-small-product", NOT_IN_PRINT, RESIDUAL, above(1),
          lambda: measured.ratios(measured.means(measured.panel("40-var_e")), STATS, MATCHED).min(),
          "At ε n σₓ² = 40 Theil-Sen is better for all σₑ²: the error of NoisyStats over its error is {}.",
          "The smallest ratio for σₑ² from 0.0001 to 0.03, DPExpTheilSen over 10 matchings."),
    Claim("residual-cross-over", NOT_IN_PRINT, RESIDUAL, at_most(0.01), measured.cross_over,
          "At ε n σₓ² = 800 there is a clear cross-over: NoisyStats is ahead from a σₑ² of {} on.",
          "By the rule that NoisyStats is ahead from 0.01 on."),
    Claim("residual-small", NOT_IN_PRINT, RESIDUAL, above(1),
          lambda: measured.ratios(measured.means(measured.panel("800-var_e")), STATS, MATCHED).loc[1e-4],
          "NoisyStats does badly where σₑ² is small: at 0.0001 its error over that of Theil-Sen is {}.",
          "At ε n σₓ² = 800."),
    Claim("point-best", NOT_IN_PRINT, POINT, equal(*[0.5] * 6, within=0.1001),
          lambda: [measured.errors_by_point(p)[name].idxmin() for p in PRODUCTS for name in (STATS, MATCHED)],
          "The error is smallest at the mean of x: the best x_new is {}.",
          "NoisyStats and DPExpTheilSen at ε n σₓ² = 40, 216 and 800, on a grid of 0.1."),
    Claim("point-order", NOT_IN_PRINT, POINT, at_least(90, unit="%"),
          lambda: 50 + np.mean([abs(measured.share_in_order(measured.errors_by_point(p), STATS, MATCHED) - 50)
                                for p in PRODUCTS]),
          "x_new rarely changes the order of NoisyStats and DPExpTheilSen: it is the same at {} of all x_new.",
          "Of 11 points at each of three products. Near the mean of x NoisyStats wins at 40 too; 'rarely' is one in "
          "ten."),
    Claim("point-noisy-stats", NOT_IN_PRINT, POINT, above(1),
          lambda: measured.growth(40, STATS) / measured.growth(40, MATCHED),
          "NoisyStats suffers most from a far x_new: the growth of its error over that of DPExpTheilSen is {}.",
          "From x = 0.5 to 0 at ε n σₓ² = 40."),
    Claim("point-product", NOT_IN_PRINT, POINT, above(1),
          lambda: measured.growth(40, STATS) / measured.growth(800, STATS),
          "x_new matters more where ε n var(x) is small: growth at 40 over growth at 800 is {}.",
          "The error of NoisyStats at x = 0 over that at 0.5."),
)

RESULTS_ON_TUNING = (
    Claim("carbon-wide-range", NOT_REPRODUCED, TUNING, below(1),
          lambda: measured.worst_over_best(measured.carbon_ratios(0.01, -50, 50), NON_ROBUST, ROBUST),
          "On the nanotubes at ε = 0.01 with [−50, 50] all non-robust algorithms win: worst over best robust one is "
          "{}.",
          "NoisyStats and three versions of gradient descent against three of Theil-Sen with one matching."),
    Claim("carbon-large-epsilon", NOT_REPRODUCED, TUNING, at_most(1.1),
          lambda: measured.carbon_ratios(1, -50, 50)["DPExpTheilSen"] / measured.carbon_ratios(1)["DPExpTheilSen"],
          "At large ε the range hardly matters: at ε = 1 one 50 times wider costs a factor of {}."),
    Claim("carbon-uniform", NOT_REPRODUCED, TUNING, equal(1, within=0.1),
          lambda: measured.carbon_ratios(0.01, -50, 50)["DPExpTheilSen"]
          * measured.standard_error(measured.uci_dataset("nanotubes")) / (0.68 * 50),
          "At ε = 0.01 DPExpTheilSen is nearly uniform on its range: C(68) over that of a uniform draw is {}."),
    Claim("smooth-rarely", NOT_REPRODUCED, WHICH_ROBUST, at_most(10, unit="%"),
          lambda: measured.share_in_order(measured.bike_errors(10.0), ROBUST[2], ROBUST[:2]),
          "DPSSTheilSen rarely beats the other two: on {} of bike share at ε = 10.",
          "'Rarely' is read as one in ten."),
    Claim("widened-significantly", NOT_REPRODUCED, WHICH_ROBUST, at_most(0.5),
          lambda: measured.ratios(measured.bike_errors(2.0).nsmallest(14, "standard_error"), *ROBUST[1::-1]).median(),
          "DPWideTheilSen can significantly beat DPExpTheilSen at small standard errors: the ratio of errors is {}.",
          "Bike share at ε = 2 and θ = 0.01, the median of the 14 sets with the smallest standard errors; read as "
          "half."),
    Claim("carbon-theta", NOT_REPRODUCED, WHICH_ROBUST, above(10),
          lambda: DPWideTheilSen().theta / measured.standard_error(measured.uci_dataset("nanotubes")),
          "θ = 0.01 is much larger than the standard error of the nanotubes: the ratio is {}."),
    Claim("carbon-widened", NOT_REPRODUCED, WHICH_ROBUST, above(1),
          lambda: measured.carbon_ratios(1)["DPWideTheilSen"] / measured.carbon_ratios(1)["DPExpTheilSen"],
          "With that θ DPWideTheilSen performs poorly on the nanotubes: its error over that of DPExpTheilSen is {}."),
)

RESULTS_ON_NON_ROBUST = (
    Claim("descent-order", NOT_IN_PRINT, WHICH_NON_ROBUST, equal(100, unit="%"),
          lambda: measured.share_in_order(measured.every_setting(), "DPGDzCDP", "DPGDApprox", "DPGDPure"),
          "DPGDzCDP is better than DPGDApprox, and this than DPGDPure: in {} of the settings.",
          _PANELS + " At the smallest n and ε clipping makes all three alike."),
    Claim("descent-behind", NOT_IN_PRINT, WHICH_NON_ROBUST, equal(100, unit="%"),
          lambda: min(measured.share_in_order(measured.every_setting(), STATS, name) for name in DESCENTS[:2]),
          "NoisyStats is better than DPGDPure and DPGDApprox: in {} of the settings.",
          "At small n and small ε NoisyStats often fails, and its error is infinite. " + _PANELS),
    Claim("descent-ahead", NOT_IN_PRINT, WHICH_NON_ROBUST, equal(100, unit="%"),
          lambda: measured.share_in_order(measured.every_setting(), "DPGDzCDP", STATS),
          "DPGDzCDP is consistently better than NoisyStats: in {} of the settings.",
          _PANELS),
    Claim("descent-gap", NOT_IN_PRINT, WHICH_NON_ROBUST, at_most(1.5),
          lambda: measured.ratios(measured.large_products_of_non_robust(), STATS, "DPGDzCDP").max(),
          "The gap is small where non-robust algorithms win: the error of NoisyStats over that of DPGDzCDP is {}.",
          "The largest ratio at ε n σₓ² = 400, 800 and 1,600, at ε = 8; 'small' is read as a half."),
    Claim("descent-fair", NOT_IN_PRINT, WHICH_NON_ROBUST, at_most(1.1),
          lambda: measured.ratios(measured.large_products_of_non_robust(), "NoisyStatsGaussian", "DPGDzCDP").max(),
          "With Gaussian noise in NoisyStats the advantage of DPGDzCDP nearly goes: the ratio of errors is {}.",
          "The largest ratio at ε n σₓ² = 400, 800 and 1,600, at ε = 8; the paper omits the experiment."),
    Claim("limit-noisy-stats", ERROR_IN_PRINT, BIAS, at_most(0.01), lambda: measured.limit(NoisyStats()),
          "NoisyStats approaches OLS as ε grows: at ε = 10⁹ the distance in standard errors is {}."),
    Claim("limit-descent", ERROR_IN_PRINT, BIAS, at_most(0.01), lambda: measured.limit(DPGDPure().as_in_paper()),
          "Gradient descent approaches OLS as ε grows: at ε = 10⁹ the distance in standard errors is {}.",
          "After the paper's 80 steps, at n = 250."),
    Claim("limit-theil-sen", ERROR_IN_PRINT, BIAS, at_most(0.01), lambda: measured.limit(DPExpTheilSen()),
          "DPExpTheilSen approaches Theil-Sen as ε grows: at ε = 10⁹ the distance in standard errors is {}."),
    Claim("unbiased", ERROR_IN_PRINT, BIAS, equal(0, 0, within=0.2),
          lambda: measured.estimates(BIASED, 300).mean(axis=0) / BIASED.standard_error(AT),
          "OLS and Theil-Sen are unbiased: on average their distances from the true line, in standard errors, are {}.",
          "Over 300 data sets; three standard deviations of the mean are 0.17."),
)

APPENDIX = (
    Claim("size-law", NOT_PUBLIC, TRACTS, equal(219_594 / 3108, within=3), lambda: measured.sizes().mean(),
          "Tracts of size ⌊Exp(52) + 20⌋ match the real ones, whose average is {} people.",
          "The paper's people over its tracts, against the simulated mean."),
    Claim("lognormal", ERROR_IN_PRINT, TRACTS, equal(1, 1, within=1e-9), printed.lognormal_moments,
          "The printed parameters give incomes the mean and the variance they should have: the ratios are {}."),
    Claim("two-decimals", NOT_PUBLIC, TRACTS, equal(100),
          lambda: len(np.unique(np.concatenate([data.x for data in measured.tracts()]))),
          "Ranks are rounded up to two decimals: there are {} different ones."),
    Claim("coarse-grid", NOT_PUBLIC, "Appendix, Maximum Observed Sensitivity", at_most(1), measured.coarse_over_fine,
          "The 11 × 11 grid gives a lower bound of the sensitivity: over that of a 101 × 101 grid it is {}.",
          "The largest ratio over 50 tracts."),
    Claim("lemma-sensitivities", ERROR_IN_PRINT, f"{PROOF}, lemma", equal(0.8, 0.8, within=1e-9),
          printed.largest_changes,
          "nvar(x) and ncov(x, y) have global sensitivity 1 − 1/n: at n = 5 they have {}.",
          "Over all records with x and y in {0, 1/2, 1}; both are attained."),
    Claim("intercept-sensitivity", ERROR_IN_PRINT, PROOF, equal(0.3, within=1e-9),
          lambda: np.ptp([y - 0.5 * x for x in (0, 1) for y in (0, 1)]) / 5,
          "Given the slope, the intercept has sensitivity (1 + |slope|)/n: at slope 0.5 and n = 5 it has {}."),
    Claim("footnote-means", ERROR_IN_PRINT, f"{PROOF}, footnote", at_most(0.5),
          lambda: noise_loss([1.0, 1.0], PureDP(0.5)),
          "Noise of Lap(0, 1/n) on each makes the two means ε-private: at ε = 0.5 their loss is {}.",
          "ε is missing in the footnote: either mean moves by one scale of its noise, so the loss is 2 whatever ε is."),
    Claim("theta-varies", NOT_IN_PRINT, "Appendix, Sensitivity of Hyperparameter (θ)", at_least(10, count=3),
          measured.theta_spreads,
          "The error of DPWideTheilSen varies very largely with θ on concentrated data: worst over best is {}.",
          "At ε = 2, 4 and 8, which is not in print; θ from 10⁻⁶ to 1, as in the figure of θ here. 'Very largely' is"
          " read as tenfold."),
    Claim("beta-half", NOT_IN_PRINT, f"{SMOOTH_PROOFS}, Sensitivity of Hyperparameters", at_most(1.25),
          measured.beta_half,
          "β = 0.5 is a good choice for DPSSTheilSen: its error over the smallest is {}.",
          "n = 30, x ~ N(0.5, 10⁻⁴), errors of deviation 0.005, at ε = 2, which is not printed."),
    Claim("zcdp-to-approximate", ERROR_IN_PRINT, f"{DESCENT_PROOFS}, lemma on (ε, δ)", at_most(1e-6),
          lambda: gaussian_delta(1.0, printed.printed_epsilon(0.5, 1e-6)),
          "The lemma's ε is enough: at ρ = 1/2 and its ε for δ = 10⁻⁶ the exact δ is {}.",
          "Correct and loose: the lemma says 5.80 where 4.89 is enough, which is what runs here."),
    Claim("zcdp-any-delta", ERROR_IN_PRINT, f"{DESCENT_PROOFS}, lemma on (ε, δ)",
          at_least(gaussian_epsilon(math.sqrt(0.02), 0.5)), lambda: printed.printed_epsilon(0.01, 0.5),
          "The lemma holds for any ρ and δ: at ρ = 0.01 and δ = 0.5 its ε is {}.",
          "It takes the root of a negative number where δ exceeds √(πρ). There ε = 0 is enough."),
)

FAILURES = (
    Claim("failure-alone", ERROR_IN_PRINT, FAILURE, equal(0, unit="%"), measured.failure_of_the_others,
          "NoisyStats alone can fail: the others fail in {} of the releases.",
          "By their exact laws, on 30 records at ε = 0.01, and over 200 releases of gradient descent."),
    Claim("failure-low", ERROR_IN_PRINT, FAILURE, equal(40, within=5, unit="%"),
          lambda: measured.failure(*SMALL_TRACT, POWERS),
          "NoisyStats fails in about {} of the releases at n var(x) = 0.0245 and n = 39, for any ε.",
          "Over ε = 2⁻⁷ to 8 it falls from 50% to 46.8%, exp(−n var(x) ε / (3(1 − 1/n)))/2."),
    Claim("failure-high-illinois", NOT_IN_PRINT, FAILURE, below(5, unit="%"),
          lambda: measured.failure(*ILLINOIS_TRACT, POWERS),
          "NoisyStats fails in {} on average over ε at n var(x) = 28.002 and n = 381 in Illinois.",
          "Over the powers of 2 from 2⁻⁷ to 8. Over evenly spaced ε it holds."),
    Claim("failure-high-north", NOT_IN_PRINT, FAILURE, below(5, unit="%"),
          lambda: measured.failure(*CAROLINA_TRACT, POWERS),
          "NoisyStats fails in {} on average over ε at n var(x) = 31.154 and n = 433 in North Carolina.",
          "Over the powers of 2 from 2⁻⁷ to 8. Over evenly spaced ε it holds."),
    Claim("failure-even", NOT_IN_PRINT, FAILURE, below(5, unit="%"),
          lambda: measured.failure(*ILLINOIS_TRACT, np.linspace(2.0**-7, 8, 1001)),
          "NoisyStats fails in {} on average over ε evenly spaced at n var(x) = 28.002 and n = 381 in Illinois.",
          "From 2⁻⁷ to 8. Which spacing the paper averages over is not said."),
    Claim("failure-majority", NOT_PUBLIC, FAILURE, above(50, unit="%"),
          lambda: measured.share([measured.failure(data.nvar, data.n, 8.0) < 0.5 for data in measured.tracts()]),
          "At ε = 8 no release in 100 fails in the majority of tracts: in {} of them.",
          "Tracts with a failure rate below 0.5%, half a failure in 100. On the appendix's simulated state."),
    Claim("failure-tracts", NOT_PUBLIC, FAILURE, at_most(12, unit="%"),
          lambda: max(measured.failure(data.nvar, data.n, 8.0) for data in measured.tracts()),
          "At ε = 8 the failure rate is {} in every tract of Illinois.",
          "The worst of 3,108 simulated tracts, as small in n var(x) as the paper's."),
    Claim("failure-printed-tract", ERROR_IN_PRINT, FAILURE, at_most(12, unit="%"),
          lambda: measured.failure(*SMALL_TRACT, 8.0),
          "At ε = 8 the failure rate is {} in the tract of Illinois with n var(x) = 0.0245 and n = 39.",
          "The tail of the Laplace noise. The paper's own 40% of this tract contradicts the 12% as well."),
    Claim("failure-small", ERROR_IN_PRINT, PRODUCT, at_least(10, unit="%"), lambda: measured.failure(1.0, 250, 1.0),
          "At small ε n var(x) the noisy n var(x) has constant mass below 0: at ε n var(x) = 1 it has {}."),
    Claim("failure-large", ERROR_IN_PRINT, PRODUCT, at_most(1e-3, unit="%"), lambda: measured.failure(40.0, 250, 1.0),
          "At large ε n var(x) the noisy one has hardly any mass below 0: at ε n var(x) = 40 it has {}."),
)

# A section is the work of one process: its claims share measurements.
SECTIONS: tuple[tuple[Claim, ...], ...] = (
    INTRODUCTION, SUFFICIENT_STATISTICS, THEIL_SEN, SMOOTH_SENSITIVITY, EXPERIMENTAL_OUTLINE, RESULTS_ON_REAL_DATA,
    RESULTS_ON_THE_PRODUCT, RESULTS_ON_ROLES, RESULTS_ON_TUNING, RESULTS_ON_NON_ROBUST, APPENDIX, FAILURES,
)
# fmt: on
CLAIMS = tuple(claim for section in SECTIONS for claim in section)
