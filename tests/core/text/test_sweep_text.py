"""What is said of a sweep, on sweeps made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from readable import check_readable
from sweep_cases import made

from dpslr_core.mechanisms import OLS, DPExpTheilSen, DPGDzCDP, MaximumObservedSensitivity, NoisyStats
from dpslr_core.scenario import Scenario
from dpslr_core.sources.samples import load_sample
from dpslr_core.sweeps import combine
from dpslr_core.text.data import View
from dpslr_core.text.sweep import (
    SweepDescription,
    error_label,
    pinned_sentence,
    place_of,
    state_sentence,
    sweep_sentence,
)

THREE = (OLS(), NoisyStats(), DPExpTheilSen())
TOP = 10_000


def view_of(**settings: object) -> View:
    grouped = load_sample("bikes")
    return View(
        Scenario(**settings), grouped, "month 1, hour 3", grouped.dataset("month 1, hour 3"), grouped.x, grouped.y
    )


def described(parameter="n", mechanisms=THREE, loaded=False, **settings: object) -> SweepDescription:
    data = view_of().data if loaded else None
    return SweepDescription(parameter, (30, 100, 1200), Scenario(**settings), mechanisms, 20, 50, data)


def sweep_of(ols, stats, exponential, wobble=0.0, parameter="n"):
    """A sweep over 30, 100 and 1,200; a wobble scatters two data sets about the errors of the last algorithm."""
    names = ("OLS", "NoisyStats", "DPExpTheilSen")
    rows = zip((30.0, 100.0, 1200.0), ols, stats, exponential, strict=True)
    return combine(
        [made([[a, b, c * (1 - wobble)], [a, b, c * (1 + wobble)]], v, parameter, names) for v, a, b, c in rows]
    )


ONES = (1.0, 1.01, 1.02)


def said(*curves, plan=None, **options) -> str:
    text = sweep_sentence(sweep_of(*curves, **options), plan or described(), view_of(), TOP)
    check_readable(text)
    return text


def test_both_ends_and_the_error_without_privacy():
    assert said(ONES, (9.0, 3.0, 1.2), (5.0, 2.0, 1.5)) == (
        "At n = 30 DPExpTheilSen has the smallest error of the private algorithms, 5 standard errors; "
        "at n = 1,200 NoisyStats, 1.2. OLS, without privacy: 1 and 1.02."
    )


def test_the_same_algorithm_at_both_ends():
    text = said(ONES, (9.0, 1.0, 4.0), (5.0, 2.0, 1.5))
    assert "DPExpTheilSen has the smallest error of the private algorithms at both ends: 5 standard errors" in text
    assert "In between NoisyStats leads." in text


def test_a_weaker_guarantee_never_leads_and_is_told_after():
    names = ("NoisyStats", "DPGDzCDP")
    rows = {30.0: [9.0, 5.0], 1200.0: [1.2, 1.1]}
    sweep = combine([made([row, row], value, "n", names) for value, row in rows.items()])
    text = sweep_sentence(sweep, described(mechanisms=(NoisyStats(), DPGDzCDP())), view_of(), TOP)
    assert text.startswith("NoisyStats has the smallest error of the purely private algorithms at both ends: 9 ")
    assert "With a weaker guarantee DPGDzCDP has 5 at n = 30 and 1.1 at n = 1,200." in text
    check_readable(text)


def test_who_cannot_be_told_apart():
    text = said(ONES, (5.1, 3.0, 1.2), (5.0, 2.0, 1.5), wobble=0.2)
    assert text.startswith(
        "Smallest private error at n = 30: DPExpTheilSen and NoisyStats tie, 5 standard errors; at n = 1,200: "
    )
    many = described(mechanisms=(*THREE[1:], *(DPExpTheilSen(k=k) for k in (1, 2, 3))))
    names = tuple(m.name for m in many.mechanisms)
    close = combine([made([[1, 1, 1, 1, 1.0]], v, "n", names) for v in (30.0, 100.0)])
    text = sweep_sentence(close, many, view_of(), TOP)
    assert text.startswith("Smallest private error at n = 30: NoisyStats and 4 more tie, 1 standard errors;")
    assert "At n = 30, NoisyStats is too close to DPExpTheilSen, DPExpTheilSen1Match and 2 more to call." in text
    check_readable(text)


def test_errors_that_are_the_same_to_three_digits_tie():
    rows = [[1.0, 2.0, 2.0005], [1.0, 2.1, 2.1005], [1.0, 2.2, 2.2005]]
    alone = combine([made(rows, 30.0, "n", ("OLS", "NoisyStats", "DPExpTheilSen"))])
    once = sweep_sentence(alone, described(), view_of(), TOP)
    assert once.startswith(
        "NoisyStats and DPExpTheilSen tie for the smallest error of the private algorithms at n = 30: 2.1 standard"
    )


def test_where_nobody_answers_or_is_private():
    nowhere = (np.inf,) * 3
    assert said(ONES, nowhere, nowhere) == "No private algorithm answers often enough at any of these values."
    assert "No differentially private algorithm" in said(ONES, ONES, ONES, plan=described(mechanisms=(OLS(),)))
    once = said(ONES, nowhere, (np.inf, 2.0, np.inf))
    assert once.startswith("DPExpTheilSen has the smallest error of the private algorithms at n = 100: 2 standard")


def test_gaps_and_what_leaves_the_picture():
    curves = ONES, (np.inf, 3.0, 1.2), (20_000.0, 2.0, 1.5)
    text = said(*curves)
    assert (
        "Where the line of NoisyStats stops, more than 32% of releases failed on at least one data set, so the mean "
        "is infinite. Open circles are medians." in text
    )
    assert text.endswith("Above 10,000 the curves leave the picture.")
    assert "stops, more than 32% of releases failed. " in said(*curves, plan=described(loaded=True))


def test_what_is_pinned():
    text = pinned_sentence(described(epsilon=2.5, at=(0.25, 0.75)), view_of())
    check_readable(text)
    assert text.startswith("Pinned: σₓ² = 0.03, σₑ² = 0.01, slope = 0.5, intercept = 0.2, ε = 2.5, temperature = ")
    assert "(ε pays for 27.25 as well)" in text
    assert "All hyperparameters at their defaults." in text
    assert "run 50 times on each data set, seed 0." in text
    assert "Error: 68th percentile of the distance from the true line, divided by σ." in text
    assert "n = 1,234, " in pinned_sentence(described("epsilon", n=1234), view_of())


def test_what_is_pinned_on_loaded_data():
    text = pinned_sentence(described("x_new", loaded=True), view_of())
    check_readable(text)
    assert f"{view_of().data_name} with its n = {view_of().data.n:,}, ε = 2, also released: 27.25." in text
    assert "run 50 times, seed 0." in text and "C(68), the distance from OLS" in text


def test_changed_hyperparameters_are_named_unless_they_vary():
    changed = (NoisyStats(), DPExpTheilSen(lower=-1.0, upper=3.0, k=4))
    text = pinned_sentence(described(mechanisms=changed), view_of())
    for part in ("DPExpTheilSen.lower = -1", "DPExpTheilSen.upper = 3", "DPExpTheilSen.k = 4; all other"):
        assert part in text
    assert ".k" not in pinned_sentence(described("k", changed), view_of())
    assert ".lower" not in pinned_sentence(described("width", changed), view_of())


def test_what_promises_less_is_named():
    text = pinned_sentence(described(mechanisms=(*THREE, DPGDzCDP(), MaximumObservedSensitivity())), view_of())
    assert "Weaker than pure ε-differential privacy: DPGDzCDP." in text
    assert "Not differentially private: MaximumObservedSensitivity." in text
    plain = pinned_sentence(described(), view_of())
    assert "Weaker" not in plain and "Not differentially" not in plain


def test_private_algorithms_are_named_first():
    plan = described()
    assert (plan.private, plan.names) == (["NoisyStats", "DPExpTheilSen"], ["NoisyStats", "DPExpTheilSen", "OLS"])


@pytest.mark.parametrize(
    ("values", "datasets", "loaded", "text"),
    [
        (2, 5, False, "2 of 3 values measured."),
        (3, 5, False, "5 of 20 data sets measured."),
        (2, 1, True, "2 of 3 values measured."),
    ],
)
def test_how_much_is_measured(values, datasets, loaded, text):
    assert state_sentence(described(loaded=loaded), values, datasets) == text
    assert state_sentence(replace(described(), datasets=2000), 3, 1500) == "1,500 of 2,000 data sets measured."


def test_a_place_is_in_the_users_units():
    assert place_of(0.25, described("x_new"), view_of()) == "temperature = 3.75 °C"
    assert place_of(1234, described(), view_of()) == "n = 1,230"


def test_the_axis_of_the_error():
    assert error_label(described()).startswith("C_true(68) / σ")
    assert error_label(described(loaded=True)) == "C(68) / standard error"
