"""How often the intervals of pooled areas hold the truth, and how near to it pooled lines are, in simulated worlds.

``python -m benchmarks pooling``: coverage of 95% intervals at x = 0.25, in brackets the root mean square error about
the true line; beside it that of OLS without privacy. The table is stored anew, for the pages that say where it breaks.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from dpslr_core.experiments.pooling_worlds import EPSILONS, measured, save


def rows() -> Iterator[str]:
    """A line for each world, number of areas, and with or without the covariate."""
    yield f"{'':<46}" + "".join(f"epsilon {epsilon:<8g}" for epsilon in EPSILONS) + "OLS"
    parts = []
    for part in measured():
        parts.append(part)
        for (name, areas, covariate), lines in part.groupby(["world", "areas", "covariate"], sort=False):
            shown = [f"{row.coverage:.3f} ({row.pooled_rms:.3f})" for row in lines.itertuples()]
            yield (
                f"{f'{name}, {areas:,} areas' + ', covariate' * bool(covariate):<46}"
                + "".join(f"{each:<16}" for each in shown)
                + f"{lines['ols_rms'].iloc[0]:.3f}"
            )
    save(pd.concat(parts, ignore_index=True))
