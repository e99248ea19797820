"""A class at work: many sessions step epsilon, on Compare and then on a mix of pages; ``python -m benchmarks load``.

A run is a round to warm up, in which every session is new, and a second one with new sessions and new data, after
which memory should be what it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count

import numpy as np

from ..timing import Row
from .expected import core_answer, same
from .servers import Server, server
from .sessions import Step, a_class

MIX = ("start", "data", "compare", "guidance", "privacy", "lesson", "findings", "methods")
AIMS, AIMS_OF_MIX = (1.0, 3.0), (1.5, 4.0)  # seconds of the median and of the 95th percentile
AIMS_OF_PAGE = (4.0, 10.0)  # the same for each page of a run of several
GROWTH = 1.2  # of memory from the first to the second round, at most


def main(arguments: Sequence[str]) -> None:
    """Print the figures of the runs that the arguments ask for."""
    asked = _parser().parse_args(arguments)
    with server(asked.url, asked.workers) as running:
        print(
            f"{asked.sessions} sessions, {asked.seconds:g} s a round, server processes: "
            f"{asked.workers}\n"
        )
        seeds = count(1, asked.sessions)
        for pages in asked.pages.split("+"):
            for row in rows(running, MIX if pages == "mix" else pages.split(","), asked, seeds):
                print(row, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks load", description=__doc__)
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=180, help="of a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--pause", type=float, default=0, help="seconds after a round, in which its sessions end"
    )
    parser.add_argument(
        "--pages", default="compare+mix", help="runs, with + between; pages of a run, with commas"
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        help="server processes; more than one are behind the proxy",
    )
    parser.add_argument("--url", help="of a server that runs already")
    parser.add_argument(
        "--checked", type=int, default=60, help="answers that are compared with the core's"
    )
    return parser


def rows(
    running: Server, pages: Sequence[str], asked: argparse.Namespace, seeds: count[int]
) -> Iterator[Row]:
    """The figures of some rounds on these pages."""
    name, memory, settled, steps, used = ", ".join(pages), [], [], [], 0.0
    for _ in range(asked.rounds):
        at: list[float] = []
        opened = partial(_note, at, running)
        steps += a_class(running.url, pages, asked.sessions, asked.seconds, next(seeds), opened)
        used += running.cpu() - at[0]
        memory.append(running.megabytes())
        if asked.pause:
            time.sleep(asked.pause)
            settled.append(running.megabytes())
    yield from _times(name, [step for step in steps if step.seconds < np.inf])
    later = [step for step in steps if not step.first]
    yield Row("  server CPU of a step", f"{used / len(later):.3f} s", "", None)
    yield Row(
        "  received in a step, median",
        f"{np.median([s.bytes for s in later]) / 1024:.0f} kB",
        "",
        None,
    )
    yield from _memory("round", memory)
    yield from _memory("pause", settled)
    yield from _faults(steps, asked.checked)


def _note(times: list[float], running: Server) -> None:
    times.append(running.cpu())


def _times(name: str, steps: Sequence[Step]) -> Iterator[Row]:
    opened = [step.seconds for step in steps if step.first]
    later = [step.seconds for step in steps if not step.first]
    if not later:
        yield Row(f"{name}: no step was answered", "", "", False)
        return
    middle, most = np.percentile(later, [50, 95])
    usual, longest = AIMS_OF_MIX if name == ", ".join(MIX) else AIMS
    yield Row(
        f"{name}: {len(later)} steps, median",
        f"{middle:.2f} s",
        f"under {usual:g} s",
        middle < usual,
    )
    yield Row("  95th percentile", f"{most:.2f} s", f"under {longest:g} s", most < longest)
    yield Row(
        "  pages opened, median and slowest",
        f"{np.median(opened):.2f}, {max(opened):.2f} s",
        "",
        None,
    )
    for page in dict.fromkeys(step.page for step in steps):
        own = [step.seconds for step in steps if step.page == page and not step.first]
        if own and name != page:
            middle, most = np.percentile(own, [50, 95])
            usual, longest = AIMS_OF_PAGE
            what, aim = (
                f"    {page}: {len(own)} steps, median and 95th percentile",
                f"under {usual:g}, {longest:g} s",
            )
            yield Row(what, f"{middle:.2f}, {most:.2f} s", aim, middle < usual and most < longest)


def _memory(when: str, memory: Sequence[Sequence[float]]) -> Iterator[Row]:
    totals = [sum(sizes) for sizes in memory]
    if not totals or not totals[0]:
        return
    said = ", ".join(f"{total:.0f}" for total in totals)
    flat = totals[-1] < GROWTH * totals[0] if len(totals) > 1 else None
    yield Row(
        f"  memory of all server processes after each {when}",
        f"{said} MB",
        f"grows by < {GROWTH - 1:.0%}",
        flat,
    )


def _faults(steps: Sequence[Step], most: int) -> Iterator[Row]:
    """Errors, and numbers that are not those of the session's own seed."""
    said = [fault for step in steps for fault in step.faults]
    yield Row("  errors, links to data of others", str(len(said)), "0", not said)
    for fault in dict.fromkeys(said):
        yield Row(f"    {fault}"[:120], "", "", None)
    answers = [step for step in steps if step.answer is not None]
    checked = answers[:: max(1, len(answers) // max(1, most))][:most]
    wrong = [s for s in checked if s.answer and not same(s.answer, core_answer(s.seed, s.epsilon))]
    if checked:
        yield Row(f"  of {len(checked)} answers not the core's", str(len(wrong)), "0", not wrong)
