"""Work is left at a checkpoint: in this process, in worker processes, and inside every algorithm."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import pytest

from dpslr_core import compare
from dpslr_core.dataset import Dataset
from dpslr_core.mechanisms import MECHANISMS
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support import workers
from dpslr_core.support.run import call_at_checkpoints
from dpslr_core.support.workers import in_order


class Ended(BaseException):
    """What ends the work in these tests, as Streamlit's own exceptions do."""


class Counted:
    """How often a checkpoint was passed; from the number ``last`` on it ends the work."""

    def __init__(self, last: float = np.inf) -> None:
        self.passed, self.last, self.helpers = 0, last, 0

    def __call__(self, helpers: int) -> None:
        self.passed += 1
        self.helpers = max(self.helpers, helpers)
        if self.passed >= self.last:
            raise Ended


@contextmanager
def checkpoints(call):
    """A context in which every checkpoint of this thread is a call of ``call``."""
    call_at_checkpoints(call)
    try:
        yield
    finally:
        call_at_checkpoints(None)


@pytest.mark.parametrize("algorithm", MECHANISMS, ids=lambda algorithm: algorithm.__name__)
@pytest.mark.parametrize("n", [40, 1600])
def test_every_algorithm_passes_checkpoints_and_can_be_left_at_each(algorithm, n):
    """Small data are listed, large ones queried by ranks; numbers are the same after an interruption."""
    model = LinearModel(n, 0.03, 0.01)

    def run() -> float:
        data = model.replicate(0, 1)
        compared = compare(Dataset(data.x, data.y), [algorithm()], 2.0, (0.25, 0.75), 20)
        return float(compared.summary["c68"].sum() + compared.draws["estimate"].sum())

    counted = Counted()
    with checkpoints(counted):
        whole = run()
    assert counted.passed >= 2
    with pytest.raises(Ended), checkpoints(Counted(last=max(1, counted.passed // 2))):
        run()
    assert run() == whole


def slept(seconds: float) -> float:
    """A task of a worker process."""
    time.sleep(seconds)
    return seconds


def test_waiting_for_workers_passes_checkpoints_with_their_number():
    counted = Counted()
    with checkpoints(counted):
        assert list(in_order(slept, [0.2, 0.1], workers=2)) == [0.2, 0.1]
    assert counted.passed > 3
    assert counted.helpers == 2


def test_work_of_worker_processes_is_left_at_a_checkpoint():
    """Long before the workers are done; the next run has new ones."""
    with pytest.raises(Ended), checkpoints(Counted(last=3)):
        list(in_order(slept, [600.0, 600.0], workers=2))
    assert list(in_order(slept, [0.0, 0.01, 0.0], workers=2)) == [0.0, 0.01, 0.0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_until_processes_have_started_and_is_not_lost(number):
    arrived = []
    before = signal.signal(number, lambda *_: arrived.append(number))
    try:
        with workers._signals_held():
            os.kill(os.getpid(), number)
            child = subprocess.run(
                ["grep", "SigBlk", "/proc/self/status"], capture_output=True, text=True, check=False
            )
            assert not arrived
        assert arrived == [number]
        if child.returncode == 0:  # where there is a /proc: what children inherit
            assert int(child.stdout.split()[1], 16) >> (number - 1) & 1
    finally:
        signal.signal(number, before)
