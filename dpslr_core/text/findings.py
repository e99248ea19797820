"""Sentences of the Findings page: where newer algorithms beat the paper's algorithms, and where they do not."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..guidance.findings import CHOSEN_ON, MAP, VAR_E, VAR_X
from ..sources.linear import ERROR_SHAPES, X_SHAPES
from .phrases import counted, format_amount, format_share, in_full, joined, listed

SHARES = ("newer_better", "paper_passes", "newer_passes")
RATIO_COLUMNS = {
    "x_shape": "x", "error_shape": "errors", "epsilon": "ε", "paper": "best of the paper", "paper_error": "its error",
    "newer": "best newer", "newer_error": "error of the newer", "ratio": "newer / paper",
}  # fmt: skip
AREA_COLUMNS = {
    "epsilon": "ε", "newer_better": "newer better in", "median_ratio": "newer / paper, median",
    "paper_passes": "paper: error below sampling error", "newer_passes": "newer: error below sampling error",
    "newer": "mostly",
}  # fmt: skip
SHAPES_CAPTION = (
    "68% of the releases are this near to the true line, sampling and noise together, at x = "
    "0.25 and 0.75. 1 is the standard error of OLS. "
    f"σₓ² = {VAR_X}, σₑ² = {VAR_E}. Only algorithms with pure ε-differential privacy. Leverage: "
    "one record in twenty far out. Growing: errors that grow with x. Skewed: to the right."
)
AREAS_CAPTION = (
    "Of every area the best algorithm of each kind, by C(68) about its own OLS line at x = 0.25. "
    "Only algorithms "
    "with pure ε-differential privacy. Flat lines count where errors are compared. They have no "
    "slope, so they do not count as below the sampling error."
)
PARTS = {
    "a twentieth": 1 / 20, "a tenth": 1 / 10, "a fifth": 1 / 5, "a quarter": 1 / 4, "a third": 1 / 3, "a half": 1 / 2,
    "two thirds": 2 / 3, "three quarters": 3 / 4, "nine tenths": 9 / 10,
}  # fmt: skip
HELD_OUT_KEYS = {"slope": "slope", "x_shape": "x", "error_shape": "errors"}
HELD_OUT_CAPTION = (
    "Newer error over the paper's; below 1 the newer is better. Held out: no default was chosen "
    "on such data, and the "
    f"seeds are others. Lines through (1/2, 1/2), σₓ² = {VAR_X}, σₑ² = {VAR_E}. With a slope: "
    "without NoisyIntercept, a flat line, which is the truth at slope 0. Growing: errors that "
    "grow with x."
)
DEFAULTS_CAPTION = (
    "As far as that is written down. Other fields are switches that are off, or mean all pairs. "
    "The seeds of the other simulated data on this page begin at 0, as those of the defaults did. "
    "Bike share was looked at for c. On simulated tracts at ε = 16 gradient descent is better as "
    "in the paper. See the claims on the page Paper."
)
POINTS = listed(in_full(point) for point in MAP.at)
CRUMB = f"simulated data sets at ε = {in_full(MAP.epsilon)} · x = {POINTS}"
RATIO_CAPTION = (
    "Newer algorithms are those of this project, which the paper does not have. Methods has a "
    "card for each. Ratio: "
    "the smallest error of the newer algorithms over the smallest of the paper's. Regions have "
    "the name of their "
    "median. 68% of the releases are within the error of the true line, sampling and noise "
    f"together, at x = {POINTS} "
    f"on {MAP.datasets} simulated data sets. σₓ² = {VAR_X}; n varies. Scatter is σₑ. Your place "
    "has your ε n σₓ², or is at the edge next to it. An empty cell: all of one kind fail too often."
)
EVEN = 0.05  # ratios of errors this near to 1 are a tie
FAR = 0.5  # ratio of errors below which the newer error is far smaller


def _ahead(rows: pd.DataFrame, column: str = "ratio") -> pd.DataFrame:
    """Rows where the newer error is smaller by more than EVEN."""
    return rows[rows[column] < 1 - EVEN]


def _behind(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows where the newer error is larger by more than EVEN."""
    return rows[rows["ratio"] > 1 + EVEN]


def ratio_headline(table: pd.DataFrame) -> str:
    """State in how many cells a newer algorithm has the smaller error, and by how much in the median cell.

    Parameters
    ----------
    table : DataFrame
        Frame of ``newer_against_paper``: a row for each cell.
    """
    settings = table.dropna(subset="ratio")
    better = _ahead(settings)
    if better.empty:
        return f"In none of {len(settings)} settings has a newer algorithm a smaller error than the paper's."
    best = listed(f"{name} in {count}" for name, count in better["newer"].value_counts().items())
    return (
        f"In {len(better)} of {len(settings)} settings a newer algorithm has a smaller error than "
        "the paper's. "
        f"Typically it is smaller by {_part(better['ratio'])}; the best is {best}."
    )


def _part(better: pd.Series) -> str:
    """Name the fraction nearest to the distance of the median ratio below 1, such as "a third"."""
    less = 1 - float(better.median())
    return min(PARTS, key=lambda fraction: abs(PARTS[fraction] - less))


def ratio_sentence(table: pd.DataFrame) -> str:
    """Name the settings where algorithms of the paper remain best, and those where the two are even."""
    settings = table.dropna(subset="ratio")
    better, worse = _ahead(settings), _behind(settings)
    ties = len(settings) - len(better) - len(worse)
    return joined(
        f"{_papers_better(worse)} There the newer error is up to "
        f"{format_amount(float(worse['ratio'].max()), 2)} times "
        "as large."
        if len(worse)
        else "The paper's are better in none.",
        f"In {counted(ties, 'setting')} the two are within {format_share(EVEN)}." if ties else "",
    )


def ratio_regions(table: pd.DataFrame) -> pd.DataFrame:
    """Name neighbouring columns of the map where the same kind is ahead, by the median of their cells.

    Parameters
    ----------
    table : DataFrame
        Frame of ``newer_against_paper``.

    Returns
    -------
    DataFrame
        ``first`` and ``last`` epsilon n var(x) of a region, its number of ``columns``, and its name ``said``, in
        lines.
    """
    medians = table.groupby("epsilon_nvar")["ratio"].median().dropna()
    kinds = pd.Series(np.searchsorted([FAR, 1 - EVEN, 1 + EVEN], medians), medians.index)
    regions = []
    for _, run in kinds.groupby((kinds != kinds.shift()).cumsum()):
        rows, kind = table[table["epsilon_nvar"].isin(run.index)], run.iloc[0]
        label = f"newer: error\nsmaller by {_part(rows['ratio'])}"
        if kind == 2:
            label = "about equal"
        if kind == 3:
            papers = listed(dict.fromkeys(rows["paper"].dropna()))
            label = f"{papers}\nof the paper: error\nsmaller by {_part(1 / rows['ratio'])}"
        regions.append((run.index[0], run.index[-1], len(run), label))
    return pd.DataFrame(regions, columns=["first", "last", "columns", "said"])


def _papers_better(worse: pd.DataFrame) -> str:
    """State in how many settings which algorithms of the paper are better."""
    names = list(dict.fromkeys(worse["paper"]))
    are = "is" if len(names) == 1 else "are"
    return f"In {counted(len(worse), 'setting')} the paper's {listed(names)} {are} better."


def shapes_sentence(table: pd.DataFrame) -> str:
    """State over which shapes of x and errors the newer algorithms stay ahead.

    Parameters
    ----------
    table : DataFrame
        Frame of ``findings.shape_rows``.
    """
    beginning = f"A newer algorithm is better in {len(_ahead(table))} of {len(table)} settings"
    where = [
        f"{ERROR_SHAPES[row.error_shape]} and {X_SHAPES[row.x_shape]} at n = {row.n:,}"
        for row in _behind(table).itertuples()
    ]
    return (
        f"{beginning}. The paper's is better with {listed(where)}."
        if where
        else f"{beginning}, and the paper's in none."
    )


def held_out_sentence(table: pd.DataFrame) -> str:
    """Count, slope by slope, the settings in which newer algorithms stay ahead on data that no default was chosen on.

    Parameters
    ----------
    table : DataFrame
        Frame of ``findings.held_out_rows``.
    """
    sentences = []
    for slope, rows in table.groupby("slope", sort=False):
        better, worse = len(_ahead(rows)), len(_behind(rows))
        sentences.append(
            f"At slope {in_full(float(slope))} the newer error is smaller in {better} of "
            f"{len(rows)} settings, and larger in {worse}."
        )
    return " ".join(sentences)


def held_out_table(table: pd.DataFrame) -> pd.DataFrame:
    """Table by shape and slope: for each size the newer error over the paper's, then the same without flat lines."""
    sizes = [f"n = {row.n:,}, ε = {in_full(row.epsilon)}" for row in table.itertuples()]
    order = list(dict.fromkeys(sizes))
    wide = [
        table.assign(size=sizes)
        .pivot(index=list(HELD_OUT_KEYS), columns="size", values=kind)[order]
        .add_suffix(note)
        for kind, note in (("ratio", ""), ("with_slope", ", with a slope"))
    ]
    return pd.concat(wide, axis=1).round(2).reset_index().rename(columns=HELD_OUT_KEYS)


def defaults_table() -> pd.DataFrame:
    """Table of the algorithms on this page, their defaults, and the data on which the defaults were chosen."""

    def written(value: float | tuple[float, ...]) -> str:
        if isinstance(value, tuple):
            return f"({', '.join(format_amount(number) for number in value)})"
        return format_amount(value)

    rows = [
        (
            algorithm.__name__,
            ", ".join(f"{name} = {written(getattr(algorithm(), name))}" for name in names),
            chosen_on,
        )
        for algorithm, names, chosen_on in CHOSEN_ON
    ]
    return pd.DataFrame(rows, columns=["algorithm", "defaults", "chosen on"])


def areas_sentence(table: pd.DataFrame) -> str:
    """State where newer algorithms gain most in the share of areas with a small error, and where they lose.

    Parameters
    ----------
    table : DataFrame
        Frame of ``findings.area_row``.
    """

    def where(row: pd.Series) -> str:
        return f"{row['data'][0].lower()}{row['data'][1:]}, at ε = {in_full(float(row['epsilon']))}"

    def passes(row: pd.Series) -> str:
        newer, paper = format_share(row["newer_passes"]), format_share(row["paper_passes"])
        return (
            f"{where(row)}. Their error is below the sampling error in {newer} of "
            f"{row['areas']:,} areas, the paper's in {paper}"
        )

    ordered = table.assign(gain=table["newer_passes"] - table["paper_passes"]).sort_values("gain")
    best, worst = ordered.iloc[-1], ordered.iloc[0]
    behind = f"They are behind on {passes(worst)}." if worst["gain"] < 0 else ""
    return joined(f"The newer algorithms gain most on {passes(best)}.", behind)


def area_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of areas as it is shown, with shares as text."""
    shares = {name: [format_share(share) for share in table[name]] for name in SHARES}
    return table.assign(**shares).rename(columns=AREA_COLUMNS)
