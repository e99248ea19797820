"""How often intervals held the line on simulated data, in words; the stored counts are read once."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from dpslr_core.experiments import coverage
from dpslr_core.intervals import Target
from dpslr_core.text.intervals.sentences import coverage_sentence

from ..cache import kept


def held(intervals: Iterable[tuple[str, str]], target: Target = Target.TRUE_LINE) -> list[str]:
    """Where each algorithm's intervals by a method held their target least often; what is wrong with the file if it is.

    intervals: names of algorithms and of methods.
    """
    try:
        table = _counted()
    except (OSError, ValueError) as problem:
        return [str(problem)]
    told = [coverage_sentence(table, str(name), str(method), target=target) for name, method in intervals]
    return [sentence for sentence in told if sentence]


@kept(1, scope="global")
def _counted() -> pd.DataFrame:
    return coverage.load()
