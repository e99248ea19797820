"""Six released lines of two algorithms on the same people: ``python -m benchmarks start``."""

from __future__ import annotations

from itertools import product

import pandas as pd

from dpslr_core.experiments.same_people import ALGORITHMS, COLUMNS, PEOPLE, measured
from dpslr_core.experiments.same_people import STORED as STORED

ABOUT = {"digits": 4}


def made() -> dict[str, pd.DataFrame]:
    """Return the tables that ``load`` of dpslr_core.experiments.same_people reads."""
    tables = [measured(n, mechanism) for n, mechanism in product(PEOPLE, ALGORITHMS)]
    return {name: pd.concat([table[name] for table in tables]) for name in COLUMNS}
