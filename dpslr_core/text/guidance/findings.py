"""What the Findings page says: where newer algorithms beat those of the paper, and where they do not."""

from __future__ import annotations

import pandas as pd

from ...guidance.findings import VAR_E, VAR_X
from ...guidance.maps.winner_map import MapSettings
from ...sources.linear import ERROR_SHAPES, X_SHAPES
from ..phrases import format_amount, format_share, in_full, listed

SHARES = ("newer_better", "paper_passes", "newer_passes")
RATIO_COLUMNS = {
    "x_shape": "x", "error_shape": "errors", "epsilon": "ε", "paper": "best of the paper", "paper_error": "its error",
    "newer": "best newer", "newer_error": "error of the newer", "ratio": "newer / paper",
}  # fmt: skip
AREA_COLUMNS = {
    "epsilon": "ε", "newer_better": "newer better in", "median_ratio": "newer / paper, median",
    "paper_passes": "paper: noise below sampling error", "newer_passes": "newer: noise below sampling error",
    "newer": "mostly",
}  # fmt: skip
SHAPES_CAPTION = (
    "Error about the true line in standard errors, sampling and noise together, averaged over x = 0.25 and 0.75. "
    f"σₓ² = {VAR_X}, σₑ² = {VAR_E}. Only algorithms with pure ε-differential privacy. Leverage: one record in twenty "
    "far out. Growing: errors that grow with x. Skewed: to the right."
)
AREAS_CAPTION = (
    "Of every area the best algorithm of each kind, by C(68) about its own OLS line at x = 0.25. Only algorithms "
    "with pure ε-differential privacy."
)
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
    """Over which shapes of x and errors the newer algorithms stay ahead; table: of findings.shape_rows."""
    ratios = table["ratio"]
    ahead, behind = table[ratios < 1 - EVEN], table[ratios > 1 + EVEN]
    said = f"A newer algorithm is better in {len(ahead)} of {len(table)} settings"
    if behind.empty:
        return f"{said}, and the paper's in none."
    where = listed(f"{ERROR_SHAPES[row.error_shape]} and {X_SHAPES[row.x_shape]} at n = {row.n:,}"
                   for row in behind.itertuples())  # fmt: skip
    return f"{said}. The paper's is better with {where}."


def shape_table(table: pd.DataFrame) -> pd.DataFrame:
    """The table of shapes as it is shown."""
    return table.rename(columns=RATIO_COLUMNS)


def areas_sentence(table: pd.DataFrame) -> str:
    """In how many areas noise is below the sampling error, where the newer algorithms gain most and where they lose.

    table: of findings.area_row.
    """
    ordered = table.assign(gain=table["newer_passes"] - table["paper_passes"]).sort_values("gain")
    best, worst = ordered.iloc[-1], ordered.iloc[0]
    said = f"The newer algorithms gain most on {_passes(best)}."
    return f"{said} They are behind on {_passes(worst)}." if worst["gain"] < 0 else said


def _passes(row: pd.Series) -> str:
    name = f"{row['data'][0].lower()}{row['data'][1:]}"
    return (
        f"{name}, at ε = {in_full(float(row['epsilon']))}: noise is below the sampling error in "
        f"{format_share(row['newer_passes'])} of {row['areas']:,} areas, with the paper's in "
        f"{format_share(row['paper_passes'])}"
    )


def area_table(table: pd.DataFrame) -> pd.DataFrame:
    """The table of areas as it is shown."""
    shares = {name: [format_share(share) for share in table[name]] for name in SHARES}
    return table.assign(**shares).rename(columns=AREA_COLUMNS)
