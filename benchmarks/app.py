"""Server time of the app: a start, a rerun of Compare, and a step of epsilon on Small areas."""

from __future__ import annotations

import itertools
import logging
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

from streamlit.testing.v1 import AppTest

from dpslr_core.sources.samples import find_uci
from ui import work

from .timing import Row, compute, cpu_row, seconds

APP = Path(__file__).parent.parent / "app.py"
FIRST_PAGE = """
from streamlit.testing.v1 import AppTest
test = AppTest.from_file("app.py", default_timeout=60)
if {page!r}: test.switch_page({page!r})
assert not test.run().exception
"""
STARTS = {
    "import dpslr_core": ("import dpslr_core", 0.5),
    "a new server to its start page": (FIRST_PAGE.format(page=""), 3.0),
    "a new server to Compare": (FIRST_PAGE.format(page="pages/compare.py"), 4.0),
}


def opened(page: str, **query: str) -> AppTest:
    """Open a session on a page."""
    test = AppTest.from_file(str(APP), default_timeout=600)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    return test.switch_page(page).run()


def stepping(test: AppTest, name: str, first: int) -> Callable[[], None]:
    """Return a function that steps a setting of the sidebar to a number that no cache knows."""
    numbers = itertools.count(first)

    def step() -> None:
        (box,) = [field for field in test.sidebar.text_input if str(field.key).startswith(name)]
        box.set_value(str(next(numbers))).run()
        assert not test.exception

    return step


def rows() -> Iterator[Row]:
    """Measure starts and reruns; each rerun has a seed or an epsilon that no cache knows."""
    for what, (statement, aim) in STARTS.items():
        code = f"import time; exec({statement!r}); print(time.process_time())"
        command = [sys.executable, "-W", "ignore", "-c", code]
        outputs = [subprocess.check_output(command, cwd=APP.parent, text=True) for _ in range(5)]
        taken = statistics.median(float(text.split()[-1]) for text in outputs)
        yield Row(what, f"{taken:.2f} s CPU", f"under {aim:g} s", taken < aim)
    logging.disable(logging.WARNING)
    test = opened("pages/compare.py")
    what = "Compare rerun, n = 250, 1,000 trials"
    yield cpu_row(f"{what}, nothing cached", stepping(test, "seed", 1), 0.07)
    yield cpu_row(f"{what}, everything cached", test.run, 0.03)
    if find_uci("bikes") is not None:
        work.AT_ONCE = inf  # on a busy machine a page would ask first
        test = opened("pages/small_areas.py", source="uci", uci="bikes")
        step = stepping(test, "epsilon", 3)
        step()
        used = compute()
        taken = seconds(step)
        shown = f"{taken:.2f} s (CPU {compute() - used:.1f})"
        yield Row("Small areas, bike share: another epsilon", shown, "under 2 s", taken < 2)
