"""What the Small areas page says: what a release costs, whose noise is below the sampling error, who fails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..experiments.areas import shares_below
from ..mechanisms.accounting import Rule, comparable, guarantee
from ..mechanisms.base import Mechanism
from ..mechanisms.noisy_stats import NoisyStats
from ..support.accounting import Accounting
from .phrases import format_amount, format_share, in_full, place_on, weaker
from .view import View

NOT_PRIVATE = "All numbers on this page are computed from the true data: they are **not private**."
OFTEN = 0.05  # a failure rate
SHOWN_OTHERS = 3
BASIC = NoisyStats().name  # the algorithm that every other is shown beside


def headline(ranked: pd.DataFrame, areas: int) -> str:
    """In how many areas the noise of the best algorithm is below the sampling error, and of what it is compared with.

    ranked: of ranked_shares; areas: of the data.
    """
    if ranked.empty or not ranked["private"].iloc[0]:
        return f"{areas:,} areas; no differentially private algorithm is chosen."
    first, of = ranked.iloc[0], int(ranked["areas"].iloc[0])
    if not of:
        return f"None of {areas:,} areas has a sampling error to compare with."
    other = compared_with(ranked)
    rest = "" if other is None else f"; with {other} in {_how_many(ranked, other)}"
    weak = "" if first["pure"] else f" {weaker(first['guarantee'])}."
    name = first["mechanism"]
    owner = f"{name}’" if name.endswith("s") else f"{name}’s"
    return f"In {_how_many(ranked, name)} of {of:,} areas {owner} noise is below the sampling error{rest}.{weak}"


def compared_with(ranked: pd.DataFrame) -> str | None:
    """What the first of ranked_shares is shown with: NoisyStats, or the next private one where that is first."""
    names = ranked["mechanism"][ranked["private"]].tolist()
    return BASIC if BASIC in names[1:] else names[1] if len(names) > 1 else None


def _how_many(ranked: pd.DataFrame, name: str) -> str:
    return f"{int(ranked.loc[ranked['mechanism'] == name, 'areas_below'].iloc[0]):,}"


def context(view: View, at: float, ranked: pd.DataFrame, rejected: int, pending: Sequence[str] = ()) -> str:
    """The data, the budget and the point that the headline holds for, what fails, and what is left out."""
    grouped, epsilon = view.grouped, in_full(view.scenario.epsilon)
    parts = [
        f"{grouped.name}: {len(grouped.groups):,} areas, {len(grouped.frame):,} records; ε = {epsilon} in each area; "
        f"prediction at {place_on(view.x, at)}."
    ]
    failing = ranked[ranked["private"] & (ranked["failure_rate"] > 0)]
    if len(failing):
        both = zip(failing["mechanism"], failing["failure_rate"], strict=True)
        rates = [f"{name} in {format_share(rate)}" for name, rate in both]
        parts.append(f"Releases without an answer: {', '.join(rates)}.")
    parts += [f"{rejected:,} {'group is' if rejected == 1 else 'groups are'} left out (see below)."] * bool(rejected)
    parts += [f"Not measured yet: {', '.join(pending)}."] * bool(pending)
    return " ".join(parts)


def cost_sentence(view: View, trials: int) -> str:
    """What the whole release costs, and how often algorithms without an exact law are run."""
    epsilon = f"ε = {in_full(view.scenario.epsilon)}"
    return (
        f"Every record is in one area only, so the whole release costs {epsilon} too (parallel composition). That "
        "needs group labels and group sizes that are public and fixed. Algorithms without an exact law are run "
        f"{trials:,} times in each area."
    )


def ranked_shares(
    measured: pd.DataFrame, mechanisms: Sequence[Mechanism], epsilon: float, accounting: Rule = Accounting.PAPER
) -> pd.DataFrame:
    """shares_below at one point with guarantee (text), private and pure: pure ones first, then private; best first.

    pure: whether no other algorithm promises more; under an accounting with one guarantee for all, all of them.
    """
    guarantees = {m.name: guarantee(m, epsilon, accounting) for m in mechanisms}
    full = {m.name for m in mechanisms if comparable(m, epsilon, accounting)}
    table = shares_below(measured).drop(columns="at")
    theirs = [guarantees[name] for name in table["mechanism"]]
    return table.assign(
        guarantee=[str(each) for each in theirs],
        private=[each.private for each in theirs],
        pure=[name in full for name in table["mechanism"]],
    ).sort_values(
        ["pure", "private", "below", "median_ratio"], ascending=[False, False, False, True], kind="stable",
        ignore_index=True,
    )  # fmt: skip


def ratio_sentence(ranked: pd.DataFrame, areas: int) -> str:
    """Whose noise is below the sampling error in most areas. ranked: of ranked_shares."""
    private = ranked[ranked["private"]]
    if private.empty:
        return f"{areas:,} areas; no differentially private algorithm is chosen."
    if private["below"].isna().all():
        return f"None of {areas:,} areas has a sampling error to compare with."
    first, others = private.iloc[0], private.iloc[1 : SHOWN_OTHERS + 1]
    shares = zip(others["mechanism"], others["below"], strict=True)
    rest = ", ".join(f"{name} {format_share(share)}" for name, share in shares)
    return (
        f"In {format_share(first['below'])} of {areas:,} areas the noise of {first['mechanism']} is below the sampling "
        f"error.{f' Next: {rest}.' if rest else ''}{_weaker(private)}"
    )


def _weaker(private: pd.DataFrame) -> str:
    """That the first promises less than pure epsilon-differential privacy, or that a weaker promise would do better."""
    first, others = private.iloc[0], private[~private["pure"]]
    if not first["pure"]:
        return f" {weaker(first['guarantee'])}."
    if others.empty or not others["below"].iloc[0] > first["below"]:
        return ""
    best = others.iloc[0]
    return f" {best['mechanism']} reaches {format_share(best['below'])}. {weaker(best['guarantee'])}."


def picture_sentence(here: pd.DataFrame, names: Sequence[str]) -> str:
    """What the picture of the areas shows, for those who do not see it. here: rows of by_group at one point."""
    return (
        f"Noise C(68) over standard error in each area, areas in order of their standard error. {_middle(here, names)}"
    )


def counts_sentence(here: pd.DataFrame, names: Sequence[str]) -> str:
    """What the curves of a report show: how many areas have noise of at most so many standard errors."""
    return f"Each curve counts the areas with noise C(68) of at most so many standard errors. {_middle(here, names)}"


def _middle(here: pd.DataFrame, names: Sequence[str]) -> str:
    """The medians over the areas that have a sampling error."""
    usable = here[here["standard_error"] > 0]
    middle = [f"{name} {_median_ratio(usable, name)}" for name in names]
    return f"Median over {usable['group'].nunique():,} areas: {', '.join(middle)}."


def _median_ratio(here: pd.DataFrame, name: str) -> str:
    return format_amount(float(here.loc[here["mechanism"] == name, "ratio"].median()))


def table_sentence(best: pd.DataFrame, most: float | None) -> str:
    """In how many areas the best algorithm of each passes, and at which epsilon half of them do.

    best: of best_by_area, with passes_from where it is known. most: the last epsilon that was tried, None before that.
    """
    passing = f"{int((best['ratio'] < 1).sum()):,} of {len(best):,} areas pass"
    text = f"With the best algorithm of each area {passing}: the noise is below the sampling error."
    if most is None:
        return text
    never = int((best["passes_from"].isna() & (best["standard_error"] > 0)).sum())
    known = best["passes_from"].dropna()
    half = f" At ε = {format_amount(float(best['passes_from'].fillna(np.inf).median()))} half of the areas pass."
    half = half if len(known) * 2 > len(best) else ""
    rest = f" {never:,} do not pass up to ε = {in_full(most)}." if never else ""
    return f"{text}{half}{rest}"


def failure_sentence(dots: pd.DataFrame, trials: int) -> str:
    """How often NoisyStats fails; dots: a row per area with the rate of failures."""
    share = format_share(float(np.mean(dots["rate"] > OFTEN)))
    return (
        f"In {share} of {len(dots):,} areas NoisyStats has no answer in more than {OFTEN:.0%} of {trials:,} releases. "
        "The curve is its failure rate, known exactly; the dots scatter about it because they are trials."
    )
