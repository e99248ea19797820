"""Which algorithm to use, from public guesses alone, by evidence on synthetic twins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _validate
from ..confidence import Z95
from ..mechanisms import MECHANISMS, OLS, Mechanism, TheilSen
from ..mechanisms.base import QUARTERS
from ..privacy import NotPrivate, PureDP
from ..scenario import Scenario
from ..sweeps import Piece, combine
from .rules import Circumstances, RuleOfThumb, circumstances, rule_of_thumb
from .twins import TWINS, noise_on_twins, on_twins, twins_of

CLOSE = 0.03  # errors this near to each other, relative, are as good as equal
MOST = 8  # times as many twins are looked at where the best are too close to call


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What recommend found.

    base: the public guesses as a scenario; its mechanisms are the private ones that were compared. evidence: a row
    per algorithm, the smallest error first: mechanism, error (mean of C_true(68) / sigma over twins and points),
    monte_carlo_error (standard error of that mean), behind (error / that of the recommended one - 1), behind_error
    (its standard error, from paired differences), infinite_share, datasets, exact, guarantee, candidate (whether it
    could be recommended). noise: C(68) about OLS / sigma of the recommended algorithm, averaged likewise.
    """

    base: Scenario
    evidence: pd.DataFrame
    noise: float
    circumstances: Circumstances
    rule: RuleOfThumb
    twins: int
    trials: int
    seed: int

    @property
    def _ranked(self) -> pd.DataFrame:
        return self.evidence[self.evidence["candidate"]]

    @property
    def algorithm(self) -> str | None:
        """The candidate with the smallest mean error; None where each has no answer too often."""
        first = self._ranked.iloc[0]
        return str(first["mechanism"]) if np.isfinite(first["error"]) else None

    @property
    def second(self) -> str | None:
        """The next best candidate."""
        return str(self._ranked["mechanism"].iloc[1]) if len(self._ranked) > 1 else None

    @property
    def margin(self) -> float:
        """How much larger the error of the second is, relative; inf where there is none."""
        return float(self._ranked["behind"].iloc[1]) if len(self._ranked) > 1 else np.inf

    @cached_property
    def rivals(self) -> tuple[str, ...]:
        """The candidates that Monte-Carlo error does not tell from the recommended one, with 95% confidence."""
        rest = self._ranked.iloc[1:]
        return tuple(rest.loc[rest["behind"] <= Z95 * rest["behind_error"], "mechanism"])

    @property
    def too_close(self) -> bool:
        """Whether the winner is open."""
        return bool(self.rivals)

    @property
    def agrees(self) -> bool:
        """Whether the rule of thumb names the recommended algorithm, or one that is as good within 3%."""
        close = self._ranked.loc[self._ranked["behind"] <= CLOSE, "mechanism"]
        return bool(set(self.rule.algorithms) & {*close, *self.rivals})

    @property
    def twins_of_best(self) -> int:
        """How many twins the recommended algorithm was run on."""
        return int(self._ranked["datasets"].iloc[0])

    def error(self, name: str) -> float:
        """The error of an algorithm in the evidence; NaN where it is not there."""
        row = self.evidence.loc[self.evidence["mechanism"] == name, "error"]
        return float(row.iloc[0]) if len(row) else np.nan

    @property
    def candidates(self) -> tuple[Mechanism, ...]:
        """The mechanisms that could be recommended."""
        names = set(self._ranked["mechanism"])
        return tuple(m for m in self.base.mechanisms if m.name in names)

    @property
    def mechanism(self) -> Mechanism:
        """The recommended mechanism with its hyperparameters."""
        return next(m for m in self.base.mechanisms if m.name == self.algorithm)


def recommend(
    n: int,
    var_x: float,
    var_e: float,
    epsilon: float,
    at: ArrayLike = QUARTERS,
    lower: float = -0.5,
    upper: float = 1.5,
    theta: float = 0.01,
    slope: float = 0.5,
    intercept: float = 0.2,
    mechanisms: Sequence[Mechanism] | None = None,
    weaker: bool = False,
    twins: int = TWINS,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
) -> Recommendation:
    """The algorithm with the smallest expected error on data like these, judged on synthetic twins.

    All arguments are public guesses: nothing of private data is read. x is uniform about 1/2 with variance var_x,
    y = slope x + intercept + noise of variance var_e, all in the unit square. The error is C_true(68) / sigma, that
    is sampling and privacy noise together, in standard deviations of the OLS prediction, averaged over ``twins``
    data sets and over the points of at. epsilon pays for all of these. mechanisms: those to compare, with their own
    hyperparameters; by default every private one, with lower, upper and theta. weaker: whether an algorithm that is
    not purely epsilon-differentially private may be recommended too; its error is shown in any case. OLS and
    TheilSen stand in the evidence for comparison. Algorithms too close to the best to call are run on more twins,
    up to eight times as many, until they can be told apart or are known to be within 3%. ValueError names what
    cannot be.
    """
    base = Scenario(
        n=n, var_x=var_x, var_e=var_e, epsilon=epsilon, at=tuple(_validate.points(at=at).tolist()), slope=slope,
        intercept=intercept,
    )  # fmt: skip
    _validate.ordered(lower=lower, upper=upper)
    _validate.non_negative(theta=theta)
    chosen = private_mechanisms(lower, upper, theta) if mechanisms is None else list(mechanisms)
    private = [m for m in chosen if not isinstance(m.guarantee(epsilon), NotPrivate)]
    candidates = [m for m in private if weaker or isinstance(m.guarantee(epsilon), PureDP)]
    if not candidates:
        raise ValueError("mechanisms must hold at least one that may be recommended, got none")
    base = base.model_copy(update={"mechanisms": tuple(private)})
    pieces = on_twins("epsilon", [epsilon], base, [OLS(), TheilSen(), *private], twins, trials, seed, workers)
    evidence = _evidence(pieces, private, candidates, epsilon)
    for first in range(twins, MOST * twins, twins):
        close = _unsettled(evidence) & set(pieces[-1].names)
        if len(close) < 2:
            break
        contenders = [m for m in candidates if m.name in close]
        pieces += on_twins("epsilon", [epsilon], base, contenders, twins, trials, seed, workers, first)
        evidence = _evidence(pieces, private, candidates, epsilon)
    best = next(m for m in private if m.name == _best(evidence)["mechanism"])
    about = circumstances(base, lower, upper, theta)
    noise = float(noise_on_twins(base, best, twins_of(base, twins, seed), trials, seed).mean())
    return Recommendation(base, evidence, noise, about, rule_of_thumb(about), twins, trials, seed)


def private_mechanisms(lower: float, upper: float, theta: float) -> list[Mechanism]:
    """Every private mechanism with these hyperparameters, where it has them."""
    given = {"lower": lower, "upper": upper, "theta": theta}
    made = []
    for algorithm in MECHANISMS:
        names = {f.name for f in fields(algorithm)}
        made.append(replace(algorithm(), **{name: value for name, value in given.items() if name in names}))
    return [m for m in made if not isinstance(m.guarantee(1.0), NotPrivate)]


def _evidence(
    pieces: Sequence[Piece], private: Sequence[Mechanism], candidates: Sequence[Mechanism], epsilon: float
) -> pd.DataFrame:
    """The rows of the evidence, best first.

    Contenders were run on the twins of all pieces, the others on those of the first: their errors are put in
    proportion to the best one's on the twins that they share.
    """
    names = pieces[-1].names
    frame = _compared([_only(piece, names) for piece in pieces], candidates)
    if len(pieces) > 1:
        best = _best(frame)
        others = _compared(pieces[:1], candidates, str(best["mechanism"]))
        others["error"] = best["error"] * (1 + others["behind"])
        frame = pd.concat([frame, others[~others["mechanism"].isin(names)]])
    guarantees = {m.name: str(m.guarantee(epsilon)) for m in private}
    frame["guarantee"] = frame["mechanism"].map(guarantees).fillna("not private")
    frame = frame.sort_values(["error", "infinite_share"], kind="stable", ignore_index=True)
    return frame[
        ["mechanism", "error", "monte_carlo_error", "behind", "behind_error", "infinite_share", "datasets", "exact",
         "guarantee", "candidate"]
    ]  # fmt: skip


def _only(piece: Piece, names: Sequence[str]) -> Piece:
    """The piece with these mechanisms alone."""
    return replace(piece, names=tuple(names), measured=piece.measured[:, [piece.names.index(name) for name in names]])


def _compared(pieces: Sequence[Piece], candidates: Sequence[Mechanism], best: str | None = None) -> pd.DataFrame:
    """Errors, and how far each is behind the best of the candidates, with the error of the paired difference."""
    frame = combine(pieces).rename(columns={"mean": "error"})
    frame["candidate"] = frame["mechanism"].isin([m.name for m in candidates])
    best = best or str(_best(frame)["mechanism"])
    error = float(frame.loc[frame["mechanism"] == best, "error"].iloc[0])
    known = np.isfinite(error) and error > 0
    frame["behind"] = frame["error"] / error - 1 if known else np.nan
    paired = [_paired_error(frame.attrs["paired"], best, name, pieces[0].value) for name in frame["mechanism"]]
    frame["behind_error"] = np.array(paired) / error if known else np.nan
    return frame


def _best(frame: pd.DataFrame) -> pd.Series:
    """The candidate with the smallest error; of infinite errors the one that is so on the fewest twins."""
    return frame[frame["candidate"]].sort_values(["error", "infinite_share"], kind="stable").iloc[0]


def _unsettled(evidence: pd.DataFrame) -> set[str]:
    """The candidates neither told from the best nor known to be as good as it, and the best; or nothing."""
    rows = evidence[evidence["candidate"]]
    behind, margin = rows["behind"], Z95 * rows["behind_error"]
    unsure = rows[(behind <= margin) & (behind + margin > CLOSE)]
    return {rows["mechanism"].iloc[0], *unsure["mechanism"]} if len(unsure) else set()


def _paired_error(paired: dict[str, dict[float, float]], best: str, name: str, value: float) -> float:
    """The standard error of the difference between two mean errors; 0 of one with itself or with an infinite one."""
    found = paired.get(f"{best}|{name}") or paired.get(f"{name}|{best}") or {value: 0.0}
    return found[value] if np.isfinite(found[value]) else 0.0
