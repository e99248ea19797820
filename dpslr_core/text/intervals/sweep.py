"""How wide intervals are along a sweep, in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...experiments.released_intervals import OLS_NAME
from ...mechanisms.base import Mechanism
from ..phrases import format_amount, listed, with_unit
from ..sweep import SweepDescription, place_of
from ..view import View

NONE = "no private interval has two ends in half of the releases"
LABEL = "median width of the 95% interval"


def sweep_widths_sentence(widths: pd.DataFrame, described: SweepDescription, view: View) -> str:
    """Whose interval is narrowest at both ends, beside that of OLS, and whose intervals lack an end where.

    widths: of interval_widths. Flat intervals, which are for a slope of 0 only, do not compete.
    """
    flat = {m.name for m in described.mechanisms if m.flat_interval}
    values = dict.fromkeys((described.values[0], described.values[-1]))
    told = [_narrowest(widths, value, flat, described, view) for value in values]
    said = sorted(told, key=lambda sentence: NONE in sentence)  # first where there is an interval
    open_ended = list(dict.fromkeys(widths.loc[np.isinf(widths["width"]), "mechanism"]))
    if open_ended:
        said.append(f"Where the line of {listed(open_ended)} stops, most intervals lack an end.")
    remarks = dict.fromkeys(m.interval_remark for m in _shown(widths, described) if m.flat_interval)
    return " ".join([*said, *filter(None, remarks)])


def _narrowest(widths: pd.DataFrame, value: float, flat: set[str], described: SweepDescription, view: View) -> str:
    """The narrowest interval at one value: of those with a full guarantee, then of all where that is another."""
    here = widths[(widths["value"] == value) & np.isfinite(widths["width"])].set_index("mechanism")["width"]
    place, ols = place_of(value, described, view), float(here[OLS_NAME])
    private = here.drop([name for name in here.index if name == OLS_NAME or name in flat])
    usual = f"that of OLS ({with_unit(ols * view.y.scale, view.y)})"
    if private.empty:
        return f"At {place} {NONE}; OLS has one of {with_unit(ols * view.y.scale, view.y)}."
    full = private[private.index.isin(described.leading)]
    if full.empty:
        first = f"At {place} only algorithms with a weaker guarantee have intervals with two ends."
        return f"{first} The narrowest is {_wide(private, ols)} {usual}."
    told = f"At {place} the narrowest private 95% interval is {_wide(full, ols)} {usual}."
    better = private.min() < full.min()
    return f"{told} With a weaker guarantee it is {_wide(private, ols)} that of OLS." if better else told


def _wide(widths: pd.Series, ols: float) -> str:
    """Whose interval is the narrowest, and how many times as wide as that of OLS."""
    times = format_amount(float(widths.min()) / ols, 3) if ols > 0 else "infinitely many"
    return f"{widths.idxmin()}'s, {times} times as wide as"


def _shown(widths: pd.DataFrame, described: SweepDescription) -> list[Mechanism]:
    names = set(widths["mechanism"])
    return [m for m in described.mechanisms if m.name in names]


def made_sentence(datasets: int, releases: int, loaded: bool) -> str:
    """How the widths are made."""
    of = f"{releases} releases" if loaded else f"{releases} releases from each of {datasets} simulated data sets"
    return f"Medians over {of}. Algorithms whose intervals cost no further budget, and OLS."
