"""The guesses that guidance goes by: options, or a scenario with its own model or with data to read them off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ...guidance import answer, private_mechanisms
from ...guidance.recommendation import Recommendation
from ...guidance.simulated_errors import TRIALS
from ...guidance.sized.guesses import GUESSED, data_guesses, guessed_scenario
from ...mechanisms import algorithms
from ...report.metadata import Metadata, metadata, page_link, public_metadata
from ...scenario import Scenario
from ...sources.choices import Synthetic
from ...support.run import QUARTERS
from ...text.view import View
from .data import points_of, read_input, with_options

NEEDED = ("n", "var_x", "var_e", "epsilon")


@dataclass(frozen=True)
class Guided:
    """A recommendation, and the data whose shape it goes by; None where it goes by public guesses alone."""

    recommendation: Recommendation
    scenario: Scenario
    view: View[Scenario] | None = None

    def about(self, table: str, more: Mapping[str, object] | None = None) -> Metadata:
        """What determines the numbers of a table."""
        if self.view is None:
            return public_metadata(self.scenario, table, page_link("guidance", self.scenario), more)
        return metadata(self.view, table, "", more)


def guided(file: Path | None, options: Mapping[str, Any]) -> Guided:
    """The recommendation that the options ask for, with progress. ValueError names what is missing or cannot be."""
    if options["scenario"] is None and file is None:
        return _by_options(options)
    view = read_input(file, options).view
    scenario = view.scenario
    guesses = {name: options[name] for name in ("n", *GUESSED) if options[name] is not None}
    if isinstance(scenario.source, Synthetic):
        model = Synthetic(**(scenario.source.model_dump() | guesses))
        return _answered(scenario.model_copy(update={"source": model}), options["weaker"])
    if "var_x" in guesses and "var_e" in guesses:
        n = guesses.pop("n", view.data.n)
        return _answered(guessed_scenario(scenario, n, guesses), options["weaker"])
    if scenario.source.kind == "upload" and not options["look"]:
        raise ValueError(
            "--var-x and --var-e must be given, public guesses in the unit square, or --look to read them off the "
            "file: a choice that looks at private data is not private"
        )
    asked = guessed_scenario(scenario, view.data.n, data_guesses(view.data) | guesses)
    return _answered(asked, options["weaker"], view)


def _by_options(options: Mapping[str, Any]) -> Guided:
    """recommend of the core, with the guesses that were given."""
    missing = [f"--{name.replace('_', '-')}" for name in NEEDED if options[name] is None]
    if missing:
        raise ValueError(f"{missing[0]} must be given, or --scenario FILE.json")
    model = {name: options[name] for name in ("n", *GUESSED) if options[name] is not None}
    ranges = {name: options[name] for name in ("lower", "upper") if options[name] is not None}
    usual = private_mechanisms(algorithms(), **({"lower": -0.5, "upper": 1.5, "theta": 0.01} | ranges))
    base = Scenario(source=Synthetic(**model), mechanisms=usual, at=points_of(options) or QUARTERS)
    s = with_options(base, options)
    trials = min(s.trials, TRIALS)
    recommendation = answer.recommend(
        **model, **ranges, epsilon=s.epsilon, at=s.at, mechanisms=s.compared, weaker=options["weaker"], trials=trials,
        seed=s.seed, accounting=s.accounting,
    )  # fmt: skip
    return Guided(recommendation, s)


def _answered(scenario: Scenario, weaker: bool, view: View[Scenario] | None = None) -> Guided:
    """The answer of the Guidance page."""
    question = answer.sized_question(scenario, weaker)
    with tqdm(desc="simulated data sets, stage", disable=None) as bar:
        stages = []
        for recommendation in answer.recommendations(question, question.measured, question.noise):
            stages.append(recommendation)
            bar.update()
    return Guided(stages[-1], scenario, view)
