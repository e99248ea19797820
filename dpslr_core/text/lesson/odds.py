"""Step 4: what epsilon promises."""

from __future__ import annotations

from ...experiments.lesson.odds import largest_belief, largest_odds
from ...experiments.moved import MovedRecord, OutputChange
from ..phrases import format_amount, format_share, in_full
from .words import StepText, place_of, times

QUESTION = "You give it 50 : 50 that the person was moved. How sure can one release make you?"


def step_text(moved: MovedRecord, change: OutputChange) -> StepText:
    """The factor that epsilon allows, and the one that this move needs."""
    epsilon = change.loss.promised
    allowed = times(largest_odds(epsilon))
    headline = f"ε = {in_full(epsilon)}: any outcome is at most {allowed} as likely after one person is moved"
    context = (
        f"{change.mechanism.name} releases one prediction for 15 hours. Person {moved.place + 1} is at "
        f"{place_of(moved.old)} before the move, at {place_of((moved.x, moved.y))} after it."
    )
    picture = (
        f"Moving person {moved.place + 1} makes outcomes up to {times(largest_odds(change.loss.measured))} as likely; "
        f"ε = {in_full(epsilon)} allows {allowed}."
    )
    return StepText(headline, context, picture, QUESTION)


def answer(change: OutputChange) -> str:
    """Even odds after the most telling outcome: by the promise, and for this move."""
    measured, promised = change.loss.measured, change.loss.promised
    return (
        f"At most {_share(largest_belief(promised))}: "
        f"even odds become {format_amount(largest_odds(promised))} to 1. "
        f"This move gives less away, {_share(largest_belief(measured))}: "
        f"its privacy loss is {format_amount(measured)}, and ε is {in_full(promised)}. "
        "The promise holds for every person and every move."
    )


def _share(share: float) -> str:
    """A share in per cent, with digits more near 100%."""
    if share > 0.9999:
        return "more than 99.99%"
    return f"{format_amount(100 * share, 4)}%" if share > 0.985 else format_share(share)
