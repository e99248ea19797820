"""``dpslr winner-map``, ``findings`` and ``lesson-classes``: the tables that come with the project, computed anew."""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd
from tqdm import tqdm

from ...experiments.areas import split_groups
from ...experiments.lesson import errors as lesson_errors
from ...experiments.lesson.settings import SCATTERS, SIZES
from ...guidance import findings
from ...guidance.maps import winner_map
from ...sources.choices import PublicData, SimulatedState, Source
from ...support.run import Run
from ...text.methods import against_the_paper
from ..ends import said
from ..options import OUT, SEED, with_mechanism_file
from ..output import check_out

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
        check_out(out, (".json",), load=winner_map.load)
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
@click.option("--datasets", default=findings.DATASETS, show_default=True, help="Data sets per shape and size.")
@click.option("--tracts", default=findings.TRACTS, show_default=True, help="Tracts of the simulated state.")
@SEED
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
def findings_command(out: Path, datasets: int, tracts: int, seed: int, workers: int) -> None:
    """Measure where newer algorithms beat the paper's: over synthetic data, bike share and a simulated state.

    Of the synthetic data one table is held out: no default was chosen on data like them.

    Takes minutes. The page Findings shows the stored tables.
    """
    with said():
        check_out(out, (".json",), load=findings.load)
        run = Run(100, seed, workers)
        shapes = pd.DataFrame(tqdm(findings.shape_rows(datasets, run), unit=" settings", disable=None))
        held_out = pd.DataFrame(tqdm(findings.held_out_rows(datasets, run), unit=" held-out settings", disable=None))
        sources: dict[str, Source] = {
            "Bike share, by month and hour": PublicData(),
            "A simulated state": SimulatedState(tracts=tracts),
        }
        areas = [
            findings.area_row(name, split_groups(source.load().frame).datasets, epsilon, run)
            for name, source in sources.items()
            for epsilon in tqdm(findings.EPSILONS, desc=name, disable=None)
        ]
        tables = {
            "map": findings.map_rows(workers),
            "shapes": shapes,
            "held_out": held_out,
            "areas": pd.DataFrame(areas),
        }
        findings.save(tables, out)
    click.echo(f"Written to {out}.")


@click.command("lesson-classes")
@click.option("--out", default=lesson_errors.STORED, show_default=True, type=OUT, help="The file to write, .json.")
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
def lesson_classes(out: Path, workers: int) -> None:
    """Compute the errors of the lesson's algorithms over many simulated classes, and keep medians and quartiles.

    Takes minutes. Steps 5 and 6 of the page Lesson show the stored table.
    """
    with said():
        check_out(out, (".json",), load=lesson_errors.load)
        kinds = len(SCATTERS) * len(SIZES)
        lesson_errors.save(
            pd.concat(tqdm(lesson_errors.many_classes(workers), total=kinds, unit=" kinds", disable=None)), out
        )
    click.echo(f"Written to {out}.")
