"""``dpslr audit``: what every algorithm promises, compared with what it draws."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from tqdm import tqdm

from ...audit.plan import PAIRS, AuditPlan, plan
from ...audit.suite import conclusion, joined, promising, table, variants, whole_audit, work_units
from ...mechanisms.base import Mechanism
from ...support.version import VERSION
from ..ends import FINDING, said
from ..options import JSON, SEED, WORKERS, out_option
from ..output import TABLES, Output, check_out


@click.command()
@click.option("--pairs", default=PAIRS, show_default=True, help="Pairs of neighbours per algorithm, at least.")
@SEED
@click.option("--mechanism", "names", multiple=True, metavar="NAME", help="An algorithm; repeatable.  [default: all]")
@WORKERS
@out_option("a table, .csv, .parquet or .json")
@JSON
def audit(pairs: int, seed: int, names: tuple[str, ...], workers: int, out: Path | None, as_json: bool) -> None:
    """Compare what the algorithms promise with what they draw, between neighbouring data sets and draw by draw.

    \b
    Compared are, for every algorithm, those of $DPSLR_MECHANISMS included:
    - the laws of neighbours, or of noisy sums the shifts in units of the noise;
    - the loss of every single draw, of intervals too, for 1 to 3 records;
    - draws of all ways to release, many and one by one, with these laws or
      with the declared noise of each released sum;
    - draws of intervals with the laws of their ends;
    - six rules of accounting, for people with 1 to 3 records;
    - where no law is known: trained events with Clopper-Pearson limits.

    One row for each algorithm and part: the pairs and comparisons, the worst loss over the promise. Of draws it is the
    logarithm of the chance of so large a deviation, over that of 1e-9. The exit code is 1 where one is above 1. Running
    time and the last bits of floating-point numbers are not compared. About ten minutes; with fewer pairs than by
    default the other comparisons are fewer, too.
    """
    with said():
        check_out(out, TABLES)
        mechanisms = _chosen([*promising(), *variants()], names)
        if missing := set(names) - {type(mechanism).__name__ for mechanism in mechanisms}:
            known = ", ".join(type(mechanism).__name__ for mechanism in promising())
            raise ValueError(
                f"--mechanism must be one that promises privacy, {known}; got {', '.join(sorted(missing))}"
            )
        neighbourhoods, rows = plan(pairs, seed), []
        units = len(work_units(mechanisms, neighbourhoods))
        with tqdm(total=units, unit=" parts", disable=None) as bar:
            for arrived in whole_audit(mechanisms, AuditPlan(pairs >= PAIRS, seed), neighbourhoods, workers):
                rows.append(arrived)
                bar.update()
    total = joined(rows)
    frame, sentences = table(total), conclusion(total)
    about = {"dpslr": VERSION, "table": "loss over promise", "pairs": str(pairs), "seed": str(seed)}
    output = Output(frame, about, "rows", (), {"holds": bool(frame["holds"].all()), "conclusion": " ".join(sentences)})
    if out is not None or as_json:
        output.deliver(out, as_json)
    if not as_json:
        shown = frame.drop(columns=["holds"]).rename(columns={"worst": "worst / promise"})
        click.echo(shown.to_string(index=False, float_format=lambda value: f"{value:.6f}"))
    for sentence in sentences:
        click.echo(sentence, err=as_json or not frame["holds"].all())
    if not frame["holds"].all():
        sys.exit(FINDING)


def _chosen(mechanisms: list[Mechanism], names: tuple[str, ...]) -> list[Mechanism]:
    return [mechanism for mechanism in mechanisms if not names or type(mechanism).__name__ in names]
