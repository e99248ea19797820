"""``dpslr audit``: the privacy loss of every algorithm over thousands of neighbours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from tqdm import tqdm

from ...audit.plan import PAIRS, plan, plan_by_draws
from ...audit.suite import Row, audit_plan, end_to_end, joined, promising, table
from ...mechanisms.base import Mechanism
from ...support.version import VERSION
from ..ends import FINDING, said
from ..options import JSON, SEED, WORKERS, out_option
from ..output import TABLES, Output, check_out

DRAWS = 20_000


@click.command()
@click.option("--pairs", default=PAIRS, show_default=True, help="Pairs of neighbours per algorithm, at least.")
@SEED
@click.option("--mechanism", "names", multiple=True, metavar="NAME", help="An algorithm; repeatable.  [default: all]")
@WORKERS
@out_option("a table, .csv, .parquet or .json")
@JSON
def audit(pairs: int, seed: int, names: tuple[str, ...], workers: int, out: Path | None, as_json: bool) -> None:
    """Measure the privacy loss of the algorithms between neighbouring data sets, against what they promise.

    One row per algorithm: the pairs tried, the worst loss over the promise, how it was measured. The exit code is 1
    where one is above 1. About two minutes.
    """
    with said():
        check_out(out, TABLES)
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
    about = {"dpslr": VERSION, "table": "privacy loss over promise", "pairs": str(pairs), "seed": str(seed)}
    output = Output(frame, about, "rows", (), {"holds": bool(frame["holds"].all())})
    if out is not None or as_json:
        output.deliver(out, as_json)
    if not as_json:
        shown = frame.drop(columns=["comparisons", "holds"]).rename(columns={"worst": "worst loss / promise"})
        click.echo(shown.to_string(index=False, float_format=lambda value: f"{value:.9f}"))
    if not frame["holds"].all():
        broken = ", ".join(frame.loc[~frame["holds"], "mechanism"])
        click.echo(f"The promise is broken: {broken}.", err=True)
        sys.exit(FINDING)
    click.echo("No loss exceeds what is promised.", err=as_json)


def _chosen(mechanisms: list[Mechanism], names: tuple[str, ...]) -> list[Mechanism]:
    return [mechanism for mechanism in mechanisms if not names or type(mechanism).__name__ in names]


def _rows(results: Iterator[list[Row]], bar: tqdm) -> list[Row]:
    """One row per mechanism, of what arrives."""
    arrived = []
    for rows in results:
        arrived.append(rows)
        bar.update()
    return joined(arrived) if arrived else []
