"""Small cases of containers, names and numbers at the entrances: each is right, or a sentence that says what to do."""

import io
import unicodedata
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from dpslr_core import Dataset, by_group, compare, decide, error_bound
from dpslr_core.cli import main
from dpslr_core.experiments.areas import split_groups
from dpslr_core.mechanisms import OLS, NoisyIntercept
from dpslr_core.privacy.accounting import rule_of
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X, UNIT_Y, Axis
from dpslr_core.sources.choices import Synthetic, UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.text.data import delta_sentence

Y = [0.2, 0.5, 0.6, 0.9]
X = [0.0, 0.25, 0.5, 1.0]
FRAME = pd.DataFrame({"group": [*"aaaa"], "x": X, "y": Y})
DATA = Dataset(X, Y)


def records(**columns):
    return split_groups(FRAME.assign(**columns)).datasets["a"].x.tolist()


RIGHT = {
    "Decimals in a frame": (lambda: records(x=[Decimal(str(x)) for x in X]), X),
    "numbers in a column of objects": (lambda: records(x=pd.Series(X, dtype=object)), X),
    "a nullable column without gaps": (lambda: records(x=pd.array(X, dtype="Float64")), X),
    "a categorical column of numbers": (lambda: records(x=pd.Categorical(X)), X),
    "a column of pyarrow": (lambda: records(x=pd.array(X, dtype="double[pyarrow]")), X),
    "a column with True and False": (lambda: records(x=[True, False, False, True]), [0, 0, 1, 1]),
    "a file object's lines as numbers": (lambda: Dataset(map(float, io.StringIO("0\n.25\n.5\n1")), Y).x.tolist(), X),
    "an area's gap in a nullable column": (
        lambda: split_groups(FRAME.assign(x=pd.array([0, None, 1, 0], dtype="Int64"))).rejected["n"].tolist(),
        [4],
    ),
    "an iterator of points": (lambda: compare(DATA, [OLS()], 1.0, at=iter((0.25, 0.5))).summary["at"].tolist(), X[1:3]),
    "an iterator of algorithms for areas": (
        lambda: by_group(FRAME, filter(None, [OLS(), NoisyIntercept()]), 1.0, at=0.5)["mechanism"].tolist(),
        ["OLS", "NoisyIntercept"],
    ),
    "no algorithm in an iterator": (lambda: len(compare(DATA, iter(()), 1.0).summary), 0),
    "epsilon as a Decimal and an array without axes": (
        lambda: compare(DATA, [OLS()], Decimal("1"), at=np.array(0.5)).summary["at"].tolist(),
        [0.5],
    ),
    "estimates with a masked failure": (lambda: error_bound(np.ma.array([0.1, 0.9], mask=[0, 1]), 0.1, 50), 0.0),
    "a label with a byte order mark": (
        lambda: list(split_groups(FRAME.assign(group=["\ufeffa", "a", "a ", "a"])).datasets),
        ["a"],
    ),
    "labels in two forms in grouped data": (
        lambda: GroupedData("d", "", UNIT_X, UNIT_Y, FRAME.assign(group=["é", "e\u0301", "é", "é"])).sizes,
        {"é": 4},
    ),
    "a column of a link with a wide space": (lambda: UploadedFile(x_column="a\u3000b ").x_column, "a b"),
    "years as bounds": (lambda: Axis("year", lower=1999, upper=2004).written((1999, 2004)), ["1999", "2004"]),
    "microseconds a second apart": (
        lambda: Axis("t", lower=1764262800e6, upper=1764262801e6).written((1764262800e6, 1764262801e6)),
        ["1,764,262,800,000,000", "1,764,262,801,000,000"],
    ),
    "a large delta": (
        lambda: delta_sentence(rule_of("approx:0.5"), Synthetic(n=30).load()),
        "δ = 0.5 is above 1/n = 0.033. Such a promise allows a release to publish whole records. Take a δ far below "
        "1/n.",
    ),
    "a small delta": (lambda: delta_sentence(rule_of("approx:1e-6"), Synthetic(n=30).load()), ""),
}
REFUSED = {
    "a gap in a column of pyarrow": (lambda: Dataset(pd.array([0, None, 1, 0], dtype="int64[pyarrow]"), Y), "drop or"),
    "a frame for a column": (lambda: Dataset(pd.DataFrame({"x": X}), Y), "x must be one-dimensional"),
    "days as x": (lambda: Dataset([date(2020, 1, day) for day in (1, 2, 3, 4)], Y), "such as days"),
    "a text among numbers of a frame": (
        lambda: decide(FRAME.assign(y=[*Y[:3], "0.9"]), [OLS()], 1.0),
        "'0.9' in row 3",
    ),
    "a complex column of a frame": (lambda: split_groups(FRAME.assign(x=np.array(X) + 0j)), "complex"),
    "algorithms in a set": (lambda: Scenario(mechanisms={OLS()}), "a set has no order"),
    "a blank delta": (lambda: rule_of("approx:"), "between 0 and 1, got '', as in approx:1e-6"),
    "a delta of spaces": (lambda: rule_of("approx: "), "as in approx:1e-6"),
    "a person with too many records": (lambda: Scenario(records_per_person="9" * 30), "at most"),
    "points in a dict": (lambda: DATA.predict({0.5: "middle"}), "numbers only"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_what_can_be_read_is_right(case):
    make, expected = RIGHT[case]
    assert make() == (sorted(expected) if case == "a column with True and False" else expected)


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_a_sentence(case):
    make, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=sentence):
        make()


def test_a_command_finds_columns_in_any_form_prints_years_and_notes_a_large_delta(tmp_path):
    file, column = tmp_path / "years.csv", unicodedata.normalize("NFD", "Jahré")
    file.write_text(f"{column},score\n" + "".join(f"{2000 + i % 21},{20 + i}\n" for i in range(60)), encoding="utf-8")
    asked = ["compare", str(file), "--x", "Jahré\u00a0", "--x-bounds", "2000", "2020", "--y", "score", "--y-bounds"]
    asked += ["20", "120", "--epsilon", "2", "--algorithm", "OLS", "--algorithm", "NoisyIntercept"]
    run = CliRunner().invoke(main, asked)
    assert run.exit_code == 0, run.output
    assert "2005" in run.output and "2,005" not in run.output and "2015" in run.output
    noted = CliRunner().invoke(main, [*asked, "--accounting", "approx:0.5"])
    assert noted.exit_code == 0 and "Note: δ = 0.5 is above 1/n = 0.017" in noted.output
    refused = CliRunner().invoke(main, [*asked, "--accounting", "approx:"])
    assert refused.exit_code == 2 and "as in approx:1e-6" in refused.output
