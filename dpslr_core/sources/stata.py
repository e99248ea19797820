"""Stata files: stored numbers, and the names that the file gives to them."""

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
    """Read the stored numbers and texts of a Stata file, and the names of numbers; dates are numbers, too.

    Parameters
    ----------
    source : the content, or where the file is. name : of the file, for messages.
    problems : to which changed names of columns are added.
    """
    content = io.BytesIO(source) if isinstance(source, bytes) else source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of encodings, in the words of pandas
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
    """The names of numbers by column; none where they are damaged. Equal names of a column are told apart."""
    try:
        sets = reader.value_labels()
    except Exception:  # whatever damaged labels make pandas raise: the numbers are there
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
