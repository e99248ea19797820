"""Last answer of a page, from which the Release page plans; kept until another page answers."""

from __future__ import annotations

from statistics import median, mode
from typing import Any, NamedTuple

import streamlit as st

from dpslr_core.sources.choices import Synthetic

USUAL = "DeepestLine"  # algorithm of a plan before any page has answered
STEPS = ("1 Data", "2 Decide", "3 Plan", "4 Release")
_ANSWER = "plan_answer"  # session-state key
_ON_A_FILE = "plan_answer_on_a_file"  # session-state key: an answer that stands on an uploaded file was shown
_GUESSES = Synthetic.model_fields.keys() - {"kind", "n", "data_seed"}


class Answer(NamedTuple):
    """Answer of a page, for a plan.

    Attributes
    ----------
    page : str
        Title of the page; empty before any answer.
    algorithm : str
        Name of the algorithm.
    guesses : Synthetic or None
        Public guesses that the answer stands on; None if it stands on data.
    sizes : tuple of tuple of str and int
        Public labels of areas and their numbers of records; empty if the answer has no areas.
    published : str
        Published quantity, in words.
    """

    page: str = ""
    algorithm: str = ""
    guesses: Synthetic | None = None
    sizes: tuple[tuple[str, int], ...] = ()
    published: str = ""

    @property
    def reason(self) -> str:
        """Words of a plan on where the choice comes from; empty if data were looked at for it."""
        wanted = f", for {self.published}" if self.published else ""
        return f"{self.page}, on public guesses alone{wanted}" if self.guesses else ""


def note_answer(page: str, algorithm: str | None, guessed: Any = None, published: str = "") -> None:
    """Keep the answer of a page.

    Parameters
    ----------
    page : str
        Title of the page.
    algorithm : str or None
        Name of the algorithm; None keeps the last answer.
    guessed : Source, optional
        Source of the public guesses. For guesses that differ between areas a typical area is kept: the median, and the
        most common shape.
    published : str, optional
        Published quantity, in words.
    """
    if algorithm:
        typed = {name: getattr(guessed, name) for name in _GUESSES if hasattr(guessed, name)}
        common = {name: _typical(value) for name, value in typed.items()}
        areas = getattr(guessed, "areas", ())
        sizes = tuple(zip(areas, guessed.n, strict=True)) if areas else ()
        model = Synthetic(**common) if "var_x" in common else None
        st.session_state[_ANSWER] = Answer(page, algorithm, model, sizes, published)
        if model is None and st.session_state.get("source") == "upload":
            st.session_state[_ON_A_FILE] = True


def _typical(value: Any) -> Any:
    """Return one guess for all areas: the median, or the most common shape."""
    if not isinstance(value, tuple):
        return value
    return mode(value) if isinstance(value[0], str) else median(value)


def steps(decides: str) -> None:
    """Draw the steps to a release as links, with a mark at those that are done.

    Parameters
    ----------
    decides : str
        Name of the file of the page that decides.
    """
    last, pages = (
        last_answer(),
        dict(zip(STEPS, ("data", decides, "release", "release"), strict=True)),
    )
    query = {"release_of": last.algorithm} if last.algorithm else {}
    query |= {"release_areas": "true"} if last.page == "Small areas" else {}
    done = STEPS[: 1 + bool(last.algorithm)]
    with st.container(horizontal=True, gap="small", width="content"):
        for step, page in pages.items():
            st.page_link(
                f"pages/{page}.py",
                label=step,
                icon=":material/check:" if step in done else None,
                query_params=query if page == "release" else None,
            )


def has_seen_answer_on_file() -> bool:
    """Return whether an answer that stands on an uploaded file was shown in this session."""
    return bool(st.session_state.get(_ON_A_FILE))


def last_answer() -> Answer:
    """Return the last answer; an empty one before any."""
    kept: Answer = st.session_state.get(_ANSWER, Answer())
    return kept
