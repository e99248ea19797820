"""Claims of the appendix: how tracts are made, the deployed method, sensitivities, hyperparameters."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product

import numpy as np

from ....experiments.errors import measure
from ....mechanisms import DPSSTheilSen, MaximumObservedSensitivity
from ....privacy import PureDP, gaussian_delta, gaussian_epsilon, noise_loss
from ....sources.linear import LinearModel
from ....support.run import QUARTERS, Budget, Run
from ...figures.synthetic import THETA_FIGURE
from .. import measured
from ..claim import Claim, Kind, at_least, at_most, equal
from ..settings import SEED

TRACTS, OBSERVED = "Appendix, Data Generating Process", "Appendix, Maximum Observed Sensitivity"
PROOF = "Appendix NoisyStats, Privacy Proof"


def lognormal_moments() -> tuple[float, float]:
    """Mean and variance of a lognormal variable with the printed parameters, over those it is meant to have."""
    mean, variance = 68_000.0, 4 * 25_000.0**2
    location = 2 * math.log(mean) - 0.5 * math.log(variance + mean**2)
    spread = -2 * math.log(mean) + math.log(variance + mean**2)
    expectation = math.exp(location + spread / 2)
    return expectation / mean, (math.exp(spread) - 1) * expectation**2 / variance


def ranks_with_two_decimals() -> float:
    """How many different x there are in the simulated state."""
    return len(np.unique(np.concatenate([data.x for data in measured.state().datasets.values()])))


def coarse_over_fine() -> float:
    """The observed sensitivity on the 11 x 11 grid over that on one of 101 x 101, the smallest of 50 tracts."""
    tracts = list(measured.state().datasets.values())[:50]
    coarse, fine = (
        np.array([MaximumObservedSensitivity(grid=grid).observed_sensitivity(data, QUARTERS[0])[0] for data in tracts])
        for grid in (11, 101)
    )
    return float((coarse / fine).max())


def largest_changes() -> tuple[float, float]:
    """The largest change of nvar and ncov as one of 5 records moves, over all records with x and y in {0, 1/2, 1}."""
    records = list(product((0.0, 0.5, 1.0), repeat=2))
    nvar = ncov = 0.0
    for rest in combinations_with_replacement(records, 4):
        x, y = np.transpose([(*rest, record) for record in records], (2, 0, 1))
        x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
        nvar, ncov = max(nvar, float(np.ptp((x * x).sum(axis=1)))), max(ncov, float(np.ptp((x * y).sum(axis=1))))
    return nvar, ncov


def intercept_change() -> float:
    """The largest change of mean y - 0.5 mean x as one of 5 records moves between corners of the unit square."""
    heights = [y - 0.5 * x for x, y in product((0.0, 1.0), repeat=2)]
    return (max(heights) - min(heights)) / 5


def printed_epsilon(rho: float, delta: float) -> float:
    """The epsilon of the lemma on rho-zCDP and (epsilon, delta); NaN where its root is of a negative number."""
    inside = 4 * rho * math.log(math.sqrt(math.pi * rho) / delta)
    return rho + math.sqrt(inside) if inside >= 0 else math.nan


def theta_spreads() -> tuple[float, ...]:
    """The largest over the smallest mean error of DPWideTheilSen over theta, in each panel of the figure of theta."""
    errors = THETA_FIGURE.compute(THETA_FIGURE.settings()).query("algorithm == 'DPWideTheilSen'")
    return tuple(float(mean.max() / mean.min()) for _, mean in errors.groupby("panel", sort=False)["mean"])


def beta_half() -> float:
    """The mean C(68) of DPSSTheilSen about OLS at beta 0.5 over the smallest for beta from 0.05 to 0.95."""
    model, budget = LinearModel(30, 1e-4, 25e-6, x_shape="normal"), Budget(2.0)
    mechanisms = [DPSSTheilSen(beta=beta) for beta in (0.5, *np.linspace(0.05, 0.95, 19).tolist())]
    sets = [model.replicate(SEED, number) for number in range(50)]
    mean = np.mean([[measure(data, m, budget, Run())[0].c68 for m in mechanisms] for data in sets], axis=0)
    return float(mean[0] / mean.min())


CLAIMS = (
    Claim(
        "size-law",
        TRACTS,
        "Tracts of size ⌊Exp(52) + 20⌋ match the real ones, whose average is {} people.",
        equal(219_594 / 3108, within=3),
        lambda: float(measured.sizes_and_nvars()[0].mean()),
        "The paper's people over its tracts, against the simulated mean.",
        otherwise=Kind.NOT_PUBLIC,
    ),
    Claim(
        "lognormal",
        TRACTS,
        "The printed parameters give incomes the mean and the variance they should have: the ratios are {}.",
        equal(1, 1, within=1e-9),
        lognormal_moments,
    ),
    Claim(
        "two-decimals",
        TRACTS,
        "Ranks are rounded up to two decimals: there are {} different ones.",
        equal(100),
        ranks_with_two_decimals,
        otherwise=Kind.NOT_PUBLIC,
    ),
    Claim(
        "coarse-grid",
        OBSERVED,
        "The 11 × 11 grid gives a lower bound of the sensitivity: over that of a 101 × 101 grid it is {}.",
        at_most(1),
        coarse_over_fine,
        "The largest ratio over 50 tracts.",
        otherwise=Kind.NOT_PUBLIC,
    ),
    Claim(
        "lemma-sensitivities",
        f"{PROOF}, lemma",
        "nvar(x) and ncov(x, y) have global sensitivity 1 − 1/n: at n = 5 they have {}.",
        equal(0.8, 0.8, within=1e-9),
        largest_changes,
        "Over all records with x and y in {0, 1/2, 1}; both are attained.",
    ),
    Claim(
        "intercept-sensitivity",
        PROOF,
        "Given the slope, the intercept has sensitivity (1 + |slope|)/n: at slope 0.5 and n = 5 it has {}.",
        equal(0.3, within=1e-9),
        intercept_change,
    ),
    Claim(
        "footnote-means",
        f"{PROOF}, footnote",
        "Noise of Lap(0, 1/n) on each makes the two means ε-private: at ε = 0.5 their loss is {}.",
        at_most(0.5),
        lambda: noise_loss([1.0, 1.0], PureDP(0.5)),
        "ε is missing in the footnote: either mean moves by one scale of its noise, so the loss is 2 whatever ε is.",
    ),
    Claim(
        "theta-varies",
        "Appendix, Sensitivity of Hyperparameter (θ)",
        "The error of DPWideTheilSen varies very largely with θ on concentrated data: worst over best is {}.",
        at_least(10, count=3),
        theta_spreads,
        "At ε = 2, 4 and 8, which is not in print; θ from 10⁻⁶ to 1, as in the figure of θ here. "
        "'Very largely' is read as tenfold.",
        otherwise=Kind.NOT_IN_PRINT,
    ),
    Claim(
        "beta-half",
        "Appendix DPSSTheilSen, Sensitivity of Hyperparameters",
        "β = 0.5 is a good choice for DPSSTheilSen: its error over the smallest is {}.",
        at_most(1.25),
        beta_half,
        "n = 30, x ~ N(0.5, 10⁻⁴), errors of deviation 0.005, at ε = 2, which is not printed.",
        otherwise=Kind.NOT_IN_PRINT,
    ),
    Claim(
        "zcdp-to-approximate",
        "Appendix DPGradDescent, lemma on (ε, δ)",
        "The lemma's ε is enough: at ρ = 1/2 and its ε for δ = 10⁻⁶ the exact δ is {}.",
        at_most(1e-6),
        lambda: gaussian_delta(1.0, printed_epsilon(0.5, 1e-6)),
        "Correct and loose: the lemma says 5.80 where 4.89 is enough, which is what runs here.",
    ),
    Claim(
        "zcdp-any-delta",
        "Appendix DPGradDescent, lemma on (ε, δ)",
        "The lemma holds for any ρ and δ: at ρ = 0.01 and δ = 0.5 its ε is {}.",
        at_least(gaussian_epsilon(math.sqrt(0.02), 0.5)),
        lambda: printed_epsilon(0.01, 0.5),
        "It takes the root of a negative number where δ exceeds √(πρ). There ε = 0 is enough.",
    ),
)
