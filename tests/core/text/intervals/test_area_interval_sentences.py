"""In how many areas intervals are narrow, in sentences."""

import numpy as np
import pandas as pd
from readable import check_readable

from dpslr_core.text.intervals import area_widths_sentence


def said(*ratios):
    return area_widths_sentence(pd.DataFrame({"ratio": ratios}), "CenteredStats")


def test_the_narrow_ones_are_counted_and_the_median_area_is_told():
    text = said(1.1, 1.9, 2.0, 3.0, 9.0, np.nan)
    assert text == (
        "In 2 of 5 areas the median 95% interval of CenteredStats is less than twice as wide as that of OLS. "
        "In the median area it is 2 times as wide."
    )
    check_readable(text)
    assert said(1.0, 1.0, 1.001).endswith("In the median area it is as wide.")


def test_those_without_two_ends_are_counted():
    assert said(1.5, np.inf, np.inf).endswith("as that of OLS. In 2 most intervals lack an end.")
    assert said(1.5, 1.6, np.inf).endswith("1.6 times as wide. In 1 most intervals lack an end.")


def test_without_a_sampling_error_there_is_nothing_to_compare_with():
    assert said(np.nan).startswith("None of these areas")
