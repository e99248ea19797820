"""Roots of increasing functions whose slopes jump by many orders of magnitude."""

import numpy as np

from dpslr_core.laws.roots import root_beyond_kinks


def test_roots_behind_cliffs_and_on_plains():
    """Begun on a cliff above 1, where a tiny step proves nothing, with the root far off on the plain below it."""
    shift = np.array([0.5, -0.3, 0.999999])

    def excess(x, which):
        steep = x > 1
        value = np.where(steep, 1e-9 + 1e15 * (x - 1), 1e-9 * x) - 1e-9 * shift[which]
        return 1e9 * value, 1e9 * np.where(steep, 1e15, 1e-9)

    start, ends = np.full(3, 1 + 1e-12), np.full(3, 500.0)
    roots = root_beyond_kinks(excess, start, (-ends, ends), np.zeros(3))
    np.testing.assert_allclose(roots, shift, rtol=1e-9)


def test_a_larger_last_step_leaves_its_square():
    """Where slopes do not jump; and it saves an evaluation."""
    targets, evaluations, roots = np.array([-2.0, 0.1, 1.5]), [], []
    for last_step in (1e-10, 1e-5):

        def excess(x, which, last_step=last_step):
            evaluations.append(last_step)
            return np.sinh(x) - targets[which], np.cosh(x)

        ends = np.full(3, 50.0)
        roots.append(root_beyond_kinks(excess, np.zeros(3), (-ends, ends), np.zeros(3), last_step))
    np.testing.assert_allclose(roots[1], np.arcsinh(targets), rtol=0, atol=1e-9)
    np.testing.assert_allclose(roots[0], np.arcsinh(targets), rtol=0, atol=1e-14)
    assert evaluations.count(1e-5) < evaluations.count(1e-10)


def test_a_leap_saves_an_evaluation_and_leaves_no_more_than_is_expected():
    targets, evaluations, roots = np.linspace(-2.0, 1.5, 9), [], []
    for leap in (0.0, 1e-9):

        def excess(x, which, leap=leap):
            evaluations.append(leap)
            return np.sinh(x) - targets[which], np.cosh(x)

        ends = np.full(9, 50.0)
        guess = np.arcsinh(targets) + 0.01
        roots.append(root_beyond_kinks(excess, guess, (-ends, ends), np.zeros(9), 1e-6, leap))
    np.testing.assert_allclose(*roots, rtol=0, atol=1e-9)
    assert evaluations.count(1e-9) < evaluations.count(0.0)
