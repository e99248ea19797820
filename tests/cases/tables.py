"""Tables of cases as text, a case a line, so that wrong inputs and their sentences are read side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any


def table(text: str) -> list[tuple[Any, ...]]:
    """Cases between bars: all cells but the last are JSON, NaN and Infinity among them, the last is a text."""
    cases = []
    for line in text.strip().splitlines():
        *cells, last = f"{line} ".split(" | ")
        cases.append((*map(json.loads, cells), last.strip()))
    return cases


def check_refused(call: Callable[..., object], text: str) -> None:
    """A call refuses the arguments of each case of a table with the sentence behind them, a regular expression."""
    for *arguments, sentence in table(text):
        try:
            call(*arguments)
        except ValueError as error:
            assert re.search(sentence, str(error)), f"{arguments}: {error}"
        else:
            raise AssertionError(f"not refused: {arguments}")
