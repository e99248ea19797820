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
_LATEST = 60.0  # seconds after which a process starts without those that it waits for
_PAUSE = 0.5  # seconds between two looks
_PARENT_DIED = 1  # PR_SET_PDEATHSIG: which signal Linux sends to a process whose parent has died
_MOST_PAUSE = 30.0  # seconds before a process that dies at once is started again


@dataclass
class Kept:
    """A process that is started again when it dies, later each time it dies at once.

    after: ports of this machine at which others must listen before it is started first, for up to a minute.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    after: Sequence[int] = ()
    process: subprocess.Popen[bytes] | None = None
    _started: float = 0.0
    _pause: float = _PAUSE
    _made: float = field(default_factory=time.monotonic)

    def start(self) -> None:
        """Start it, in a session of its own, so that Ctrl-C reaches only us and we end all in order."""
        self._started = time.monotonic()
        environment = os.environ | dict(self.environment)
        self.process = subprocess.Popen(
            list(self.command), env=environment, start_new_session=True, preexec_fn=ends_with_us()
        )

    def look(self) -> None:
        """Start it where it may start, and again if it has died."""
        if self.process is None:
            if all(map(_listens, self.after)) or time.monotonic() - self._made > _LATEST:
                self.start()
            return
        if self.process.poll() is None:
            return
        lived = time.monotonic() - self._started
        if lived < self._pause:
            return
        self._pause = _PAUSE if lived > _MOST_PAUSE else min(2 * self._pause, _MOST_PAUSE)
        print(
            f"{self.name} ended with {self.process.returncode}; starting it again",
            file=sys.stderr,
            flush=True,
        )
        self.start()

    def stop(self) -> None:
        """End it, at the latest after PATIENCE."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def keep(processes: Sequence[Kept]) -> None:
    """Start all and keep them until SIGINT, SIGTERM or SIGHUP; then end them, the last started first."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    try:
        while True:
            for each in processes:
                each.look()
            if ended.wait(_PAUSE if all(each.process for each in processes) else 0.1):
                break
    finally:
        for each in reversed(processes):
            each.stop()


def ends_with_us() -> Callable[[], None]:
    """Make the `preexec_fn` of a child that Linux kills when this process dies, even by SIGKILL.

    To Linux the parent is the thread that starts the child: a child must be started from a thread that stays.
    """
    parent, prctl = os.getpid(), ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def in_child() -> None:
        if prctl is not None:
            prctl(_PARENT_DIED, signal.SIGKILL)
            if os.getppid() != parent:  # it died before
                os._exit(1)

    return in_child


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody uses."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
