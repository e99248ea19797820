"""Claims about NoisyStats, NoisyIntercept and gradient descent in the section on algorithms."""

from __future__ import annotations

import math

import numpy as np

from ....audit import worst_loss
from ....experiments.sweep.batches import run_sweep
from ....experiments.sweep.plan import plan_sweep
from ....mechanisms import DPGDApprox, DPGDPure, DPGDzCDP, DPSSTheilSen, DPWideTheilSen, NoisyIntercept, NoisyStats
from ....mechanisms.theil_sen.exponential import DPExpTheilSen
from ....privacy import pure_rho, rho_of, zcdp_rho
from ....sources.linear import LinearModel
from ....support.run import QUARTERS, Budget, Run
from .. import measured, printed
from ..claim import Claim, Kind, at_most, below, equal
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


def approximate_over_zcdp() -> float:
    """The largest rho that is enough for DPGDApprox over that of DPGDzCDP, epsilon from 0.01 to 16."""
    epsilons = np.geomspace(0.01, 16, 33).tolist()
    return max(zcdp_rho(epsilon, DPGDApprox().delta) / rho_of(epsilon) for epsilon in epsilons)


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
        otherwise=Kind.NOT_IN_PRINT,
    ),
    Claim(
        "descent-delta",
        DESCENT,
        "DPGDApprox has δ = {}, which is 2⁻³⁰.",
        equal(2.0**-30),
        lambda: DPGDApprox().delta,
        "The default here.",
        otherwise=Kind.OUR_DEFAULTS,
    ),
    Claim(
        "descent-strength",
        DESCENT,
        "DPGDApprox promises more than DPGDzCDP, whose ρ is ε²/2: its own ρ over that is {}.",
        below(1),
        approximate_over_zcdp,
        "The largest ratio for ε from 0.01 to 16 at δ = 2⁻³⁰, by the best conversion known. "
        "How much weaker 'slightly weaker' is has no number in print: "
        f"at ε = 16, ε²/2 is {rho_of(16) / pure_rho(16):.3g} times the ρ that ε-privacy implies.",
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
        "The step p − γΔ has the wrong sign, as Δ is proportional to y − ŷ: it climbs. Here the step is p + γΔ, which "
        "approaches OLS.",
    ),
)
