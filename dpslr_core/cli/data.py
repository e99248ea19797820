"""``dpslr datasets`` and ``dpslr simulate``: data to try things out on."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np

from ..report.metadata import Metadata
from ..sources.choices import PublicData, SampleData, SimulatedState
from ..sources.grouping import ONE_GROUP, GroupedData
from ..sources.samples import SAMPLES, UCI, find_uci
from ..sources.tracts import ILLINOIS, STATES, simulate_tracts
from ..support import VERSION
from ..text.phrases import bounds_of
from .inputs import JSON, SEED, WHOLE, field_option, out_option
from .output import check_out, write

WRITTEN = (".csv", ".parquet")
NAMES = (*(f"sample/{sample.key}" for sample in SAMPLES), *(f"uci/{data.key}" for data in UCI))
RESULT = out_option(".csv or .parquet", required=True)


@click.command()
@click.argument("name", required=False, type=click.Choice(NAMES), metavar="[NAME]")
@out_option("the data set NAME, .csv or .parquet")
@click.option(
    "--unit-square",
    is_flag=True,
    help="Write x and y as columns x and y in [0, 1], to the last digit.",
)
@JSON
def datasets(name: str | None, out: Path | None, unit_square: bool, as_json: bool) -> None:
    """List the data sets that have a name: samples, and UCI data sets of the paper. Or write one with --out.

    Samples come with the project. UCI data sets are looked for in $DPSLR_DATA and in the download cache, and
    downloaded when they are first used. The exit code is 3 where that fails.
    """
    check_out(out, WRITTEN)
    if out is not None:
        if name is None:
            raise ValueError(f"NAME must be given with --out, one of {', '.join(NAMES)}")
        kind, _, key = name.partition("/")
        grouped = (SampleData(sample=key) if kind == "sample" else PublicData(uci=key)).load()
        x, y, frame, bounds = grouped.x, grouped.y, grouped.frame, ""
        if not unit_square:
            frame = frame.assign(x=x.from_unit(frame["x"]), y=y.from_unit(frame["y"]))
            frame = frame.rename(columns={"x": x.name, "y": y.name})
            bounds = f" Bounds: {bounds_of(x)}; {bounds_of(y)}."
        if grouped.groups == (ONE_GROUP,):
            frame = frame.drop(columns="group")
        write(frame, out, _about(grouped))
        click.echo(
            f"{len(frame):,} records in {len(grouped.groups):,} groups, written to {out}.{bounds}"
        )
        return
    listed = [(f"sample/{sample.key}", sample, "comes with dpslr") for sample in SAMPLES] + [
        (f"uci/{data.key}", data, "here" if find_uci(data.key) else "to be downloaded")
        for data in UCI
    ]
    rows = [
        {
            "name": key,
            "title": data.title,
            "x": bounds_of(data.x),
            "y": bounds_of(data.y),
            "where": where,
            "about": data.about,
        }
        for key, data, where in listed
        if name in (None, key)
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        click.echo(f"{row['name']:15} {row['title']}: {row['x']}; {row['y']}; {row['where']}")
    if name is not None:
        click.echo(f"\n{rows[0]['about']}")


def _about(grouped: GroupedData) -> Metadata:
    """Metadata of a written data set."""
    return {
        "dpslr": VERSION,
        "table": grouped.name,
        "about": grouped.about,
        "bounds of x": bounds_of(grouped.x),
        "bounds of y": bounds_of(grouped.y),
        "digest": grouped.digest,
    }


@click.group()
def simulate() -> None:
    """Make data to try things out on."""


@simulate.command()
@RESULT
@click.option("--state", type=click.Choice(list(STATES)), default=ILLINOIS.name, show_default=True)
@click.option("--tracts", type=WHOLE, help="How many tracts.  [default: as many as the state has]")
@field_option(SimulatedState, "elasticity", "the state's")
@SEED
def tracts(out: Path, state: str, tracts: int | None, elasticity: float | None, seed: int) -> None:
    """Parents' and children's income ranks in the census tracts of a state: columns tract, parent, child."""
    check_out(out, WRITTEN)
    if seed < 0:
        raise ValueError(f"seed must be a whole number, 0 or more, got {seed}")
    people = simulate_tracts(
        tracts=tracts, elasticity=elasticity, state=STATES[state], rng=np.random.default_rng(seed)
    )
    chosen = {"tracts": tracts, "elasticity": elasticity}
    settings = {name: str(value) for name, value in chosen.items() if value is not None}
    about = {
        "dpslr": VERSION,
        "table": f"simulated tracts of {state}",
        **settings,
        "seed": str(seed),
    }
    write(people.rename(columns={"group": "tract", "x": "parent", "y": "child"}), out, about)
    click.echo(f"{len(people):,} people in {people['group'].nunique():,} tracts, written to {out}.")
