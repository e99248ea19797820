"""Intervals of a release beside the interval of OLS, and how often such intervals hold the true line."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts.intervals import hundred_intervals, interval_bars
from dpslr_core.experiments import coverage, released_intervals
from dpslr_core.experiments.ranking import lead_among
from dpslr_core.intervals.of_release import TEST_REPETITIONS
from dpslr_core.mechanisms import Mechanism
from dpslr_core.text import intervals as text
from dpslr_core.text.intervals import coverage_sentence
from dpslr_core.text.phrases import SEEDED, joined

from . import show
from .cache import kept, kept_by_origin
from .inputs import Allowed, number_box
from .link import bound
from .plain import bullets, plain
from .settings import View, unit_of

MOST_SHOWN = 50  # releases that can be drawn one by one
MOST_SIMULATED = 20_000  # records up to which a hundred data sets are simulated


def intervals(view: View, at: float, ranked: pd.DataFrame) -> None:
    """Draw the intervals of one release at a point, their usual width, and how often such intervals hold the line.

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
    left, _ = st.columns([1, 4])
    with left:
        number = (
            int(
                number_box("Release", "interval_release", 1, Allowed(1, MOST_SHOWN, whole=True))
                or 1
            )
            - 1
        )
    private, s = not view.grouped.reproducible, view.scenario
    released = [
        _released(private, view.data, mechanism, s.budget, s.seed, number) for mechanism in offering
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
    names = rows["algorithm"].tolist()
    p_values = {m.name: _p_value(private, view.data, m, s.budget, s.seed, number) for m in offering}
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
    _hundred(view, at, {mechanism.name: mechanism for mechanism in offering}, names)


_p_value = kept_by_origin(120)(released_intervals.slope_p_value)
_released = kept_by_origin(120)(released_intervals.one_release)
_simulated = kept_by_origin(24)(released_intervals.simulated_intervals)


def _hundred(view: View, at: float, mechanisms: dict[str, Mechanism], names: list[str]) -> None:
    """Draw the intervals of a hundred simulated data sets like these, one release each."""
    if view.data.n > MOST_SIMULATED:
        return
    first = (
        released_intervals.describing(mechanisms[name] for name in names) or mechanisms[names[0]]
    )
    usual = names.index(first.name)
    name = str(
        st.selectbox("A hundred simulated releases by", names, usual, **bound("hundred_of", names))
    )
    s, point_index = view.scenario, view.scenario.at.index(at)
    with st.spinner("Simulating …"):
        simulated = _simulated(
            not view.grouped.reproducible,
            view.data,
            mechanisms[name],
            s.budget,
            point_index,
            s.seed,
        )
    truth = float(view.data.predict([at])[0])
    sentence = text.hundred_sentence(simulated, name, released_intervals.LEVEL)
    table = simulated.assign(
        low=view.y.from_unit(simulated["low"]), high=view.y.from_unit(simulated["high"])
    )
    table = table.replace([np.inf, -np.inf], np.nan)
    note = "The x of these data, the OLS line, and new normal errors of the same size about it."
    show.chart(hundred_intervals(simulated, truth, view.y), sentence, table, "hundred", note)
    st.caption(
        plain("The OLS line of the data went into these simulations: for looking, not for release.")
    )


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
