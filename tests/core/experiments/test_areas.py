"""Many small data sets at once: the same numbers for any workers and order, and no group stops the others."""

from __future__ import annotations

import os
import signal
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import psutil
import pytest
from hypothesis import given, settings

from dpslr_core import by_group, simulate_linear
from dpslr_core.experiments.areas import (
    REASONS,
    best_by_area,
    measured_groups,
    shares_below,
    split_groups,
)
from dpslr_core.mechanisms import (
    OLS,
    CenteredStats,
    DPGDzCDP,
    MaximumObservedSensitivity,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.privacy import Budget
from dpslr_core.sources.tracts import simulate_tracts
from dpslr_core.support.run import Run

# One whose law needs one data set alone, one that draws trials, one that looks at all groups.
QUICK = (NoisyIntercept(), DPGDzCDP(steps=10), MaximumObservedSensitivity())


def tracts(number, seed=0):
    return simulate_tracts(tracts=number, rng=np.random.default_rng(seed))


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


FRAME = tracts(40)
EXPECTED = by_group(FRAME, QUICK, 4.0, trials=20)


def test_two_processes_find_the_same_bits():
    """Also in a group so large that linear algebra on several threads would add it up in another order."""
    x, y = simulate_linear(200_000, 0.03, 0.01, rng=np.random.default_rng(0))
    frame = pd.concat([FRAME, pd.DataFrame({"group": "large", "x": x, "y": y})])
    mechanisms = [OLS(), *QUICK]
    seen = []
    one = by_group(frame, mechanisms, 4.0, trials=5)
    two = by_group(
        frame, mechanisms, 4.0, trials=5, workers=2, progress=lambda *done: seen.append(done)
    )
    same(two, one)
    assert seen[-1] == (41, 41) and len(seen) > 4
    assert all(before[0] < after[0] for before, after in pairwise(seen))


def test_what_was_measured_before_still_informs_the_rest():
    datasets = split_groups(FRAME).datasets
    done = list(datasets)[::2]
    rest = pd.concat(
        list(measured_groups(datasets, QUICK, Budget(4.0), Run(20), done)), ignore_index=True
    )
    same(rest, EXPECTED[~EXPECTED["group"].isin(done)].reset_index(drop=True))


AWKWARD = {
    "two": ([0.1, 0.9], [0.2, 0.3], REASONS["small"]),
    "infinite": ([0.1, 0.2, 0.9], [0.2, np.inf, 0.4], REASONS["missing"]),
    "y below": ([0.1, 0.2, 0.9], [0.2, -1e-9, 0.4], REASONS["outside"]),
    "upright": ([0.3, 0.3, 0.3], [0.2, 0.3, 0.4], REASONS["constant"]),
}


def test_unusable_groups_are_reported_and_stop_nothing():
    awkward = [
        pd.DataFrame({"group": label, "x": x, "y": y}) for label, (x, y, _) in AWKWARD.items()
    ]
    unlabelled = pd.DataFrame({"group": [None, " "], "x": [0.3, 0.4], "y": 0.5})
    measured = by_group(pd.concat([*awkward, FRAME, unlabelled]), QUICK, 4.0, trials=20)
    same(measured, EXPECTED)
    unlabelled, *rejected = measured.attrs["rejected"]
    assert (unlabelled["n"], unlabelled["reason"]) == (2, REASONS["unlabelled"])
    assert rejected == [
        {"group": label, "n": len(x), "reason": reason}
        for label, (x, _, reason) in sorted(AWKWARD.items())
    ]


CELL = st.one_of(st.floats(-0.5, 1.5), st.sampled_from([0.0, -0.0, 0.5, 1.0, np.nan, np.inf]))
ROW = st.tuples(st.sampled_from(["a", "b", "é", "", None]), CELL, CELL)


@settings(max_examples=60, deadline=None)
@given(st.lists(ROW, max_size=25), st.randoms(use_true_random=False))
def test_every_record_is_used_or_reported(rows, random):
    frame = pd.DataFrame(rows, columns=["group", "x", "y"]).astype({"x": float, "y": float})
    groups = split_groups(frame)
    assert sum(data.n for data in groups.datasets.values()) + groups.rejected["n"].sum() == len(
        frame
    )
    shuffled = split_groups(
        pd.DataFrame(random.sample(rows, len(rows)), columns=["group", "x", "y"])
    )
    assert list(shuffled.datasets.items()) == list(
        groups.datasets.items()
    )  # equal digests, same order
    same(shuffled.rejected, groups.rejected)


WRONG = [
    ({"groups": FRAME.drop(columns="x")}, r"missing \['x'\]"),
    ({"groups": FRAME.astype({"y": "str"})}, "y must hold numbers only"),
    (
        {"groups": FRAME.assign(group=[("a",), 1j] * 20 + [2] * (len(FRAME) - 40))},
        "group must hold",
    ),
    *(({"workers": workers}, "workers must be") for workers in (0, True, "many")),
]


@pytest.mark.parametrize(("change", "sentence"), WRONG)
def test_by_group_names_a_bad_argument(change, sentence):
    call = {"groups": FRAME, "mechanisms": [OLS()], "epsilon": 1.0} | change
    with pytest.raises(ValueError, match=sentence):
        by_group(**call)


def test_shares_are_of_the_areas_that_have_a_sampling_error():
    """Records on a line have none: they count among the failures and in no share."""
    x = np.linspace(0, 1, 12)
    line = pd.DataFrame({"group": "line", "x": x, "y": x})
    measured = by_group(pd.concat([FRAME, line]), [OLS(), NoisyStats()], 4.0, at=[0.3, 0.6])
    on_line = measured["group"] == "line"
    assert (measured.loc[on_line, "standard_error"] == 0).all()
    shares = shares_below(measured).set_index(["mechanism", "at"])
    for key, rows in measured[~on_line].groupby(["mechanism", "at"]):
        below = rows["ratio"] < 1
        numbers = [below.mean(), below.sum(), len(rows), rows["ratio"].median()]
        assert (
            shares.loc[key, ["below", "areas_below", "areas", "median_ratio"]].tolist() == numbers
        )
    assert shares_below(measured[on_line])["below"].isna().all()


def test_flat_lines_are_marked_and_do_not_pass():
    here = EXPECTED[EXPECTED["at"] == 0.25]
    assert (here["flat"] == (here["mechanism"] == "NoisyIntercept")).all()
    flat = here[here["flat"]]
    assert by_group(FRAME, [CenteredStats()], 0.01)["flat"].all()  # without an answer for the slope
    shares = shares_below(here).set_index("mechanism")
    assert shares.loc["NoisyIntercept", ["areas_below", "flat"]].tolist() == [0, len(flat)]
    assert (flat["ratio"] < 1).any()
    assert set(best_by_area(here, ["NoisyIntercept", "DPGDzCDP"])["mechanism"]) == {"DPGDzCDP"}
    assert set(best_by_area(here, ["NoisyIntercept"])["mechanism"]) == {"NoisyIntercept"}


def worker_processes():
    """The processes of joblib that belong to this one."""
    return [
        child for child in psutil.Process().children() if "popen_loky" in " ".join(child.cmdline())
    ]


def slow_run():
    """A run that no machine finishes while a test looks at it."""
    return measured_groups(
        split_groups(tracts(2_000)).datasets, [NoisyStats()], Budget(2.0), Run(100, workers=2)
    )


def test_closing_stops_the_workers():
    run = slow_run()
    next(run)
    assert worker_processes()
    run.close()
    _, alive = psutil.wait_procs(worker_processes(), timeout=60)
    assert not alive


def test_a_killed_process_loses_nothing():
    run = measured_groups(split_groups(FRAME).datasets, QUICK, Budget(4.0), Run(20, workers=2))
    parts = [next(run)]
    os.kill(worker_processes()[0].pid, signal.SIGKILL)
    same(pd.concat([*parts, *run], ignore_index=True), EXPECTED)
