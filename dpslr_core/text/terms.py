"""Terms of the glossary that a text uses, and their meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from inspect import getdoc
from typing import NamedTuple

from ..mechanisms.base import Mechanism
from ..mechanisms.pairwise import plain_name

_MATCHED = re.compile(r"\b\w+Match\b")  # an algorithm with k matchings


class Term(NamedTuple):
    """A term, its symbol, which may be empty, and its one meaning."""

    name: str
    symbol: str
    meaning: str

    @property
    def spellings(self) -> tuple[str, ...]:
        """Names and symbols of the term as they stand in a text, parted by commas outside brackets."""
        return tuple(
            part for part in re.split(r", (?![^(]*\))", f"{self.name}, {self.symbol}") if part
        )


def glossary_tables(markdown: str) -> list[tuple[str, tuple[Term, ...]]]:
    """The tables of a glossary: a heading, and its terms; cells are term, symbol and name in code, meaning."""
    tables = []
    for part in markdown.split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        rows = [line.strip("| ").split("|") for line in body.splitlines() if line.startswith("| ")][
            1:
        ]
        terms = (
            Term(cells[0].strip(), cells[1].split("`")[0].strip(" ,"), cells[2].strip())
            for cells in rows
        )
        tables.append((heading, tuple(terms)))
    return tables


def algorithm_terms(algorithms: Iterable[type[Mechanism]]) -> tuple[Term, ...]:
    """The algorithms, each with the first sentence of its docstring."""
    said = (
        (algorithm.__name__, (getdoc(algorithm) or "").partition("\n\n")[0])
        for algorithm in algorithms
    )
    return tuple(Term(name, "", " ".join(text.split())) for name, text in said)


def terms_in(text: str, terms: Sequence[Term]) -> list[Term]:
    """The terms that occur in a text, in the order in which they first do.

    Where terms overlap the longest counts: "standard error" is not "error". Of two with one name the first counts.
    """
    text = _MATCHED.sub(lambda name: plain_name(name[0]), text)
    small = text.lower()
    matches = [
        (match.start(), rank, match.end(), index)
        for rank, (part, expression, index) in enumerate(_spellings(tuple(terms)))
        if part in small
        for match in expression.finditer(text)
    ]
    used, end = dict[int, None](), 0
    for start, _, stop, index in sorted(matches):
        if start >= end:
            used[index], end = None, stop
    return [terms[index] for index in used]


@cache
def _spellings(terms: tuple[Term, ...]) -> list[tuple[str, re.Pattern[str], int]]:
    """Spellings, the longest first: the small letters of every match, its expression, the index of its term."""
    spelled = []
    for index, term in enumerate(terms):
        for spelling in term.spellings:
            words = re.escape(spelling)
            if len(spelling) > 2 and spelling[0].islower() and spelling[-1].isalpha():
                words = f"(?i:{words.removesuffix('s')}s?)"  # a sentence begins with a large letter; the plural
            spelled.append((spelling, re.compile(rf"(?<!\w){words}(?!\w)"), index))
    spelled.sort(key=lambda each: -len(each[0]))
    return [
        (spelling.lower().removesuffix("s"), expression, index)
        for spelling, expression, index in spelled
    ]
