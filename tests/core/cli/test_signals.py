"""A signal ends every command with exit code 130 and one word, and leaves no process and no file behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from dpslr_core.cli import INTERRUPTED, main
from dpslr_core.sources.samples import load_sample

ROOT = Path(__file__).parents[3]
FIRST = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
SIGNALS = tuple(FIRST)
NAMES = list(main.commands)

# Runs the command of its further arguments; a file named by the first says when a worker process works.
RUNNER = """
import sys
from pathlib import Path
marker, *words = sys.argv[1:]
from dpslr_core.support import workers
checkpoint = workers.checkpoint
def marked(helpers=0):
    Path(marker).touch()
    checkpoint(helpers)
workers.checkpoint = marked
from dpslr_core.cli import main
main(words, prog_name="dpslr")
"""


@pytest.fixture(autouse=True)
def _signals_as_in_a_terminal() -> Iterator[None]:
    """The signals do what they do at first, also where the tests themselves run below nohup."""
    before = {number: signal.signal(number, FIRST[number]) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", NAMES)
def test_every_command_is_interrupted_by_every_signal(
    name: str, number: signal.Signals, monkeypatch
):
    """Each as it begins its work: where the function of the command is called."""
    command, words = main.commands[name].load(), [name]
    if isinstance(command, click.Group):
        words.append(next(iter(command.commands)))
        command = command.commands[words[-1]]
    monkeypatch.setattr(command, "callback", lambda **options: signal.raise_signal(number))
    monkeypatch.setattr(command, "params", [])
    before = [signal.getsignal(each) for each in SIGNALS]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stderr, done.stdout) == (INTERRUPTED, "Interrupted.\n", "")
    assert [signal.getsignal(each) for each in SIGNALS] == before


@pytest.mark.parametrize("number", SIGNALS[1:])
def test_a_signal_that_is_ignored_stays_ignored(number: signal.Signals, monkeypatch):
    """As below nohup, which lets a run outlive its terminal."""
    monkeypatch.setattr(
        main.commands["cite"].load(), "callback", lambda **options: signal.raise_signal(number)
    )
    signal.signal(number, signal.SIG_IGN)
    assert CliRunner().invoke(main, ["cite"]).exit_code == 0


@contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A command in a session of its own, whose work has begun; nothing of it is left afterwards."""
    marker = folder / "begun"
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache"}  # no command needs them
    environment = os.environ | nowhere | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(marker), *words],
        cwd=folder,
        env=environment,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        while not marker.exists():
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.01)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def members(session: int) -> list[int]:
    """The living processes of a session."""
    living = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = file.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if int(of) == session and state != "Z":
            living.append(int(file.parent.name))
    return living


TRACTS = "tracts.csv --x x --y y --epsilon 16 --group group"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("words", "number", "end"),
    [
        (f"by-group {TRACTS} --out out.csv", signal.SIGTERM, os.kill),
        (
            "sweep --n 300 --var-x .03 --var-e .01 --epsilon 2 --datasets 500",
            signal.SIGHUP,
            os.killpg,
        ),
        (f"required {TRACTS}", signal.SIGTERM, os.killpg),
    ],
)
def test_worker_processes_end_with_the_command(
    tmp_path: Path, words: str, number: signal.Signals, end: Callable[[int, int], None]
):
    """After a signal to itself or to all of its processes, once it works."""
    load_sample("tracts").frame.to_csv(tmp_path / "tracts.csv", index=False)
    with started(tmp_path, *words.split(), "--workers", "2") as process:
        end(process.pid, number)
        _, complaints = process.communicate(timeout=300)
        assert process.returncode == INTERRUPTED, complaints
        assert "Interrupted" in complaints
        deadline = time.monotonic() + 60
        while left := members(process.pid):
            assert time.monotonic() < deadline, left
            time.sleep(0.01)
    assert {path.name for path in tmp_path.iterdir()} <= {"tracts.csv", "begun", "out.csv.part"}
    if "ExecutorManagerThread" in complaints or "resource_tracker" in complaints:
        # loky: its thread cancels all tasks, then seeks the next one by its number and ends with a KeyError
        pytest.xfail(f"the library of worker processes complains at its end: {complaints}")
    for word in ("Traceback", "Warning", "warning", "leaked", "Error"):
        assert word not in complaints, complaints
