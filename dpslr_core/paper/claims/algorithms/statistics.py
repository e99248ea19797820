"""Claims about NoisyStats, NoisyIntercept and gradient descent in the section on algorithms."""

from __future__ import annotations

import math

import numpy as np

from ....audit import worst_loss
from ....experiments.sweep.batches import run_sweep
from ....experiments.sweep.plan import plan_sweep
from ....mechanisms import DPGDApprox, DPGDPure, DPGDzCDP, DPSSTheilSen, DPWideTheilSen, NoisyIntercept, NoisyStats
from ....mechanisms.theil_sen.exponential import DPExpTheilSen
from ....privacy import pure_rho, rho_of
from ....sources.linear import LinearModel
from ....support.run import QUARTERS, Budget, Run
from .. import measured, printed
from ..claim import Claim, at_most, below, equal
from ..settings import SEED, TRIALS

STATS, INTERCEPT, DESCENT = (f"Algorithms, {name}" for name in ("NoisyStats", "NoisyIntercept", "DP Gradient Descent"))
_PURE = (DPExpTheilSen(), DPWideTheilSen(), DPSSTheilSen(), NoisyStats())


def noise_deviation() -> float:
    """The standard deviation of the noise on nvar(x) and ncov(x, y) times epsilon, at n = 250."""
    return math.sqrt(2) * float(NoisyStats().noise_scale(1 - 1 / 250, 1.0))


def without_a_slope() -> float:
    """The mean error of NoisyIntercept at slope 0 over the smallest of the paper's other pure algorithms."""
    model = LinearModel(100, 0.02, 0.01, slope=0.0, intercept=0.5)
    plan = plan_sweep("epsilon", [1.0], model, Budget(1.0), [NoisyIntercept(), *_PURE])
    mean = run_sweep(plan, Run(TRIALS, SEED), 40).frame.set_index("mechanism")["mean"]
    return float(mean["NoisyIntercept"] / mean.drop("NoisyIntercept").min())


def gradient_sensitivities() -> tuple[float, float]:
    """The largest L1 and L2 change of a clipped gradient, in units of the clipping bound, over pairs of records."""
    x, residual = np.meshgrid(np.linspace(0, 1, 41), np.linspace(-50, 50, 41))
    gradients = np.clip(2 * residual.ravel() * np.stack([0.75 - x.ravel(), x.ravel() - 0.25]), -1, 1)
    change = gradients[:, :, None] - gradients[:, None, :]
    return float(np.abs(change).sum(axis=0).max()), float(np.sqrt((change**2).sum(axis=0)).max())


def printed_descent_misses() -> float:
    """How far the descent with the printed sign ends from the OLS prediction at x = 0.25, without noise."""
    data = measured.line(250, 0.03, 0.01)
    return abs(float(printed.descent(data, sign=-1.0)[0] - data.predict(QUARTERS[0])[0]))


def corrected_descent_misses() -> float:
    """The same with the sign of this project."""
    data = measured.line(250, 0.03, 0.01)
    return abs(float(printed.descent(data, sign=1.0)[0] - data.predict(QUARTERS[0])[0]))


CLAIMS = (
    Claim(
        "noisy-stats-deviation",
        STATS,
        "The noise on nvar(x) and ncov(x, y) has a standard deviation of about 1/ε: times ε it is {}.",
        equal(1, within=0.5),
        noise_deviation,
        "Laplace noise of scale 3(1 − 1/n)/ε has a standard deviation of 3√2(1 − 1/n)/ε. Algorithm 1 says so. "
        "'About' is read as up to a half.",
    ),
    Claim(
        "noisy-stats-loss",
        f"{STATS}, lemma",
        "NoisyStats is ε-differentially private, noisy statistics included: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(NoisyStats(), 1.0).loss.measured,
        "The worst loss over all neighbours of three records on a grid. The paper's proof covers every data set.",
    ),
    Claim(
        "noisy-intercept-loss",
        INTERCEPT,
        "The mean of y with Laplace noise of scale 1/(εn) is ε-private: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(NoisyIntercept(), 1.0).loss.measured,
        "The bound is attained where y moves from 0 to 1.",
    ),
    Claim(
        "noisy-intercept-flat",
        INTERCEPT,
        "NoisyIntercept performs well where the slope is very small: its error over the best other one is {}.",
        below(1),
        without_a_slope,
        "At slope 0, n = 100, ε = 1, against the paper's other purely private algorithms.",
    ),
    Claim(
        "descent-delta",
        DESCENT,
        "DPGDApprox has δ = {}, which is 2⁻³⁰.",
        equal(2.0**-30),
        lambda: DPGDApprox().delta,
        "The default here.",
    ),
    Claim(
        "zcdp-at-sixteen",
        DESCENT,
        "(ε²/2)-zCDP is only slightly weaker than ε-privacy: at ε = 16 its ρ over the ρ that ε implies is {}.",
        at_most(1.1),
        lambda: rho_of(16) / pure_rho(16),
        "16-differential privacy implies ρ = 16 tanh(8) = 16, and ε²/2 is 128: the noise is 2.83 times too small. "
        "'Slightly' is read as a tenth.",
    ),
    Claim(
        "zcdp-at-one",
        DESCENT,
        "The same at ε = 1: the ρ of (ε²/2)-zCDP over the ρ that ε implies is {}.",
        at_most(1.1),
        lambda: rho_of(1) / pure_rho(1),
        "For small ε the paper's choice is fair.",
    ),
    Claim(
        "descent-sensitivity",
        "Appendix DPGradDescent, proofs",
        "One record moves a sum of clipped gradients by {} clipping bounds in L1 and in L2.",
        equal(4, 2 * math.sqrt(2), within=1e-9),
        gradient_sensitivities,
        "Both bounds are attained, by residuals of opposite sign at x between 1/4 and 3/4.",
    ),
    Claim(
        "descent-pure-loss",
        "Appendix DPGradDescent, lemma on Algorithm 6",
        "DPGDPure is ε-differentially private: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(DPGDPure().as_in_paper(), 1.0).loss.measured,
        "Over all neighbours of three records on a grid, each step charged as the worst.",
    ),
    Claim(
        "descent-zcdp-loss",
        "Appendix DPGradDescent, lemma on Algorithm 7",
        "DPGDzCDP is (ε²/2)-zCDP: at ε = 1 the worst ρ is {}.",
        at_most(0.5),
        lambda: worst_loss(DPGDzCDP().as_in_paper(), 1.0).loss.measured,
        "Over all neighbours of three records on a grid, each step charged as the worst.",
    ),
    Claim(
        "descent-printed-sign",
        "Appendix DPGradDescent, Algorithms 6 and 7",
        "Without noise, gradient descent as printed ends near OLS: its distance at x = 0.25 is {}.",
        at_most(0.01),
        printed_descent_misses,
        "The step p − γΔ has the wrong sign, as Δ is proportional to y − ŷ: it climbs. Here the step is p + γΔ.",
    ),
    Claim(
        "descent-right-sign",
        "Appendix DPGradDescent, Algorithms 6 and 7",
        "With the sign put right, its distance from OLS is {}.",
        at_most(0.01),
        corrected_descent_misses,
        "After the paper's 80 steps, on a data set of 250 records.",
    ),
)
