"""Privacy losses by their definitions, summed or integrated: Renyi divergences, trade-off curves, hockey sticks."""

import itertools

import numpy as np
from scipy import integrate, optimize, special, stats

ORDERS = np.concatenate([[1.0], 1 + np.geomspace(0.01, 300, 300)])


def coins(eta, t):
    """Two outcomes whose log ratios are t and t - eta: the pair (P, Q)."""
    p = -np.expm1(t - eta) / -np.expm1(-eta)
    return np.array([p, 1 - p]), np.array([p * np.exp(-t), 1 - p * np.exp(-t)])


def renyi(p, q, orders=ORDERS):
    """D_a(P, Q) of two lists of probabilities, for each order a; that of Kullback and Leibler for a = 1."""
    used = p > 0
    log_p, log_q = np.log(p[used]), np.log(q[used])
    a = orders[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        divergences = np.logaddexp.reduce(a * log_p + (1 - a) * log_q, axis=1) / (orders - 1)
    return np.where(orders == 1, np.sum(p[used] * (log_p - log_q)), divergences)


def rho_of_pair(p, q):
    """The least rho of two lists of probabilities, over many orders and both directions."""
    return max(np.max(renyi(p, q) / ORDERS), np.max(renyi(q, p) / ORDERS))


def curve(p, q):
    """The corners (alpha, beta) of the trade-off curve of two lists of probabilities."""
    order = np.argsort(np.log(p) - np.log(q))[::-1]
    return np.cumsum(q[order])[:-1], np.cumsum(p[order][::-1])[::-1][1:]


def mu_of_pair(p, q):
    """The least mu of two lists of probabilities: G_mu is convex, so that only corners of the curve count."""
    alpha, beta = curve(p, q)
    known = (alpha < 1 - 1e-13) & (beta > 1e-13)  # beyond, sums are rounding
    return float(np.max(stats.norm.isf(alpha[known]) - stats.norm.ppf(beta[known]), initial=0.0))


def laplace_cells(shift, cells=3_001):
    """Probabilities of cells of Lap(1) and of Lap(1) moved by shift; what they lose is a little less."""
    ends = np.concatenate([[-np.inf], np.linspace(-6 - shift, 6 + 2 * shift, cells), [np.inf]])
    both = []
    for middle in (0.0, shift):
        below, above = stats.laplace.cdf(ends - middle), stats.laplace.sf(ends - middle)
        both.append(np.where(ends[:-1] > middle, above[:-1] - above[1:], below[1:] - below[:-1]))
    return both


def laplace_renyi(shift, a):
    """D_a of two Laplace distributions, by quadrature."""

    def integrand(x):
        return np.exp(-a * np.abs(x) - (1 - a) * np.abs(x - shift)) / 2

    ends = [-50.0, 0.0, shift, shift + 50.0]
    total = sum(
        integrate.quad(integrand, *piece, epsabs=0)[0] for piece in itertools.pairwise(ends)
    )
    return np.log(total) / (a - 1)


def gaussian_delta(mu, epsilon):
    """The hockey stick of N(mu, 1) and N(0, 1), by quadrature from where the first is e^epsilon times the second."""
    start = mu / 2 + epsilon / mu

    def integrand(x):
        return stats.norm.pdf(x - mu) - np.exp(epsilon + stats.norm.logpdf(x))

    pieces = [start, start + 0.5, start + 2, start + 8, start + 40]
    return sum(integrate.quad(integrand, *ends, epsabs=0)[0] for ends in itertools.pairwise(pieces))


# ---------------------------------------------------------------- what a release consists of, and what it loses


def drawn(mechanism, epsilon, points):
    """(kind, size) of every draw of one release by the definitions, with default hyperparameters."""
    name, e, m = type(mechanism).__name__, epsilon, points
    sums = {
        "NoisyStats": [("laplace", e / 3)] * 3,
        "NoisyStatsGaussian": [("gaussian", e / 3**0.5)] * 3,
        "CenteredStats": [("laplace", e)],
        "CenteredStatsGaussian": [("gaussian", e)],
        "NoisyIntercept": [("laplace", e)],
    }
    if name in sums:
        return sums[name]
    if name == "DPGDApprox":
        mu = optimize.brentq(
            lambda mu: normal_delta(mu, e) - 2.0**-30, 1e-9, 60, xtol=1e-15, rtol=1e-15
        )
        return [("gaussian", mu / 30**0.5)] * 30
    return {
        "DPExpTheilSen": [("range", e / m)] * m,
        "DPWideTheilSen": [("range", e / m)] * m,
        "DPSSTheilSen": [("pure", e / m)] * m,
        "JointTheilSen": [("range", e)],
        "DPExpTheilSenZCDP": [("range", (8 * (e**2 / 2) / m) ** 0.5)] * m,
        "DPWideTheilSenZCDP": [("range", (8 * (e**2 / 2) / m) ** 0.5)] * m,
        "JointTheilSenZCDP": [("range", (8 * (e**2 / 2)) ** 0.5)],
        "DeepestLine": [("range", e)],
        "DeepestLineZCDP": [("range", (8 * (e**2 / 2)) ** 0.5)],
        "DPGDPure": [("laplace", e / 30)] * 30,
        "DPGDzCDP": [("gaussian", e / 30**0.5)] * 30,
    }[name]


def composed(draws, records):
    """epsilon, rho and mu of draws that are made one after the other, where so many records are replaced."""
    known = {
        "pure": lambda s: (s, s * np.tanh(s / 2), -2 * special.ndtri(1 / (1 + np.exp(s)))),
        "laplace": lambda s: (s, s + np.exp(-s) - 1, -2 * special.ndtri(np.exp(-s / 2) / 2)),
        "range": lambda s: (
            s,
            min(s**2 / 8, s * np.tanh(s / 2)),
            -2 * special.ndtri(1 / (1 + np.exp(s / 2))),
        ),
        "gaussian": lambda s: (np.inf, s**2 / 2, s),
        "concentrated": lambda s: (np.inf, s**2 / 2, np.inf),
    }
    epsilon, rho, mu = zip(*(known[kind](records * size) for kind, size in draws), strict=True)
    return sum(epsilon), sum(rho), sum(each**2 for each in mu) ** 0.5


def normal_delta(mu, epsilon):
    """The hockey stick of N(mu, 1) and N(0, 1), in closed form."""
    return special.ndtr(mu / 2 - epsilon / mu) - np.exp(
        epsilon + special.log_ndtr(-mu / 2 - epsilon / mu)
    )


def concentrated_delta(rho, epsilon):
    """A delta of every rho-zCDP release: the best of many orders (Canonne, Kamath and Steinke 2020)."""
    a = 1 + np.geomspace(1e-4, 1e9, 5_000)
    return np.exp(np.min((a - 1) * (a * rho - epsilon) + (a - 1) * np.log1p(-1 / a) - np.log(a)))


def overspent(losses, promise):
    """By what factor a loss is above what is promised: 1 or less where the promise is kept.

    losses: epsilon, rho and mu, any of which may show that it is kept. promise: ("pure", epsilon), ("zcdp", rho),
    ("gaussian", mu) or ("approx", epsilon, delta).
    """
    (epsilon, rho, mu), (kind, *numbers) = losses, promise
    if kind == "pure":
        return epsilon / numbers[0]
    if kind == "zcdp":
        return min(rho, mu**2 / 2) / numbers[0]
    if kind == "gaussian":
        implied = -2 * special.ndtri(1 / (1 + np.exp(min(epsilon, 700))))
        return min(mu, implied) / numbers[0]
    allowed, delta = numbers
    of_epsilon = (
        (np.exp(epsilon - allowed) - 1) / (np.exp(epsilon - allowed) + np.exp(-allowed))
        if epsilon < 700
        else 1
    )
    return min(of_epsilon, concentrated_delta(rho, allowed), normal_delta(mu, allowed)) / delta
