"""How wide would an interval be for another n or epsilon, by the public guesses alone?"""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.experiments.how_sure import describing, guessed_widths
from dpslr_core.guidance import Recommendation
from dpslr_core.text.intervals.sentences import guessed_width_sentence
from dpslr_core.text.phrases import format_amount, place_on

from .. import show
from ..plain import plain
from ..settings import View


def draw(recommendation: Recommendation, view: View) -> None:
    """The widths of the first algorithm with centred sums at the first point; nothing where there is none."""
    mechanism = describing((*recommendation.candidates, *recommendation.mechanisms))  # who may be recommended first
    if mechanism is None:
        return
    model, budget = recommendation.model, recommendation.budget
    table = guessed_widths(model, mechanism, budget, 0, recommendation.run.seed)
    sentence = guessed_width_sentence(table, model.n, budget.epsilon, mechanism.name, view.y)
    st.markdown(plain(f"How sure at {place_on(view.x, budget.at[0])}? {sentence}"))
    unit = f", in {view.y.unit}" if view.y.unit else ""
    st.caption(plain(f"Median width of 95% intervals{unit}, for other ε and n; the sampling error is in it."))
    show.numbers(in_units(table, view.y.scale), "guessed_widths", height="content")


def in_units(table: pd.DataFrame, scale: float) -> pd.DataFrame:
    """Widths in the units of y, a row for each epsilon and one for OLS, a column for each n; no number without ends."""
    wide = (table.pivot(index="epsilon", columns="n", values="width") * scale).replace(np.inf, np.nan)
    wide.index = pd.Index([format_amount(epsilon, 4) for epsilon in wide.index])
    wide.loc["OLS, not private"] = table.groupby("n")["ols"].first() * scale
    return wide.rename(columns=lambda n: f"n = {n:,}").rename_axis(index="ε", columns=None).reset_index()
