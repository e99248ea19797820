"""Server processes that are started together, kept alive and stopped together."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

PATIENCE = 10.0  # seconds that a process has to end by itself
_LOOK = 0.5  # seconds between two looks
_PAUSE = 5.0  # least seconds between two starts of a process
_PARENT_DIED = 1  # PR_SET_PDEATHSIG: the signal that Linux sends to a process whose parent has died


@dataclass
class Kept:
    """Process that is started again when it dies.

    Attributes
    ----------
    name : str
        Name in messages.
    command : sequence of str
        Program and arguments.
    environment : mapping
        Variables beside those of this process.
    after : sequence of int
        Ports that must accept connections before the process starts.
    process : subprocess.Popen or None
        The running process; None before the first start.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    after: Sequence[int] = ()
    process: subprocess.Popen[bytes] | None = None
    _started: float = 0.0

    def look(self) -> None:
        """Start the process once the ports in `after` accept connections, and again when the process has died.

        The process has a session of its own, so that Ctrl-C reaches only us and we end all in order.
        """
        if self.process is None:
            if not all(map(_listens, self.after)):
                return
        else:
            if self.process.poll() is None or time.monotonic() < self._started + _PAUSE:
                return
            ended = f"{self.name} ended with {self.process.returncode}; starting it again"
            print(ended, file=sys.stderr, flush=True)
        self._started = time.monotonic()
        environment = os.environ | dict(self.environment)
        self.process = subprocess.Popen(
            list(self.command), env=environment, start_new_session=True, preexec_fn=ends_with_us()
        )

    def stop(self) -> None:
        """End the process, by force after PATIENCE."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def keep(processes: Sequence[Kept]) -> None:
    """Start all processes and keep them until SIGINT, SIGTERM or SIGHUP; then end them, the last started first."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    try:
        while True:
            for process in processes:
                process.look()
            if ended.wait(_LOOK):
                break
    finally:
        for process in reversed(processes):
            process.stop()


def ends_with_us() -> Callable[[], None]:
    """Make the `preexec_fn` of a child that Linux kills when this process dies, even by SIGKILL.

    To Linux the parent is the thread that starts the child: a child must be started from a thread that stays.
    """
    parent, prctl = os.getpid(), ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def in_child() -> None:
        if prctl is not None:
            prctl(_PARENT_DIED, signal.SIGKILL)
            if os.getppid() != parent:  # the parent died before prctl
                os._exit(1)

    return in_child


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_ports(count: int) -> list[int]:
    """Return ports of this machine that nobody uses."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
