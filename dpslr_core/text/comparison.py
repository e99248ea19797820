"""Which algorithm does best, by how much, and whether that can be told apart from luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
import pandas as pd

from ..experiments.comparison import Comparison
from ..experiments.ranking import FULL, OPEN, tied_with_first
from ..mechanisms.base import Mechanism
from ..privacy import ZCDP, NoiseKind, pure_rho, rho_of
from ..privacy.accounting import Accounting, Rule, comparable, for_one_record, guarantee
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from .data import bounds_sentence, unit_sentence
from .phrases import both_sides_of_one, format_amount, format_share, in_full, listed, more, place_on, weaker, with_unit
from .view import View

LEAST_GAP = 0.25  # of the error: a smaller gap is not spoken of


@dataclass(frozen=True)
class Verdict:
    """The private algorithms with the smallest C(68) at one point, the best first.

    rows: rows of a comparison's summary. tied: the first and those that cannot be told from it.
    """

    rows: pd.DataFrame
    guarantees: dict[str, str]
    weaker: frozenset[str]
    tied: tuple[str, ...]

    @property
    def winner(self) -> str | None:
        """The algorithm with the smallest C(68); None where no private one answers often enough."""
        return None if self.rows.empty or not np.isfinite(self.rows["c68"].iloc[0]) else self.rows["mechanism"].iloc[0]

    @property
    def too_close(self) -> bool:
        """Whether another algorithm cannot be told from the winner."""
        return len(self.tied) > 1

    def sentence(self, y: Axis = UNIT_Y, x: Axis = UNIT_X) -> str:
        """Who wins on this data set at this point, by how much, and beside the standard error; in the units of y."""
        if self.rows.empty:
            return "No differentially private algorithm is chosen."
        if self.winner is None:
            return "No private algorithm answers in 68% of its releases at this budget."
        first = {name: self.rows[name].iloc[0] for name in ("mechanism", "at", "c68", "ratio")}
        size = f"±{with_unit(first['c68'] * y.scale, y)} in {y.name}"
        alike = self.rows["exact"].iloc[: len(self.tied)].all()
        tie = f"{'The same error' if alike else 'Too close to call'}: {listed(self.tied)}. " if self.too_close else ""
        lead = f"{first['mechanism']} {'has the smallest measured' if tie and not alike else 'has the smallest'} error"
        near = f"68% of its releases are within {size} of OLS"
        weak = f" {weaker(self.guarantees[str(self.winner)])}." if self.winner in self.weaker else ""
        where = f"On this data set, at {place_on(x, first['at'])}, "
        return f"{tie}{where}{lead}: {near}. {_in_standard_errors(first['ratio'])}{weak}{self._next()}"

    def _next(self) -> str:
        errors, names = self.rows["c68"].tolist(), self.rows["mechanism"].tolist()
        other = next((i for i, name in enumerate(names) if name not in self.tied and isfinite(errors[i])), None)
        if other is None or errors[0] == 0:
            return ""
        return f" Next is {names[other]}, {more(errors[other] / errors[0] - 1)}."


def _in_standard_errors(ratio: float) -> str:
    """The error beside the sampling error."""
    if not np.isfinite(ratio):
        return "There is no sampling error to compare with."
    relation = "less than" if ratio < 1 else "more than" if ratio > 1 else "equal to"
    return f"That is {both_sides_of_one(ratio)} standard errors, {relation} the sampling error."


def headline(ranked: pd.DataFrame, y: Axis) -> str:
    """The answer of the Compare page: the best pure algorithm and its error; then what is closer and promises less.

    ranked: of experiments.ranking, at one point.
    """
    private = ranked[(ranked["promise"] != OPEN) & np.isfinite(ranked["c68"].to_numpy(dtype=float))]
    pure, weak = private[private["promise"].isin(FULL)], private[~private["promise"].isin(FULL)]
    if private.empty:
        return "No private algorithm answers in 68% of its releases at this budget."
    if pure.empty:
        said = "No algorithm with pure ε-differential privacy answers in 68% of its releases. "
    else:
        said, weak = _best(pure, y), weak[weak["c68"] < pure["c68"].iloc[0]]
    if weak.empty:
        return said.strip()
    other = weak.sort_values("c68", kind="stable").iloc[0]
    size = with_unit(other["c68"] * y.scale, y)
    return f"{said}With a weaker guarantee ({other['guarantee']}), {other['algorithm']} has ±{size}."


def _best(pure: pd.DataFrame, y: Axis) -> str:
    """Who has the smallest error of these rows of a ranking, or which cannot be told apart, and what it consists of."""
    best = pure.iloc[tied_with_first(pure)]
    names, first = best["algorithm"].tolist(), best.iloc[0]
    how = "" if len(best) == 1 else ", with the same error" if best["exact"].all() else ", too close to call"
    whose = "Its error," if len(best) == 1 else "Their error, about"
    return f"Best here: {listed(names)}{how}. {whose} {_size(first, y)} {gap_sentence(first, y)}".strip() + " "


def _size(row: pd.Series, y: Axis) -> str:
    """An error in the units of y, beside the standard error."""
    named = "" if y.unit else f" in {y.name}"
    size = f"±{with_unit(row['c68'] * y.scale, y)}{named},"
    if not isfinite(row["ratio"]):
        return f"{size} has no sampling error to compare with."
    if row["ratio"] < 1:
        return f"{size} is {format_share(row['ratio'])} of the standard error."
    return f"{size} is {both_sides_of_one(row['ratio'])} times the standard error."


def gap_sentence(row: pd.Series, y: Axis) -> str:
    """That part of an error is no noise, where it is a quarter of it or more; or that more epsilon would not help."""
    gap, error, standard_error = (float(row[name]) for name in ("gap", "c68", "standard_error"))
    if not gap > 0 or not isfinite(error):
        return ""
    name, size = row["algorithm"], with_unit(gap * y.scale, y)
    if 0 < standard_error < gap and standard_error <= error:
        return f"{name} aims at {row['aim']}, {size} from OLS: more than the standard error. More ε will not help it."
    if gap < LEAST_GAP * error:
        return ""
    return f"Part of it is no noise: {name} aims at {row['aim']}, {size} from OLS here."


def compare_context(view: View) -> str:
    """Which data and which budget the Compare page is about."""
    epsilon, count = view.scenario.epsilon, len(view.scenario.at)
    points = {1: "the point", 2: "both points together"}.get(count, f"all {count} points together")
    product = format_amount(epsilon * view.data.nvar, 4)
    return (
        f"{view.data_name}: n = {view.data.n:,}, ε = {in_full(epsilon)} for {points}. "
        f"ε n var(x) = {product}, with x scaled to [0, 1]. {bounds_sentence(view.grouped)} {_spending(view)}".strip()
    )


def _spending(view: View) -> str:
    """By which rule the algorithms spend epsilon, or what the paper's convention gives away."""
    rule, records = for_one_record(view.scenario.accounting)
    if rule is Accounting.PAPER:
        spending = convention_sentence(view.scenario.epsilon, view.scenario.admitted)
    else:
        spending = f"Rule of spending: {rule.label}."
    return f"{spending} {unit_sentence(view.scenario.admitted, view.scenario.budget) if records > 1 else ''}".strip()


def lines_sentence(view: View, best: Verdict, count: int) -> str:
    """What the private lines show, and whose are nearest to OLS at the point that is looked at."""
    what = "lines through the released predictions" if len(view.scenario.at) > 1 else "released predictions"
    told = f"{count} {what} per algorithm: each is what one independent release would look like."
    if best.winner is None:
        return told
    where = f"At {place_on(view.x, best.rows['at'].iloc[0])}, "
    if best.too_close:
        return f"{told} {where}{listed(best.tied)} are too close to call."
    return f"{told} {where}{best.winner} has the smallest error."


def dots_sentence(dots: pd.DataFrame, place: pd.Series, name: str, y: Axis) -> str:
    """How many of the dots lie within one standard error of OLS."""
    distances = np.abs(dots["estimate"] - place["center"])
    near, silent = int((distances <= place["standard_error"]).sum()), int(dots["estimate"].isna().sum())
    failed = f" In {silent} of {len(dots)} there is no answer." if silent else ""
    size = with_unit(place["standard_error"] * y.scale, y)
    return f"{near} of {len(dots)} releases by {name} are within one standard error (±{size}) of OLS.{failed}"


def releases_sentence(comparison: Comparison, first: str, second: str, at: float, count: int, last: int) -> str:
    """In how many of the last releases the first algorithm came closer to OLS than the second."""
    rows = comparison.draws[(comparison.draws["at"] == at) & (comparison.draws["trial"] < count)]
    table = rows.pivot(index="trial", columns="mechanism", values="estimate").tail(last)
    center = float(comparison.summary.loc[comparison.summary["at"] == at, "center"].iloc[0])
    distance = (table - center).abs().fillna(np.inf)
    closer = int((distance[first] < distance[second]).sum())
    shown = f"the last {len(table)}" if count > last else f"{len(table)}"
    return f"{count:,} releases drawn. In {closer} of {shown}, {first} came closer to OLS than {second}."


def verdict(
    summary: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    at: float,
    epsilon: float,
    accounting: Rule = Accounting.PAPER,
) -> Verdict:
    """The ranking of the private mechanisms of a comparison at one of its points."""
    shown = {m.name: guarantee(m, epsilon, accounting) for m in mechanisms}
    private = [name for name, theirs in shown.items() if theirs.private]
    full = {m.name for m in mechanisms if comparable(m, epsilon, accounting)}
    names, errors = summary["mechanism"].tolist(), summary["c68"].tolist()
    chosen = [row for row in np.flatnonzero(summary["at"] == at).tolist() if names[row] in private]
    chosen.sort(key=errors.__getitem__)
    rows = summary.take(chosen).reset_index(drop=True)
    return Verdict(
        rows,
        {name: str(theirs) for name, theirs in shown.items()},
        frozenset(name for name in private if name not in full),
        tuple(str(name) for name in rows["mechanism"].iloc[tied_with_first(rows)]),
    )


def convention_sentence(epsilon: float, mechanisms: Sequence[Mechanism]) -> str:
    """What the paper's rho = epsilon^2 / 2 gives away at this epsilon; nothing where no algorithm goes by it.

    epsilon-DP implies rho = epsilon tanh(epsilon / 2); noise is proportional to 1 / sqrt(rho).

    >>> from dpslr_core.mechanisms import DPGDzCDP
    >>> convention_sentence(16.0, [DPGDzCDP()])
    "At ε = 16 the paper's convention gives Gaussian noise 2.83 times too small for the same privacy."
    """
    by_convention = [m for m in mechanisms if m.guarantee(epsilon) == ZCDP(rho_of(epsilon))]
    if not by_convention:
        return ""
    factor = sqrt(rho_of(epsilon) / pure_rho(epsilon))
    told = f"At ε = {in_full(epsilon)} the paper's convention gives"
    if factor < 1.005:
        return f"{told} the same privacy, to half a per cent of the noise."
    gaussian = any(m.noise_kind is NoiseKind.GAUSSIAN for m in by_convention)
    what = f"{format_amount(factor)} times too {'small' if gaussian else 'large'}"
    return f"{told} {'Gaussian noise' if gaussian else 'a budget'} {what} for the same privacy."
