"""The command dpslr itself: quick help, its exit codes, completion in the shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from scenario_files import run

from dpslr_core.cli import data, main, measure
from dpslr_core.cli.group import CODES, COMMANDS, INTERRUPTED, UNAVAILABLE, Lazy
from dpslr_core.sources.samples import DataUnavailable
from dpslr_core.support import VERSION

ROOT = Path(__file__).parents[3]


def test_help_waits_for_no_library():
    script = "import sys; from dpslr_core.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ran.stdout.splitlines()[-1].split()}
    assert "click" in loaded and not loaded & {"numpy", "scipy", "pandas", "pydantic", "altair", "plotly"}


def test_help_names_all_commands_exit_codes_and_the_version():
    told = " ".join(run("--help").stdout.split())
    assert all(f"{command.name} {command.short_help}" in told for command in COMMANDS)
    assert all(f"{code} {meaning}" in told for code, meaning in CODES.items())
    assert run("--version").stdout == f"dpslr, version {VERSION}\n"


@pytest.mark.parametrize("name", main.list_commands(click.Context(main)))
def test_every_command_is_there_and_has_help(name: str):
    command = main.commands[name]
    assert (command.load() if isinstance(command, Lazy) else command).name == name
    assert run(name, "--help").exit_code == 0


def test_an_unknown_command_is_wrong_use():
    done = run("compere")
    assert done.exit_code == 2 and "No such command 'compere'" in done.stderr


def test_the_shell_completes_commands_and_their_options():
    complete = ShellComplete(main, {}, "dpslr", "_DPSLR_COMPLETE")
    assert [item.value for item in complete.get_completions([], "re")] == ["recommend", "required", "report"]
    assert "--x-bounds" in [item.value for item in complete.get_completions(["compare"], "--x")]


def test_what_a_command_needs_and_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(main.commands["figure"], "module", ".no_such_module")
    done = run("figure")
    assert done.exit_code == 2 and "no_such_module'; pip install 'dpslr[app]' brings" in done.stderr


def test_an_interruption_has_its_own_exit_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def interrupted(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "data.csv").write_text("x,y\n0,0\n0.5,0.5\n1,1\n")
    monkeypatch.setattr(measure, "measured_comparison", interrupted)
    done = run("compare", str(tmp_path / "data.csv"), "--x", "x", "--y", "y", "--epsilon", "1")
    assert done.exit_code == INTERRUPTED and "Interrupted." in done.stderr


def test_data_that_cannot_be_had_have_their_own_exit_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def unavailable(self: object) -> None:
        raise DataUnavailable("It could not be downloaded; is there a network?")

    monkeypatch.setattr(data.PublicData, "load", unavailable)
    done = run("datasets", "uci/stocks", "--out", str(tmp_path / "out.csv"))
    assert done.exit_code == UNAVAILABLE and done.stderr == "Error: It could not be downloaded; is there a network?\n"
