"""Figures of NoisyStats' failure rate: by epsilon in small and large tracts, and over all tracts of Illinois."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...charts.paper.look import EXACT, Curves, Dots, Look, Panel, Scale
from ...dataset import Dataset
from ...mechanisms.noisy_stats import NoisyStats
from ...sources.tract_models import ILLINOIS
from ...support.streams import stream
from ...text.phrases import format_amount, format_share
from .compared import epsilon
from .data import tracts
from .figure import Agreement, Amount, Figure, Parameter, Settings, agreement

EPSILONS = tuple(2.0**power for power in range(-7, 4))  # 2^-7 to 8
SHARE = Scale("share of releases without an answer", (0.0, 0.6), format=".0%")
BATCH = 100  # tracts in one part of the work
LOW, HIGH = "small n var(x)", "large n var(x)"


class Failures(NamedTuple):
    """A data set in which releases are counted at each epsilon."""

    panel: str
    group: str
    data: Dataset
    epsilons: tuple[float, ...]
    trials: int
    seed: int


def data_with(n: int, nvar: float) -> Dataset:
    """n records with this n var(x), x at two places about 1/2: failure depends on nothing else.

    ValueError where nvar is more than n records in the unit interval can have.
    """
    upper = n // 2
    apart = np.sqrt(nvar / (upper * (n - upper) / n))
    x = 0.5 + apart * np.where(np.arange(n) < upper, 0.5, -0.5)
    return Dataset(x, np.full(n, 0.5))


def measure(tasks: tuple[Failures, ...]) -> pd.DataFrame:
    """A row per data set and epsilon: the share of trials without an answer, and its exact probability."""
    return pd.concat([_counted(task) for task in tasks], ignore_index=True)


def _counted(task: Failures) -> pd.DataFrame:
    rows = []
    for budget in task.epsilons:
        rng = stream(task.seed, "failures", task.group, task.data.digest, budget)
        nvar = NoisyStats().release_statistics(task.data, budget, task.trials, rng=rng).nvar
        exact = NoisyStats().law(task.data, budget, 0.25)[0]
        rows.append((task.panel, task.group, task.data.n, task.data.nvar, budget, float(np.mean(nvar <= 0)),
                     exact.failure if exact is not None else np.nan))  # fmt: skip
    return pd.DataFrame(rows, columns=["panel", "group", "n", "nvar", "epsilon", "failed", "exact"])


def _two_tasks(settings: Settings, state: str) -> list[tuple[Failures, ...]]:
    """One tract with a small n var(x) and one with a large one."""
    sizes = ((LOW, "n_low", "nvar_low"), (HIGH, "n_high", "nvar_high"))
    trials, seed = settings.amount.trials, settings.seed
    return [
        (Failures(f"{state}: {name}", name, data_with(settings.whole(n), settings[nvar]), EPSILONS, trials, seed),)
        for name, n, nvar in sizes
    ]


def _all_tasks(settings: Settings) -> list[tuple[Failures, ...]]:
    trials, seed = settings.amount.trials, settings.seed
    tasks = [
        Failures(ILLINOIS.name, label, data, (settings["epsilon"],), trials, seed)
        for label, data in tracts(ILLINOIS, seed).items()
    ]
    return [tuple(tasks[start : start + BATCH]) for start in range(0, len(tasks), BATCH)]


def _by_epsilon(frame: pd.DataFrame, settings: Settings) -> dict[str, Panel]:
    """The counted and the exact rate against epsilon, a panel per tract."""
    look = Look(Scale("ε", (EPSILONS[0], EPSILONS[-1]), log=True), SHARE)
    panels: dict[str, Panel] = {}
    for panel, rows in frame.groupby("panel", sort=False):
        rates = (("NoisyStats", "failed"), (EXACT, "exact"))
        drawn = [pd.DataFrame({"algorithm": name, "x": rows["epsilon"], "y": rows[column]}) for name, column in rates]
        panels[str(panel)] = Curves(pd.concat(drawn, ignore_index=True), look)
    return panels


def _over_tracts(frame: pd.DataFrame, settings: Settings) -> dict[str, Panel]:
    """The counted rate of each tract against epsilon n var(x), on the exact one."""
    product = frame["epsilon"] * frame["nvar"]
    drawn = [pd.DataFrame({"algorithm": "NoisyStats", "x": product, "y": frame["failed"]}),
             pd.DataFrame({"algorithm": EXACT, "x": product, "y": frame["exact"]})]  # fmt: skip
    ends = float(product.min()) / 1.1, float(product.max()) * 1.1
    look = Look(Scale("ε n var(x)", ends, log=True), SHARE)
    some = pd.concat(drawn, ignore_index=True).iloc[:: 1 + len(frame) // 2000]
    return {ILLINOIS.name: Dots(some, look, 16)}


def _two_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    """Whether it is about 40% at any epsilon where n var(x) is small, and below 5% on average where it is large."""
    low, high = (frame[frame["group"] == name] for name in (LOW, HIGH))
    mean = float(high["failed"].mean())
    return agreement(
        f"with a small n var(x) {format_share(float(low['exact'].min()))} to {format_share(float(low['exact'].max()))} "
        f"of the releases fail, with a large one {format_share(mean)} on average over the powers of two, and "
        f"{format_share(float(high['failed'].iloc[-1]))} at ε = 8.",
        bool((low["exact"] - 0.4).abs().max() < 0.05),
        mean < 0.05,
    )


def _all_agree(frame: pd.DataFrame, settings: Settings) -> Agreement:
    none = float((frame["failed"] == 0).mean())
    return agreement(
        f"no release fails in {format_share(none)} of the {len(frame):,} tracts; in the worst tract "
        f"{format_share(float(frame['failed'].max()))} fail, where the exact rate is "
        f"{format_share(float(frame.loc[frame['failed'].idxmax(), 'exact']))} at n var(x) = "
        f"{format_amount(float(frame.loc[frame['failed'].idxmax(), 'nvar']))}.",
        none > 0.5,
        float(frame["failed"].max()) <= 0.12,
    )


def _two(name: str, number: str, state: str, n_high: int, nvar_high: float) -> Figure:
    return Figure(
        name,
        number,
        f"Failure rate of NoisyStats by ε in two tracts of {state}",
        "About 40% of the releases fail at any ε where n var(x) is small; below 5% on average where it is large.",
        partial(_two_tasks, state=state), measure, _by_epsilon, _two_agree,
        (Parameter("n_low", "records, small", 39, 4, 1000), Parameter("nvar_low", "n var(x), small", 0.0245, 0.0, 10.0),
         Parameter("n_high", "records, large", n_high, 4, 10_000),
         Parameter("nvar_high", "n var(x), large", nvar_high, 0.0, 2500.0)),
        quick=Amount(2, 1000), full=Amount(2, 10_000),
        note="Failure depends on n and n var(x) alone, which the paper prints; so do these figures.",
    )  # fmt: skip


ILLINOIS_FAILURES = _two("failures-illinois", "Figure 13", "Illinois", 381, 28.002)
CAROLINA_FAILURES = _two("failures-north-carolina", "Figure 14", "North Carolina", 433, 31.154)
ALL_FAILURES = Figure(
    "failures-all-tracts",
    "Figure 15",
    "Failure rate of NoisyStats over all tracts of Illinois, ε = 8",
    "No release fails in most tracts; at most 12% do where n var(x) is small.",
    _all_tasks, measure, _over_tracts, _all_agree,
    (epsilon(8.0),),
    note="Tracts are simulated by the paper's recipe. The paper runs 100 trials in each.",
)  # fmt: skip
