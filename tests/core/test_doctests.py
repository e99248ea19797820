"""The examples in the docstrings of the public functions are there, and are right."""

import doctest
import sys

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


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.__qualname__)
def test_the_docstring_has_an_example(shown):
    (docstring,) = doctest.DocTestFinder(recurse=False).find(shown)
    assert docstring.examples


@pytest.mark.parametrize("name", sorted({shown.__module__ for shown in SHOWN}))
def test_the_examples_of_the_module_are_right(name):
    results = doctest.testmod(sys.modules[name])
    assert results.attempted and not results.failed
