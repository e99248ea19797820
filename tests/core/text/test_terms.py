"""Terms of a text: the longest that fits, symbols by their letters, algorithms by their docstrings."""

import re
from pathlib import Path

import pytest

from dpslr_core.mechanisms import MECHANISMS
from dpslr_core.text.terms import Term, algorithm_terms, glossary_tables, terms_in
from tests.cases.tables import table as cases

GLOSSARY = Path(__file__).parents[3] / "docs" / "GLOSSARY.md"
TABLES = glossary_tables(GLOSSARY.read_text(encoding="utf-8"))
TERMS = [*(term for _, terms in TABLES for term in terms), *algorithm_terms(MECHANISMS)]


def names(text):
    return {term.name for term in terms_in(text, TERMS)}


OCCURRING = cases("""
    ["standard error"] | Its standard error is large.
    ["error", "standard error"] | The error in standard errors
    ["noise", "error"] | Noise C(68) is small
    ["n", "budget"] | n = 250, ε = 2
    ["budget", "n var(x)"] | ε n var(x) = 16.24
    ["ε-differential privacy"] | pure ε-differential privacy
    ["(ε, δ)-differential privacy"] | an (ε, δ)-differential privacy
    ["zCDP"] | its guarantee (ρ = 2 zCDP)
    ["DPExpTheilSen", "OLS"] | DPExpTheilSen10Match beats OLS
    ["NoisyStatsGaussian"] | NoisyStatsGaussian
    ["public bounds"] | Public bounds: x 0 to 1.
    [] | Every N and every inning is named by a SESSION
""")


@pytest.mark.parametrize(("expected", "text"), OCCURRING)
def test_exactly_the_terms_that_occur(expected, text):
    assert names(text) == set(expected)


def test_the_order_is_the_texts_and_a_term_of_two_lists_comes_once():
    used = terms_in(
        "NoisyStats has noise; ε is the budget. NoisyStats and OLS have n records.", TERMS
    )
    assert [term.name for term in used] == ["NoisyStats", "noise", "budget", "OLS", "n", "record"]


def test_every_term_is_found_by_its_own_name():
    for term in TERMS:
        assert term.meaning and all(names(spelling) for spelling in term.spellings), term
    headings = re.findall(r"^## (.+)$", GLOSSARY.read_text(encoding="utf-8"), flags=re.M)
    assert list(dict.fromkeys(heading for heading, _ in TABLES)) == headings


def test_an_algorithm_is_explained_by_its_first_sentence():
    terms = {term.name: term.meaning for term in algorithm_terms(MECHANISMS)}
    assert terms["NoisyIntercept"].startswith("The mean of y with Laplace noise")
    assert all(text.endswith(".") and not re.search(r"\$|\n", text) for text in terms.values())


def test_a_symbol_may_be_empty_and_names_are_parted_outside_brackets():
    assert Term("required ε, required n", "", "").spellings == ("required ε", "required n")
    assert Term("(ε, δ)-differential privacy", "", "").spellings == ("(ε, δ)-differential privacy",)
