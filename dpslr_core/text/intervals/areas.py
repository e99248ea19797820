"""How wide intervals are in many small data sets, in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..phrases import format_amount

TWICE = 2.0


def area_widths_sentence(widths: pd.DataFrame, name: str) -> str:
    """In how many areas an algorithm's interval is less than twice as wide as that of OLS, and in the median one.

    widths: of experiments.released_intervals.area_widths.
    """
    ratios = widths["ratio"].dropna()
    if ratios.empty:
        return "None of these areas has a sampling error to compare with."
    count, below, open_ended = len(ratios), int((ratios < TWICE).sum()), int(np.isinf(ratios).sum())
    middle = float(ratios.quantile(0.5, interpolation="higher"))
    said = (
        f"In {below:,} of {count:,} areas the median 95% interval of {name} is less than twice as wide as that of OLS."
    )
    if np.isfinite(middle):
        times = format_amount(middle, 3)
        said += f" In the median area it is {'' if times == '1' else f'{times} times '}as wide."
    return f"{said} In {open_ended:,} most intervals lack an end." if open_ended else said
