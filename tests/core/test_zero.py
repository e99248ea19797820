"""No sampling error is no sampling error, whatever is asked: rounding in the records is never compared with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core import Dataset, by_group, compare, recommend, sweep
from dpslr_core import dataset as dataset_module
from dpslr_core.experiments.areas import shares_below, split_groups
from dpslr_core.experiments.ranking import ranking
from dpslr_core.guidance.area_epsilons import passing_epsilons
from dpslr_core.guidance.decision import NO_ERROR, decide
from dpslr_core.guidance.recommendation import data_guesses
from dpslr_core.guidance.required_values import noise_curve, required_n
from dpslr_core.mechanisms import OLS, CenteredStats, NoisyIntercept, NoisyStats, TheilSen
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_Y
from dpslr_core.sources.linear import LinearModel
from dpslr_core.text.compare import headline
from tests.cases.inputs import DATASETS, MECHANISM_CASES
from tests.cases.zero import CASES
from tests.reference import paper as reference

AT, FEW = (0.25, 0.75), (NoisyStats(), NoisyIntercept(), OLS(), TheilSen())
NOTHING = "there is no sampling error to compare with"
ONE_ULP = np.where(np.arange(30) % 2, 0.3, np.nextafter(0.3, 1))


ZERO = [name for name, case in CASES.items() if not case.error]
POSITIVE = [name for name, case in CASES.items() if case.error]


def data_of(name):
    return Dataset(*CASES[name].unit)


# ---------------------------------------------------------------- the records


@given(
    st.integers(0, 2**32),
    st.sampled_from([3, 4, 5, 12, 100, 3_000, 100_000]),
    st.sampled_from(["any", "hundredths", "two values", "narrow"]),
    st.sampled_from([0.0, 1.0, -30.0, 1e3]),
)
def test_records_on_a_line_have_no_standard_error(seed, n, how, offset):
    """Whatever the line, the records and where in the units of a file the bounds lie."""
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    if how == "hundredths":
        x = np.round(x, 2)
    elif how == "two values":
        x = rng.choice(x[:2], n)
    elif how == "narrow":
        x = 0.9 * x[0] + 10.0 ** rng.uniform(-7, -1) * x
    low, high = rng.random(2)
    width = np.ptp(x)
    y = low + (high - low) * (x - x.min()) / max(width, 1e-300)
    y = np.clip((offset + np.clip(y, 0, 1)) - offset, 0, 1)
    error = Dataset(x, y).standard_error(AT)
    assert (error == 0).all() if width > 1e-9 else np.isnan(error).all() or (error == 0).all()


def test_a_small_scatter_is_kept():
    rng = np.random.default_rng(1)
    for slope in (0.0, 0.5, 1 / 3, 100.0):
        for deviation in (1e-9, 1e-6, 0.01):
            x = 0.5 + (rng.random(12) - 0.5) / max(2 * slope, 1)
            data = Dataset(x, 0.5 + slope * (x - 0.5) + deviation * rng.normal(size=12))
            expected = reference.standard_error(data.x.tolist(), data.y.tolist(), data.x_mean)
            assert data.standard_error(data.x_mean)[0] == pytest.approx(expected, rel=1e-4)


def test_x_that_differs_by_rounding_alone_is_constant_everywhere():
    y = np.linspace(0.1, 0.8, 30)
    data, equal = Dataset(ONE_ULP, y), Dataset(np.full(30, 0.3), y)
    assert (
        data.x_is_constant
        and equal.x_is_constant
        and not Dataset(ONE_ULP + 1e-9 * y, y).x_is_constant
    )
    for numbers in (
        data.predict(AT),
        data.standard_error(AT),
        data.theil_sen(AT),
        [data.slope, data.residual_sd],
    ):
        assert np.isnan(numbers).all()
    pd.testing.assert_frame_equal(
        *(compare(d, [OLS(), TheilSen()], 1.0).summary for d in (data, equal))
    )


def test_no_private_release_depends_on_what_counts_as_rounding(monkeypatch):
    """The tolerance is for what errors are compared with: a mechanism works on the records as they are."""
    records = [(ONE_ULP[:12], np.linspace(0.1, 0.8, 12)), (np.linspace(0, 1, 12), np.full(12, 0.2))]
    records += [(d.x, d.y) for d in (DATASETS["on a line"], DATASETS["even n"])]
    private = [
        mechanism for mechanism in MECHANISM_CASES.values() if mechanism.guarantee(1.0).private
    ]

    def releases(rounding):
        monkeypatch.setattr(dataset_module, "ROUNDING", rounding)
        rng = np.random.default_rng(3)
        return [
            [m.release(Dataset(*columns), 1.5, AT, 4, rng=rng) for columns in records]
            for m in private
        ]

    usual = releases(dataset_module.ROUNDING)
    for rounding in (0.0, 2.0):
        for mechanism, drawn, expected in zip(private, releases(rounding), usual, strict=True):
            np.testing.assert_array_equal(drawn, expected, repr(mechanism))


# ---------------------------------------------------------------- the library


@pytest.mark.parametrize("name", ZERO)
def test_without_a_sampling_error_nothing_is_compared_with_it(name):
    data = data_of(name)
    summary = compare(data, FEW, 2.0, trials=20).summary
    noisy = summary["mechanism"].isin(["NoisyStats", "NoisyIntercept"])
    assert (summary["standard_error"] == 0).all()
    assert np.isinf(summary.loc[noisy, "ratio"]).all() and summary.loc[~noisy, "ratio"].isna().all()
    assert (summary.loc[~noisy, ["c68", "c95", "gap", "bias"]] == 0).all(axis=None)
    sentence = headline(ranking(summary, FEW, 0.25, 2.0), UNIT_Y)
    assert NOTHING in sentence and "does not make" not in sentence
    with pytest.raises(ValueError, match=f"^{NOTHING}, as all records lie on one line$"):
        sweep("epsilon", [1.0], Scenario(), FEW[:1], data=data)
    guesses = data_guesses(data)
    assert guesses["var_e"] == 0
    with pytest.raises(
        ValueError, match=f"^{NOTHING}, as the residual variance, σₑ², is 0: take a larger one$"
    ):
        recommend(data.n, epsilon=1.0, **guesses)


def test_a_model_whose_errors_would_be_taken_for_rounding_is_none_either():
    for variance in (0.0, 1e-26):
        model = LinearModel(50, 0.03, variance)
        assert model.replicate(0, 0).residual_sd == 0
        with pytest.raises(ValueError, match=NOTHING):
            recommend(50, 0.03, variance, 1.0)
        for search in (noise_curve, required_n):
            with pytest.raises(ValueError, match=NOTHING):
                search(model, Budget(1.0), NoisyStats())
        with pytest.raises(ValueError, match=NOTHING):
            sweep("var_e", [0.01, variance], Scenario(), [NoisyStats()])
    assert LinearModel(50, 0.03, 1e-18).replicate(0, 0).residual_sd > 0


# ---------------------------------------------------------------- areas


def test_areas_on_a_line_count_nowhere():
    frames = [
        pd.DataFrame({"group": name, "x": data_of(name).x, "y": data_of(name).y}) for name in CASES
    ]
    areas = pd.concat(frames, ignore_index=True)
    measured = by_group(areas, [NoisyStats(), NoisyIntercept()], 2.0, at=0.5)
    on_a_line = measured[measured["standard_error"] == 0]
    assert {*on_a_line["group"]} == {*ZERO} and np.isinf(on_a_line["ratio"]).all()
    assert (shares_below(measured)["areas"] == len(POSITIVE)).all()
    datasets = split_groups(areas).datasets
    for question in ("prediction", "slope", "line"):
        passing = passing_epsilons(
            datasets, [NoisyStats()], Budget(2.0), question=question
        ).set_index("group")
        assert {*passing.index[passing["passes_from"].notna()]} == {*POSITIVE}
        decision = decide(areas, [NoisyStats(), CenteredStats()], 2.0, question=question)
        assert decision.count == len(POSITIVE)
        verdicts = decision.verdicts()
        assert {group for group, verdict in verdicts.items() if verdict == NO_ERROR} == {*ZERO}
        assert (decision.failing().set_index("group")["helps"][ZERO] == "suppression").all()
