"""``dpslr sweep``: one parameter varies, and the error of every algorithm with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import pandas as pd
from tqdm import tqdm

from ...dataset import Dataset
from ...experiments.areas import area_candidates
from ...experiments.sweep.leads import leads
from ...experiments.sweep.plan import SweepPlan, plan_sweep
from ...experiments.sweep.ranges import (
    LOADED_TRIALS,
    RANGES,
    USUAL_DATASETS,
    USUAL_TRIALS,
    USUAL_VALUES,
    listed_values,
    swept_mechanisms,
    values_between,
)
from ...experiments.sweep.results import Sweep, combine
from ...mechanisms import algorithms
from ...report.metadata import Metadata, metadata, public_metadata
from ...report.pictures.drawing import Drawable
from ...scenario import Scenario
from ...sources.axis import Axis
from ...sources.choices import Synthetic
from ...sources.files.typed import parse_points
from ...support.amounts import format_amount, in_full
from ...support.run import Run
from ...sweeps import sweep_batches
from ...text.phrases import listed
from ...text.view import View, shown_group
from ..ends import said
from ..files import write_result
from ..given.data import changed, points_of, read_input, with_options
from ..options import ALGORITHMS, DATA, JSON, MODEL, NUMBER, OWN_SEED, WHOLE, WORKERS, out_option
from ..output import PICTURES, TABLES, Output, check_out

SHOWN = ("value", "mechanism", "mean", "monte_carlo_error", "median", "infinite_share", "exact")
PAGE = (".html",)
MODEL_OPTIONS = ("n", "var_x", "var_e", "slope", "intercept")


@dataclass(frozen=True)
class Asked:
    """A sweep to be measured; data: the loaded data set, None where data are simulated."""

    parameter: str
    values: tuple[float, ...]
    view: View[Scenario]
    data: Dataset | None
    datasets: int
    run: Run

    @property
    def plan(self) -> SweepPlan:
        """The settings of the core."""
        s = self.view.scenario
        source = s.linear_model if self.data is None else self.data
        return plan_sweep(self.parameter, self.values, source, s.budget, swept_mechanisms(s, self.parameter))

    def about(self) -> Metadata:
        """What determines the numbers."""
        more = {"varied": self.parameter, "data sets": self.datasets, "trials": self.run.trials}
        table = f"error of the algorithms as {self.parameter} varies, in standard errors"
        if self.data is None:
            return public_metadata(self.view.scenario, table, "", more)
        return metadata(self.view, table, "", more)


@click.command()
@DATA
@MODEL
@ALGORITHMS
@OWN_SEED
@click.option("--vary", default="n", show_default=True, type=click.Choice(tuple(RANGES)), help="The parameter.")
@click.option("--values", metavar="V[,V...]", help="Exactly these values; x_new in the units of x.")
@click.option("--from", "low", type=NUMBER, help="The smallest value.  [default: that of the page]")
@click.option("--to", "high", type=NUMBER, help="The largest value.  [default: that of the page]")
@click.option("--count", default=USUAL_VALUES, show_default=True, help="Values between them.")
@click.option("--datasets", default=USUAL_DATASETS, show_default=True, help="Simulated data sets at each value.")
@click.option("--trials", type=WHOLE, help=f"Trials on each data set for algorithms without an exact law.  [default: "
              f"{USUAL_TRIALS}, on loaded data {LOADED_TRIALS}; never more than the scenario's]")  # fmt: skip
@WORKERS
@out_option("a table (.csv, .parquet, .json) or a picture (.svg, .png, and .html to move in)")
@JSON
def sweep(file: Path | None, out: Path | None, as_json: bool, workers: int, **options: Any) -> None:
    """Vary one parameter and print the error of every algorithm, in standard errors.

    On simulated data sets of a linear model (--n --var-x --var-e, or a scenario with such data), or on FILE or the data
    of a scenario. The error is measured at the first point of --at. With --scenario: the numbers of the page Sweep.
    """
    with said():
        check_out(out, (*TABLES, *PICTURES, *PAGE), file)
        asked = _asked(file, options, workers)
        result = _measured(asked)
        frame = result.frame
        if asked.parameter == "x_new":
            frame = frame.assign(value=asked.view.x.from_unit(frame["value"]))
        sentence = _sentence(result, asked)
        output = Output(frame, asked.about(), "rows", SHOWN, picture=partial(_picture, frame, asked, sentence))
        if out is not None and out.suffix in PAGE:
            write_result(_page(frame, asked), out)
            click.echo(f"Written to {out}.", err=True)
            out = None
        output.deliver(out, as_json, sentence if out is None else "")


def _asked(file: Path | None, options: Mapping[str, Any], workers: int) -> Asked:
    """The sweep that the options name."""
    model = {name: options[name] for name in MODEL_OPTIONS if options[name] is not None}
    if file is None and options["scenario"] is None:
        at = {"at": points_of(options)} if options["at"] else {}
        every = tuple(algorithm() for algorithm in algorithms())
        scenario = Scenario(source=Synthetic(**model), mechanisms=every, **at)
        view = _view(with_options(scenario, {**options, "trials": None}))
    else:
        view = read_input(file, {**options, "trials": None}).view
        if model and not isinstance(view.scenario.source, Synthetic):
            raise ValueError(f"--{next(iter(model)).replace('_', '-')} can be given for simulated data only")
        if model:
            source = Synthetic(**(view.scenario.source.model_dump(exclude={"kind"}) | model))
            view = _view(changed(view.scenario, source=source))
    data = None if isinstance(view.scenario.source, Synthetic) else view.data
    most = USUAL_TRIALS if data is None else LOADED_TRIALS
    trials = options["trials"] or min(view.scenario.trials, most)
    values = _values(options, view.x)
    run = Run(trials, view.scenario.seed, workers)
    return Asked(options["vary"], values, view, data, options["datasets"] if data is None else 1, run)


def _view(scenario: Scenario) -> View[Scenario]:
    """The view of a scenario with synthetic data."""
    grouped = scenario.source.load()
    label = shown_group("", grouped)
    return View(scenario, grouped, label, grouped.dataset(label), grouped.x, grouped.y)


def _values(options: Mapping[str, Any], x: Axis) -> tuple[float, ...]:
    """The values of the parameter, x_new in the unit square. ValueError names what cannot be."""
    parameter = options["vary"]
    if options["values"]:
        values = listed_values(
            parameter, parse_points(options["values"], "--values", x.numbers if parameter == "x_new" else "point"), x
        )
    else:
        usual = (x.lower, x.upper) if parameter == "x_new" else (RANGES[parameter].first, RANGES[parameter].last)
        low, high = (chosen if (chosen := options[name]) is not None else end
                     for name, end in zip(("low", "high"), usual, strict=True))  # fmt: skip
        values = values_between(parameter, (low, high), options["count"], x)
    return tuple(float(value) for value in x.to_unit(values)) if parameter == "x_new" else values


def _measured(asked: Asked) -> Sweep:
    """All batches, with progress."""
    plan, batches = asked.plan, []
    with tqdm(total=asked.datasets * len(asked.values), unit=" data sets", disable=None) as bar:
        for batch in sweep_batches(plan, asked.run, asked.datasets):
            batches.append(batch)
            bar.update(len(batch.ratios))
    return combine(batches)


def _sentence(result: Sweep, asked: Asked) -> str:
    """Who leads at both ends."""
    s = asked.view.scenario
    ahead = leads(result, [m.name for m in area_candidates(s.admitted, s.budget)])
    if not ahead:
        return "No private algorithm answers often enough at any of these values.\n"
    ends = dict.fromkeys((ahead[0], ahead[-1]))
    told = [
        f"at {asked.parameter} = {in_full(lead.value)} {lead.mechanism}, {format_amount(lead.mean)} standard errors"
        for lead in ends
    ]
    return f"Smallest error of a private algorithm: {listed(told)}.\n"


ERROR = "error in standard errors"


def _picture(frame: pd.DataFrame, asked: Asked, sentence: str) -> tuple[Drawable, str]:
    """The curves, and the sentence as their name."""
    from ...report.pictures.sweep import sweep_picture  # its colours come with the app

    return sweep_picture(frame, RANGES[asked.parameter].name, ERROR), sentence


def _page(frame: pd.DataFrame, asked: Asked) -> bytes:
    """The curves as a page of HTML that needs no network."""
    from ...charts.sweeps import error_curves  # plotly comes with the app

    ends = float(frame["value"].min()), float(frame["value"].max())
    figure = error_curves(frame, ends, RANGES[asked.parameter].name, ERROR)
    return bytes(figure.to_html(include_plotlyjs=True, full_html=True).encode())
