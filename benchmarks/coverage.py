"""How often intervals hold what they are for: ``python -m benchmarks coverage``; writes sample_data/coverage.json."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from dpslr_core.experiments.coverage import SETTINGS, binomial_limits, measured, save

DATASETS = 2_000


def rows() -> Iterator[str]:
    """A line for each setting and kind of interval, with the limits of 95% certainty."""
    tables = []
    for setting, table in zip(SETTINGS, measured(DATASETS, workers=-1), strict=True):
        yield setting.name
        for row in table.itertuples():
            low, high = binomial_limits(row.held, row.datasets)
            what = f"{row.algorithm}, {row.method}, {row.target}"
            share = f"{row.held / row.datasets:.3f} ({low:.3f} to {high:.3f})"
            yield f"  {what:<60} {share:>24}   width {row.width:<8.3g} two ends {row.identified:.0%}"
        tables.append(table)
    save(pd.concat(tables, ignore_index=True))
    yield "written to sample_data/coverage.json"
