"""The view "Help each other" of Small areas: the numbers of pool_areas, and what it says where it cannot work."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import errors_about_truth, rehearse_pooling
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import SimulatedState
from dpslr_core.sources.samples import load_sample
from dpslr_core.text import pooling as text
from tests.cases.opened import (
    app,
    bounded,
    changed,
    fine,
    frame_with,
    heading,
    pressed,
    turned,
    upload,
    words,
)

VIEW = {
    "area_details": "Help each other",
    "algorithms": ["CenteredStats", "NoisyStats"],
    "epsilon": "4",
}
TRACTS = {"source": "sample", "sample": "tracts"}


def pooled_lines(datasets, public: pd.DataFrame | None = None) -> pd.DataFrame:
    """The core's lines at the first point."""
    rows = rehearse_pooling(datasets, CenteredStats(), Budget(4.0), 0, public)
    return rows[rows["at"] == 0.25]


def same_lines(test, datasets, public: pd.DataFrame | None = None) -> None:
    shown, expected = frame_with(test, "weight").set_index("group"), pooled_lines(datasets, public)
    for column in ("released", "pooled", "low", "high"):
        np.testing.assert_allclose(shown.loc[expected["group"], column], expected[column])


def test_on_a_simulated_state_its_public_mean_income_and_the_error_about_the_truth_count():
    test = app("small_areas", source="state", tracts="50", **VIEW)
    source = SimulatedState(tracts=50)
    grouped = source.load()
    datasets = split_groups(grouped.frame).datasets
    same_lines(test, datasets)
    lines = source.true_lines(grouped.sizes)
    truth = (lines["intercept"] + 0.25 * lines["slope"]).to_dict()
    errors = errors_about_truth(pooled_lines(datasets), datasets, truth)
    assert text.truth_sentence(errors) in words(test)
    assert errors.set_index("way")["rms"].idxmin() == "pooled"
    changed(test, "area_numbers", ["mean parent income"])
    income = pd.DataFrame({"mean parent income": source.public_numbers()["mean parent income"]})
    assert (
        income["mean parent income"].corr(pd.Series({k: d.x_mean for k, d in datasets.items()}))
        > 0.8
    )
    same_lines(test, datasets, income)
    assert text.public_sentence(["mean parent income"]) in words(test) and not test.exception


def test_where_it_cannot_work_a_sentence_says_why():
    for changes, sentence in (
        (
            {"algorithms": ["NoisyStats"]},
            "Pooling needs CenteredStats or CenteredStatsGaussian among the algorithms",
        ),
        ({"source": "state", "tracts": "5"}, "at least 10 areas"),
    ):
        test = app("small_areas", **TRACTS | VIEW | changes)
        assert any(sentence in each.value for each in test.info), sentence
        assert heading(test).startswith("At ε = 4"), "the answer stays"


def test_numbers_to_pool_with_come_from_the_public_file_and_none_from_the_private_one():
    frame = load_sample("tracts").frame.rename(columns={"group": "g"})
    labels = sorted(frame["g"].unique())
    public = pd.DataFrame({"g": labels, "n": 90, "income": np.arange(len(labels)) ** 2 % 17.0})
    own = dict(zip(labels, range(len(labels)), strict=True))
    test = app("data", source="upload", epsilon="4", algorithms=["CenteredStats"])
    upload(test, frame.assign(income=frame["g"].map(own)).to_csv(index=False))
    for key, column in (("x", "x"), ("y", "y"), ("group", "g")):
        changed(test, f"upload_{key}", column)
    bounded(test, x=(0, 1), y=(0, 1))
    pressed(turned(test, "small_areas"), "true_file")
    changed(test, "area_details", "Help each other")
    assert not test.multiselect
    sizes = public.to_csv(index=False).encode()
    fine(test.file_uploader(key="public_file").set_value(("sizes.csv", sizes, "text/csv")).run())
    choice = test.multiselect(key="area_numbers")
    assert choice.options == ["income"]
    datasets = split_groups(load_sample("tracts").frame).datasets
    same_lines(test, datasets)
    choice.set_value(["income"]).run()
    same_lines(test, datasets, public.set_index("g")[["income"]])
    assert text.public_sentence(["income"]) in words(test)
