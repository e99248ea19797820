"""The Guidance page: the guesses that it goes by, its answer, and the views below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts.curves import noise_curves, power_curves
from dpslr_core.charts.maps import winner_map
from dpslr_core.charts.ranked import ranked_evidence
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.released_intervals import (
    POWER_COLUMNS,
    describing,
    guessed_widths,
    power_row,
    power_settings,
)
from dpslr_core.guidance import Recommendation, maps, required_values
from dpslr_core.guidance.evidence import TRIALS
from dpslr_core.guidance.maps import COARSE, FINE, Resolution
from dpslr_core.guidance.recommendation import LEAST, Question, data_guesses, guessed_scenario
from dpslr_core.guidance.required_values import RATIOS, RequiredValue, curve_tasks
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.report.scripts import guidance_command, guidance_script
from dpslr_core.scenario import Scenario
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import Run
from dpslr_core.text import guidance as text
from dpslr_core.text import intervals as slope_text
from dpslr_core.text.guidance import ERROR_CAPTION, context, evidence_sentence, factors, headline
from dpslr_core.text.intervals import guessed_width_sentence
from dpslr_core.text.phrases import format_amount, in_full, place_on

from . import page, show, takeaway
from .cache import kept, kept_by_origin
from .controls import BOUND, USUAL
from .inputs import Allowed, linked_number
from .link import LinkValue
from .plain import bullets, plain
from .private_names import end_page
from .runs import guidance as runs
from .settings import View, link
from .show import room
from .takeaway import Shown, drawn, page_query, take_away
from .work import progress

NOT_PRIVATE = "The algorithm is chosen by looking at the data. That choice is not private: ε does not cover it."
PUBLIC, READ_OFF = "public knowledge", "read off these data"  # as links say them
UPLOAD_CHOICE, PUBLIC_DATA_CHOICE = "guesses", "guesses_public_data"  # two keys: what is right for one leaks for other

# The page's own widgets, by key, where they are as at first; guess_low and guess_high are always said.
USUAL_CHOICES = {
    "weaker": False, UPLOAD_CHOICE: None, PUBLIC_DATA_CHOICE: READ_OFF, "guess_sd_x": None, "guess_sd_e": None,
    "guess_low": None, "guess_high": None, "power_slope": None,
}  # fmt: skip


class Guesses(NamedTuple):
    """The scenario of the simulated data sets, and whether it was read off loaded data."""

    scenario: Scenario
    looked: bool


def guesses(view: View) -> Guesses:
    """What guidance goes by; n, epsilon, points and algorithms are the sidebar's. Stops where something is missing."""
    if view.scenario.source.kind == "synthetic":
        return _public(view.scenario)
    choice = _choice(view)
    if choice == READ_OFF:
        st.caption(NOT_PRIVATE)
        return Guesses(guessed_scenario(view.scenario, view.data.n, data_guesses(view.data)), looked=True)
    return _public(guessed_scenario(view.scenario, view.data.n, _typed(view)))


def _public(scenario: Scenario) -> Guesses:
    """Public guesses; the tables below are made of them alone, and say nothing of the data."""
    takeaway.declare(scenario)
    return Guesses(scenario, looked=False)


def _choice(view: View) -> str:
    """Where the guesses come from: asked of an uploaded file; public data may be looked at."""
    uploaded = view.scenario.source.kind == "upload"
    linked = LINKED[UPLOAD_CHOICE if uploaded else PUBLIC_DATA_CHOICE]
    told = {
        PUBLIC: "Earlier or public sources (safe)",
        READ_OFF: f"{'This file' if uploaded else 'These data'} (not private)",
    }
    linked.take()
    choice = st.segmented_control(
        "Where do your guesses come from?", list(told), key=linked.key, required=not uploaded,
        format_func=told.__getitem__,
        help="Read off private data, the choice of the algorithm itself leaks: ε does not cover it.",
    )  # fmt: skip
    linked.put()
    if choice is None:
        st.info(
            "Guidance needs your guesses of spread, slope and noise. Choose where they come from: earlier or public "
            "sources, or this file. A choice of algorithm that was read off the file is not private."
        )
        end_page()
    return str(choice)


def _typed(view: View) -> dict[str, float]:
    """The guesses in the user's units; the line is pre-filled from the public bounds, the spreads are asked for."""
    x, y = view.x, view.y
    usual, any_y = USUAL["synthetic"], Allowed(style=y.numbers)
    at_low, at_high = y.from_unit([usual["intercept"], usual["intercept"] + usual["slope"]]).tolist()
    boxes = st.columns(4)
    with boxes[0]:
        spread_x = linked_number(
            f"Standard deviation of {x.label}", key="guess_sd_x", usual=None,
            allowed=Allowed(0.0, 0.5 * x.scale, optional=True, style=x.numbers),
            help="About 0.29 of the width of the bounds if evenly spread between them.",
        )  # fmt: skip
    with boxes[1]:
        spread_y = linked_number(
            f"Standard deviation of {y.label} about the line", key="guess_sd_e", usual=None,
            allowed=Allowed(0.0, y.scale, optional=True, style=y.numbers),
        )  # fmt: skip
    with boxes[2]:
        low = linked_number(
            f"{y.name} at {x.name} = {format_amount(x.lower)}", key="guess_low", usual=at_low, allowed=any_y,
            help="Pre-filled from the public bounds.",
        )  # fmt: skip
    with boxes[3]:
        high = linked_number(
            f"{y.name} at {x.name} = {format_amount(x.upper)}", key="guess_high", usual=at_high, allowed=any_y,
            help="Pre-filled from the public bounds.",
        )  # fmt: skip
    if not spread_x or not spread_y:
        st.info(plain(
            f"Type a public guess of both standard deviations, from a survey or from earlier data, say. The bounds of "
            f"{x.name} and {y.name} do not tell how spread out the records are."
        ))  # fmt: skip
        end_page()
    start, end = (float(y.to_unit(height)) for height in (low, high))
    return {
        "var_x": max((spread_x / x.scale) ** 2, LEAST), "var_e": max((spread_y / y.scale) ** 2, LEAST),
        "slope": end - start, "intercept": start,
    }  # fmt: skip


def _linked(key: str, usual: str | None) -> LinkValue[str | None]:
    """A choice that stands in the link in other words than on the page."""
    return LinkValue(
        key,
        lambda texts: next((text for text in texts if text in (PUBLIC, READ_OFF)), usual),
        lambda choice: [] if choice in (None, usual) else [str(choice)],
    )


LINKED = {choice.key: choice for choice in (_linked(UPLOAD_CHOICE, None), _linked(PUBLIC_DATA_CHOICE, READ_OFF))}


def draw_answer(asked: Question, looked: bool) -> Recommendation:
    """The answer after each stage in the same place; returns the last."""
    place, working = st.empty(), st.empty()
    before: str | None = None
    with working:
        for stage, recommendation in enumerate(runs.stages(asked, looked)):
            with place.container():
                page.answer(headline(recommendation), context(recommendation, looked, before))
                show.vega(ranked_evidence(recommendation), evidence_sentence(recommendation), f"evidence_{stage}")
                st.caption(plain(ERROR_CAPTION))
            before = before or recommendation.algorithm
    return recommendation


COLUMNS = {
    "mechanism": "algorithm", "monte_carlo_error": "Monte-Carlo error", "behind": "behind the best",
    "behind_error": "Monte-Carlo error of that", "infinite_share": "too often without an answer",
    "datasets": "data sets",
}  # fmt: skip


@dataclass(frozen=True)
class Answered:
    """What all views draw from."""

    view: View
    guesses: Guesses
    weaker: bool
    recommendation: Recommendation


def details(answered: Answered) -> None:
    """The choice of a view, and the view."""
    page.chosen_view("guidance", VIEWS)(answered)
    scenario, looked = answered.guesses
    take_away(Shown(
        page="guidance", scenario=scenario, query=page_query(link(answered.view), USUAL_CHOICES),
        table=answered.recommendation.evidence.rename(columns=COLUMNS),
        script=partial(guidance_script, scenario, answered.weaker, looked), command=guidance_command(answered.weaker),
        picture=lambda: drawn(
            ranked_evidence(answered.recommendation), text.evidence_sentence(answered.recommendation)
        ),
    ))  # fmt: skip


def _why(answered: Answered) -> None:
    recommendation = answered.recommendation
    st.markdown(plain(f"{text.reason(recommendation)} {text.agreement(recommendation)}"))
    rows = factors(recommendation.circumstances, recommendation.mechanisms)
    table = pd.DataFrame(rows, columns=["quantity", "value", "what it means"])
    st.table(table.set_index("quantity"))


def _changes(answered: Answered) -> None:
    points = runs.switch_points(answered.recommendation, answered.guesses.looked)
    st.markdown(bullets(text.switch_sentence(answered.recommendation, point) for point in points))


def _numbers(answered: Answered) -> None:
    st.markdown(plain(text.answer(answered.recommendation)))
    show.numbers(answered.recommendation.evidence.rename(columns=COLUMNS), "evidence", height="content")


def _memo(answered: Answered) -> None:
    recommendation, looked, view = answered.recommendation, answered.guesses.looked, answered.view
    points = runs.switch_points(recommendation, looked)
    st.code(text.methods_text(recommendation, points, looked, view.x, view.y), language=None, wrap_lines=True)
    st.markdown(plain(text.looking_sentence(looked)))
    st.markdown(text.private_choice_sentence(recommendation))


VIEWS: dict[str, Callable[[Answered], None]] = {
    "Why": _why,
    "When it changes": _changes,
    "Map": lambda answered: _winner_map(answered.recommendation, answered.guesses.looked),
    "Required ε or n": lambda answered: _required_values(
        answered.recommendation, answered.view, answered.guesses.looked
    ),
    "Memo": _memo,
    "Numbers": _numbers,
}


def _winner_map(recommendation: Recommendation, looked: bool) -> None:
    """The map after each stage in the same place."""
    if len(maps.mechanisms_of(recommendation)) < 2:
        st.info("A map needs two or more algorithms that may win. Choose more in the sidebar.")
        return
    place = st.empty()
    for stage, resolution in enumerate((COARSE, FINE)):
        won = _won(recommendation, resolution, looked)
        with place.container():
            _picture(recommendation, won, resolution.datasets, stage)


def _picture(recommendation: Recommendation, won: pd.DataFrame, datasets: int, stage: int) -> None:
    about = recommendation.circumstances
    figure = winner_map(won, (about.epsilon_nvar, about.var_e))
    name = f"winner_map_{stage}"
    show.picture(figure, text.map_sentence(recommendation, won), name)
    st.caption(plain(text.own_map_caption(recommendation, datasets, coarse=stage == 0)))
    with st.expander("The numbers in this picture"):
        show.numbers(won, name)


def _won(recommendation: Recommendation, resolution: Resolution, looked: bool) -> pd.DataFrame:
    """The winners of all cells, cell after cell."""
    cells = list(enumerate(maps.own_cells(recommendation, resolution)))
    work = runs.work_after(recommendation)
    arriving = progress(cells, work, lambda cell: f"{cell[0]} of {len(cells)} cells")
    return maps.won_of([_winner(looked, cell) for _, cell in arriving])


_winner = kept_by_origin(1_000)(maps.winner)
_curve = kept_by_origin(400)(required_values.noise_curve)
_power = kept_by_origin(400)(power_row)


MANY = 20_000  # records beyond which a law of all pairs takes seconds, and solving takes forty of them


def _required_values(recommendation: Recommendation, view: View, looked: bool) -> None:
    """The target, what to solve for, and the answer."""
    left, right = st.columns([2, 1])
    r = float(left.select_slider(
        "Target: error C(68) about OLS, in standard errors, at most", RATIOS, 1, key="r",
        help="1: as large as the sampling error.", **BOUND,
    ))  # fmt: skip
    solve_for = str(
        right.segmented_control("Solve for", ["ε", "n"], default="ε", key="solve_for", required=True, **BOUND)
    )
    if solve_for == "n":
        _records(recommendation, r, looked)
    else:
        _epsilon(recommendation, view, r, looked)
    _guessed_widths(recommendation, view)
    _slope_power(recommendation, view, looked)


def _epsilon(recommendation: Recommendation, view: View, r: float, looked: bool) -> None:
    # The recommended algorithm on all data sets of the answer, so that its epsilon passes there; others on few.
    arriving = progress(
        curve_tasks(recommendation, r), runs.work_after(recommendation), lambda task: f"{task[2].name} …"
    )
    curves = [_curve(looked, *task) for task in arriving]
    values, now = [curve.required for curve in curves], recommendation.budget.epsilon
    sentence = text.required_sentence(values, "ε", r, now, recommendation.algorithm)
    show.vega(noise_curves(curves, r, now), sentence, "required", told=True)
    table = pd.DataFrame({
        "algorithm": [value.mechanism for value in values],
        "smallest ε, simulated data sets": [text.required_text(value) for value in values],
        "data sets": [curve.datasets for curve in curves],
    })  # fmt: skip
    loaded = view.scenario.source.kind != "synthetic"
    own = view.data.n <= MANY and (looked or not loaded)
    if own:
        table["smallest ε, the data set"] = [text.required_text(value) for value in _own(recommendation, view.data, r)]
    st.caption(text.columns_sentence(own, loaded))
    show.numbers(table, "enough", height="content")


def _records(recommendation: Recommendation, r: float, looked: bool) -> None:
    run = Run(TRIALS, recommendation.run.seed)
    values = [
        _required_n(looked, recommendation.model, recommendation.budget, mechanism, r, run)
        for mechanism in _each(recommendation)
    ]
    epsilon, name = recommendation.budget.epsilon, recommendation.algorithm
    st.markdown(plain(text.required_sentence(values, "n", r, epsilon, name)))
    st.caption(text.columns_sentence(False, False))
    table = pd.DataFrame({
        "algorithm": [value.mechanism for value in values],
        "smallest n, simulated data sets": [text.required_text(value) for value in values],
    })  # fmt: skip
    show.numbers(table, "enough", height="content")


def _each(recommendation: Recommendation) -> Iterator[Mechanism]:
    """The algorithms, one after the other, with a bar."""
    return progress(recommendation.mechanisms, runs.work_after(recommendation), lambda mechanism: f"{mechanism.name} …")


@kept_by_origin(400)
def _required_n(model: LinearModel, budget: Budget, mechanism: Mechanism, r: float, run: Run) -> RequiredValue:
    return required_values.required_n(model, budget, mechanism, r, run=run)


def _own(recommendation: Recommendation, data: Dataset, r: float) -> list[RequiredValue]:
    """The smallest epsilon on the data set itself."""
    budget, run = recommendation.budget, Run(TRIALS, recommendation.run.seed)
    return [_on_data(data, budget, mechanism, r, run) for mechanism in _each(recommendation)]


@kept(400)
def _on_data(data: Dataset, budget: Budget, mechanism: Mechanism, r: float, run: Run) -> RequiredValue:
    return required_values.required_epsilon(data, mechanism, r, budget.at, run, accounting=budget.accounting)


def _guessed_widths(recommendation: Recommendation, view: View) -> None:
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
    show.numbers(widths_in_units(table, view.y.scale), "guessed_widths", height="content")


def widths_in_units(table: pd.DataFrame, scale: float) -> pd.DataFrame:
    """Widths in the units of y, a row for each epsilon and one for OLS, a column for each n; no number without ends."""
    wide = (table.pivot(index="epsilon", columns="n", values="width") * scale).replace(np.inf, np.nan)
    wide.index = pd.Index([format_amount(epsilon, 4) for epsilon in wide.index])
    wide.loc["OLS, not private"] = table.groupby("n")["ols"].first() * scale
    return wide.rename(columns=lambda n: f"n = {n:,}").rename_axis(index="ε", columns=None).reset_index()


MOST_SLOPE = 10.0  # of a line in the unit square


def _slope_power(recommendation: Recommendation, view: View, looked: bool) -> None:
    """The power of the test on the first algorithm with centred sums; nothing where there is none."""
    mechanism = describing((*recommendation.candidates, *recommendation.mechanisms))
    if mechanism is None:
        return
    model, budget = recommendation.model, recommendation.budget
    slope = _slope_to_find(model, view)
    settings, work, seed = (
        power_settings(model, budget, slope),
        runs.work_after(recommendation),
        recommendation.run.seed,
    )
    arriving = progress(settings, work, lambda setting: f"The slope test at n = {setting[0].n:,} …")
    rows = [_power(looked, changed, richer, mechanism, datasets, seed) for changed, richer, datasets in arriving]
    table = pd.DataFrame(rows, columns=POWER_COLUMNS)
    written = format_amount(slope * view.y.scale / view.x.scale)
    words = slope_text.power_sentence(table, model.n, budget.epsilon, mechanism.name, written)
    shown = table.assign(slope=table["slope"] * view.y.scale / view.x.scale)
    show.chart(
        power_curves(table, mechanism.name, slope_text.ENOUGH, room()), words, shown, "power", slope_text.POWER_CAPTION
    )


def _slope_to_find(model: LinearModel, view: View) -> float:
    """The slope to be found, typed in the units of the view; at first that of the guesses."""
    left, _ = st.columns([1, 2])
    scale = view.y.scale / view.x.scale
    with left:
        typed = linked_number(
            f"Slope to find, {view.y.unit or view.y.name} per {view.x.unit or view.x.name}", key="power_slope",
            usual=None, allowed=Allowed(-MOST_SLOPE * scale, MOST_SLOPE * scale, optional=True, style=view.y.numbers),
            placeholder=in_full(model.slope * scale), help="At first that of the guesses.",
        )  # fmt: skip
    return model.slope if typed is None else float(typed) / scale
