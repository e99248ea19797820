"""The sentences of Start, on the errors that its pictures show."""

from __future__ import annotations

from math import isinf

import pandas as pd

from .phrases import format_amount


def start_headline(n: int, epsilon: float, errors: pd.Series) -> str:
    """State how much closer the first algorithm is than the second.

    Parameters
    ----------
    n : int
        Number of people.
    epsilon : float
        Budget.
    errors : Series
        Errors of both algorithms by name, in standard errors.
    """
    (best, simplest), (first, second) = errors.index, errors
    closer = format_amount(second / first, 2)
    answer = f"Same people, same privacy: {best} is {closer} times closer than {simplest}."
    return f"{answer} That is for {n} people and ε = {epsilon:g}."


def error_label(ratio: float) -> str:
    """Write an error, given in standard errors, as a label beside the name of its algorithm."""
    if isinf(ratio):
        return "no line in 3 of 10 releases or more"
    return f"error: {format_amount(ratio, 2)} × the sampling error"


def picture_sentence(n: int, epsilon: float, errors: pd.Series) -> str:
    """State what both pictures show at first, with arguments as in `start_headline`."""
    labels = "; ".join(f"{name}, {error_label(ratio)}" for name, ratio in errors.items())
    return (
        f"The same {n} people twice, ε = {epsilon:g}: the line without privacy, its sampling "
        "error and six private "
        f"lines. {labels}. The sliders move both pictures."
    )
