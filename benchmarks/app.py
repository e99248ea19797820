"""The app: the server time of one rerun of the Compare page."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from pathlib import Path

from streamlit.testing.v1 import AppTest

from .timing import Row, time_row

APP = Path(__file__).parent.parent / "app.py"


def rows() -> Iterator[Row]:
    """All algorithms, n = 250, 1,000 trials; each rerun has a seed that no cache knows."""
    logging.disable(logging.WARNING)
    test = AppTest.from_file(str(APP), default_timeout=60).run()
    test.switch_page("pages/compare.py").run()
    seeds = itertools.count(1)

    def rerun() -> None:
        test.sidebar.number_input(key="seed").set_value(next(seeds)).run()
        assert not test.exception

    yield time_row("Compare rerun, all algorithms, n = 250, 1,000 trials, nothing cached", rerun, 0.25)
    yield time_row("Compare rerun, everything cached", lambda: test.run(), 0.25)
