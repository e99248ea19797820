"""The lesson plans: every number in them is read off the text and recomputed from the link above it."""

from __future__ import annotations

import re
from math import exp, log
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from dpslr_core.lesson.classes import class_errors, median_class
from dpslr_core.lesson.settings import POINT, SCORE, Lesson, allowed, class_of
from dpslr_core.lesson.steps import (
    NOISY,
    change_of,
    changes,
    game_of,
    median_bounds,
    pairwise,
    person_moved,
    remaining,
    worst_of_ten,
)
from dpslr_core.text.phrases import format_amount

TEXT = (Path(__file__).parents[2] / "docs" / "teaching.md").read_text(encoding="utf-8")
PLANS, EXERCISES = TEXT.split("## Exercises and solutions")
BLOCKS = dict(re.findall(r"^### (\w)\. (.+?)(?=^### |\Z)", EXERCISES, flags=re.S | re.M))
LINK, MARKED = re.compile(r"`/lesson\??([^`]*)`"), re.compile(r"(\d[\d.,]*)<!-- ([\w.]+) -->")


def leaving(lesson):
    sizes = SCORE.scale * abs(changes())
    second = sizes.argsort()[-2]
    before, after = (
        SCORE.scale * data.predict(POINT)[0] for data in map(remaining, (0, lesson.leaver))
    )
    return {
        "everyone": before,
        "after": after,
        "change": abs(after - before),
        "second": second + 1,
        "second_change": sizes[second],
    }


def worst(lesson):
    move = worst_of_ten()
    return {
        "person": move.person,
        "change": SCORE.scale * move.change,
        "sum": SCORE.scale,
        "touched": 9,
        "total": 45,
    }


def median(lesson):
    moved = person_moved(lesson)
    rows, (low, high) = moved.predictions([POINT]), median_bounds(moved)
    ols, middle = (SCORE.scale * abs(rows[name].diff().iloc[1]) for name in ("ols", "theil_sen"))
    total, touched = pairwise(moved.before).size, moved.before.n - 1
    return {
        "ols_change": ols,
        "median_change": middle,
        "low": SCORE.scale * low,
        "high": SCORE.scale * high,
        "touched": touched,
        "total": total,
        "untouched": total - touched,
    }


def noise(lesson):
    errors = of_rows(class_errors(class_of(lesson), lesson.class_epsilon, (NOISY,)))
    return {**errors, "affordable": lesson.affordable, "epsilon": lesson.class_epsilon, "total": 16}


def sizes(lesson):
    return of_rows(median_class(lesson))


def of_rows(rows):
    rows = rows.set_index("algorithm")
    ratios = {f"ratio.{name}": ratio for name, ratio in rows["ratio"].items()}
    return {
        **(SCORE.scale * rows["c68"]),
        **ratios,
        "error": SCORE.scale * rows["standard_error"].iloc[0],
    }


def promise(lesson):
    change = change_of(lesson)
    epsilon, loss = lesson.class_epsilon, change.loss.measured
    return {
        "epsilon": epsilon,
        "allowed": exp(epsilon),
        "sure": 100 * exp(epsilon) / (1 + exp(epsilon)),
        "loss": loss,
        "loss_sure": 100 * exp(loss) / (1 + exp(loss)),
        "twice": exp(epsilon) ** 2,
        "three": log(3),
        "best": 100 * game_of(lesson).best_rate,
    }


def choice(lesson):
    rows = median_class(lesson, over="scatter")
    best = rows.loc[rows.groupby("scatter")["ratio"].idxmin()]
    assert best["algorithm"].ne(best["algorithm"].shift()).sum() == best["algorithm"].nunique(), (
        "one range for each"
    )
    return {
        f"last.{name}": scatter
        for name, scatter in best.groupby("algorithm")["scatter"].max().items()
    }


FACTS = (leaving, worst, median, noise, promise, sizes, choice)


def facts(block):
    """The numbers of a block's links: those of the first, of the second, and how often the larger holds the smaller."""
    links = [dict(parse_qsl(query)) for query in LINK.findall(block)]
    lessons = [
        Lesson(**{name: allowed(name, text) for name, text in link.items()}) for link in links
    ]
    first, *others = [FACTS[lesson.number - 1](lesson) for lesson in lessons] or [{}]
    numbers = dict(first)
    for other in others:
        for name, value in other.items():
            numbers[f"second.{name}"] = value
            numbers[f"growth.{name}"] = value / first[name]
            numbers[f"fall.{name}"] = first[name] / value
    return numbers


def digits(number):
    """Significant digits of a number as it is written; three where a whole number or trailing zeros may hide some."""
    return max(3, len(number.replace(".", "").replace(",", "").lstrip("0")))


def wrong(block):
    """The marked numbers of a block that are not what their names stand for."""
    numbers = facts(block)
    return [
        f"{name}: {number} is written, {numbers.get(name)} is true"
        for number, name in MARKED.findall(block)
        if name not in numbers or number not in roundings(numbers[name], digits(number))
    ]


def roundings(value, figures):
    """A number to two digits and to so many; both ways where it is a tie, whose last bit differs by machine."""
    return {
        format_amount(value * (1 + part), kept)
        for kept in (2, figures)
        for part in (-1e-12, 0, 1e-12)
    }


@pytest.mark.parametrize("letter", BLOCKS)
def test_the_numbers_of_a_solution_follow_from_its_links(letter):
    assert not wrong(BLOCKS[letter])


def test_no_number_is_left_unmarked():
    """What is not marked, in a link, a heading or the first columns of a plan, is written as a word."""
    left = MARKED.sub("", TEXT)
    for known in (r"`[^`]*`", r"(?m)^#.*$", r"(?m)^\| \d+ \| [–\d] \|"):
        left = re.sub(known, "", left)
    assert not re.findall(r"\d+", left)
