"""What a page has answered, for the plan of a release: kept until another page answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from dpslr_core.sources.choices import Synthetic

USUAL = "DeepestLine"  # the algorithm where no page has answered
_ANSWER = "plan_answer"  # session-state key
_GUESSES = Synthetic.model_fields.keys() - {"kind", "n", "data_seed"}


class Answer(NamedTuple):
    """The algorithm that a page named; guesses and numbers of records of areas, both public, that it stands on.

    guesses: None where it stands on the data of the page. sizes: empty where it says none.
    """

    page: str = ""
    algorithm: str = ""
    guesses: Synthetic | None = None
    sizes: tuple[tuple[str, int], ...] = ()

    @property
    def reason(self) -> str:
        """Where the choice comes from, in a plan's words; "" where data were looked at for it."""
        return f"{self.page}, on public guesses alone" if self.guesses else ""


def note_answer(page: str, algorithm: str | None, guessed: Any = None) -> None:
    """Keep the answer of a page; guessed: the source of the public guesses that it stands on."""
    if algorithm:
        typed = {name: getattr(guessed, name, None) for name in _GUESSES}
        common = {name: value for name, value in typed.items() if isinstance(value, float | str)}
        areas = getattr(guessed, "areas", ())
        sizes = tuple(zip(areas, guessed.n, strict=True)) if areas else ()
        st.session_state[_ANSWER] = Answer(
            page, algorithm, Synthetic(**common) if "var_x" in common else None, sizes
        )


def plan_link(page: str, algorithm: str | None, guessed: Any = None) -> None:
    """Keep the answer of a page, as note_answer does, and draw the link that plans its release."""
    note_answer(page, algorithm, guessed)
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
