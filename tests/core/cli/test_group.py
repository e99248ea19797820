"""The command dpslr itself: quick help, its exit codes, completion in the shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dpslr_core import cli
from dpslr_core.sources.choices import PublicData
from dpslr_core.sources.samples import DataUnavailable
from tests.cases.scenario_files import run

ROOT = Path(__file__).parents[3]


def test_help_waits_for_no_library():
    script = "import sys; from dpslr_core.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in ran.stdout.splitlines()[-1].split()}
    assert "click" in loaded and not loaded & {
        "numpy",
        "scipy",
        "pandas",
        "pydantic",
        "altair",
        "plotly",
    }


def test_what_a_command_needs_and_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cli.main.commands["figure"], "module", ".no_such_module")
    done = run("figure")
    assert done.exit_code == 2 and "no_such_module'; pip install 'dpslr[app]' brings" in done.stderr


def test_an_interruption_has_its_own_exit_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def interrupted(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "data.csv").write_text("x,y\n0,0\n0.5,0.5\n1,1\n")
    monkeypatch.setattr("dpslr_core.cli.measure.measured_comparison", interrupted)
    done = run("compare", str(tmp_path / "data.csv"), "--x", "x", "--y", "y", "--epsilon", "1")
    assert done.exit_code == cli.INTERRUPTED and "Interrupted." in done.stderr


def test_data_that_cannot_be_had_have_their_own_exit_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def unavailable(self: object) -> None:
        raise DataUnavailable("It could not be downloaded; is there a network?")

    monkeypatch.setattr(PublicData, "load", unavailable)
    done = run("datasets", "uci/stocks", "--out", str(tmp_path / "out.csv"))
    assert (
        done.exit_code == cli.UNAVAILABLE
        and done.stderr == "Error: It could not be downloaded; is there a network?\n"
    )


def test_a_traceback_is_shown_with_debug_alone(monkeypatch: pytest.MonkeyPatch):
    command = "sweep --n 30 --vary epsilon --values 1,2 --datasets 2 --workers 1"
    words = command.split()
    refused = run(*words, "--algorithm", "Magic")
    assert refused.exit_code == 2 and refused.stderr.startswith("Error: algorithm must be one of")
    monkeypatch.setattr("dpslr_core.experiments.sweep.error_ratios", len)
    done = run(*words, "--algorithm", "NoisyIntercept")
    assert done.exit_code == 70 and done.stderr.startswith(
        "Error: dpslr itself failed, TypeError: len() "
    )
    assert "Traceback" not in done.stderr and "Traceback" in run("--debug", *words).stderr
