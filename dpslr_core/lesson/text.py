"""Sentences of the lesson: for each step a headline, its context, its picture in words, a question and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, exp

import numpy as np
import pandas as pd

from ..audit.moved import OutputChange
from ..audit.pair import posterior
from ..dataset import Record
from ..support.readable import at_most
from ..text.data import coordinates
from ..text.phrases import (
    both_sides_of_one,
    counted,
    format_amount,
    format_share,
    in_full,
    listed,
    point_on,
    with_unit,
)
from .classes import CLASSES, class_errors, median_class
from .guesses import REASONS, WATCHED
from .settings import HOURS, MOST, POINT, SCATTERS, SCORE, TOTAL, Lesson, class_of
from .steps import (
    EVEN,
    NOISY,
    TEN_RELEASES,
    VIEW,
    Game,
    beyond_view,
    change_of,
    changes,
    game_of,
    median_bounds,
    person_moved,
    releases,
    remaining,
    somebody_moved,
    worst_of_ten,
)

AT_POINT = f"at {point_on(HOURS, POINT)}"
TITLES = ("One leaves", "How far at worst?", "Median", "Noise", "Promise", "More people", "Choice")


@dataclass(frozen=True)
class StepText:
    """Sentences of one step.

    Attributes
    ----------
    headline : str
        Main number of the picture.
    context : str
        Data and settings.
    picture : str
        Picture in words.
    question, answer, why : str
        Question to guess at, its answer and the reasons.
    """

    headline: str
    context: str
    picture: str
    question: str
    answer: str
    why: str


def step_text(lesson: Lesson) -> StepText:
    """Return the sentences of the lesson's step.

    Raises
    ------
    Damaged
        If the stored errors of classes are needed and cannot be read.
    """
    return {
        "leaves": leaving_text,
        "worst": worst_text,
        "median": median_text,
        "noise": noise_text,
        "promise": promise_text,
        "people": sizes_text,
        "choice": choice_text,
    }[lesson.step](lesson)


def points(share: float) -> str:
    """Format a score or a difference of scores, given in the unit square: "3.2 points", "1 point"."""
    return in_points(share * SCORE.scale)


def in_points(number: float) -> str:
    """Format a number of points: "3.2 points", "1 point"."""
    text = with_unit(number, SCORE)
    return text.removesuffix("s") if text.startswith("1 ") else text


def _times(factor: float, digits: int = 3) -> str:
    return f"{format_amount(factor, digits)} times"


def _at(record: Record) -> str:
    """Format the hours and points of a person: "(19 hours, 47 points)"."""
    return coordinates(record, HOURS, SCORE)


# Step "leaves": a line from ten people, and one who leaves.

TEN_CONTEXT = "Ten people, invented: hours of practice in a week, and points in a test."


def leaving_text(lesson: Lesson) -> StepText:
    """Describe the prediction at 15 hours, and its change without one person; the answer names who changes it most."""
    leaver = lesson.leaver
    before, after = (float(remaining(gone).predict(POINT)[0]) for gone in (0, leaver))
    headline = f"From ten people: {AT_POINT} of practice the line predicts {points(before)}"
    if leaver:
        way = "up" if after > before else "down"
        headline = f"Without person {leaver} the prediction {AT_POINT} moves {way} by {points(abs(after - before))}"
    distances = np.abs(changes())
    first, second = np.argsort(-distances, kind="stable")[:2]
    answer = (
        f"Person {first + 1} moves it by {points(distances[first])}; the next, person "
        f"{second + 1}, by "
        f"{points(distances[second])}. Whoever sees both lines learns about the person who left."
    )
    why = "Elsewhere in this app a person is replaced and does not leave, so that n stays public."
    picture = (
        f"{headline}. The line goes from {points(before)} to {points(after)} there."
        if leaver
        else f"{headline}."
    )
    question = "How far does the prediction move at most, when one person leaves?"
    return StepText(headline, TEN_CONTEXT, picture, question, answer, why)


# Step "worst": one person goes anywhere within the bounds.


def worst_text(lesson: Lesson) -> StepText:
    """Describe the change of OLS with one person; the answer is the largest change in this class."""
    moved = person_moved(lesson)
    before, after = moved.predictions([POINT])["ols"]
    person, total = moved.place + 1, moved.before.n * (moved.before.n - 1) // 2
    headline = f"Move anybody: now the line predicts {points(before)} {AT_POINT}"
    if moved.moved:
        headline = (
            f"Person {person} moves the prediction {AT_POINT} by {points(abs(after - before))}"
        )
    picture = f"Person {person} is at {_at((moved.x, moved.y))}. {headline}."
    worst = worst_of_ten()
    answer = (
        f"In this class at most {points(worst.change)}: person {worst.person} goes to "
        f"{_at((worst.x, worst.y))}. The "
        "darker a place, the further OLS moves."
    )
    why = (
        "If people differed less in practice, the line would tip further, without limit. "
        "So over all classes OLS has no largest change, and no noise is enough for it. "
        f"The sum of the scores has one: {points(1.0)}. "
        f"So has a count, which a median needs: at most {moved.before.n - 1} of {total} lines "
        "through two people can "
        "pass a height. The largest change in any class is called global sensitivity. "
        "Noise must hide it, and not only the change in this class."
    )
    context = f"{TEN_CONTEXT} One of them may be anybody else, anywhere within the bounds."
    question = "One person goes anywhere in the picture: how far can the prediction move at most?"
    return StepText(headline, context, picture, question, answer, why)


# Step "median": the median of pairwise lines while one person is moved.

MEDIAN_CONTEXT = (
    "Through each two people runs a line; its height at 15 hours is a pairwise estimate. "
    "Theil–Sen is their median, OLS is the line of least squares."
)


def median_text(lesson: Lesson) -> StepText:
    """Describe the changes of OLS and the median with one person; the answer is the range of the median."""
    moved = person_moved(lesson)
    rows, person, touched = moved.predictions([POINT]), moved.place + 1, moved.before.n - 1
    total = moved.before.n * touched // 2
    if moved.moved:
        ols_change, median_change = (
            points(abs(rows[name].iloc[1] - rows[name].iloc[0])) for name in ("ols", "theil_sen")
        )
        headline = (
            f"Person {person} moves OLS {AT_POINT} by {ols_change}, the median by {median_change}"
        )
        picture = f"Person {person} is at {_at((moved.x, moved.y))}. {headline}."
    else:
        median, line = (points(rows[name].iloc[0]) for name in ("theil_sen", "ols"))
        headline = f"{total} pairwise lines: their median {AT_POINT} is {median}, OLS is {line}"
        picture = f"{headline}."
    low, high = median_bounds(moved)
    ols = [
        float(moved.before.with_record(moved.place, moved.x, end).predict([POINT])[0])
        for end in (0.0, 1.0)
    ]
    as_far = f", {_times(abs(ols[1] - ols[0]) / (high - low), 2)} as far" if high > low else ""
    answer = (
        f"It stays between {points(low)} and {points(high)}. The person is in {touched} of "
        f"{total} pairs, so at most {touched} estimates change sides."
    )
    why = f"OLS follows the person: from {points(ols[0])} to {points(ols[1])}{as_far}."
    question = (
        "Wherever this person goes: how many points lie between the lowest and the highest median?"
    )
    return StepText(headline, MEDIAN_CONTEXT, picture, question, answer, why)


# Step "noise": releases of one class.


def noise_text(lesson: Lesson) -> StepText:
    """Describe the releases and the rest of the budget; the answer is the 68% distance of releases from OLS."""
    drawn, budget_left = lesson.drawn, TOTAL - lesson.drawn * lesson.class_epsilon
    headline = f"Nothing is released yet: this class may spend ε = {TOTAL} in all"
    if drawn:
        count = f"{counted(drawn, 'release')} at ε = {in_full(lesson.class_epsilon)}"
        headline = f"{count}: ε = {format_amount(budget_left)} is left"
    heights = SCORE.from_unit(releases(lesson)[:, 0])
    errors, halved = (
        class_errors(class_of(lesson), epsilon, (NOISY,)).iloc[0]
        for epsilon in (lesson.class_epsilon, lesson.class_epsilon / 2)
    )
    beyond = int(((heights < VIEW[0]) | (heights > VIEW[1])).sum())
    near = int(
        (
            np.abs(heights - SCORE.from_unit(class_of(lesson).predict(POINT)[0]))
            <= 100 * errors["c68"]
        ).sum()
    )
    picture = [f"{headline}."]
    if drawn and beyond:
        picture.append(f"Outside the picture {AT_POINT}: {counted(beyond, 'release')}.")
    if silent := int(np.isnan(heights).sum()):
        picture.append(f"Without an answer: {counted(silent, 'release')}.")
    answer = [
        f"No distance is enough: {NOISY.name} gives no answer in more than 32% of its releases."
    ]
    if np.isfinite(errors["c68"]):
        answer = [
            f"±{points(errors['c68'])}: about two releases in three are this close to the line "
            "without privacy."
        ]
        answer += [f"Here {near} of {drawn} are."] if drawn else []
    why = []
    if np.isfinite(errors["c68"]) and np.isfinite(halved["c68"]):
        why.append(f"Half the budget makes it {_times(halved['c68'] / errors['c68'])} as large.")
    why += [
        f"{counted(lesson.affordable, 'release')} spend the budget.",
        f"Whoever has them all can average them, so their losses add up, to ε = {TOTAL} at most.",
        "Without privacy the line is uncertain, too: its sampling error is "
        f"±{points(errors['standard_error'])}.",
    ]
    context = (
        f"{lesson.students:,} simulated students. {NOISY.name} adds noise to the sums that OLS "
        "is made of, as much as anyone could change them."
    )
    question = (
        "Within how many points of the grey line are about two releases in three, at 15 hours?"
    )
    return StepText(headline, context, " ".join(picture), question, " ".join(answer), " ".join(why))


# Step "promise": the privacy loss that epsilon allows, as odds, and a game.


def promise_text(lesson: Lesson) -> StepText:
    """Describe the factor that epsilon allows and this move's; the answer is the largest belief after a release."""
    moved, change = somebody_moved(lesson), change_of(lesson)
    epsilon, measured = change.loss.promised, change.loss.measured
    allowed = f"{at_most(exp(epsilon))} times"
    headline = f"ε = {in_full(epsilon)}: any outcome is at most {allowed} as likely after one person is moved"
    context = (
        f"{change.mechanism.name} releases one prediction for 15 hours. Person {moved.place + 1} "
        "is at "
        f"{_at(moved.old)} before the move, at {_at((moved.x, moved.y))} after it."
    )
    picture = (
        f"Moving person {moved.place + 1} makes outcomes up to {_times(exp(measured))} as likely; "
        f"ε = {in_full(epsilon)} allows {allowed}. {_beyond(change)}"
    )
    answer = (
        f"At most {_belief(epsilon)}: ε multiplies the odds by {at_most(exp(epsilon))} at most, "
        "whoever is moved. "
        f"This move multiplies them by {at_most(exp(measured))}, so {_belief(measured)} at most."
    )
    why = (
        f"Even odds are 1 : 1, and {at_most(exp(epsilon))} : 1 are {_belief(epsilon)}. The "
        "privacy loss is the "
        f"logarithm: {format_amount(measured)} for this move, and ε = {in_full(epsilon)} is "
        "allowed."
    )
    question = (
        "You think it 50% likely that the person was moved. How sure can one release make you?"
    )
    return StepText(headline, context, picture, question, answer, why)


def _beyond(change: OutputChange) -> str:
    """State the share of releases outside the picture, before and after the move."""
    shares = [format_share(beyond_view(law)) for law in (change.before, change.after)]
    if len({*shares}) == 1:
        return f"Outside the picture are {shares[0]} of the releases."
    return f"Outside the picture are {shares[0]} of the releases before the move, {shares[1]} after it."


def _belief(loss: float) -> str:
    """Format the largest belief after a release in per cent, never rounded down, with more digits near 100%."""
    share = float(posterior(EVEN, loss))
    if share > 0.9999:
        return "more than 99.99%"
    return (
        f"{at_most(100 * share, 4)}%"
        if share > 0.985
        else format_share(ceil(100 * share - 1e-9) / 100)
    )


def game_text(lesson: Lesson, guesses: Sequence[bool]) -> str:
    """State the reader's hits so far and the next release; after the last, the hits and the rate of the best rule."""
    game = game_of(lesson)
    guessed = game.rows[: len(guesses)]
    beyond = int(((guessed["release"] < VIEW[0]) | (guessed["release"] > VIEW[1])).sum())
    outside = f" {counted(beyond, 'release')} outside the picture." if beyond else ""
    if len(guesses) < TEN_RELEASES:
        hits = int((guessed["moved"] == list(guesses)).sum())
        so_far = f" So far {hits} of {len(guesses)} right." if guesses else ""
        return f"Release {len(guesses) + 1} of {TEN_RELEASES}: {_shown(game, len(guesses))}{so_far}{outside}"
    hits = int((guessed["moved"] == list(guesses)).sum())
    return (
        f"You: {hits} of {TEN_RELEASES} right. The best rule: {game.best_hits} of these, and "
        f"{format_share(game.best_rate)} in the long run. No rule does better.{outside}"
    )


def _shown(game: Game, number: int) -> str:
    """Format release `number` of the game, counted from 0."""
    release = float(game.rows["release"].iloc[number])
    where = "" if VIEW[0] <= release <= VIEW[1] else ", outside the picture"
    return f"{in_points(release)}{where}."


# Steps "people" and "choice": errors in classes of each size, and at each scatter.

ABOUT_ALGORITHMS = (
    "NoisyStats adds noise to the sums that OLS is made of. DPExpTheilSen draws near the median "
    "of all pairwise lines. "
    "DeepestLine draws a whole line near the one with equally many records above and below."
)


def sizes_text(lesson: Lesson) -> StepText:
    """Describe the best algorithm's error at the lesson's size; the answer is the sizes at which noise is smaller."""
    errors = median_class(lesson, over="students")
    at_size = errors[errors["students"] == lesson.students]
    best = at_size.sort_values("ratio").iloc[0]
    headline = f"{lesson.students:,} students: {best['algorithm']}’s error is {_of_sampling_error(best['ratio'])}"
    picture = (
        f"In the median class the 68% error {AT_POINT} is {_within(_finite(at_size))}. The sampling "
        "error is "
        f"±{points(best['standard_error'])}.{_failing(at_size)}"
    )
    sentences = {}
    for name, rows in errors.groupby("algorithm", sort=False):
        below = rows[rows["ratio"] < 1]
        sizes = _ranges(list(below["students"]), list(rows["students"]))
        ends = below["below"].agg(["min", "max"]).dropna()
        of_classes = (
            f", in {' to '.join(dict.fromkeys(map(format_share, ends)))} of the classes"
            if len(ends)
            else ""
        )
        sentences[str(name)] = f"{name}: {sizes}{of_classes}."
    hides = "Noise falls like 1/n, the sampling error like 1/√n: large classes hide it."
    answer = f"{sentences.pop(WATCHED)} {hides}"
    why = (
        f"{' '.join(sentences.values())} Part of DPExpTheilSen’s error is no noise: Theil–Sen "
        "and OLS are two "
        f"different lines, {points(at_size.set_index('algorithm')['gap']['DPExpTheilSen'])} apart "
        "here."
    )
    question = f"From how many students on is {WATCHED}’s error smaller than the sampling error?"
    return StepText(
        headline, f"{_classes(lesson)}{_failing(at_size)}", picture, question, answer, why
    )


def choice_text(lesson: Lesson) -> StepText:
    """Describe the best two algorithms at the lesson's scatter; the answer is the best at each scatter."""
    errors = median_class(lesson, over="scatter")
    ranked = errors[errors["scatter"] == lesson.scatter].sort_values("ratio")
    best, second = ranked.iloc[0], ranked.iloc[1]
    headline = f"Smallest error: {best['algorithm']}, {_of_sampling_error(best['ratio'])}"
    winners = errors.loc[errors.groupby("scatter")["ratio"].idxmin()]
    closest = str(winners.loc[winners["scatter"] == SCATTERS[0], "algorithm"].iloc[0])
    ranges = []
    for name, run in groupby(winners.itertuples(), lambda row: row.algorithm):
        rows = list(run)
        first, last = in_full(rows[0].scatter), in_points(rows[-1].scatter)
        ranges.append(f"{name} from {first} to {last}" if len(rows) > 1 else f"{name} at {last}")
    answer = f"At {in_points(SCATTERS[0])} it is {closest}. {REASONS[closest]}"
    other_reasons = [reason for name, reason in REASONS.items() if name != closest]
    why = f"Best by scatter: {listed(ranges)}. {' '.join(other_reasons)}"
    picture = (
        f"Error by scatter, in points, beside the sampling error. {headline}; next is "
        f"{second['algorithm']}, {_beside(second['ratio'])}. Here the error is "
        f"{_within(_finite(ranked))}.{_failing(ranked)}"
    )
    question = f"Which algorithm has the smallest error where scores scatter by {in_points(SCATTERS[0])} only?"
    return StepText(headline, _classes(lesson), picture, question, answer, why)


def _classes(lesson: Lesson) -> str:
    """Return the context of steps "people" and "choice"."""
    return (
        f"The class in the middle of {CLASSES}, of {lesson.students:,} simulated students whose "
        "scores scatter by "
        f"{in_points(lesson.scatter)}. The whole line is released, and costs ε = "
        f"{in_full(lesson.tabled_epsilon)}."
    )


def _beside(ratio: float) -> str:
    """Format an error over the sampling error: "42%", "1.3 times"."""
    if not np.isfinite(ratio):
        return "without limit"
    return format_share(ratio) if ratio < 1 else f"{both_sides_of_one(ratio)} times"


def _of_sampling_error(ratio: float) -> str:
    """Format an error beside the sampling error: "42% of the sampling error", "1.3 times the sampling error"."""
    return f"{_beside(ratio)}{' of' if ratio < 1 else ''} the sampling error"


def _within(errors: pd.DataFrame) -> str:
    """List the errors of algorithms: "±3 points with NoisyStats and ..."."""
    return listed(f"±{points(row.c68)} with {row.algorithm}" for row in errors.itertuples())


def _finite(errors: pd.DataFrame) -> pd.DataFrame:
    return errors[np.isfinite(errors["c68"])]


def _failing(errors: pd.DataFrame) -> str:
    """Name the algorithms that give no answer too often; empty if there are none."""
    names = list(errors["algorithm"][~np.isfinite(errors["c68"])])
    return f" {listed(names)} gives no answer in more than 32% of its releases." if names else ""


def _ranges(sizes: list[int], every: list[int]) -> str:
    """Format sizes as ranges of neighbouring stops: "at 100 to 300 students and from 1,000 students on"."""
    if not sizes:
        return f"at no size up to {MOST:,} students"
    ranges = []
    for _, run in groupby(sizes, lambda size: every.index(size) - sizes.index(size)):
        members = list(run)
        if members[-1] == every[-1] and len(members) > 1:
            ranges.append(f"from {members[0]:,} students on")
        else:
            ends = f"{members[0]:,} to {members[-1]:,}" if len(members) > 1 else f"{members[0]:,}"
            ranges.append(f"at {ends} students")
    return listed(ranges)
