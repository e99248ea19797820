"""The guesses that guidance goes by: the sliders of synthetic data; for loaded data public ones, or their own."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from dpslr_core.guidance.sized.guesses import LEAST, data_guesses, guessed_scenario
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.text.phrases import format_amount

from ..controls import USUAL
from ..inputs.link_value import LinkValue
from ..inputs.number import Allowed, linked_number
from ..plain import plain
from ..sessions.private_names import end_page
from ..settings import View
from ..takeaway import saved_as

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
        return Guesses(_guessed(view, data_guesses(view.data)), looked=True)
    return _public(_guessed(view, _typed(view)))


def _public(scenario: Scenario) -> Guesses:
    """Public guesses; the tables below are made of them alone, and say nothing of the data."""
    saved_as.declare(scenario)
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
        st.info(plain(_missing(x, y)))
        end_page()
    start, end = (float(y.to_unit(height)) for height in (low, high))
    return {
        "var_x": max((spread_x / x.scale) ** 2, LEAST), "var_e": max((spread_y / y.scale) ** 2, LEAST),
        "slope": end - start, "intercept": start,
    }  # fmt: skip


def _missing(x: Axis, y: Axis) -> str:
    return (
        f"Type a public guess of both standard deviations, from a survey or from earlier data, say. The bounds of "
        f"{x.name} and {y.name} do not tell how spread out the records are."
    )


def _guessed(view: View, guessed: dict[str, float]) -> Scenario:
    """The view's scenario with data simulated by the guesses in place of its own."""
    return guessed_scenario(view.scenario, view.data.n, guessed)


def _linked(key: str, usual: str | None) -> LinkValue[str | None]:
    """A choice that stands in the link in other words than on the page."""
    return LinkValue(
        key,
        lambda texts: next((text for text in texts if text in (PUBLIC, READ_OFF)), usual),
        lambda choice: [] if choice in (None, usual) else [str(choice)],
    )


LINKED = {choice.key: choice for choice in (_linked(UPLOAD_CHOICE, None), _linked(PUBLIC_DATA_CHOICE, READ_OFF))}
