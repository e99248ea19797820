"""No sampling error is no sampling error, whatever is asked: rounding in the records is never compared with."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core import Dataset, by_group, compare, recommend, sweep
from dpslr_core import dataset as dataset_module
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.charts.records import axes_of
from dpslr_core.experiments.areas import shares_below, split_groups
from dpslr_core.experiments.crossings import crossings
from dpslr_core.experiments.pooling_worlds import HOLDS, broken
from dpslr_core.experiments.ranking import ranking
from dpslr_core.experiments.released_intervals import area_widths
from dpslr_core.guidance.area_epsilons import passing_epsilons
from dpslr_core.guidance.decision import NO_ERROR, decide
from dpslr_core.guidance.recommendation import data_guesses
from dpslr_core.guidance.required_values import noise_curve, required_epsilon, required_n
from dpslr_core.mechanisms import OLS, CenteredStats, NoisyIntercept, NoisyStats, TheilSen
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X, UNIT_Y
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sweeps import combine
from dpslr_core.text.compare import headline, verdict_sentence
from dpslr_core.text.data import moved_sentence
from tests.cases.inputs import DATASETS, MECHANISM_CASES
from tests.cases.scenario_files import run
from tests.cases.sweeps import made
from tests.cases.zero import CASES

AT, FEW = (0.25, 0.75), (NoisyStats(), NoisyIntercept(), OLS(), TheilSen())
NOTHING = "there is no sampling error to compare with"
ONE_ULP = np.where(np.arange(30) % 2, 0.3, np.nextafter(0.3, 1))


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture
def data(case):
    return Dataset(*case.unit)


# ---------------------------------------------------------------- the records


@settings(max_examples=150)
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
    ends = rng.random(2) if rng.random() < 0.8 else np.full(2, rng.random())
    width = np.ptp(x)
    slope = (ends[1] - ends[0]) / width if width > 0 else 0.0
    y = np.clip(ends[0] + slope * (x - x.min()), 0, 1)
    y = np.clip((offset + y) - offset, 0, 1)
    error = Dataset(x, y).standard_error(AT)
    assert (error == 0).all() if width > 1e-9 else np.isnan(error).all() or (error == 0).all()


def test_every_constant_has_no_standard_error():
    for hundredth in range(101):
        data = Dataset(np.linspace(0, 1, 30), np.full(30, hundredth / 100))
        assert data.residual_sd == 0 and data.slope_standard_error == 0 and (data.standard_error(AT) == 0).all()


@pytest.mark.parametrize("slope", [0.0, 0.5, 1 / 3, 100.0])
@pytest.mark.parametrize("deviation", [1e-9, 1e-6, 0.01])
def test_a_small_scatter_is_kept(slope, deviation):
    """Against the residuals in exact arithmetic."""
    rng = np.random.default_rng(1)
    x = 0.5 + (rng.random(12) - 0.5) / max(2 * slope, 1)
    data = Dataset(x, 0.5 + slope * (x - 0.5) + deviation * rng.normal(size=12))
    u, w = ([Fraction(value) for value in column.tolist()] for column in (data.x, data.y))
    mean_u, mean_w = sum(u) / 12, sum(w) / 12
    exact = sum((a - mean_u) * (b - mean_w) for a, b in zip(u, w, strict=True)) / sum((a - mean_u) ** 2 for a in u)
    squares = sum((b - mean_w - exact * (a - mean_u)) ** 2 for a, b in zip(u, w, strict=True))
    assert data.residual_sd == pytest.approx(float(squares / 10) ** 0.5, rel=1e-4)


def test_x_that_differs_by_rounding_alone_is_constant_everywhere():
    y = np.linspace(0.1, 0.8, 30)
    data, equal = Dataset(ONE_ULP, y), Dataset(np.full(30, 0.3), y)
    assert data.x_is_constant and equal.x_is_constant and not Dataset(ONE_ULP + 1e-9 * y, y).x_is_constant
    for numbers in (data.predict(AT), data.standard_error(AT), data.theil_sen(AT), [data.slope, data.residual_sd]):
        assert np.isnan(numbers).all()
    pd.testing.assert_frame_equal(*(compare(d, [OLS(), TheilSen()], 1.0).summary for d in (data, equal)))
    groups = pd.DataFrame({"group": "a", "x": ONE_ULP, "y": y})
    assert split_groups(groups).rejected["reason"].tolist() == ["x is constant"]
    assert by_group(groups, [NoisyStats()], 1.0).attrs["rejected"][0]["reason"] == "x is constant"
    with pytest.raises(ValueError, match=r"^no line can be fitted, as x is constant$"):
        sweep("epsilon", [1.0], Scenario(), [NoisyStats()], data=data)
    assert np.isinf(LinearModel(30, 0.03, 0.01).standard_error(AT, data)).all()


@pytest.mark.parametrize("name", [name for name, m in MECHANISM_CASES.items() if m.guarantee(1.0).private])
def test_no_private_release_depends_on_what_counts_as_rounding(name, monkeypatch):
    """The tolerance is for what errors are compared with: a mechanism works on the records as they are."""
    mechanism = MECHANISM_CASES[name]
    records = [(ONE_ULP[:12], np.linspace(0.1, 0.8, 12)), (np.linspace(0, 1, 12), np.full(12, 0.2))]
    records += [(d.x, d.y) for d in (DATASETS["on a line"], DATASETS["even n"])]

    def releases():
        rngs = [np.random.default_rng(3) for _ in records]
        return [
            mechanism.release(Dataset(*each), 1.5, AT, size=4, rng=rng) for each, rng in zip(records, rngs, strict=True)
        ]

    usual = releases()
    for rounding in (0.0, 2.0):
        monkeypatch.setattr(dataset_module, "ROUNDING", rounding)
        np.testing.assert_array_equal(releases(), usual)


# ---------------------------------------------------------------- the library


def test_compare_has_no_ratio_without_a_sampling_error(case, data):
    summary = compare(data, FEW, 2.0, trials=20).summary
    noisy = summary["mechanism"].isin(["NoisyStats", "NoisyIntercept"])
    ranked = ranking(summary, FEW, 0.25, 2.0)
    if case.error:
        assert np.isfinite(summary["ratio"]).all() and (summary["standard_error"] > 0).all()
        assert NOTHING not in headline(ranked, UNIT_Y)
    else:
        assert (summary["standard_error"] == 0).all()
        assert np.isinf(summary.loc[noisy, "ratio"]).all() and summary.loc[~noisy, "ratio"].isna().all()
        assert (summary.loc[~noisy, ["c68", "c95", "gap", "bias"]] == 0).all(axis=None)
        assert NOTHING in headline(ranked, UNIT_Y) and "will not help" not in headline(ranked, UNIT_Y)


def test_sweeps_and_guesses_need_a_sampling_error(case, data):
    base = Scenario()
    if case.error:
        assert np.isfinite(sweep("epsilon", [1.0], base, [NoisyStats()], data=data)["mean"]).all()
        assert data_guesses(data)["var_e"] > 0
    else:
        with pytest.raises(ValueError, match=f"^{NOTHING}, as all records lie on one line$"):
            sweep("epsilon", [1.0], base, [NoisyStats()], data=data)
        guesses = data_guesses(data)
        assert guesses["var_e"] == 0
        with pytest.raises(ValueError, match=f"^{NOTHING}, as the residual variance, σₑ², is 0: take a larger one$"):
            recommend(data.n, epsilon=1.0, **guesses)
        assert required_epsilon(data, NoisyIntercept()).value is None


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


# ---------------------------------------------------------------- what was subtracted before


def test_a_prediction_that_moves_by_rounding_stays():
    x = np.linspace(0, 1, 11)
    data = Dataset(x, 0.1 + x / 3)
    moved = MovedRecord(data, 3, x[7], data.y[7])  # along the line
    assert moved.moved and np.ptp(moved.predictions([0.7])["ols"].iloc[:2]) < 1e-15
    assert moved_sentence(moved, 0.7).endswith("OLS at x = 0.7 stays. Theil–Sen stays.")


def test_a_zoomed_axis_about_a_column_that_is_constant_but_for_rounding_is_no_narrower_than_a_hundredth():
    y = np.where(np.arange(11) % 2, 0.3, np.nextafter(0.3, 1))
    low, high = axes_of(Dataset(np.linspace(0, 1, 11), y), UNIT_X, UNIT_Y, zoom=True)["yaxis"]["range"]
    assert high - low == pytest.approx(0.02)


def test_errors_that_differ_by_rounding_do_not_cross():
    signs = np.array([1, -1, 1, -1, 1])
    ratios = [np.array([[1.0, 1.0 + sign * 1e-13]] * 4) for sign in signs]
    same = combine(made(each, value, "n") for each, value in zip(ratios, (10.0, 20.0, 40.0, 80.0, 160.0), strict=True))
    assert crossings(same, "A", "B") == []


def test_an_error_that_equals_the_sampling_error_but_for_rounding_is_said_to():
    summary = compare(Dataset([0.0, 0.4, 0.7, 1.0], [0.1, 0.4, 0.3, 0.9]), [NoisyStats()], 1.0, at=0.25).summary
    for factor in (1 - 1e-12, 1.0, 1 + 1e-12):
        row = summary.assign(c68=factor * summary["standard_error"], ratio=factor)
        assert "1 standard errors, equal to the sampling error" in verdict_sentence(ranking(row, FEW, 0.25, 1.0))


def test_a_coverage_at_its_limit_but_for_rounding_is_not_broken():
    table = pd.DataFrame({"coverage": [HOLDS[0] - 1e-16, HOLDS[1] + 1e-16, HOLDS[0] - 0.01]})
    assert len(broken(table)) == 1


# ---------------------------------------------------------------- areas


def areas_of(names):
    """The cases as areas of one table in the unit square."""
    frames = [pd.DataFrame(dict(zip("xy", CASES[name].unit, strict=True))).assign(group=name) for name in names]
    return pd.concat(frames, ignore_index=True)


def test_areas_on_a_line_count_nowhere():
    areas = areas_of(CASES)
    usable = [name for name, case in CASES.items() if case.error]
    measured = by_group(areas, [NoisyStats(), NoisyIntercept()], 2.0, at=0.5)
    by_area = measured.set_index("group")["standard_error"]
    assert {*by_area[by_area > 0].index} == {*usable} and (by_area[by_area == 0] == 0).all()
    assert np.isinf(measured.loc[measured["standard_error"] == 0, "ratio"]).all()
    assert (shares_below(measured)["areas"] == len(usable)).all()
    datasets = split_groups(areas).datasets
    for question in ("prediction", "slope", "both"):
        passing = passing_epsilons(datasets, [NoisyStats()], Budget(2.0), question=question).set_index("group")
        assert {*passing.index[passing["passes_from"].notna()]} == {*usable}
        decision = decide(areas, [NoisyStats(), CenteredStats()], 2.0, question=question)
        verdicts = decision.verdicts()
        assert decision.count == len(usable)
        assert {group for group, verdict in verdicts.items() if verdict == NO_ERROR} == {*CASES} - {*usable}
        helps = decision.failing().set_index("group")["helps"]
        assert (helps[helps.index.difference(usable)] == "suppression").all()
    widths = area_widths(datasets, CenteredStats(), Budget(2.0), 0, 0).set_index("group")
    assert {*widths.index[widths["ratio"].notna()]} == {*usable}
    assert (widths.loc[widths["ratio"].isna(), "ols"] == 0).all()


# ---------------------------------------------------------------- the command

ALGORITHMS = ("--algorithm", "NoisyStats", "--algorithm", "NoisyIntercept", "--epsilon", "2")


def columns(case):
    bounds = [str(end) for end in (*case.x_bounds, *case.y_bounds)]
    return ["--x", "hours", "--y", "score", "--x-bounds", *bounds[:2], "--y-bounds", *bounds[2:]]


def test_commands_say_that_there_is_nothing_to_compare_with(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case.frame.to_csv("mine.csv", index=False)
    compared = run("compare", "mine.csv", *columns(case), *ALGORITHMS)
    assert compared.exit_code == 0 and (NOTHING in compared.stdout) == (not case.error)
    swept = run("sweep", "mine.csv", *columns(case), *ALGORITHMS, "--vary", "epsilon", "--values", "1; 2")
    assert (swept.exit_code == 0) == case.error, swept.output
    needed = run("required", "mine.csv", *columns(case), *ALGORITHMS)
    for done in (swept, needed):
        assert (f"{NOTHING}, as all records lie on one line" in done.output) == (not case.error)


def test_a_report_says_that_there_is_nothing_to_compare_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = CASES["slope 1/3"]
    case.frame.to_csv("mine.csv", index=False)
    done = run("compare", "mine.csv", *columns(case), *ALGORITHMS, "--report", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert done.exit_code == 0 and NOTHING in page and "judge the error itself" in page
    assert "Its standard error is 0, as all records lie on one line." in page
    assert all(words not in page for words in ("Filled bar", "10⁻", "larger than the sampling error"))


def test_commands_on_guesses_name_the_setting():
    asked = ("--n", "50", "--var-x", "0.03", "--var-e", "0", "--epsilon", "2")
    done = run("recommend", *asked)
    assert done.exit_code == 2 and f"{NOTHING}, as the residual variance, σₑ², is 0" in done.output


def test_the_command_on_areas(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    areas_of(["slope 1/3", "constant, 70.1", "a parabola", "a scatter of 3 points"]).to_csv("areas.csv", index=False)
    of = ("--group", "group", "--x", "x", "--y", "y", "--x-bounds", "0", "1", "--y-bounds", "0", "1")
    done = run("decide", "areas.csv", *of, *ALGORITHMS, "--json")
    assert json.loads(done.stdout)["areas"] == 2, done.output
