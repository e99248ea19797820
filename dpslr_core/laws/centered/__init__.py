"""Exact laws of predictions from noisy centred sums, with a flat line where the noisy n var(x) is not positive.

Let u = x - 1/2 and w = y - 1/2. The sums over the records of (u, w, u^2, uw) are released with independent noises
N = (Nu, Nw, Nuu, Nuw); q and wbar are the noisy means of u and w, V = Tuu - n q^2, C = Tuw - n q wbar, and

    p = 1/2 + wbar + g C (z - q),    z = x - 1/2,    g = 1 / V (V / (V^2 + s^2) with ridge), 0 where V <= 0.

q and V depend on Nu and Nuu alone. As C = (Tuw - q Tw), p is linear in the other two once q and V are known:

    p = 1/2 + Tw (1/n - q L) + Tuw L,    L = g (z - q),

whose centre is 1/2 + mean w + L (ncov - Nu mean w), and whose noise is that of two independent ones with scales
|1/n - q L| s_w and |L| s_uw: its tails are a closed form, for Laplace and for Gaussian noise (``noises``). So cdf(t) is
the average of these tails over the law of (q, V), by Gauss-Legendre panels first in Nu and then, given Nu, in V
(``nodes``, ``panels``). They are cut at the kinks of both densities and where V = 0, and are short where V is small,
where z - q changes sign and where the centre moves by several scales. Where V = 0 is out of reach, and the average over
the other noises is smooth in Nu, the few nodes of Gauss-Laguerre or Gauss-Hermite quadrature replace the panels in Nu.
Weights are positive and the same for all t: the quadrature is itself a law (``law``). V <= 0 adds the law of 1/2 + wbar
with mass P(V <= 0), a one-dimensional integral.
``mixture.ClippedLaw`` has the law of a prediction that is moved into [lower, upper].
"""

from .law import centered_laws, slope_per_covariance
from .noises import Kind

__all__ = ["Kind", "centered_laws", "slope_per_covariance"]
