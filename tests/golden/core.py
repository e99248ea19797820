"""Numbers, figures that take long, and what commands say, as plain values."""

from __future__ import annotations

import json
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner

from dpslr_core import by_group, compare, recommend, sweep
from dpslr_core.charts.vega import as_json
from dpslr_core.cli import main
from dpslr_core.mechanisms import (
    MECHANISMS,
    DPExpTheilSen,
    DPGDPure,
    DPSSTheilSen,
    Mechanism,
    NoisyIntercept,
    NoisyStats,
    TheilSen,
)
from dpslr_core.paper.figures import Amount, Figure, figure_named
from dpslr_core.paper.pictures import together
from dpslr_core.paper.results import said_of
from dpslr_core.scenario import Scenario

from .pages import shown
from .stored import lines, plain, table, whole

STEPS = 6  # of gradient descents
EVERY: tuple[Mechanism, ...] = tuple(
    mechanism(**({"steps": STEPS} if mechanism.__name__.startswith("DPGD") else {}))
    for mechanism in MECHANISMS
)
VARIANTS = (
    TheilSen(k=2), DPExpTheilSen(k=2), DPSSTheilSen(df=1.5, beta=0.25), NoisyStats(fallback=True, clip=True),
)  # fmt: skip
SCENARIOS = {
    "synthetic, usual settings": Scenario(mechanisms=EVERY),
    "shared bikes": Scenario(source="sample", sample="bikes", mechanisms=EVERY),
    "a census tract at ε = 16": Scenario(
        source="sample", sample="tracts", group="T07", epsilon=16, mechanisms=EVERY
    ),
    "homes, few hyperparameters as usual": Scenario(
        source="sample", sample="linear", epsilon=0.5, seed=3, mechanisms=(*VARIANTS, EVERY[0])
    ),
    "three points, two records a person, zCDP": Scenario(
        n=30,
        at=(0.1, 0.5, 0.8),
        epsilon=6,
        records_per_person=2,
        accounting="implied",
        mechanisms=EVERY,
    ),
    "flat and small": Scenario(n=12, slope=0, var_x=0.001, epsilon=0.5, seed=1, mechanisms=EVERY),
}
FEW = (NoisyStats(), NoisyIntercept(), DPExpTheilSen(), EVERY[MECHANISMS.index(DPGDPure)])
SAVED = {  # scenarios as the app saves them, by the file that commands read
    "homes.json": Scenario(source="sample", sample="linear", mechanisms=FEW, trials=20),
    "model.json": Scenario(n=30, epsilon=4, mechanisms=FEW, trials=20),
    "tracts.json": Scenario(
        source="sample", sample="tracts", epsilon=16, mechanisms=FEW, trials=20
    ),
}
COMMANDS = (
    "compare --scenario homes.json",
    "compare --scenario model.json --accounting attack",
    "sweep --scenario model.json --vary n --values 20,40 --datasets 4 --workers 1",
    "by-group --scenario tracts.json --workers 1 --out areas.csv",
    "recommend --scenario model.json",
    "required --scenario model.json --workers 1",
    "required --scenario tracts.json --on areas --workers 1",
    "report --scenario tracts.json --areas --workers 1 --out report.html",
    "datasets sample/bikes",
    "cite",
    "cite --bibtex",
)


def numbers() -> dict[str, Any]:
    """compare, sweep, by_group and recommend."""
    return {name: _measured(scenario) for name, scenario in SCENARIOS.items()}


def _measured(s: Scenario) -> dict[str, Any]:
    grouped = s.source.load()
    data, synthetic = grouped.dataset(s.group or None), s.source.kind == "synthetic"
    rule = {"accounting": s.accounting}
    comparison = compare(data, s.mechanisms, s.epsilon, s.at, trials=12, seed=s.seed, **rule)
    values = (s.epsilon / 2, s.epsilon * 2)
    swept = sweep(
        "epsilon",
        values,
        s,
        s.mechanisms,
        datasets=2,
        trials=10,
        seed=s.seed,
        data=None if synthetic else data,
    )
    groups = grouped.frame[grouped.frame["group"].isin(grouped.usable[:2])]
    areas = by_group(groups, s.mechanisms, s.epsilon, s.at, trials=10, seed=s.seed, **rule)
    # Rounded: the last digits of sums of products are another processor's.
    guess = {
        "var_x": round(max(data.var_x, 1e-3), 8),
        "var_e": round(max(data.residual_sd**2, 1e-4), 8),
    }
    recommendation = recommend(
        min(data.n, 20),
        **guess,
        epsilon=s.epsilon,
        at=s.at,
        mechanisms=s.mechanisms,
        datasets=2,
        trials=10,
        **rule,
    )
    draws = comparison.draws.groupby(["mechanism", "at"], sort=False)["estimate"]
    return {
        "compare": whole(comparison.summary),
        "draws": {
            f"{name} at {at}": plain(estimates.head(3).tolist()) for (name, at), estimates in draws
        },
        "sweep": whole(swept),
        "by_group": table(areas),
        "recommend": {
            "algorithm": recommendation.algorithm,
            "second": recommendation.second,
            "margin": plain(recommendation.margin),
            "noise": plain(recommendation.noise),
            "evidence": whole(recommendation.evidence),
        },
    }


def figures() -> dict[str, Any]:
    """Figures of the paper that would take long, from few data sets: what they say, their rows and their panels."""
    return {
        name: _figure(figure_named(name)) for name in ("tracts", "synthetic", "synthetic-products")
    }


def _figure(figure: Figure) -> dict[str, Any]:
    settings = replace(figure.settings(), amount=Amount(1, 10))
    rows = figure.compute(settings)
    chart = together(figure.panels(rows, settings), figure.columns)
    return {
        "texts": lines(
            "\n".join([figure.heading, figure.says, figure.note, said_of(figure, rows, settings)])
        ),
        "rows": table(rows),
        "picture": list(dict.fromkeys(shown(json.loads(as_json(chart))))),
    }


def commands() -> dict[str, list[str]]:
    """The help of every command, and what those print that are quick."""
    runner, said = CliRunner(), {}
    helped = ["--help", *(f"{name} --help" for name in main.list_commands(None))]
    with TemporaryDirectory() as folder, chdir(folder):
        for name, scenario in SAVED.items():
            Path(name).write_text(scenario.model_dump_json(), encoding="utf-8")
        for words in (*helped, *COMMANDS):
            done = runner.invoke(main, words.split(), prog_name="dpslr", terminal_width=1000)
            assert done.exit_code == 0, done.output
            said[f"dpslr {words}"] = lines(done.stdout)
    return said
