"""What the Small areas page says: what a release costs, whose error is below the sampling error, who fails."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, inf, log10

import numpy as np
import pandas as pd

from ..experiments.areas import passing_rows, shares_below
from ..guidance.area_epsilons import areas_passing, half_passes_from, not_sought, smallest_epsilons
from ..guidance.required_values import EPSILONS
from ..mechanisms.base import Mechanism
from ..mechanisms.noisy_stats import NoisyStats
from ..privacy.accounting import Accounting, Rule, comparable, guarantee
from .phrases import format_amount, format_share, in_full, listed, place_on, weaker
from .view import View

NOT_PRIVATE = "All numbers on this page are computed from the true data: they are **not private**."
PASSES = "An area passes where C(68) is at most its standard error."
UNREACHED = "No private procedure reaches this count: which algorithm is best is read off the true data."
FLAT_LINE, NO_SAMPLING_ERROR = "flat: no slope", "no sampling error"
OFTEN = 0.05  # a failure rate
SHOWN_OTHERS = 3
BASIC = NoisyStats().name  # the algorithm that every other is shown beside


def headline(ranked: pd.DataFrame, areas: int) -> str:
    """In how many areas the error of the best algorithm is below the sampling error, and of what it is compared with.

    ranked: of ranked_shares; areas: of the data.
    """
    if ranked.empty or not ranked["private"].iloc[0]:
        return f"{areas:,} areas; no differentially private algorithm is chosen."
    first, of = ranked.iloc[0], int(ranked["areas"].iloc[0])
    if not of:
        return f"None of {areas:,} areas has a sampling error to compare with."
    if not first["counts"]:
        return f"Only flat lines, which have no slope, are released: none of {of:,} areas passes."
    other, same = compared_with(ranked), tied(ranked)
    rest = "" if other is None or other in same else f"; with {other} in {_how_many(ranked, other)}"
    weak = "" if first["pure"] else f" {weaker(first['guarantee'])}."
    name = first["mechanism"]
    owner = f"{name}’" if name.endswith("s") else f"{name}’s"
    same = same if len(same) <= SHOWN_OTHERS else [*same[:2], f"{len(same) - 2} more"]
    whose = f" {owner} error is" if len(same) == 1 else f" each, the errors of {listed(same)} are"
    return f"In {_how_many(ranked, name)} of {of:,} areas{whose} below the sampling error{rest}.{weak}"


def tied(ranked: pd.DataFrame) -> list[str]:
    """The first of ranked_shares and the others like it that pass in as many areas."""
    first = ranked.iloc[0]
    shared = ["areas_below", "private", "pure", "counts"]
    return [str(name) for name in ranked["mechanism"][(ranked[shared] == first[shared]).all(axis=1)]]


def compared_with(ranked: pd.DataFrame) -> str | None:
    """What the first of ranked_shares is shown with: NoisyStats, or the next private one where that is first."""
    names = ranked["mechanism"][ranked["private"] & ranked["counts"]].tolist()
    return BASIC if BASIC in names[1:] else names[1] if len(names) > 1 else None


def _how_many(ranked: pd.DataFrame, name: str) -> str:
    return f"{int(ranked.loc[ranked['mechanism'] == name, 'areas_below'].iloc[0]):,}"


def context(
    view: View,
    at: float,
    ranked: pd.DataFrame,
    rejected: int,
    pending: Sequence[str] = (),
    flat_lines: bool = False,
) -> str:
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
    flat = ranked[ranked["private"] & (ranked["line"] != "")]
    if len(flat):
        marked = zip(flat["mechanism"], flat["line"], strict=True)
        flat_ones = ", ".join(name if line == FLAT_LINE else f"{name} {line}" for name, line in marked)
        counts = "is counted too" if flat_lines else "is not counted"
        parts.append(f"A flat line, which has no slope, {counts}: {flat_ones}.")
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
    measured: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    accounting: Rule = Accounting.PAPER,
    flat_lines: bool = False,
) -> pd.DataFrame:
    """shares_below at one point with more columns: pure algorithms first, then private ones; the best first.

    guarantee: as text. private: whether there is one. pure: whether no other algorithm promises more; under an
    accounting with one guarantee for all, all of them. line: whether all or some lines are flat. counts: whether its
    lines can pass; flat ones can if flat_lines says so.
    """
    guarantees = {m.name: guarantee(m, epsilon, accounting) for m in mechanisms}
    full = {m.name for m in mechanisms if comparable(m, epsilon, accounting)}
    table = shares_below(measured, flat_lines).drop(columns="at")
    flat = zip(table.pop("flat"), table["areas"], strict=True)
    theirs = [guarantees[name] for name in table["mechanism"]]
    table = table.assign(
        guarantee=[str(each) for each in theirs],
        private=[each.private for each in theirs],
        pure=[name in full for name in table["mechanism"]],
        line=[flat_in(*each) for each in flat],
    )
    table["counts"] = flat_lines | (table["line"] != FLAT_LINE)
    order = table.assign(pure=table["pure"] & table["counts"], private=table["private"] & table["counts"])
    first = order.sort_values(
        ["pure", "private", "below", "median_ratio"], ascending=[False, False, False, True], kind="stable"
    )
    return table.loc[first.index].reset_index(drop=True)


def flat_in(flat: int, areas: int) -> str:
    """Whether the lines of an algorithm are flat: in all areas or in some of them."""
    return "" if not flat else FLAT_LINE if flat == areas else f"flat in {_areas(flat)}"


def ratio_sentence(ranked: pd.DataFrame, areas: int) -> str:
    """Whose error is below the sampling error in most areas. ranked: of ranked_shares."""
    private = ranked[ranked["private"]]
    if private.empty:
        return f"{areas:,} areas; no differentially private algorithm is chosen."
    if private["below"].isna().all():
        return f"None of {areas:,} areas has a sampling error to compare with."
    sloped = private[private["counts"]]
    if sloped.empty:
        return f"Only flat lines, which have no slope, are released: none of {areas:,} areas passes."
    first, others = sloped.iloc[0], sloped.iloc[1 : SHOWN_OTHERS + 1]
    shares = zip(others["mechanism"], others["below"], strict=True)
    rest = ", ".join(f"{name} {format_share(share)}" for name, share in shares)
    return (
        f"In {format_share(first['below'])} of {areas:,} areas the error of {first['mechanism']} is below the sampling "
        f"error.{f' Next: {rest}.' if rest else ''}{_weaker(sloped)}"
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
        f"Error C(68) over standard error in each area, areas in order of their standard error. {_middle(here, names)}"
    )


def counts_sentence(here: pd.DataFrame, names: Sequence[str]) -> str:
    """What the curves of a report show: how many areas have an error of at most so many standard errors."""
    return f"Each curve counts the areas with an error C(68) of at most so many standard errors. {_middle(here, names)}"


def _middle(here: pd.DataFrame, names: Sequence[str]) -> str:
    """The medians over the areas that have a sampling error."""
    usable = here[here["standard_error"] > 0]
    middle = [f"{name} {_median_ratio(usable, name)}" for name in names]
    return f"Median over {usable['group'].nunique():,} areas: {', '.join(middle)}."


def _median_ratio(here: pd.DataFrame, name: str) -> str:
    return format_amount(float(here.loc[here["mechanism"] == name, "ratio"].median()))


def table_sentence(table: pd.DataFrame, flat_lines: bool = False) -> str:
    """In how many areas the best algorithm of each passes. table: of best_by_area."""
    now, areas = int(passing_rows(table, flat_lines).sum()), len(table)
    return f"{now:,} of {_areas(areas)} {_pass(areas)}, each with its best algorithm. {UNREACHED}"


def passing_sentence(epsilons: pd.DataFrame, epsilon: float, flat_lines: bool = False) -> str:
    """In how many areas it passes at this epsilon, and from which epsilon on half of them do.

    epsilons: of passing_epsilons, with the rows of the algorithms in question. flat_lines: whether a line without slope
    passes too. Areas without a sampling error are left out. PASSES says what it means.
    """
    missing = not_sought(epsilons)
    known = epsilons[~epsilons["mechanism"].isin(missing) & (epsilons["standard_error"] > 0)]
    not_told = f"No ε is sought for {listed(missing)}: no exact output distribution." if missing else ""
    if known.empty:
        return not_told
    names, areas = known["mechanism"].unique(), known["group"].nunique()
    alone = names[0] if len(names) == 1 else None
    with_which = f"with {alone}" if alone else "each with its best algorithm"
    said = []
    if EPSILONS[0] <= epsilon <= EPSILONS[1]:
        count = areas_passing(known, epsilon, flat_lines)
        said.append(f"At ε = {in_full(epsilon)}, {count:,} of {_areas(areas)} {_pass(areas)}, {with_which}.")
    half = half_passes_from(known, flat_lines)
    if half < inf:
        said.append(f"Half of the areas pass from ε = {no_smaller(half)}.")
    never = int(np.isinf(smallest_epsilons(known, flat_lines)["passes_from"]).sum())
    if never:
        does_not = "area does not" if never == 1 else "areas do not"
        said.append(f"{never:,} {does_not} pass up to ε = {in_full(EPSILONS[1])}.")
    only_flat = areas_passing(known, epsilon, True) - areas_passing(known, epsilon, False)
    if only_flat and not flat_lines:
        said.append(f"{_areas(only_flat)} would pass by a flat line alone, which has no slope: not counted.")
    said += [UNREACHED] * (alone is None) + [not_told] * bool(not_told)
    return " ".join(said)


def no_smaller(epsilon: float) -> str:
    """An epsilon that is enough to three digits, rounded up, so that what is read is enough too."""
    unit = 10.0 ** (floor(log10(epsilon)) - 2)
    return format_amount(ceil(epsilon / unit * (1 - 1e-12)) * unit)


def _pass(count: int) -> str:
    return "passes" if count == 1 else "pass"


def _areas(count: int) -> str:
    return f"{count:,} {'area' if count == 1 else 'areas'}"


def verdicts(table: pd.DataFrame, flat_lines: bool = False) -> list[str]:
    """Of each area whether it passes. table: of best_with_epsilons, or of best_by_area where none were sought."""
    usable, now = table["standard_error"] > 0, passing_rows(table, flat_lines)
    flat = passing_rows(table, flat_lines=True) & ~passing_rows(table)
    if "passes" in table:
        now, flat = table["passes"], table["by_flat_line"]
    words = [NO_SAMPLING_ERROR, f"pass, {FLAT_LINE}", "pass", FLAT_LINE]
    return [str(each) for each in np.select([~usable, now & flat, now, flat], words, default="fail")]


def failure_sentence(dots: pd.DataFrame, trials: int) -> str:
    """How often NoisyStats fails; dots: a row per area with the rate of failures."""
    share = format_share(float(np.mean(dots["rate"] > OFTEN)))
    return (
        f"In {share} of {len(dots):,} areas NoisyStats has no answer in more than {OFTEN:.0%} of {trials:,} releases. "
        "The curve is its failure rate, known exactly; the dots scatter about it because they are trials."
    )
