"""Intervals of a release beside the interval of OLS, and how often such intervals held the true line."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from dpslr_core.charts.intervals import interval_bars
from dpslr_core.experiments import coverage, released_intervals
from dpslr_core.experiments.ranking import lead_among
from dpslr_core.intervals.of_release import TEST_REPETITIONS
from dpslr_core.text import intervals as text
from dpslr_core.text.intervals import coverage_sentence
from dpslr_core.text.phrases import SEEDED, joined

from . import show
from .cache import kept, kept_by_origin
from .plain import bullets
from .settings import View, unit_of


def intervals(view: View, at: float, ranked: pd.DataFrame) -> None:
    """Draw the intervals of one release at a point, their usual width, and how often such intervals held the line.

    Parameters
    ----------
    view : View
        Data and settings.
    at : float
        Point, in the unit square.
    ranked : pandas.DataFrame
        Ranking of the algorithms at the point, with their guarantees.
    """
    offering = released_intervals.with_intervals(view.scenario.admitted)
    without = text.without_interval_sentence(ranked, [mechanism.name for mechanism in offering])
    if not offering:
        st.info(joined(text.NONE, without))
        return
    if not view.data.residual_sd > 0:
        st.info("OLS has no sampling error on these data: there is no interval to compare with.")
        return
    private, s = not view.grouped.reproducible, view.scenario
    released = [
        _released(private, view.data, mechanism, s.budget, s.seed, 0) for mechanism in offering
    ]
    rows = pd.concat(released, ignore_index=True)
    guarantees = ranked[["algorithm", "guarantee_class", "guarantee"]]
    rows = rows[rows["at"] == at].merge(guarantees, how="left", on="algorithm")
    rows = text.ranked_by_width(rows)
    low, high = (float(end[0]) for end in released_intervals.ols_interval(view.data, [at]))
    figure = interval_bars(rows, (float(view.data.predict([at])[0]), low, high), view.y)
    summary = text.release_sentence(rows, high - low, view.x, view.y, lead_among(ranked).mechanism)
    unit, own = unit_of(view.y), view.y.from_unit
    table = pd.DataFrame({
        "algorithm": rows["algorithm"],
        f"released{unit}": own(rows["estimate"]),
        f"confidence interval from{unit}": own(rows["low"]),
        f"to{unit}": own(rows["high"]),
        f"sampling error alone ±{unit}": rows["sampling"] * view.y.scale,
        f"privacy interval from{unit}": own(rows["own_low"]),
        f"privacy interval to{unit}": own(rows["own_high"]),
        f"median width{unit}": rows["width"] * view.y.scale,
        "median width / width of OLS": rows["width"] / (high - low),
        "two ends": rows["two_ends"],
        "method": rows["method"],
        "guarantee": rows["guarantee"],
    })  # fmt: skip
    show.chart(figure, summary, table, "intervals", SEEDED)
    p_values = {m.name: _p_value(private, view.data, m, s.budget, s.seed, 0) for m in offering}
    tests = [
        text.slope_sentence(p, name, TEST_REPETITIONS)
        for name, p in p_values.items()
        if p is not None
    ]
    sentences = [
        text.open_sentence(rows), without, *tests, text.LEGEND, text.OWN, *text.remarks(rows),
        *held(zip(rows["algorithm"], rows["method"], strict=True)),
    ]  # fmt: skip
    st.markdown(bullets(sentence for sentence in sentences if sentence))


_p_value = kept_by_origin(120)(released_intervals.slope_p_value)
_released = kept_by_origin(120)(released_intervals.one_release)


def held(intervals: Iterable[tuple[str, str]]) -> list[str]:
    """Return sentences on where the intervals of each algorithm held the true line least often.

    Parameters
    ----------
    intervals : iterable of tuple of str
        Names of an algorithm and of its method.

    Returns
    -------
    list of str
        The sentences; the problem alone if the stored counts are damaged.
    """
    try:
        table = _counted()
    except (OSError, ValueError) as problem:
        return [str(problem)]
    sentences = [coverage_sentence(table, str(name), str(method)) for name, method in intervals]
    return [sentence for sentence in sentences if sentence]


@kept(1, scope="global")
def _counted() -> pd.DataFrame:
    """Load the stored counts of intervals that held the true line."""
    return coverage.load()
