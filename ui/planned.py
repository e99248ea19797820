"""What a page has answered, for the plan of a release: kept until another page answers."""

from __future__ import annotations

from statistics import median, mode
from typing import Any, NamedTuple

import streamlit as st

from dpslr_core.sources.choices import Synthetic

USUAL = "DeepestLine"  # the algorithm where no page has answered
_ANSWER = "plan_answer"  # session-state key
_GUESSES = Synthetic.model_fields.keys() - {"kind", "n", "data_seed"}


class Answer(NamedTuple):
    """The algorithm that a page named; guesses and numbers of records of areas, both public, that it stands on.

    guesses: None where it stands on the data of the page. sizes: empty where it says none. published: what it is for,
    in words.
    """

    page: str = ""
    algorithm: str = ""
    guesses: Synthetic | None = None
    sizes: tuple[tuple[str, int], ...] = ()
    published: str = ""

    @property
    def reason(self) -> str:
        """Where the choice comes from, in a plan's words; "" where data were looked at for it."""
        wanted = f", for {self.published}" if self.published else ""
        return f"{self.page}, on public guesses alone{wanted}" if self.guesses else ""


def note_answer(page: str, algorithm: str | None, guessed: Any = None, published: str = "") -> None:
    """Keep the answer of a page; guessed: the source of the public guesses that it stands on.

    Of guesses that differ between areas those of a typical area are kept: the median, and the most common shape.
    published: as of Answer.
    """
    if algorithm:
        typed = {name: getattr(guessed, name) for name in _GUESSES if hasattr(guessed, name)}
        common = {name: _typical(value) for name, value in typed.items()}
        areas = getattr(guessed, "areas", ())
        sizes = tuple(zip(areas, guessed.n, strict=True)) if areas else ()
        model = Synthetic(**common) if "var_x" in common else None
        st.session_state[_ANSWER] = Answer(page, algorithm, model, sizes, published)


def _typical(value: Any) -> Any:
    """A guess for all areas."""
    if not isinstance(value, tuple):
        return value
    return mode(value) if isinstance(value[0], str) else median(value)


def plan_link(page: str, algorithm: str | None, guessed: Any = None, published: str = "") -> None:
    """Keep the answer of a page, as note_answer does, and draw the link that plans its release."""
    note_answer(page, algorithm, guessed, published)
    if algorithm:
        query = {"release_of": algorithm} | (
            {"release_areas": "true"} if page == "Small areas" else {}
        )
        st.page_link(
            "pages/release.py",
            label="Plan a release",
            query_params=query,
            icon=":material/arrow_forward:",
        )


def answered() -> Answer:
    """The last answer; an empty one before any."""
    kept: Answer = st.session_state.get(_ANSWER, Answer())
    return kept
