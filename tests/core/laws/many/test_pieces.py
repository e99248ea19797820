"""Laws of constant pieces in one array: each has the cdf, the density and the quantiles that it has alone."""

import numpy as np

from dpslr_core.laws.many.pieces import Pieces
from dpslr_core.laws.piecewise import PiecewiseUniform

RNG = np.random.default_rng(5)
LAWS = [
    PiecewiseUniform(np.append(np.sort(np.round(RNG.random(size), 1)), 1.5), 3 * RNG.normal(size=size))
    for size in (1, 2, 3, 7, 8, 40)
]
PIECES = Pieces.of([law.edges for law in LAWS], [law._cumulative for law in LAWS])


def test_the_cdf_and_the_density_are_those_of_each_alone():
    for number, law in enumerate(LAWS):
        t = np.concatenate([law.edges[law.edges < law.edges[-1]], np.linspace(-0.2, 2, 45)])
        cdf, density = PIECES.at(t, np.full(t.size, number))
        np.testing.assert_allclose(cdf, law.cdf(t), rtol=1e-13, atol=1e-15)
        inside = (t >= law.edges[0]) & (t < law.edges[-1])
        np.testing.assert_allclose(density, np.where(inside, np.exp(law.logpdf(t)), 0.0), rtol=1e-9)


def test_quantiles_are_those_of_each_alone():
    q = np.linspace(0, 1, 41)
    for number, law in enumerate(LAWS):
        np.testing.assert_array_equal(PIECES.quantiles(q, np.full(q.size, number)), [law._quantile(each) for each in q])
