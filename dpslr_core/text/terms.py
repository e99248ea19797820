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
    """Term of the glossary, its symbol, which may be empty, and its one meaning."""

    name: str
    symbol: str
    meaning: str

    @property
    def spellings(self) -> tuple[str, ...]:
        """Names and symbols of the term as a text writes them; in the glossary commas part them, outside brackets."""
        return tuple(
            spelling
            for spelling in re.split(r", (?![^(]*\))", f"{self.name}, {self.symbol}")
            if spelling
        )


def glossary_tables(markdown: str) -> list[tuple[str, tuple[Term, ...]]]:
    """Read the tables of a glossary.

    Parameters
    ----------
    markdown : str
        Text of the glossary. Cells of a table are term, symbol with the name in code, and meaning.

    Returns
    -------
    list of (str, tuple of Term)
        Heading of each table, and its terms.
    """
    tables = []
    for section in markdown.split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
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
    """Terms for the algorithms, explained by the first paragraph of the docstring."""
    summaries = (
        (algorithm.__name__, (getdoc(algorithm) or "").partition("\n\n")[0])
        for algorithm in algorithms
    )
    return tuple(Term(name, "", " ".join(text.split())) for name, text in summaries)


def terms_in(text: str, terms: Sequence[Term]) -> list[Term]:
    """Find the terms that occur in a text, in the order of their first occurrence.

    Where terms overlap the longest counts: "standard error" is not "error". Of two terms with one name the first
    counts.
    """
    text = _MATCHED.sub(lambda name: plain_name(name[0]), text)
    small = text.lower()
    matches = [
        (match.start(), rank, match.end(), index)
        for rank, (letters, expression, index) in enumerate(_spellings(tuple(terms)))
        if letters in small
        for match in expression.finditer(text)
    ]
    used, end = dict[int, None](), 0
    for start, _, stop, index in sorted(matches):
        if start >= end:
            used[index], end = None, stop
    return [terms[index] for index in used]


@cache
def _spellings(terms: tuple[Term, ...]) -> list[tuple[str, re.Pattern[str], int]]:
    """List the spellings, the longest first: small letters in every match, its pattern, the index of its term."""
    spelled = []
    for index, term in enumerate(terms):
        for spelling in term.spellings:
            words = re.escape(spelling)
            if len(spelling) > 2 and spelling[0].islower() and spelling[-1].isalpha():
                words = (
                    f"(?i:{words.removesuffix('s')}s?)"  # also match a first capital and the plural
                )
            spelled.append((spelling, re.compile(rf"(?<!\w){words}(?!\w)"), index))
    spelled.sort(key=lambda entry: -len(entry[0]))
    return [
        (spelling.lower().removesuffix("s"), expression, index)
        for spelling, expression, index in spelled
    ]
