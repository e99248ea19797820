"""Six released lines of two algorithms on the same people: ``python -m benchmarks start``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pandas as pd

from dpslr_core.experiments.same_people import ALGORITHMS, COLUMNS, PEOPLE, STORED, measured
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.sources.stored import write_tables
from dpslr_core.support.workers import in_order


def rows(saved: bool = False) -> Iterator[str]:
    """The error of each algorithm by budget and number of people; saved: also as tables, with the lines."""
    parts = list(in_order(_of_one, list(product(PEOPLE, ALGORITHMS)), -1))
    tables = {
        name: pd.concat([part[name] for part in parts], ignore_index=True) for name in COLUMNS
    }
    errors = tables["errors"].pivot(index="epsilon", columns=["algorithm", "n"], values="ratio")
    yield errors.to_string(float_format="{:.3g}".format)
    if saved:
        save(tables, STORED)


def _of_one(part: tuple[int, Mechanism]) -> dict[str, pd.DataFrame]:
    return measured(*part)


def save(tables: Mapping[str, pd.DataFrame], path: Path) -> None:
    """Write the tables for load of dpslr_core.experiments.same_people."""
    write_tables(tables, path, 4)
