"""The Guidance page: its guesses, its answer stage by stage, and the views below the answer.

Results from public guesses alone are shared by all sessions; results read off data stay in their own session.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product
from typing import Any, cast

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
PUBLIC, READ_OFF = "public knowledge", "read off these data"  # as in links
# Two keys: "read off these data" is right for public data and leaks for an uploaded file.
UPLOAD_CHOICE, PUBLIC_DATA_CHOICE = "guesses", "guesses_public_data"
# Usual values of the page's widgets, by key; pre-filled guesses have none, so that links always hold them.
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
SEARCHED = ("ε", "n")  # symbols whose smallest value can be sought
CHUNK = 2_500  # records between two looks at whether the user has clicked
REDUCE = "n, the points x_new or the matchings k, or choose fewer algorithms"


def guesses(view: View) -> tuple[Scenario, bool]:
    """Draw the choice of guesses; the page ends if a guess is missing.

    n, epsilon, points and algorithms are the sidebar's.

    Returns
    -------
    scenario : Scenario
        Scenario of the simulated data sets.
    looked : bool
        Whether the guesses were read off loaded data.
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
    # The tables below are made of guesses and n alone, and say nothing of the values.
    takeaway.declare(scenario)
    return scenario, False


def _choice(view: View) -> str:
    """Draw the choice where the guesses come from, without a default for an uploaded file; return the choice."""
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


def typed_guesses(view: View, given: Collection[str] = ()) -> dict[str, Any]:
    """Draw the boxes of guesses, in the user's units, and return the guesses in the unit square.

    The line is pre-filled from the public bounds, the mean from where most people are; spreads must be typed.

    Parameters
    ----------
    view : View
        View whose axes and public ranges the guesses are about.
    given : collection of str, optional
        Guesses that a file gives, by their names in LinearModel: their boxes may stay empty.
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
    if any(value is None and name not in given for name, value in spreads.items()):
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
    """Return whether the user asks for more data sets on these guesses; other guesses take the request back."""
    key = repr(scenario)
    if st.session_state.setdefault(_DECIDED, key) != key:
        st.session_state[_DECIDED] = key
        link.show("decide", "")
    return chosen_text("decide", ["", "true"], "", lambda text: text or "no", "true") == "true"


def computed(question: GuidanceQuestion, looked: bool) -> Recommendation:
    """Answer a question chunk by chunk, with a bar; the session keeps the last answer.

    Parameters
    ----------
    question : GuidanceQuestion
        Question of the page.
    looked : bool
        Whether the guesses were read off loaded data, so that results stay in the session.
    """
    last_question, last_answer = st.session_state.get(_ANSWERED, ("", None))
    if last_question == repr(question):
        return cast(Recommendation, last_answer)
    anyone = replace(question, weaker=True, decide=False)  # measurements depend on neither
    work = Work(  # without the budget, so that a click holds for other budgets too
        f"guidance {question.model} {question.budget.at} "
        f"{[mechanism.name for mechanism in question.mechanisms]}",
        REDUCE,
        megabytes(question.private, question.model.n, len(question.budget.at)),
        guidance_command(question.decide),
    )

    def chunks(first: int, count: int) -> Iterator[tuple[int, int]]:
        """Yield the first data set and the number of data sets of each chunk; chunks end at multiples of their size."""
        size = max(1, CHUNK // question.model.n)
        edges = [
            first,
            *(edge for edge in range(0, first + count, size) if edge > first),
            first + count,
        ]
        ranges = [(start, end - start) for start, end in pairwise(edges)]
        return progress(ranges, work, lambda chunk: f"{chunk[0]} simulated data sets …", wait=WAIT)

    def measured(mechanisms: Sequence[Mechanism], first: int, count: int) -> SweepBatch:
        batches = [
            _measured(looked, anyone, tuple(mechanisms), *chunk) for chunk in chunks(first, count)
        ]
        return combine(batches).batches[0]

    def noise(mechanism: Mechanism, first: int, count: int) -> np.ndarray:
        return np.concatenate(
            [_noise(looked, anyone, mechanism, *chunk) for chunk in chunks(first, count)]
        )

    recommendation = answered(question, measured, noise)
    st.session_state[_ANSWERED] = repr(question), recommendation
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
class GuidanceAnswer:
    """Answer that all views draw from.

    Attributes
    ----------
    view : View
        Data and settings of the sidebar.
    scenario, looked : Scenario, bool
        Result of `guesses`.
    recommendation : Recommendation
        Answer of the page.
    """

    view: View
    scenario: Scenario
    looked: bool
    recommendation: Recommendation

    @property
    def work(self) -> Work:
        """Work that the views below the answer compute."""
        recommendation = self.recommendation
        names = [mechanism.name for mechanism in recommendation.mechanisms]
        return Work(
            f"after guidance {recommendation.model} {recommendation.budget.at} {names}", REDUCE
        )

    @property
    def candidates(self) -> list[str]:
        """Names of the algorithms that may be recommended."""
        return [mechanism.name for mechanism in self.recommendation.candidates]

    def switch_points(self) -> list[SwitchPoint]:
        """Find where the answer changes: below and above in n, then in epsilon, with a bar."""
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


def _why(answered: GuidanceAnswer) -> None:
    recommendation = answered.recommendation
    st.markdown(plain(text.reason(recommendation)))


def _everything(answered: GuidanceAnswer) -> None:
    """Draw all algorithms, also those with a weaker guarantee or none, and their numbers."""
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


def _changes(answered: GuidanceAnswer) -> None:
    """Draw from which n and epsilon on another algorithm leads, and the map."""
    points = answered.switch_points()
    st.markdown(bullets(text.switch_sentence(answered.recommendation, point) for point in points))
    _winner_map(answered)


def _winner_map(answered: GuidanceAnswer) -> None:
    """Draw the map of best algorithms about the answer, cell by cell with a bar."""
    recommendation, about = answered.recommendation, answered.recommendation.circumstances
    if len(maps.mechanisms_of(recommendation)) < 2:
        st.info("A map needs two or more algorithms that may win. Choose more under More settings.")
        return
    cells = maps.own_cells(recommendation)
    numbered = [(f"{number} of {len(cells)} cells", cell) for number, cell in enumerate(cells)]
    arriving = progress(numbered, answered.work, lambda cell: cell[0])
    won = maps.won_of([_winner(answered.looked, cell) for _, cell in arriving])
    figure = winner_map(won, (about.epsilon_nvar, about.var_e))
    show.vega(figure, text.map_sentence(recommendation, won), "winner_map", sentence_above=True)
    st.caption(plain(text.own_map_caption(recommendation)))
    with st.expander("The numbers in this picture"):
        show.numbers(won, "winner_map")


_winner = kept_by_origin(1_000)(maps.winner)


def _required(answered: GuidanceAnswer) -> None:
    """Draw the choices of a target and of epsilon or n, and the smallest value that reaches the target."""
    left, right = st.columns([1, 3])
    symbol = left.segmented_control(
        "Smallest", SEARCHED, default=SEARCHED[0], required=True, **bound("smallest", SEARCHED)
    )
    chosen = right.select_slider(
        "Target: error C(68) about OLS, in standard errors, at most",
        RATIOS,
        1,
        help="1: as large as the sampling error.",
        **bound("r", RATIOS),
    )
    target, recommendation = float(chosen), answered.recommendation
    for_epsilon = symbol == SEARCHED[0]
    search: Callable[..., Any] = _noise_curve if for_epsilon else _required_n
    tasks_of = curve_tasks if for_epsilon else size_tasks
    tasks, now = tasks_of(recommendation, target), recommendation.budget.epsilon
    solutions = _solved(answered, search, tasks)
    if not solutions:
        return
    values = [curve.required for curve in solutions] if for_epsilon else solutions
    counts = [curve.datasets for curve in solutions] if for_epsilon else DATASETS
    pending = len(tasks) - len(values)
    sentence = text.required_sentence(
        values, str(symbol), target, now, answered.candidates, pending
    )
    st.markdown(plain(sentence))
    if for_epsilon:
        show.vega(noise_curves(solutions, target, now, show.room()), sentence, "required")
    table = pd.DataFrame(
        {
            "algorithm": [value.mechanism for value in values],
            f"smallest {symbol}": [text.required_text(value) for value in values],
            "data sets": counts,
        }
    )
    st.caption(ON_AVERAGE)
    show.numbers(table, "enough", height="content")


def _solved(
    answered: GuidanceAnswer, search: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]
) -> list[Any]:
    """Return the results of the searches that have ended, in the order of the tasks.

    The searches end after the seconds that a page computes without asking; a button goes on with the rest.

    Parameters
    ----------
    answered : GuidanceAnswer
        Answer of the page.
    search : callable
        Function of `looked` and a task's arguments.
    tasks : sequence of tuple
        Arguments of `search` for each algorithm, which is the third.
    """
    first, where, results = answered.recommendation.algorithm, st.empty(), dict[str, Any]()
    ordered = sorted(tasks, key=lambda task: task[2].name != first)
    arriving = progress(ordered, answered.work, lambda task: f"{task[2].name} …", partial=True)
    for task in arriving:
        results[task[2].name] = search(answered.looked, *task)
    if len(results) < len(tasks):
        seconds = current_run().left or AT_ONCE
        words = f"{len(results)} of {len(tasks)} algorithms are solved. The others take about {duration(seconds)} more."
        offer(where, answered.work, seconds, words)
    return [results[task[2].name] for task in tasks if task[2].name in results]


_noise_curve = kept_by_origin(400)(required_values.noise_curve)
_required_n = kept_by_origin(400)(required_values.required_n)


VIEWS: dict[str, Callable[[GuidanceAnswer], None]] = {
    "Why": _why,
    "All algorithms": _everything,
    "When it changes": _changes,
    "Smallest ε or n": _required,
}
