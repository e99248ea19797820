"""What the Findings page says: where newer algorithms beat those of the paper, and where they do not."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...guidance.maps.winner_map import MapSettings
from ..phrases import format_amount, format_share, in_full, listed

EVEN = 0.05  # ratios this near to 1 are a tie


def ratio_headline(table: pd.DataFrame) -> str:
    """In how many cells a newer algorithm is better, and by how much in the middle one.

    table: of newer_against_paper.
    """
    ratios = table["ratio"].dropna()
    better = ratios[ratios < 1 - EVEN]
    if better.empty:
        return f"In none of {len(ratios)} settings is a newer algorithm better than the paper's best."
    size = format_amount(float(better.median()), 2)
    return (
        f"A newer algorithm beats the paper's best in {len(better)} of {len(ratios)} settings. "
        f"Half of these errors are below {size} of the paper's."
    )


def ratio_sentence(table: pd.DataFrame) -> str:
    """Which algorithms these are, and where those of the paper remain best."""
    known = table.dropna(subset="ratio")
    better, worse = known[known["ratio"] < 1 - EVEN], known[known["ratio"] > 1 + EVEN]
    tie = len(known) - len(better) - len(worse)
    sentences = [f"Best newer algorithm: {_counts(better['newer'])}."] if len(better) else []
    if len(worse):
        most = format_amount(float(worse["ratio"].max()), 2)
        sentences.append(
            f"The paper's remain best in {len(worse)} settings ({_counts(worse['paper'])}); the best newer error is "
            f"there up to {most} times as large."
        )
    if tie:
        sentences.append(f"In {tie} the two differ by at most {format_share(EVEN)}.")
    return " ".join(sentences)


def _counts(names: pd.Series) -> str:
    return listed(f"{name} in {count}" for name, count in names.value_counts().items())


def ratio_caption(settings: MapSettings) -> str:
    """How the map was made."""
    return (
        f"Each number: the smallest error of the newer algorithms over the smallest of the paper's; below 1 (blue) the "
        f"newer are better. Error about the true line, sampling and noise together, averaged over x = "
        f"{listed(in_full(point) for point in settings.at)} and {settings.datasets} simulated data sets. "
        f"σₓ² = {in_full(settings.var_x)}, ε = {in_full(settings.epsilon)}; n varies. "
        "An empty cell: on some data set all of one kind fail too often."
    )


def shapes_sentence(table: pd.DataFrame) -> str:
    """Over which shapes of x and errors the newer algorithms stay ahead.

    table: a row per setting with ratio and shape.
    """
    worst = table.groupby("shape", sort=False)["ratio"].max()
    ahead = worst[worst < 1 - EVEN]
    if len(ahead) == len(worst):
        return "The newer algorithms stay ahead for every shape of x and of the errors below."
    behind = listed(str(shape) for shape in worst.index if shape not in ahead.index)
    return f"Not for every shape of x and of the errors are the newer algorithms ahead throughout: look at {behind}."


def finite_share(ratios: pd.Series) -> float:
    """The share of areas in which a newer algorithm has the smaller error; areas without any finite one left out."""
    known = ratios[np.isfinite(ratios)]
    return float((known < 1).mean()) if len(known) else float("nan")
