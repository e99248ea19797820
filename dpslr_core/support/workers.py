"""Batches of work, done in this process, in others on this machine, or on a Dask cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, TypeVar

import numpy as np

from . import ENDING
from .columns import shown
from .run import checkpoint, keep_memory

Batch = TypeVar("Batch")
Result = TypeVar("Result")
PATIENCE = 10  # seconds to wait for a Dask scheduler, and then for its first worker
MOST_WORKERS = 1024
LOSSES = 3  # times in a row that processes may die before a run is given up


def in_order(
    task: Callable[[Batch], Result], batches: Sequence[Batch], workers: int | str
) -> Generator[Result, None, None]:
    """Yield task(batch) for every batch, in order, as they arrive; closing the iterator stops the work.

    A batch that is lost with a process or with a Dask worker is done again. All runs in one Python process share its
    worker processes: closing one run ends them, and the others start new ones.

    Parameters
    ----------
    task : callable
        Function of a batch.
    batches : sequence
        Arguments of the task.
    workers : int or str
        1, another number of processes, -1 for all cores, or a Dask scheduler's address (tcp://...).

    Raises
    ------
    ValueError
        Where workers cannot be had.
    ConnectionError
        Where the Dask scheduler is lost on the way.
    """
    if workers == 1 and not isinstance(workers, bool):
        yield from map(task, batches)
        return
    from joblib import delayed, parallel_config  # 0.2 s to import: one process does without

    # A process that has grown is replaced by joblib, which says so; nothing is lost.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    arrived = losses = 0
    with _backend(workers) as backend:
        while arrived < len(batches):
            # A batch must be a list or tuple: an array would be put on one Dask worker for all, and be lost with it.
            tasks = (delayed(task)(batch) for batch in batches[arrived:])
            # Not around the results: the configuration would hold for the caller, too.
            with parallel_config(**backend):
                parallel = _watched()
            with _signals_held():
                results = parallel(tasks)
            try:
                for result in results:
                    arrived, losses = arrived + 1, 0
                    yield result
            except RuntimeError:  # what joblib raises where its processes have gone
                losses += 1
                if losses > LOSSES:
                    raise
            finally:
                with warnings.catch_warnings():  # that tasks are cancelled tells nobody anything
                    warnings.simplefilter("ignore", UserWarning)
                    results.close()


def _watched() -> Any:
    """Make parallel work stop at checkpoints: joblib asks every 10 ms whether to wait for the next result."""
    from joblib import Parallel

    class Watched(Parallel):
        def _wait_retrieval(self) -> bool:
            checkpoint(int(self.n_jobs or 1))
            return bool(super()._wait_retrieval())

    return Watched(return_as="generator", batch_size=1)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Hold signals that end a run until processes have started: half a process cannot be ended.

    Processes inherit that these signals are blocked, so that no process ends or complains before _belong_to.
    """
    # Only the main thread may say what a signal does.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, *ENDING)
    waiting: list[int] = []
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: waiting.append(number))
    mask = (
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        if hasattr(signal, "pthread_sigmask")
        else None
    )
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # what was held arrives now, and waits
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting:
            signal.raise_signal(number)


def end_processes() -> None:
    """End the worker processes of this Python process, which hold memory until then; a later run starts new ones."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True)


def one_thread() -> AbstractContextManager[Any]:
    """Return a context with BLAS on one thread, so that sums are the same bit for bit."""
    keep_memory()
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """Look up the linear algebra libraries of this process, once: that takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def _backend(workers: int | str) -> Iterator[dict[str, Any]]:
    """Yield the configuration of joblib for a number of processes or for the Dask cluster at an address."""
    if isinstance(workers, str) and "://" in workers:
        with _connected(workers) as client:
            try:
                yield {"backend": "dask", "client": client, "n_jobs": -1}
            except CancelledError as error:
                raise ConnectionError(
                    f"the Dask scheduler at {workers} was lost ({error})"
                ) from error
    elif isinstance(workers, int | np.integer) and workers > MOST_WORKERS:
        raise ValueError(
            f"workers must be at most {MOST_WORKERS:,} processes, got {shown(workers)}"
        )
    elif (
        isinstance(workers, (int, np.integer))
        and not isinstance(workers, bool)
        and (workers == -1 or workers > 0)
    ):
        owned = {"initializer": _belong_to, "initargs": (os.getpid(),)}
        yield {"backend": "loky", "n_jobs": int(workers), **owned}
    else:
        raise ValueError(
            "workers must be a number of processes, -1 for all, or tcp://host:port, got "
            f"{shown(workers)}"
        )


def _belong_to(parent: int) -> None:
    """Make this worker process leave signals to its parent, and end soon after the parent, even a killed one."""
    for number in (signal.SIGINT, *ENDING):
        signal.signal(number, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _connected(address: str) -> Any:
    """Connect to the scheduler at an address; ValueError where the cluster cannot do the work.

    A small task goes ahead: joblib would wait for ever on a cluster that lacks this package.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ValueError(
            "workers on a Dask cluster need: pip install -r requirements-cluster.txt"
        ) from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"workers: no Dask scheduler answers at {address} ({error})") from error
    try:
        client.submit(_ready, pure=False).result(timeout=PATIENCE)
    except Exception as error:
        client.close()
        needed = "a worker, and this package on the scheduler and on every worker"
        raise ValueError(
            f"workers: the Dask cluster at {address} needs {needed} ({error!r})"
        ) from error
    return client


def _ready() -> None:
    """Run as the first task of a Dask worker: it needs this package and what the package needs."""
    with one_thread():
        pass
