"""Data to try things out on, from a terminal."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from ..sources.tracts import BETA, ILLINOIS_TRACTS, simulate_tracts
from .files import write_frame
from .options import OUT, SEED, check_result, said


@click.group()
def simulate() -> None:
    """Make data to try things out on."""


@simulate.command()
@click.option("--out", required=True, type=OUT, help="The file to write, .csv or .parquet.")
@click.option("--tracts", default=ILLINOIS_TRACTS, show_default=True, help="How many tracts.")
@click.option(
    "--elasticity", default=BETA, show_default=True, help="Of children's on parents' income; larger: steeper."
)
@SEED
def tracts(out: Path, tracts: int, elasticity: float, seed: int) -> None:
    """Parents' and children's income ranks in the census tracts of a state: columns tract, parent, child."""
    with said():
        check_result(out)
        if seed < 0:
            raise ValueError(f"seed must be a whole number, 0 or more, got {seed}")
        people = simulate_tracts(tracts=tracts, elasticity=elasticity, rng=np.random.default_rng(seed))
        write_frame(people.rename(columns={"group": "tract", "x": "parent", "y": "child"}), out)
    click.echo(f"{len(people):,} people in {tracts:,} tracts, written to {out}.")
