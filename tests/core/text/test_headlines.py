"""The headline of every page, at every link and case that is stored, is read in ten seconds."""

from __future__ import annotations

import re

import pytest

from dpslr_core.text.phrases import first_and_rest
from tests.golden.parts import PARTS
from tests.golden.stored import read

WORDS, NUMBERS = 15, 1
# 39 of 40, ±0.5 and 63% are one number each; the digits of a name (log10, DPExpTheilSen10Match) are none.
NUMBER = re.compile(r"(?<![\w.])[±−]?\d[\d,.]*\d?(?: × 10\S+)?(?: of \d[\d,]*)?%?(?!\w)")
PLACE = re.compile(
    r"^At [^=]+ = [\d.,]+ "
)  # "At ε = 2 only ..", "At n = 120 ..": where, and no finding
OTHERS = "page_lesson", "page_release"  # whose first sentences have tests of their own
PAGES = [part for part in PARTS if part.startswith("page_") and part not in OTHERS]


def too_long(headline: str) -> bool:
    said = PLACE.sub("", headline)
    return len(headline.split()) > WORDS or len(NUMBER.findall(said)) > NUMBERS


@pytest.mark.parametrize("part", PAGES)
def test_a_headline_has_at_most_fifteen_words_and_one_number(part):
    shown = [
        text.removeprefix("header: ")
        for case in read(part).values()
        for text in case["texts"]
        if text.startswith("header: ") and not text.startswith("header: - **")
    ]
    assert shown and not list(filter(too_long, shown))


def test_so_has_the_headline_of_every_case_of_the_sentences():
    said = [
        first_and_rest(text)[0]
        for page, cases in read("sentences").items()
        if page != "findings"
        for text in cases.get("headline", {}).values()
    ]
    assert len(said) > 20 and not list(filter(too_long, said))
