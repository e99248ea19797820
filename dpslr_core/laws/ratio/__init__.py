"""Exact laws of predictions from a noisy slope s = (ncov + E1) / (nvar + E2), given that nvar + E2 > 0.

Divide both by the scale of their noise: s = sign (numerator + E1) / (denominator + E2) with E1, E2 of scale one. The
prediction at x is y_mean + s (x - x_mean) + scale (1 + |s|) E3, by Lemma 12 with noise that grows with the slope.
Take w = s / (1 + |s|), which maps the heavy tails of s to the ends of (-1, 1). Then "prediction <= t" says E3 <= z with

    z(w, t) = ((t - y_mean) (1 - |w|) - (x - x_mean) w) / scale,

linear in w on either side of 0, and cdf(t) is the integral over -1 < w < 1 of f(w) P(E3 <= z(w, t)). The density f is
a closed form for Laplace and for Gaussian noise (``density``). Gauss-Legendre panels, short where f bends (``panels``),
serve every t and every x; a panel on which z changes sign or too much is cut once more (``quadrature``). To avoid
cancellation, slopes are measured from the reference numerator / denominator, and w from w* = numerator / total, where
total = numerator + denominator. The code calls z at w = 0 "steps", its slope "pull", and (s - reference) (1 - |w|)
"lever": z = steps (1 - |w|) - pull lever.
"""

from .law import noisy_slope_laws

__all__ = ["noisy_slope_laws"]
