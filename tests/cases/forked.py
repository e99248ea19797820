"""A function in a process of its own, which may be killed: many times quicker than a new interpreter."""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from typing import NamedTuple
from unittest.mock import patch

from dpslr_core.release import log


class Ended(NamedTuple):
    """How a process ended: its signal, its exit code (70: an exception), and what it said."""

    signal: int
    code: int
    said: str


def begun(function, die_at=0):
    """A process that runs the function, which is given what says a line; killed at a step of the log, 0 for none.

    Returned are its id and the pipe that it speaks to.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads: the child uses none
        child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    code, steps = 70, []

    def reached(step):
        steps.append(step)
        if len(steps) == die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        os.close(reader)
        with patch.object(log, "reached", reached):
            function(lambda line: os.write(writer, f"{line}\n".encode()))
        os.write(writer, f"steps {len(steps)}\n".encode())
        code = 0
    except BaseException:
        os.write(writer, traceback.format_exc().encode())
    finally:
        os._exit(code)


def ended(process):
    """What a process said, once it has ended."""
    child, reader = process
    with open(reader, encoding="utf-8") as pipe:
        said = pipe.read()
    status = os.waitpid(child, 0)[1]
    return Ended(
        os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        os.waitstatus_to_exitcode(status),
        said,
    )


def forked(function, die_at=0):
    """A process from its begin to its end."""
    return ended(begun(function, die_at))
