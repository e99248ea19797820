"""``python -m dpslr_core audit``: the privacy loss of every algorithm over thousands of neighbours."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click
from tqdm import tqdm

from ..audit.plan import PAIRS, plan, plan_by_draws
from ..audit.suite import Row, audit_plan, end_to_end, joined, promising, table
from ..mechanisms.base import Mechanism
from .options import SEED, said

BROKEN = 1  # the exit code where a promise is broken
DRAWS = 20_000


@click.command()
@click.option("--pairs", default=PAIRS, show_default=True, help="Pairs of neighbours per algorithm, at least.")
@SEED
@click.option("--mechanism", "names", multiple=True, metavar="NAME", help="An algorithm; repeatable.  [default: all]")
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
def audit(pairs: int, seed: int, names: tuple[str, ...], workers: int) -> None:
    """Measure the privacy loss of the algorithms between neighbouring data sets, against what they promise.

    One row per algorithm: the pairs tried, the worst loss over the promise, how it was measured. The exit code is 1
    where one is above 1. About two minutes.
    """
    with said():
        mechanisms, without_law = _chosen(promising(), names), _chosen(end_to_end(), names)
        if missing := set(names) - {type(mechanism).__name__ for mechanism in mechanisms}:
            known = ", ".join(type(mechanism).__name__ for mechanism in promising())
            raise ValueError(
                f"--mechanism must be one that promises privacy, {known}; got {', '.join(sorted(missing))}"
            )
        tried, drawn = plan(pairs, seed), plan_by_draws() if without_law else []
        with tqdm(total=len(tried) + len(drawn), unit=" neighbourhoods", disable=None) as bar:
            rows = _rows(audit_plan(mechanisms, tried, processes=workers), bar)
            rows += _rows(audit_plan(without_law, drawn, DRAWS, processes=workers), bar)
    frame = table(rows)
    shown = frame.drop(columns=["comparisons", "holds"]).rename(columns={"worst": "worst loss / promise"})
    click.echo(shown.to_string(index=False, float_format=lambda value: f"{value:.9f}"))
    if not frame["holds"].all():
        broken = ", ".join(frame.loc[~frame["holds"], "mechanism"])
        click.echo(f"The promise is broken: {broken}.", err=True)
        sys.exit(BROKEN)
    click.echo("No loss exceeds what is promised.")


def _chosen(mechanisms: list[Mechanism], names: tuple[str, ...]) -> list[Mechanism]:
    return [mechanism for mechanism in mechanisms if not names or type(mechanism).__name__ in names]


def _rows(results: Iterator[list[Row]], bar: tqdm) -> list[Row]:
    """One row per mechanism, of what arrives."""
    arrived = []
    for rows in results:
        arrived.append(rows)
        bar.update()
    return joined(arrived) if arrived else []
