"""Expectation of a session: its own numbers, as the core computes them from its seed, and no other session's."""

from __future__ import annotations

import io
import re

import numpy as np
import pyarrow as pa

from dpslr_core import compare
from dpslr_core.experiments.ranking import ranking
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import Synthetic
from dpslr_core.text.compare import headline
from dpslr_core.text.phrases import first_and_rest

from ..visitor import Visitor

_RATIO = "error / standard error (68%)"
_SEEDS = re.compile(r"data_seed=(\d+)")
Answer = tuple[str, tuple[float, ...]]  # a headline, and the errors of its ranking


def query(seed: int) -> str:
    """Return the link of a session: synthetic data of its own."""
    return f"data_seed={seed}"


def shown_answer(visitor: Visitor) -> Answer:
    """Read the headline and the errors of the ranking that the Compare page shows."""
    titles = [heading.body for heading in visitor.of_kind("heading") if heading.tag == "h2"]
    tables = [
        pa.ipc.open_stream(io.BytesIO(frame.arrow_data.data)).read_all()
        for frame in visitor.of_kind("dataframe")
    ]
    ranked = [table for table in tables if _RATIO in table.column_names]
    if not titles or not ranked:
        raise LookupError("the Compare page shows no headline or no ranking")
    return titles[0], tuple(ranked[0][_RATIO].to_pylist())


def core_answer(seed: int, epsilon: float) -> Answer:
    """Compute the same from the core alone."""
    scenario = Scenario(source=Synthetic(data_seed=seed), epsilon=epsilon)
    grouped = scenario.source.load()
    s, data = scenario, grouped.dataset(grouped.usable[0])
    summary = compare(
        data, s.admitted, s.epsilon, s.at, s.trials, s.seed, accounting=s.accounting
    ).summary
    ranked = ranking(summary, s.admitted, s.at[0], s.epsilon, s.accounting)
    return first_and_rest(headline(ranked, grouped.y))[0], tuple(ranked["ratio"])


def same(shown: Answer, computed: Answer) -> bool:
    """Tell whether a page shows what the core computes; the marks that keep text from being markup do not count."""
    headline_shown, numbers = (re.sub(r"[\\\u2060]", "", shown[0]), np.array(shown[1], dtype=float))
    return headline_shown == computed[0] and np.array_equal(
        numbers, np.array(computed[1]), equal_nan=True
    )


def faults(visitor: Visitor, seed: int) -> list[str]:
    """List errors that a page shows, and links to the data of another session."""
    errors = [f"{error.type}: {error.message}" for error in visitor.of_kind("exception")]
    seeds = {
        int(digits) for code in visitor.of_kind("code") for digits in _SEEDS.findall(code.code_text)
    }
    return errors + [
        f"session {seed} sees the link of session {foreign_seed}"
        for foreign_seed in sorted(seeds - {seed})
    ]
