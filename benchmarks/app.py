"""The app: what a start takes, and the server time of a rerun of Compare and of a step of epsilon on Small areas."""

from __future__ import annotations

import itertools
import logging
import statistics
import subprocess
import sys
from collections.abc import Iterator
from math import inf
from pathlib import Path

from streamlit.testing.v1 import AppTest

from dpslr_core.sources.samples import find_uci
from ui import work

from .areas import compute
from .timing import Row, taking_turns, time_row

TURNS = 5
START = "import time; {}; print(time.process_time())"
NAMES = "import Dataset, by_group, compare, error_bound, recommend, simulate_linear, simulate_tracts, sweep"
FIRST_PAGE = """
from streamlit.testing.v1 import AppTest
test = AppTest.from_file("app.py", default_timeout=60)
if {page!r}: test.switch_page({page!r})
assert not test.run().exception
"""
APP = Path(__file__).parent.parent / "app.py"


def rows() -> Iterator[Row]:
    """All algorithms, n = 250, 1,000 trials; each rerun has a seed that no cache knows."""
    yield _start("import dpslr_core", "import dpslr_core", 0.5)
    yield _start("from dpslr_core import of every public name", f"from dpslr_core {NAMES}", None)
    for what, page, aim in (("Start page", "", 3), ("charts of Compare", "pages/compare.py", 4)):
        yield _start(
            f"a new server to the first page, {what}",
            f"exec({FIRST_PAGE.format(page=page)!r})",
            aim,
        )
    logging.disable(logging.WARNING)
    test = AppTest.from_file(str(APP), default_timeout=60).run()
    test.switch_page("pages/compare.py").run()
    seeds = itertools.count(1)

    def rerun() -> None:
        test.sidebar.text_input(key="seed").set_value(str(next(seeds))).run()
        assert not test.exception

    yield time_row(
        "Compare rerun, all algorithms, n = 250, 1,000 trials, nothing cached", rerun, 0.07
    )
    yield time_row("Compare rerun, everything cached", lambda: test.run(), 0.03)
    if find_uci("bikes") is not None:
        yield _epsilon_step()


def _epsilon_step() -> Row:
    """Another epsilon for the 288 areas of bike share, with the worker processes of a server; the CPU of all of them.

    A page may compute for ten seconds before it asks: on a busy machine a step would end there, with half of the areas.
    """
    work.AT_ONCE = inf
    test = AppTest.from_file(str(APP), default_timeout=600)
    for key, value in {"source": "uci", "uci": "bikes"}.items():
        test.query_params[key] = value
    test.run()
    test.switch_page("pages/small_areas.py").run()
    epsilons = itertools.count(3)

    def step() -> float:
        before = compute()
        (box,) = [each for each in test.sidebar.text_input if str(each.key).startswith("epsilon")]
        box.set_value(str(next(epsilons))).run()
        assert not test.exception
        return compute() - before

    step()
    used: list[float] = []
    (taken,) = taking_turns(lambda: used.append(step()), turns=TURNS)
    what = "Small areas, bike share: another epsilon, all algorithms of the sidebar"
    return Row(what, f"{taken:.2f} s (CPU {statistics.median(used):.1f})", "under 2 s", taken < 2)


def _start(what: str, statement: str, aim: float | None) -> Row:
    """The processor time of a new Python process with one statement, from its first instruction on."""
    command = [sys.executable, "-W", "ignore", "-c", START.format(statement)]
    runs = [
        subprocess.run(command, cwd=APP.parent, capture_output=True, text=True, check=True)
        for _ in range(TURNS)
    ]
    taken = statistics.median(float(run.stdout.split()[-1]) for run in runs)
    return Row(
        what,
        f"{taken:.2f} s CPU",
        "" if aim is None else f"under {aim:g} s",
        None if aim is None else taken < aim,
    )
