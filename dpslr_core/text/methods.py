"""Sentences of the Methods page beside its cards; in markdown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..experiments.ranking import NOT_PRIVATE
from ..guidance.maps import WinnerMap
from ..guidance.recommendation import CLOSE, LARGE, NOISY
from ..mechanisms import DeepestLine
from ..mechanisms.base import Mechanism, MechanismFamily
from ..privacy import PureDP, booked
from ..scenario import Scenario
from .compare import beside_sampling
from .phrases import counted, format_amount, format_share, in_full, spent_on

IDEAS = {  # title and one line of each family of private algorithms
    MechanismFamily.DEPTH: ("The deepest line", "Prefers lines with many points on either side."),
    MechanismFamily.THEIL_SEN: (
        "Median of pairs",
        "A private median of the lines through two points.",
    ),
    MechanismFamily.NOISY_STATISTICS: (
        "Noise on the sums",
        "Adds noise to the sums that give the line.",
    ),
    MechanismFamily.GRADIENT_DESCENT: ("Noisy steps", "Walks to the line in noisy steps."),
    MechanismFamily.MEAN: ("A flat line", "One noisy mean, whatever x is."),
    MechanismFamily.OTHER: ("Another idea", "From a file of your own."),
    MechanismFamily.BASELINE: ("Not private", "Without a guarantee, to compare with."),
}
CLICK = "a click on a name opens its card"
COUNTS = {5: "five", 6: "six", 7: "seven"}
CONVENTIONS = r"""
- Records lie in the unit square. A release is predictions at one or more points.
- Neighbouring data sets differ by **replacing one record**; n is public.
- **ε is the total** for all points that are released together.
- The **error**, C(68), is a distance from OLS: 68% of the releases are within it.
- The **noise** is the same distance from the algorithm's own target. More ε makes it smaller.
- The **gap** is how far that target is from OLS. No ε changes it.
- Choose an algorithm by n and ε, which are public, never by what it says of the private data.
- The error is compared with the **sampling error**, the standard error of the OLS prediction:

$$
\hat\sigma = \frac{\|y-\hat\alpha x-\hat\beta\|}{\sqrt{n-2}}\sqrt{\frac1n+\frac{(x_{new}-\bar x)^2}{n\,\mathrm{var}(x)}}
$$
"""
FLOATING_POINT = (
    "DeepestLine and the private Theil-Sen algorithms, DPSSTheilSen aside, release a cell of a "
    "public grid. The digits "
    "below the cell are random and tell nothing of the data. Rounding by the computer changes "
    "only the chances of "
    "cells. All others add noise to rounded numbers, whose last digits can tell neighbouring "
    "data sets apart. So can "
    "the time that a release takes: do not publish it. Real secrets need whole numbers and "
    "cryptographic randomness. The page Release plans such a release, and `dpslr release` makes it."
)
BEYOND_THE_PAPER = (
    "The paper's rule of thumb does not know NoisyIntercept, a flat line. Where ε n var(x) is "
    "small and the points are "
    "near the mean of x, it can be best. Nor does the rule know DPExpTheilSen over all pairs for "
    "thousands "
    "of records. It stays ahead of NoisyStats for longer than ten matchings do. In standard "
    "errors DPExpTheilSen hardly depends on σₑ². NoisyStats does, and DPWideTheilSen by its θ."
)
NOT_BUILT = {
    "Objective perturbation": "It adds noise to the loss. Its noise follows the largest gradient, so it needs a bound "
    "on the slope and a ridge penalty. Its proof needs the exact minimum.",
    "Functional mechanism": "It adds noise to the coefficients of the squared error. CenteredStats does the same to "
    "centred sums, with less noise.",
    "Output perturbation": "It adds noise to the OLS coefficients. Where var(x) is near 0 "
    "one record can move these without bound. So without a penalty the noise has no finite scale.",
    "Insufficient statistics perturbation (ISSP)": "It removes outliers and gains where there are many regressors. It "
    "needs δ. With one regressor in the unit square CenteredStats has little left to gain.",
    "Binning and aggregating (BinAgg)": "It pays for private bins of x first. Small data sets have too few records "
    "for the bins.",
    "Least absolute deviations by the exponential mechanism": "One record moves the sum of absolute residuals by up "
    "to the range of y. It moves regression depth by one count, so DeepestLine is sharper where "
    "residuals are small.",
}


def headline(groups: Sequence[pd.DataFrame]) -> str:
    """Count the private algorithms and their ideas.

    Parameters
    ----------
    groups : sequence of DataFrame
        A frame for each idea, with a row for each algorithm; the last frame has the algorithms that are not
        private.
    """
    ideas, private = len(groups) - 1, sum(map(len, groups[:-1]))
    return f"{private} private algorithms come from {COUNTS.get(ideas, ideas)} ideas."


def measured_on(scenario: Scenario) -> str:
    """State on which data the ideas are ordered."""
    n, epsilon = counted(scenario.linear_model.n, "synthetic record"), in_full(scenario.epsilon)
    return f"Best idea first, on {n} at ε = {epsilon}. Other data may turn the order round."


def best_error(row: pd.Series) -> str:
    """State the error of an idea's best algorithm as a share or multiple of the sampling error; "" if not private.

    Parameters
    ----------
    row : Series
        Row of ``experiments.ranking``.
    """
    if row["guarantee_class"] == NOT_PRIVATE:
        return ""
    size = beside_sampling(row)
    return (
        f"**{size}**{' of' if size.endswith('%') else ''} the sampling error"
        if row["ratio"] > 0
        else size
    )


def budget_sentence(mechanism: Mechanism, epsilon: float, records: int = 1) -> str:
    """State what an algorithm spends its budget on; "" where it spends none.

    Parameters
    ----------
    mechanism : Mechanism
        The algorithm.
    epsilon : float
        Epsilon of the run.
    records : int
        Number of records of one person.
    """
    guarantee, ledger = mechanism.guarantee(epsilon), mechanism.ledger(epsilon)
    spends = [f"{spent_on(spend)} **{cost}**" for spend, cost in booked(ledger, guarantee)]
    promise = guarantee if guarantee.private else PureDP(epsilon)
    unit = " for one record" if records > 1 else ""
    return f"Budget: {'; '.join(spends)} — in all {promise}{unit}." if spends else ""


def against_the_paper(winner_map: WinnerMap) -> str:
    """State where a winner map agrees with the paper's rule of thumb, in numbers of cells."""
    won = winner_map.winners(in_paper=True)
    large = (won["epsilon_nvar"] > LARGE) & (won["var_e"] >= NOISY)
    stats, pairs = (
        winner_map.behind(name, in_paper=True)["behind"] for name in ("NoisyStats", "DPExpTheilSen")
    )
    near = [int((stats[large] <= CLOSE).sum()), int((pairs[~large] <= CLOSE).sum())]
    return (
        f"The paper prefers NoisyStats where ε n σₓ² > {format_amount(LARGE)} and σₑ² ≥ {format_amount(NOISY)}. "
        f"Here it is within {format_share(CLOSE)} of the best in {near[0]} of {large.sum()} such cells. "
        f"Elsewhere the paper mostly prefers DPExpTheilSen, here in {near[1]} of {(~large).sum()}."
    )


def depth_sentence(lines: pd.DataFrame, epsilon: float) -> str:
    """Describe the picture of DeepestLine's scores.

    Parameters
    ----------
    lines : DataFrame
        Frame of ``charts.maps.depth_example``.
    epsilon : float
        Budget of the draw.
    """
    weight, best = DeepestLine().weight(epsilon), lines.loc[lines["score"].idxmin()]
    likeliest_first = np.exp(-weight * np.sort(lines["score"].to_numpy() - best["score"])).cumsum()
    half = int(np.searchsorted(likeliest_first, likeliest_first[-1] / 2)) + 1
    likely_lines = "the deepest line" if half == 1 else f"the {half:,} deepest lines"
    return (
        f"The deepest of {len(lines):,} lines has M = {format_amount(best['score'])}. "
        f"At ε = {format_amount(epsilon)} half of the draws fall on {likely_lines}. "
        f"Where M is 10 larger, a line is {format_amount(np.exp(10 * weight))} times less likely."
    )
