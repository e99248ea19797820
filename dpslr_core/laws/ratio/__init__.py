"""Exact laws of predictions from a noisy slope (ncov + E1) / (nvar + E2), given that nvar + E2 > 0.

In units of their noise, the slope is sign unit s with s = (numerator + E1) / (denominator + E2), sign that of ncov. The
prediction at x is y_mean + sign s (x - x_mean) + scale (1 + |s|) E, as the sensitivity of the intercept grows with |s|
(the lemma on its sensitivity). Put w = s / (1 + |s|): the heavy tails of s end at w = -1 and 1, and "prediction <= t"
says E <= z, for unit = 1 (one scale for both noises), with

    z = ((t - y_mean) (1 - |w|) - sign (x - x_mean) w) / scale,    so    cdf(t) = integral of f(w) P(E <= z) dw.

z is linear in w on either side of 0, and the density f of w is a closed form for Laplace and for Gaussian noise
(``density``). Gauss-Legendre panels, short where f bends (``panels``), serve every t and x; a panel on which z changes
sign, or changes much, is cut and integrated again (``quadrature``). Against cancellation, s is measured from
reference = numerator / denominator (0 where noise drowns the denominator) and w from w* = numerator / (numerator +
denominator), where the density peaks if there is little noise:

    z = steps (1 - |w|) - pull lever,    steps = (t - origin) / scale,    pull = sign (x - x_mean) / scale,
    lever = (s - reference) (1 - |w|),    origin = y_mean + sign reference (x - x_mean).

For other units pull and x - x_mean in origin are times unit, and z is over the breadth, 1 - |w| + unit |w|: a ratio of
two functions that are linear in w on either side of 0.
"""

from .law import noisy_slope_laws

__all__ = ["noisy_slope_laws"]
