"""Measuring with a bar that says how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from tqdm import tqdm

from ..dataset import Dataset
from ..experiments import Comparison
from ..experiments.areas import measured_groups
from ..experiments.comparison import compare_one
from ..guidance.area_epsilons import passing_epsilons, sought_mechanisms
from ..mechanisms.base import Mechanism
from ..scenario import Scenario
from ..support.run import Budget, Run


def measured_with_progress(
    datasets: Mapping[Any, Dataset], mechanisms: Sequence[Mechanism], budget: Budget, run: Run
) -> pd.DataFrame:
    """The rows of by_group, in the unit square."""
    frames = []
    with tqdm(total=len(datasets), unit=" areas", disable=None) as bar:
        for frame in measured_groups(datasets, mechanisms, budget, run):
            frames.append(frame)
            bar.update(frame["group"].nunique())
    return pd.concat(frames, ignore_index=True)


def epsilons_with_progress(datasets: Mapping[Any, Dataset], s: Scenario, at: float, workers: int | str) -> pd.DataFrame:
    """passing_epsilons of a scenario's algorithms at one of its points."""
    budget = replace(s.budget, at=(at, *(point for point in s.at if point != at)))
    with tqdm(total=len(datasets), unit=" areas: smallest epsilon", disable=None) as bar:
        return passing_epsilons(datasets, sought_mechanisms(s.compared, s.accounting), budget, workers, bar.update)


def compared_with_progress(data: Dataset, s: Scenario) -> Comparison:
    """compare for a scenario, with a bar. ValueError where the accounting leaves none."""
    if not s.admitted:
        raise ValueError(f"accounting {s.accounting} leaves none of the algorithms")
    with tqdm(s.admitted, unit=" algorithms", disable=None) as bar:
        return Comparison.of([compare_one(data, mechanism, s.budget, Run(s.trials, s.seed)) for mechanism in bar])
