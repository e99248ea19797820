"""Step 1: a line from ten people, and one who leaves."""

from __future__ import annotations

from ...experiments.lesson.leaving import Leaving
from ...experiments.lesson.people import POINT
from .words import PLACE, StepText, points

CONTEXT = (
    "Ten people, invented: hours of practice in a week, and points in a test. Noise must cover what anyone could "
    "change, in any class. Elsewhere in this app a person is replaced and does not leave, so that n stays public."
)
QUESTION = "Who moves the prediction most by leaving, and how far?"


def step_text(leaving: Leaving) -> StepText:
    """The prediction at 15 hours, and how far it moves without one person."""
    before = float(leaving.everyone.predict(POINT)[0])
    if not leaving.leaver:
        headline = f"From ten people: {PLACE} of practice the line predicts {points(before)}"
        return StepText(headline, CONTEXT, f"{headline}.", QUESTION)
    after = float(leaving.remaining.predict(POINT)[0])
    headline = (
        f"Without person {leaving.leaver} the prediction {PLACE} moves by {points(abs(after - before))}, "
        f"{'up' if after > before else 'down'} to {points(after)}"
    )
    return StepText(headline, CONTEXT, f"{headline}.", QUESTION)


def answer(leaving: Leaving) -> str:
    """The person with the largest change, and the next."""
    changes = [abs(float(change)) for change in leaving.changes]
    order = sorted(range(len(changes)), key=lambda place: -changes[place])
    first, second = order[:2]
    return (
        f"Person {first + 1}: {points(changes[first])}. Next is person {second + 1}, {points(changes[second])}. "
        "Whoever sees both lines learns about the person who left. Noise must hide the largest change that anyone "
        "could cause, in any class. Not only in this one."
    )
