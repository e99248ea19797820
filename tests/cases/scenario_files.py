"""Scenarios as the app saves them, and what commands say of them, for the tests of the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from dpslr_core.cli import main
from dpslr_core.mechanisms import OLS, DPExpTheilSen, DPGDPure, NoisyIntercept, NoisyStats
from dpslr_core.scenario import Scenario

FEW = (OLS(), NoisyStats(), NoisyIntercept(), DPExpTheilSen(lower=-0.25), DPGDPure(steps=20))
SYNTHETIC = Scenario(n=40, epsilon=3.0, mechanisms=FEW, trials=20, seed=5, at=(0.3, 0.8))
TRACTS = Scenario(
    source="sample", sample="tracts", epsilon=16.0, mechanisms=FEW, trials=20, seed=2, at=(0.3, 0.8)
)


def saved(scenario: Scenario, path: Path) -> str:
    """The path of the scenario as a file, written as "Cite and take away" writes it."""
    path.write_text(scenario.model_dump_json(indent=2), encoding="utf-8")
    return str(path)


def run(*words: str) -> Result:
    """A command of dpslr."""
    return CliRunner().invoke(main, list(words))


def printed_json(*words: str, code: int = 0) -> dict[str, Any]:
    """The JSON that a command prints."""
    done = run(*words, "--json")
    assert done.exit_code == code, done.output
    result: dict[str, Any] = json.loads(done.stdout)
    return result
