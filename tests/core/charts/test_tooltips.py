"""What stands under each title of a tooltip is the number of that name in the core."""

import re

import numpy as np
import pandas as pd

from benchmarks.findings import newer_against_paper
from dpslr_core import Dataset, simulate_linear
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.charts.curves import error_curves
from dpslr_core.charts.maps import ratio_map
from dpslr_core.charts.privacy import densities
from dpslr_core.guidance.maps import load
from dpslr_core.mechanisms import CenteredStats, DPExpTheilSen, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.axis import UNIT_X, Axis
from tests.cases.scenes import layers

DATA = Dataset(*simulate_linear(100, 0.03, 0.01, rng=np.random.default_rng(0)))
MECHANISMS = [NoisyStats(), DPExpTheilSen()]
MOVED = MovedRecord(DATA, 4, 0.0, 1.0)
Y = Axis("income", "k$", 0.0, 50.0)


def under_titles(picture, data):
    """The columns of a data set by the titles that its tooltips give them."""
    encodings = [part["encoding"] for part in layers(picture) if part["data"].get("name") == data]
    tooltip, *others = [each["tooltip"] for each in encodings if "tooltip" in each]
    assert all(each == tooltip for each in others)
    return {each["title"]: picture["datasets"][data][each["field"]].tolist() for each in tooltip}


def numbers(words):
    """The numbers that are written."""
    return [float(re.sub(r"[^\d.]", "", each)) for each in words]


def test_curves():
    errors = np.array([3.0, 2.0, 1.0])
    frame = pd.DataFrame(
        {"parameter": "n", "value": [10.0, 20.0, 40.0], "mechanism": "NoisyStats", "error": errors}
    )
    picture = error_curves(
        frame.assign(low=0.9 * errors, high=1.1 * errors), (10, 40), "records", "its error"
    )
    shown = under_titles(picture, "hovered")
    assert (shown["records"], shown["its error"]) == (
        frame["value"].tolist(),
        frame["error"].tolist(),
    )


def test_what_a_record_changes():
    pair = pair_of(MOVED, CenteredStats(), Budget(2.0))
    shown = under_titles(densities(pair, UNIT_X, Y), "curve")
    np.testing.assert_allclose(shown["released prediction"], Y.from_unit(pair.curve["estimate"]))
    np.testing.assert_allclose(shown["privacy loss"], pair.curve["loss"])


def test_a_map_of_newer_algorithms():
    stored = load()
    table = newer_against_paper(stored)
    shown = under_titles(ratio_map(table, stored.settings.var_x), "cells")
    for title, column in (("newer", "newer"), ("the paper's", "paper")):
        names = [words.split(":")[0] for words in shown[title]]
        assert names == table[column].tolist()
    assert shown["records"] == table["n"].tolist()
