"""Privacy losses by their definitions, summed or integrated: Renyi divergences, trade-off curves, hockey sticks."""

import itertools

import numpy as np
from scipy import integrate, optimize, stats

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
    total = sum(integrate.quad(integrand, *piece, epsabs=0)[0] for piece in itertools.pairwise(ends))
    return np.log(total) / (a - 1)


def gaussian_delta(mu, epsilon):
    """The hockey stick of N(mu, 1) and N(0, 1), by quadrature from where the first is e^epsilon times the second."""
    start = mu / 2 + epsilon / mu

    def integrand(x):
        return stats.norm.pdf(x - mu) - np.exp(epsilon + stats.norm.logpdf(x))

    pieces = [start, start + 0.5, start + 2, start + 8, start + 40]
    return sum(integrate.quad(integrand, *ends, epsabs=0)[0] for ends in itertools.pairwise(pieces))


def gaussian_mu(epsilon, delta):
    """The mu whose delta at this epsilon it is."""
    return optimize.brentq(lambda mu: gaussian_delta(mu, epsilon) / delta - 1, 0.01 * epsilon, 60, xtol=1e-14)


def gaussian_epsilon(mu, delta):
    """The epsilon at which mu has this delta; 0 where it has less at 0."""
    if gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    return optimize.brentq(lambda epsilon: gaussian_delta(mu, epsilon) / delta - 1, 0, mu * (mu + 40), xtol=1e-13)
