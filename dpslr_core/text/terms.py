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
    pattern, index_of = _pattern(tuple(terms))
    text = _MATCHED.sub(lambda name: plain_name(name[0]), text)
    occurring = [match[0] for match in pattern.finditer(text)]
    keys = [word if word in index_of else _singular(word) for word in occurring]
    return [terms[index] for index in dict.fromkeys(index_of[key] for key in keys)]


def _singular(word: str) -> str:
    """Write a common word in small letters and without the s of a plural."""
    return word.lower().removesuffix("s")


@cache
def _pattern(terms: tuple[Term, ...]) -> tuple[re.Pattern[str], dict[str, int]]:
    """Make the pattern of all spellings, the longest first, and the index of the term of each.

    A common word may also be written with a first capital or in the plural.
    """
    index_of: dict[str, int] = {}
    expressions = []
    spelled = [(spelling, index) for index, term in enumerate(terms) for spelling in term.spellings]
    for spelling, index in sorted(spelled, key=lambda entry: -len(entry[0])):
        is_word = len(spelling) > 2 and spelling[0].islower() and spelling[-1].isalpha()
        key = _singular(spelling) if is_word else spelling
        index_of.setdefault(key, index)
        expressions.append(f"(?i:{re.escape(key)}s?)" if is_word else re.escape(key))
    return re.compile(rf"(?<!\w)(?:{'|'.join(expressions)})(?!\w)"), index_of
