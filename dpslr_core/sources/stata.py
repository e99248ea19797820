"""Reader of Stata files: stored numbers, and the names that the file gives to numbers."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from pathlib import Path

import pandas as pd

from .columns import Labels, column_names, refuse_beyond
from .numbers import Problem


def read_stata(
    source: bytes | Path, name: str, problems: list[Problem]
) -> tuple[pd.DataFrame, Labels]:
    """Read the numbers and texts of a Stata file, and the names that it gives to numbers; dates are numbers, too.

    Parameters
    ----------
    source : bytes or Path
        Content of the file, or its path.
    name : str
        Name of the file, for messages.
    problems : list of Problem
        Receives a message on changed names of columns.
    """
    content = io.BytesIO(source) if isinstance(source, bytes) else source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas warns of encodings, in its own words
        with pd.read_stata(
            content, iterator=True, convert_categoricals=False, convert_dates=False
        ) as reader:
            frame = reader.read()
            labels = _labels(reader)
    refuse_beyond(len(frame), len(frame.columns), name)
    names = column_names(list(frame.columns), problems)
    labels = {new: labels[old] for old, new in zip(frame, names, strict=True) if old in labels}
    return frame.set_axis(names, axis=1).set_axis(pd.RangeIndex(1, len(frame) + 1)), labels


def _labels(reader: pd.io.stata.StataReader) -> Labels:
    """Return the names of numbers by column; none where they are damaged. Equal names get their number in brackets."""
    try:
        sets = reader.value_labels()
    except Exception:  # whatever damaged labels make pandas raise: numbers are enough
        return {}
    labels = {}
    for column, label_name in zip(reader.variable_labels(), reader._lbllist, strict=True):
        if label_name in sets:
            named = {float(number): str(text).strip() for number, text in sets[label_name].items()}
            copies = Counter(named.values())
            labels[column] = {
                number: text if text and copies[text] == 1 else f"{text} ({number:.15g})".strip()
                for number, text in named.items()
            }
    return labels
