"""Rules that a plan sets before the data are read: rows without two numbers, areas without a line, expected errors.

Each is checked by what it must not let through: a variant that looks at the data, which the same check refuses.
"""

from __future__ import annotations

import io
import json
from collections import Counter

import pandas as pd
import pytest

from dpslr_core.mechanisms import CenteredStats, DeepestLine
from dpslr_core.privacy import Budget
from dpslr_core.release import once, text, verify
from dpslr_core.release.certificate import certificate
from dpslr_core.release.explored import (
    expected_errors,
    rehearsal_data,
    rehearsal_records,
    released_error,
)
from dpslr_core.release.once import records_on_grid, rehearse
from dpslr_core.release.plans import ExpectedErrors, Plan
from dpslr_core.release.verification import Unverified
from dpslr_core.report.certificate import as_page, text_in
from dpslr_core.sources.choices import Synthetic
from dpslr_core.sources.files import read_file
from tests.cases.plans import COLUMNS, planned, sealed
from tests.cases.plans import text as rows_of

PUBLIC = (4.0, 70.0)
SIZES = {f"s{i:03}": n for i, n in enumerate([12, 9, 40, 2, 12])}


def rows(sizes=SIZES):
    """Lines of a file with these numbers of records of areas."""
    lines = rows_of(n=sum(sizes.values())).splitlines()[1:]
    labels = [area for area, n in sizes.items() for _ in range(n)]
    return [f"{label},{line.partition(',')[2]}" for label, line in zip(labels, lines, strict=True)]


def table(lines):
    return read_file("\n".join(["school,hours,score", *lines]).encode())


def of_areas(**more):
    return planned(areas=SIZES, smallest=10, unusable_as=PUBLIC, **more)


UNUSABLE = ("n/a,50", ",", "3,closed", "inf,1e999", "3;4,5")


def neighbours(tables, plan):
    """The records of tables that differ in one row, checked to differ in one record at most, area by area."""
    first, *others = [records_on_grid(plan, each) for each in tables]
    for other in others:
        assert [*other] == [*first] == [*plan.sizes]
        apart = 0
        for area, n in plan.sizes.items():
            one, two = (Counter(zip(*each[area], strict=True)) for each in (first, other))
            assert one.total() == two.total() == n
            apart += (one - two).total()
        assert apart <= 1


def with_one_other(lines, number):
    area = lines[number].partition(",")[0]
    return [
        table(lines),
        *(table([*lines[:number], f"{area},{other}", *lines[number + 1 :]]) for other in UNUSABLE),
    ]


@pytest.mark.parametrize("number", [0, 20, 60, 62])
def test_a_row_that_becomes_unusable_changes_one_record_and_no_n(number):
    """Records of an area without a line are in none of them."""
    neighbours(with_one_other(rows(), number), of_areas())


def sheets():
    """Sheets whose hours are numbers, in the last one of them a text."""
    lines = [line.split(",") for line in rows()]
    frame = pd.DataFrame(lines, columns=["school", "hours", "score"]).astype(
        {"hours": float, "score": float}
    )
    broken = frame.astype({"hours": object})
    broken.loc[20, "hours"] = "n/a"
    for each in (frame, broken):
        file = io.BytesIO()
        each.to_excel(file, index=False)
        yield read_file(file.getvalue())


def commas():
    styles = {"x_numbers": "comma", "y_numbers": "comma"}
    return of_areas(columns=COLUMNS.model_copy(update=styles))


def test_one_text_in_a_sheet_changes_no_other_record():
    neighbours(sheets(), of_areas())
    with pytest.raises(ValueError, match="holds numbers, no texts with decimal commas"):
        neighbours(sheets(), commas())


def test_usable_rows_are_read_as_without_the_rule():
    lines = rows({"s000": 60})
    kept = [records_on_grid(planned(unusable_as=rule), table(lines)) for rule in (None, PUBLIC)]
    assert kept[0] == kept[1]
    lines[7] = "s000,n/a,50"
    with pytest.raises(ValueError, match="plan with --unusable-as"):
        records_on_grid(planned(), table(lines))
    notes: list[str] = []
    x, y = records_on_grid(planned(unusable_as=PUBLIC), table(lines), notes)[""]
    assert (x[7], y[7]) == (500, 500) and notes == [f"1 of 60 rows {once.UNUSABLE}"]


@pytest.mark.parametrize(
    "lines", [["s000,n/a,n/a"] * 75, [*rows()[:-1], ",3,40"], [*rows(), "s009,3,40"]]
)
def test_a_file_without_numbers_a_row_without_an_area_and_an_area_outside_the_plan_are_refused(
    lines,
):
    with pytest.raises(ValueError, match=r"no numbers|no group label|0 in the plan"):
        records_on_grid(of_areas(), table(lines))


def rehearsed(plan):
    """The content of a rehearsal's certificate, and its page."""
    pytest.importorskip("opendp")
    written = rehearse(plan, rehearsal_records(plan, Synthetic()))
    assert text_in(as_page(written)) == written and verify(written)
    return json.loads(written), as_page(written)


def test_a_certificate_says_which_areas_have_no_line_and_which_rule_holds():
    plan = of_areas()
    held, page = rehearsed(plan)
    assert [row["area"] for row in held["results"]] == [*SIZES]
    assert [row["area"] for row in held["released integers"]] == ["s000", "s002", "s004"]
    for row in held["results"]:
        assert (
            (row["remark"] == text.NO_LINE) == (SIZES[row["area"]] < 10) == (not row["predictions"])
        )
    limits = " ".join(held["known limits"])
    assert "2 areas have fewer than 10 records" in limits and "hours = 4 and score = 70" in limits
    assert (
        "Bounds and the value of unusable rows" in held["looked at the data"][0]
        and text.NO_LINE in page
    )
    assert Plan.from_json(plan.to_json()) == plan and str(plan.promise) == "ε = 2"


def test_expected_errors_are_those_of_the_law_on_simulated_records_and_follow_from_the_plan_alone():
    plan = of_areas(mechanism=DeepestLine(grid=40))
    plan = plan.with_expected(expected_errors(plan, Synthetic()))
    assert plan.expected.source == Synthetic() and [*plan.expected.by_n] == [12, 15, 19, 25, 31, 40]
    every = [rehearsal_data(Synthetic(), 40, number) for number in range(3)]
    errors = [
        released_error(plan.mechanism, data, Budget(2.0, plan.at), 1).released for data in every
    ]
    assert plan.expected.by_n[40][1] == pytest.approx(sum(errors) / 3, rel=0.01)
    held, page = rehearsed(plan)
    [row] = [row for row in held["results"] if row["area"] == "s002"]
    assert row["predictions"][1]["expected error"] == pytest.approx(100 * plan.expected.by_n[40][1])
    assert "expected error, ±" in page and "computed before the data were read" in " ".join(
        held["known limits"]
    )
    held["results"][0]["predictions"][0]["expected error"] = 1.0
    with pytest.raises(Unverified, match="does not follow from the plan"):
        verify(sealed(held))


def test_between_two_sizes_expected_errors_are_linear_in_one_over_n():
    expected = ExpectedErrors(
        source=Synthetic(), by_n={10: (0.6, None), 30: (0.2, 0.1), 90: (0.1, None)}
    )
    for n, values in {10: (0.6, None), 15: (0.4, None), 30: (0.2, 0.1), 45: (0.15, None)}.items():
        assert [expected.at(n, point) for point in (0, 1)] == pytest.approx(values)
    for wrong in ({12: (0.6, 0.2)}, {12: (0.6, 0.2), 40: (0.3,)}):
        with pytest.raises(ValueError, match="from the smallest size to the largest"):
            of_areas().with_expected(ExpectedErrors(source=Synthetic(), by_n=wrong))


def test_what_is_too_vague_to_use_is_remarked():
    plan = of_areas().with_expected(
        ExpectedErrors(source=Synthetic(), by_n={12: (0.6, None), 40: (0.3, 0.1)})
    )
    remarks = {row["area"]: row["remark"] for row in rehearsed(plan)[0]["results"]}
    vague = "Too vague to use: the expected error is over a quarter of score's bounds at 2."
    assert vague in remarks["s000"] and vague in remarks["s002"]
    unknown = "The expected error is not known, and may have no limit, at 6."
    assert unknown in remarks["s000"] and unknown not in remarks["s002"]


def test_predictions_outside_the_bounds_are_marked_and_slopes_are_per_a_round_unit():
    """By integers that no law makes likely: a mean of y far above 1."""
    columns = COLUMNS.model_copy(update={"group_column": "", "x_bounds": (0, 150_000)})
    plan = planned(CenteredStats(), columns=columns)
    weights = plan.program().weights
    integers = [
        [0, weights[1] * 60_000, weights[2] * 10**7, weights[3] * 10**6, weights[4] * 10**8]
    ]
    calls, software = [], dict.fromkeys(("dpslr", "opendp", "numpy", "scipy", "python"), "1")
    held = certificate(plan, {"": integers}, calls, software, None)
    result = held["results"][0]
    assert result["predictions"][0]["prediction"] > 120
    assert result["remark"] == "Outside the public bounds of score at 37,500 and 112,500."
    page = as_page(json.dumps(held))
    assert page.count("outside the bounds<") == 2 and "slope, per 10,000 of hours" in page
