"""The examples in the docstrings of the public functions are there, and are right."""

import doctest
from importlib import import_module

import pytest

from dpslr_core import (
    Dataset,
    by_group,
    compare,
    error_bound,
    recommend,
    simulate_linear,
    simulate_tracts,
    sweep,
)
from dpslr_core.mechanisms import Mechanism

SHOWN = (
    Dataset,
    compare,
    by_group,
    sweep,
    recommend,
    simulate_linear,
    simulate_tracts,
    error_bound,
    Mechanism.release,
    Mechanism.law,
)
MODULES = {
    "dpslr_core.intervals.of_release",
    "dpslr_core.laws.by_rank",
    "dpslr_core.laws.centered",
    "dpslr_core.laws.divergence",
    "dpslr_core.laws.ratio",
    "dpslr_core.laws.solver",
}


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.__qualname__)
def test_the_docstring_has_an_example(shown):
    (docstring,) = doctest.DocTestFinder(recurse=False).find(shown)
    assert docstring.examples


@pytest.mark.parametrize("name", sorted(MODULES | {shown.__module__ for shown in SHOWN}))
def test_the_examples_of_the_module_are_right(name):
    results = doctest.testmod(import_module(name))
    assert results.attempted and not results.failed
