"""Guidance from a terminal: the recommended algorithm, and the map of the best one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pandas as pd
from tqdm import tqdm

from ..experiments.areas import split_groups
from ..guidance import answer, findings
from ..guidance.maps import winner_map
from ..sources.choices import PublicData, SimulatedState, Source
from ..support.run import QUARTERS, Run
from ..text.guidance import advice
from ..text.methods import against_the_paper
from ..text.phrases import format_amount
from .options import ACCOUNTING, OUT, SEED, check_result, said, with_mechanism_file

DEFAULT_MAP = winner_map.MapSettings()


@click.command("winner-map")
@click.option("--out", default=winner_map.STORED, show_default=True, type=OUT, help="The file to write, .json.")
@click.option("--epsilon", default=DEFAULT_MAP.epsilon, show_default=True, help="Total privacy budget.")
@click.option("--var-x", default=DEFAULT_MAP.var_x, show_default=True, help="Variance of x; n follows from both.")
@click.option("--datasets", default=DEFAULT_MAP.datasets, show_default=True, help="Simulated data sets per cell.")
@with_mechanism_file
@SEED
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
def winner_map_command(out: Path, epsilon: float, var_x: float, datasets: int, seed: int, workers: int) -> None:
    """Compute the map of the best algorithm over epsilon n var(x) and var_e, and keep it with its settings.

    Takes minutes. The page Findings shows the stored map.
    """
    with said():
        check_result(out, written=(".json",))
        settings = winner_map.MapSettings(epsilon=epsilon, var_x=var_x, datasets=datasets, seed=seed)
        parts = []
        with tqdm(total=len(settings.products) * len(settings.var_es), unit=" cells", disable=None) as bar:
            for rows in winner_map.cells(settings, workers):
                parts.append(rows)
                bar.update()
        finished = winner_map.joined(settings, parts)
        winner_map.save(finished, out)
    click.echo(against_the_paper(finished))
    click.echo(f"Written to {out}.")


@click.command("findings")
@click.option("--out", default=findings.STORED, show_default=True, type=OUT, help="The file to write, .json.")
@click.option("--datasets", default=20, show_default=True, help="Simulated data sets per shape and size.")
@click.option("--tracts", default=300, show_default=True, help="Tracts of the simulated state.")
@SEED
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
def findings_command(out: Path, datasets: int, tracts: int, seed: int, workers: int) -> None:
    """Measure where newer algorithms beat the paper's: over shapes of synthetic data, bike share and a simulated state.

    Takes minutes. The page Findings shows the stored tables.
    """
    with said():
        check_result(out, written=(".json",))
        run = Run(100, seed, workers)
        shapes = pd.DataFrame(tqdm(findings.shape_rows(datasets, run), unit=" settings", disable=None))
        sources: dict[str, Source] = {
            "Bike share, by month and hour": PublicData(),
            "A simulated state": SimulatedState(tracts=tracts),
        }
        areas = [
            findings.area_row(name, split_groups(source.load().frame).datasets, epsilon, run)
            for name, source in sources.items()
            for epsilon in tqdm(findings.EPSILONS, desc=name, disable=None)
        ]
        tables = {"map": findings.map_rows(workers), "shapes": shapes, "areas": pd.DataFrame(areas)}
        findings.save(tables, out)
    click.echo(f"Written to {out}.")


@click.command()
@click.option("--n", required=True, type=int, help="Number of records.")
@click.option("--var-x", required=True, type=float, help="Variance of x, in the unit square.")
@click.option("--var-e", required=True, type=float, help="Variance of the noise about the line.")
@click.option("--epsilon", required=True, type=float, help="Total privacy budget.")
@click.option("--at", "points", multiple=True, type=float, help="A point to predict at; may be given again.")
@click.option("--lower", default=-0.5, show_default=True, help="Lower end of the range of predictions.")
@click.option("--upper", default=1.5, show_default=True, help="Upper end of the range of predictions.")
@click.option("--slope", default=0.5, show_default=True)
@click.option("--intercept", default=0.2, show_default=True)
@ACCOUNTING
@click.option("--weaker", is_flag=True, help="Also recommend what is not purely differentially private.")
@with_mechanism_file
@SEED
def recommend(points: tuple[float, ...], **guesses: Any) -> None:
    """Say which algorithm to use, from public guesses in the unit square alone, and why."""
    with said():
        recommendation = answer.recommend(**guesses, at=points or QUARTERS)
    shown = recommendation.evidence[["mechanism", "error", "monte_carlo_error", "behind", "guarantee"]]
    click.echo(f"{advice.answer(recommendation)}\n\n{advice.agreement(recommendation)}\n")
    click.echo(shown.to_string(index=False, float_format=format_amount))
