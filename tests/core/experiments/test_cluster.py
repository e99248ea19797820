"""A real Dask scheduler and its workers, as processes on this machine: the same bits, and no loss with a worker."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core import by_group
from dpslr_core.experiments.areas import measured_groups, split_groups
from dpslr_core.mechanisms import DPGDzCDP, MaximumObservedSensitivity, NoisyIntercept
from dpslr_core.privacy import Budget
from dpslr_core.sources.tracts import simulate_tracts
from dpslr_core.support import workers
from dpslr_core.support.run import Run

pytest.importorskip("distributed", reason="needs pip install -r requirements-cluster.txt")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
FRAME = simulate_tracts(tracts=80, rng=np.random.default_rng(0))
CALL = {
    "mechanisms": (NoisyIntercept(), DPGDzCDP(steps=20), MaximumObservedSensitivity()),
    "epsilon": 4.0,
    "trials": 50,
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def start(tmp_path):
    """Starts a scheduler and workers: its address, then its process and theirs. All are gone after the test."""
    running = []

    def dask(*words, path):
        command = [sys.executable, "-m", "dask", *words, "--host", "127.0.0.1", "--no-dashboard"]
        away = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
        running.append(subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, **away))
        return running[-1]

    def cluster(number=2, path=str(ROOT)):
        port = free_port()
        address = f"tcp://127.0.0.1:{port}"
        scheduler = dask("scheduler", "--port", str(port), path=path)
        options = (
            "--no-nanny",
            "--nthreads",
            "1",
            "--memory-limit",
            "0",
            "--local-directory",
            str(tmp_path),
        )
        return address, [
            scheduler,
            *(dask("worker", address, *options, path=path) for _ in range(number)),
        ]

    yield cluster
    for process in running:
        process.kill()
        process.wait()


def wait_for_workers(address, number):
    from distributed import Client

    with Client(address, timeout=120, set_as_default=False) as client:
        client.wait_for_workers(number, timeout=120)


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_a_cluster_finds_the_same_bits_and_outlives_a_worker(start):
    """Whole, with a worker killed on the way, and a sentence where the scheduler is."""
    expected = by_group(FRAME, **CALL)
    address, (scheduler, first, *_) = start(3)
    wait_for_workers(address, 3)
    seen = []
    same(
        by_group(FRAME, **CALL, workers=address, progress=lambda *done: seen.append(done)), expected
    )
    assert len(seen) > 4 and seen[-1] == (80, 80)

    run = measured_groups(
        split_groups(FRAME).datasets, CALL["mechanisms"], Budget(4.0), Run(50, workers=address)
    )
    parts = [next(run)]
    os.kill(first.pid, signal.SIGKILL)
    same(pd.concat([*parts, *run], ignore_index=True), expected)
    assert first.wait(60) == -signal.SIGKILL

    longer = Run(20_000, workers=address)  # not done before the scheduler is gone
    run = measured_groups(split_groups(FRAME).datasets, CALL["mechanisms"], Budget(4.0), longer)
    next(run)
    scheduler.kill()
    with pytest.raises(ConnectionError, match="was lost"):
        list(run)


def test_a_cluster_without_this_package_is_told_and_does_not_hang(start, tmp_path):
    address, _ = start(1, path=str(tmp_path))
    with pytest.raises(ValueError, match="needs a worker, and this package"):
        by_group(FRAME, **CALL, workers=address)


def test_no_scheduler_is_told(monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ValueError, match=f"no Dask scheduler answers at {address}"):
        by_group(FRAME, **CALL, workers=address)
