"""``dpslr claims``: every numeric claim of the paper beside the number computed here."""

from __future__ import annotations

from pathlib import Path

import click
from tqdm import tqdm

from ..paper.claims import STORED, Result, compute_all, frame, load, save
from ..paper.claims.sections import SECTIONS
from ..paper.claims.sentences import differing, headline, others
from ..report.metadata import claims_metadata
from .ends import said
from .files import write_frame
from .options import OUT
from .output import check_out

FILES = (".json", ".csv", ".parquet")


@click.command()
@click.option("--out", default=STORED, show_default=True, type=OUT, help="The file to write, .json, .csv or .parquet.")
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
def claims(out: Path, workers: int) -> None:
    """Compute every numeric claim of the paper anew, and keep the numbers in a file.

    Each claim holds, or is of a kind: an error in print, not reproduced on public data, about data that are not public
    (ours are simulated), dependent on what is not in print, or about defaults that differ here.

    About two minutes. A .json file holds our numbers for the page Paper, the others the whole table. Claims about the
    UCI data sets need these, see the README.
    """
    with said():
        check_out(out, FILES, load=load if out.suffix == ".json" else None)
        results: list[Result] = []
        with tqdm(total=len(SECTIONS), unit=" sections", disable=None) as bar:
            for section in compute_all(workers):
                results += section
                bar.update()
        table = frame(results)
        if out.suffix == ".json":
            save(results, out)
        else:
            write_frame(table, out, claims_metadata())
    click.echo(" ".join(filter(None, (headline(table), others(table)))))
    click.echo(differing(table))
    click.echo(f"Written to {out}.")
