"""The Guidance page: the guesses that it goes by, its answer stage by stage, and the views below it.

What follows from public guesses alone is shared by all sessions; what was read off data stays in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts.curves import noise_curves
from dpslr_core.charts.maps import winner_map
from dpslr_core.charts.recommended import error_parts
from dpslr_core.experiments.memory import megabytes
from dpslr_core.experiments.sweep import SweepBatch, combine
from dpslr_core.guidance import Recommendation, maps, required_values
from dpslr_core.guidance.recommendation import (
    GuidanceQuestion,
    answered,
    data_guesses,
    guessed_scenario,
    guessed_variance,
)
from dpslr_core.guidance.required_values import (
    DATASETS,
    RATIOS,
    NoiseCurve,
    RequiredValue,
    SwitchPoint,
    curve_tasks,
    size_tasks,
)
from dpslr_core.mechanisms import Mechanism
from dpslr_core.report.scripts import guidance_command
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import Synthetic
from dpslr_core.sources.linear import X_SHAPES
from dpslr_core.text import guidance as text
from dpslr_core.text.decision import LOOKED
from dpslr_core.text.phrases import format_amount, joined
from dpslr_core.text.work import duration

from . import link, show, takeaway
from .cache import kept_by_origin
from .ends import end_page
from .inputs import Allowed, chosen_text, number_box
from .link import bound
from .plain import bullets, plain
from .settings import View
from .work import AT_ONCE, WAIT, Work, current_run, offer, progress

NOT_PRIVATE = "The algorithm is chosen by looking at the data. That choice is not private: ε does not cover it."
PUBLIC, READ_OFF = "public knowledge", "read off these data"  # as links say them
UPLOAD_CHOICE, PUBLIC_DATA_CHOICE = (
    "guesses",
    "guesses_public_data",
)  # two keys: what is right for one leaks for other
# The page's own widgets, by key, where they are as at first; guesses that are pre-filled are always said.
GUESSED = {
    "guess_sd_x": None, "guess_sd_e": None, "guess_low": None, "guess_high": None, "guess_mean_x": None,
    "guess_shape_x": Synthetic().x_shape,
}  # fmt: skip
USUAL_CHOICES = {
    "decide": "",
    UPLOAD_CHOICE: None,
    PUBLIC_DATA_CHOICE: READ_OFF,
    **GUESSED,
}
ON_AVERAGE = "At every x_new, of the releases on all simulated data sets."
SEARCHED = ("ε", "n")  # of which the smallest value is sought
Found = TypeVar("Found", NoiseCurve, RequiredValue)
CHUNK = 1_500  # records that are worked on between two looks at whether the user has clicked
REDUCE = "n, the points x_new or the matchings k, or choose fewer algorithms"


def guesses(view: View) -> tuple[Scenario, bool]:
    """The scenario of the simulated data sets, and whether it was read off loaded data.

    n, epsilon, points and algorithms are the sidebar's. The page ends where something is missing.
    """
    scenario = view.scenario
    if scenario.source.kind != "synthetic":
        if _choice(view) == READ_OFF:
            private = scenario.source.origin == "private"
            st.caption(NOT_PRIVATE if private else LOOKED[scenario.source.origin])
            return guessed_scenario(scenario, view.data.n, data_guesses(view.data)), True
        if scenario.source.kind == "upload":
            several = len(view.grouped.public_sizes) > 1
            st.caption(plain(text.rows_sentence(view.public_n, view.group if several else "")))
        scenario = guessed_scenario(scenario, view.public_n, typed_guesses(view))
        st.caption(plain(text.simulated_x_sentence(scenario.linear_model, view.x)))
    takeaway.declare(
        scenario
    )  # the tables below are made of guesses and n alone, and say nothing of the values
    return scenario, False


def _choice(view: View) -> str:
    """Draw the choice where the guesses come from: asked of an uploaded file; public data may be looked at."""
    uploaded = view.scenario.source.kind == "upload"
    key, usual = (UPLOAD_CHOICE, None) if uploaded else (PUBLIC_DATA_CHOICE, READ_OFF)
    choice = st.segmented_control(
        "Where do your guesses come from?",
        (PUBLIC, READ_OFF),
        default=usual,
        required=not uploaded,
        help="Read off private data, the choice of the algorithm itself leaks: ε does not cover it.",
        **bound(key, (PUBLIC, READ_OFF), usual),
    )
    if not choice:
        st.info(
            "Guidance needs your guesses of spread, slope and noise. Choose where they come from. "
            "A choice of algorithm that was read off a private file is not private."
        )
        end_page()
    return str(choice)


def typed_guesses(view: View, known: Collection[str] = ()) -> dict[str, Any]:
    """Draw the boxes of guesses, in the user's units, and return these in the unit square.

    The line is pre-filled from the public bounds, the mean from where most people are; spreads are asked for.

    Parameters
    ----------
    view : View
        Whose axes and public ranges the guesses are about.
    known : collection of str, optional
        Guesses that are known already, by their names in LinearModel.
    """
    x, y, usual = view.x, view.y, Synthetic()
    at_low, at_high = y.from_unit([usual.intercept, usual.intercept + usual.slope]).tolist()
    most, middle = getattr(view.scenario.source, "x_most", None), float(x.from_unit(usual.x_mean))
    if most is not None and view.x == view.grouped.x:
        middle = float(x.from_unit(np.mean(view.grouped.usual_at)))
    spread = partial(Allowed, 0.0, optional=True)
    boxes: dict[str, tuple[str, float | None, Allowed, str | None]] = {
        "guess_mean_x": (
            f"Mean of {x.label}", middle, Allowed(x.lower, x.upper, style=x.numbers),
            "Pre-filled with the middle of where most people are, or of the public bounds.",
        ),
        "guess_sd_x": (
            f"Standard deviation of {x.label}", None, spread(0.5 * x.scale, style=x.numbers),
            "About 0.29 of the width of the bounds if evenly spread between them.",
        ),
        "guess_sd_e": (
            f"Standard deviation of {y.label} about the line", None, spread(y.scale, style=y.numbers), None,
        ),
    }  # fmt: skip
    for key, end, height in (("guess_low", x.lower, at_low), ("guess_high", x.upper, at_high)):
        label = f"{y.name} at {x.name} = {format_amount(end)}"
        boxes[key] = label, height, Allowed(style=y.numbers), "Pre-filled from the public bounds."
    places = iter((*st.columns(3), *st.columns(3)))
    typed: dict[str, Any] = {}
    for key, (label, first, allowed, hint) in boxes.items():
        with next(places):
            typed[key] = number_box(label, key, first, allowed, help=hint)
    with next(places):
        shape = st.selectbox(
            f"Shape of {plain(x.name)}",
            X_SHAPES,
            help=f"{'; '.join(X_SHAPES.values()).capitalize()}.",
            **bound("guess_shape_x", X_SHAPES, usual.x_shape),
        )
    spreads = {"var_x": typed["guess_sd_x"], "var_e": typed["guess_sd_e"]}
    if any(value is None and name not in known for name, value in spreads.items()):
        st.info(
            plain(
                "Type a public guess of both standard deviations, from a survey or from earlier "
                "data, say. The bounds of "
                f"{x.name} and {y.name} do not tell how spread out the records are."
            )
        )
        end_page()
    start, end = (float(y.to_unit(typed[key])) for key in ("guess_low", "guess_high"))
    guessed = {"slope": end - start, "intercept": start, "x_shape": shape}
    guessed["x_mean"] = float(x.to_unit(typed["guess_mean_x"]))
    for (name, value), axis in zip(spreads.items(), (x, y), strict=True):
        if value is not None:
            guessed[name] = guessed_variance(value / axis.scale)
    return guessed


_ANSWERED = "guidance_answered"  # session-state key: the last question with its answer
_DECIDED = "guidance_decided"  # session-state key: the guesses that the setting "decide" is of


def is_decided(scenario: Scenario) -> bool:
    """Whether more data sets are asked for, of these guesses alone: another setting asks anew."""
    key = repr(scenario)
    if st.session_state.setdefault(_DECIDED, key) != key:
        st.session_state[_DECIDED] = key
        link.show("decide", "")
    return chosen_text("decide", ["", "true"], "", lambda text: text or "no", "true") == "true"


def computed(asked: GuidanceQuestion, looked: bool) -> Recommendation:
    """Answer a question chunk after chunk; the last answer of the session is kept."""
    question, answer = st.session_state.get(_ANSWERED, ("", None))
    if question == repr(asked):
        return cast(Recommendation, answer)
    anyone = replace(asked, weaker=True, decide=False)  # what is measured depends on neither
    work = Work(  # the budget is left out, so that a click holds for others
        f"guidance {asked.model} {asked.budget.at} "
        f"{[mechanism.name for mechanism in asked.mechanisms]}",
        REDUCE,
        megabytes(asked.private, asked.model.n, len(asked.budget.at)),
        guidance_command(asked.decide),
    )

    def chunks(first: int, count: int) -> Iterator[tuple[int, int]]:
        """The number of the first data set of each chunk, and how many; ends do not depend on the first."""
        size = max(1, CHUNK // asked.model.n)
        edges = [
            first,
            *(edge for edge in range(0, first + count, size) if edge > first),
            first + count,
        ]
        parts = [(start, end - start) for start, end in pairwise(edges)]
        return progress(parts, work, lambda chunk: f"{chunk[0]} simulated data sets …", wait=WAIT)

    def measured(mechanisms: Sequence[Mechanism], first: int, count: int) -> SweepBatch:
        batches = [
            _measured(looked, anyone, tuple(mechanisms), *chunk) for chunk in chunks(first, count)
        ]
        return combine(batches).batches[0]

    def noise(mechanism: Mechanism, first: int, count: int) -> np.ndarray:
        return np.concatenate(
            [_noise(looked, anyone, mechanism, *chunk) for chunk in chunks(first, count)]
        )

    recommendation = answered(asked, measured, noise)
    st.session_state[_ANSWERED] = repr(asked), recommendation
    return recommendation


_measured, _noise = (
    kept_by_origin(2_000)(GuidanceQuestion.measured),
    kept_by_origin(2_000)(GuidanceQuestion.noise),
)


COLUMNS = {
    "mechanism": "algorithm", "times": "times the error without privacy", "monte_carlo_error": "Monte-Carlo error",
    "behind": "behind the best",
    "behind_error": "Monte-Carlo error of that", "infinite_share": "too often without an answer",
    "datasets": "data sets",
}  # fmt: skip


@dataclass(frozen=True)
class Answered:
    """What all views draw from; scenario, looked: see guesses."""

    view: View
    scenario: Scenario
    looked: bool
    recommendation: Recommendation

    @property
    def work(self) -> Work:
        """What follows from the answer."""
        recommendation = self.recommendation
        names = [mechanism.name for mechanism in recommendation.mechanisms]
        return Work(
            f"after guidance {recommendation.model} {recommendation.budget.at} {names}", REDUCE
        )

    @property
    def candidates(self) -> list[str]:
        """The algorithms that may be recommended."""
        return [mechanism.name for mechanism in self.recommendation.candidates]

    def switch_points(self) -> list[SwitchPoint]:
        """Below and above in n, then in epsilon, value after value."""
        at_value = partial(_candidates_at, self.looked, self.recommendation)
        sides = progress(
            list(product(("n", "epsilon"), (-1, 1))),
            self.work,
            lambda side: (
                f"Looking where the answer changes: {'smaller' if side[1] < 0 else 'larger'} "
                f"{side[0]} …"
            ),
        )
        return [
            required_values.switch_point(self.recommendation, *side, at_value) for side in sides
        ]


_candidates_at = kept_by_origin(400)(required_values.candidates_at)


def _why(answered: Answered) -> None:
    recommendation = answered.recommendation
    st.markdown(plain(f"{text.reason(recommendation)} {text.agreement(recommendation)}"))


def _everything(answered: Answered) -> None:
    """All algorithms, also with a weaker guarantee and without one, and their numbers."""
    recommendation = answered.recommendation
    st.markdown(plain(joined(text.weaker_sentence(recommendation), text.details(recommendation))))
    evidence = recommendation.evidence.sort_values("candidate", ascending=False, kind="stable")
    names = [name for name in evidence["mechanism"] if name != "OLS"]
    show.vega(
        error_parts(recommendation, names),
        text.picture_sentence(recommendation, names),
        "everything",
    )
    show.numbers(recommendation.evidence.rename(columns=COLUMNS), "evidence", height="content")


def _changes(answered: Answered) -> None:
    """Say from which n and epsilon on another algorithm leads, and draw the map."""
    points = answered.switch_points()
    st.markdown(bullets(text.switch_sentence(answered.recommendation, point) for point in points))
    _winner_map(answered)


def _winner_map(answered: Answered) -> None:
    recommendation, about = answered.recommendation, answered.recommendation.circumstances
    if len(maps.mechanisms_of(recommendation)) < 2:
        st.info("A map needs two or more algorithms that may win. Choose more under More settings.")
        return
    cells = maps.own_cells(recommendation)
    numbered = [(f"{number} of {len(cells)} cells", cell) for number, cell in enumerate(cells)]
    arriving = progress(numbered, answered.work, lambda cell: cell[0])
    won = maps.won_of([_winner(answered.looked, cell) for _, cell in arriving])
    figure = winner_map(won, (about.epsilon_nvar, about.var_e))
    show.vega(figure, text.map_sentence(recommendation, won), "winner_map", told=True)
    st.caption(plain(text.own_map_caption(recommendation)))
    with st.expander("The numbers in this picture"):
        show.numbers(won, "winner_map")


_winner = kept_by_origin(1_000)(maps.winner)


def _required(answered: Answered) -> None:
    """Draw the choices of a target and of epsilon or n, and the smallest value that reaches the target."""
    left, right = st.columns([1, 3])
    symbol = left.segmented_control(
        "Smallest", SEARCHED, default=SEARCHED[0], required=True, **bound("smallest", SEARCHED)
    )
    target = right.select_slider(
        "Target: error C(68) about OLS, in standard errors, at most",
        RATIOS,
        1,
        help="1: as large as the sampling error.",
        **bound("r", RATIOS),
    )
    search = _records if symbol == SEARCHED[1] else _epsilon
    search(answered, float(target))


def _solved(
    answered: Answered, search: Callable[..., Found], tasks: Sequence[tuple[Any, ...]]
) -> list[Found]:
    """Return what the search of each algorithm has found, of those that have ended.

    The searches end after the seconds that a page computes without asking. A button goes on with the others.
    """
    first, where, found = answered.recommendation.algorithm, st.empty(), dict[str, Found]()
    ordered = sorted(tasks, key=lambda task: task[2].name != first)
    arriving = progress(ordered, answered.work, lambda task: f"{task[2].name} …", partial=True)
    for task in arriving:
        found[task[2].name] = search(answered.looked, *task)
    if len(found) < len(tasks):
        seconds = current_run().left or AT_ONCE
        solved = f"{len(found)} of {len(tasks)} algorithms are solved. The others take about {duration(seconds)} more."
        offer(where, answered.work, seconds, solved)
    return [found[task[2].name] for task in tasks if task[2].name in found]


_noise_curve = kept_by_origin(400)(required_values.noise_curve)
_required_n = kept_by_origin(400)(required_values.required_n)


def _epsilon(answered: Answered, target: float) -> None:
    recommendation = answered.recommendation
    tasks, now = curve_tasks(recommendation, target), recommendation.budget.epsilon
    if not (curves := _solved(answered, _noise_curve, tasks)):
        return
    values = [curve.required for curve in curves]
    sentence = _sentence(answered, values, "ε", target, now)
    show.vega(noise_curves(curves, target, now, show.room()), sentence, "required", told=True)
    _table(values, "ε", [curve.datasets for curve in curves])


def _records(answered: Answered, target: float) -> None:
    recommendation = answered.recommendation
    tasks = size_tasks(recommendation, target)
    if values := _solved(answered, _required_n, tasks):
        st.markdown(plain(_sentence(answered, values, "n", target, recommendation.budget.epsilon)))
        _table(values, "n", [DATASETS] * len(values))


def _sentence(
    answered: Answered, values: Sequence[RequiredValue], symbol: str, target: float, now: float
) -> str:
    """Return which algorithms reach the target, and from which value on."""
    recommendation = answered.recommendation
    pending = len(recommendation.mechanisms) - len(values)
    tied = recommendation.lead.tied
    return text.required_sentence(values, symbol, target, now, tied, answered.candidates, pending)


def _table(values: Sequence[RequiredValue], symbol: str, datasets: Sequence[int]) -> None:
    table = pd.DataFrame({
        "algorithm": [value.mechanism for value in values],
        f"smallest {symbol}": [text.required_text(value) for value in values],
        "data sets": datasets,
    })  # fmt: skip
    st.caption(ON_AVERAGE)
    show.numbers(table, "enough", height="content")


VIEWS: dict[str, Callable[[Answered], None]] = {
    "Why": _why,
    "All algorithms": _everything,
    "When it changes": _changes,
    "Smallest ε or n": _required,
}
