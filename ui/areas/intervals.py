"""How sure is a release in each area? The width of its interval beside that of OLS."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts.areas.widths import area_widths_chart
from dpslr_core.experiments import how_sure
from dpslr_core.intervals import METHODS
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.text.intervals.areas import area_widths_sentence

from .. import show
from ..cache import kept_by_origin
from ..compare.coverage import held
from ..controls import BOUND
from ..plain import bullets, plain
from ..settings import View
from . import runs

NONE = "No chosen algorithm offers intervals at no further budget: CenteredStats does."


def draw(view: View, at: float) -> None:
    """The choice of an algorithm, how wide its intervals are in all areas, and the numbers."""
    offering = how_sure.free_of_charge(view.scenario.admitted)  # the others would take a minute
    if not offering:
        st.info(NONE)
        return
    names = [mechanism.name for mechanism in offering]
    first = how_sure.describing(offering) or offering[0]
    name = str(st.selectbox("Intervals of", names, names.index(first.name), key="area_intervals_of", **BOUND))
    mechanism = offering[names.index(name)]
    widths = _measured(view, at, mechanism)
    sentence = area_widths_sentence(widths, name)
    if not widths["ratio"].notna().any():
        st.markdown(plain(sentence))
        return
    made = f"Medians over {how_sure.AREA_RELEASES} releases in each area."
    note = f"{made} Bars that reach the top are wider than the picture or lack an end. {mechanism.interval_remark}"
    show.chart(area_widths_chart(widths), sentence, _in_units(widths, view), "area_widths", note.strip())
    st.markdown(bullets(held([(name, METHODS[0])])))


def _measured(view: View, at: float, mechanism: Mechanism) -> pd.DataFrame:
    s = view.scenario
    private, place = not view.grouped.reproducible, s.at.index(at)
    parts = [
        _chunk(private, view.grouped, places, mechanism, s.budget, place, s.seed)
        for places in runs.progress(view, f"intervals of {mechanism.name}")
    ]
    return pd.concat(parts, ignore_index=True)


@kept_by_origin(300)
def _chunk(
    grouped: GroupedData, places: tuple[int, int], mechanism: Mechanism, budget: Budget, place: int, seed: int
) -> pd.DataFrame:
    return how_sure.area_widths(runs.between(grouped, places), mechanism, budget, place, seed)


def _in_units(widths: pd.DataFrame, view: View) -> pd.DataFrame:
    """The table of the picture in the units of y, the narrowest first; no number where most intervals lack an end."""
    unit, scale = (f" ({view.y.unit})" if view.y.unit else ""), view.y.scale
    rows = widths.sort_values("ratio", kind="stable", ignore_index=True)
    return pd.DataFrame({
        "area": rows["group"].astype("str"),
        "n": rows["n"],
        "median width / width of OLS": rows["ratio"],
        f"median width{unit}": rows["width"] * scale,
        f"sampling error alone{unit}": rows["sampling"] * scale,
        f"width of OLS{unit}": rows["ols"] * scale,
        "two ends": rows["two_ends"],
    }).replace(np.inf, np.nan)  # fmt: skip
