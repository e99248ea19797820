"""Findings: the best newer algorithm against the best of the paper's, over shapes of data and over areas."""

import benchmarks.findings as maker
from dpslr_core.guidance import findings


def test_held_out_settings_are_none_on_which_a_default_was_chosen():
    """No uniform x, no normal errors, no slope of 1/2, no size of the other tables, and seeds that are others."""
    chosen = [(x, e) for x, e in maker.SHAPES if x == "uniform" or e == "normal"]
    assert not {(x, e) for x, e, _ in maker.HELD_OUT} & set(chosen)
    assert {slope for *_, slope in maker.HELD_OUT} == {0.0, 1.0}
    assert not {n for n, _ in maker.HELD_OUT_SIZES} & {n for n, _ in maker.SIZES}
    assert findings.HELD_OUT_SEED > 1_000
