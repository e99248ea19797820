"""What is taken away from a page gives its numbers again, and says no more of the data than the page looked at."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from dpslr_core.audit import audit
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.cli import main
from dpslr_core.lesson.settings import STEPS
from dpslr_core.privacy import Budget, PerPerson
from dpslr_core.scenario import Scenario, mechanism_named
from dpslr_core.sources.choices import SampleData
from dpslr_core.support.tables import without_formulas
from dpslr_core.text.phrases import format_amount
from tests.cases.opened import app

FEW = ["NoisyStats", "NoisyIntercept", "DPGDPure"]
FEW_INTERVALS = ["CenteredStats", "NoisyIntercept"]
SAMPLE = {"source": "sample", "sample": "tracts", "epsilon": "4", "algorithms": FEW, "trials": "20"}

TRACTS = SampleData(sample="tracts").load()


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the buttons of a page save, by name."""
    saved: dict[str, Any] = {}
    monkeypatch.setattr("ui.show.st.download_button", lambda _, data, name, *__, **___: saved.update({name: data}))
    return saved


def script(test: AppTest) -> str:
    """The script that the page shows."""
    return next(code.value for code in test.code if code.value.startswith('"""'))


def made(test: AppTest) -> pd.DataFrame:
    """The table of the script that the page shows."""
    names: dict[str, Any] = {"__name__": "script"}
    exec(compile(script(test), "script.py", "exec"), names)
    table: pd.DataFrame = names["table"]
    return table


def said(test: AppTest) -> list[str]:
    """All sentences of a page."""
    return [element.value for element in (*test.main.header, *test.main.caption, *test.main.markdown)]


def taken(files: dict[str, Any], name: str) -> pd.DataFrame:
    """The Parquet file, which is the CSV file too; a scenario is named where one is needed."""
    table = pd.read_parquet(io.BytesIO(files[f"{name}.parquet"]()))
    plain = pd.read_csv(io.BytesIO(files[f"{name}.csv"]()))
    assert len(plain) == len(table) and [column.lstrip("'") for column in plain] == list(table)
    beside = json.loads(files[f"{name}.csv.json"]())
    assert beside.keys() == table.attrs.keys()
    if "scenario" in beside:  # an object, and its numbers are numbers
        assert beside["scenario"] == json.loads(table.attrs["scenario"])
        assert (beside["epsilon"], beside["seed"]) == (beside["scenario"]["epsilon"], beside["scenario"]["seed"])
    assert ("scenario" in table.attrs) == ("scenario.json" in files)
    assert files[f"{name}.tex"]().decode().count(r"\\") == len(table) + 1
    return table


def same(files: dict[str, Any], test: AppTest, name: str) -> pd.DataFrame:
    """The saved table, which is to the last bit that of the script on the page."""
    shown = taken(files, name)
    pd.testing.assert_frame_equal(shown, made(test).reset_index(drop=True), check_exact=True, check_dtype=False)
    return shown


def again(page: str, shown: pd.DataFrame) -> AppTest:
    """The page opened by the link that a saved table names."""
    return app(page, **parse_qs(urlsplit(shown.attrs["link"]).query))


def test_compare(files: dict[str, Any]):
    table, shown = made(app("compare", **SAMPLE, look_at="0.75")), taken(files, "compare")
    assert table["algorithm"].tolist() == shown["algorithm"].tolist()
    pairs = (("C(68)", "c68"), ("C(95)", "c95"), ("error / standard error (68%)", "ratio"),
             ("noise alone", "noise"), ("gap", "gap"))  # fmt: skip
    for name, theirs in pairs:
        pd.testing.assert_series_equal(shown[name], table[theirs], check_exact=True, check_names=False)
    assert shown.attrs["point"] == "parent income rank = 0.75" and "look_at=0.75" in shown.attrs["link"]
    assert Scenario.model_validate_json(files["scenario.json"]()).epsilon == 4
    assert files["compare.svg"]().startswith(b"<svg xmlns")


def test_small_areas(files: dict[str, Any]):
    table, shown = made(app("small_areas", **SAMPLE)), taken(files, "small_areas")
    pairs = (("area", "group"), ("best algorithm", "mechanism"), ("in standard errors", "ratio"),
             ("C(68) in child income rank", "c68"), ("smallest ε that passes", "passes_from"),
             ("with", "passes_with"))  # fmt: skip
    for name, theirs in pairs:
        expected = table[theirs].replace(np.inf, np.nan)
        pd.testing.assert_series_equal(shown[name], expected, check_exact=True, check_names=False, check_dtype=False)


@pytest.mark.parametrize("source", [{}, {"source": "sample", "sample": "linear", "vary": "epsilon"}])
def test_sweep(files: dict[str, Any], source: dict[str, str]):
    words = {"algorithms": FEW[:2], "values": "2", "datasets": "20"} | source
    shown = same(files, app("sweep", **words), "sweep")
    assert b"NoisyIntercept</text>" in files["sweep.svg"]()
    assert ("digest" in shown.attrs) == bool(source) and shown.attrs["varied"] in ("n", "epsilon")


@pytest.mark.parametrize(
    "source", [{}, {"source": "sample", "sample": "linear", "vary": "epsilon"}, {**SAMPLE, "vary": "epsilon"}]
)
def test_widths_along_a_sweep(files: dict[str, Any], source: dict[str, str]):
    words = source | {"algorithms": FEW_INTERVALS, "values": "2", "shows": "Width of intervals", "epsilon": "8"}
    test = app("sweep", **words)
    shown = same(files, test, "sweep_widths")
    assert "shows=Width+of+intervals" in shown.attrs["link"] and set(shown["mechanism"]) == {"OLS", *FEW_INTERVALS}
    assert "interval" in test.main.header[0].value


def test_guidance(files: dict[str, Any]):
    table, shown = made(app("guidance", n="30", algorithms=FEW[:2], epsilon="4")), taken(files, "guidance")
    assert shown["error"].tolist() == table["error"].tolist()
    assert shown["algorithm"].tolist() == table["mechanism"].tolist()
    assert b"Expected error" in files["guidance.svg"]()


@pytest.mark.parametrize("public", [True, False])
def test_guidance_from_public_guesses_says_nothing_of_the_data(files: dict[str, Any], public: bool):
    """The sample stands for private data here: only what was read off it may name it."""
    words = {**SAMPLE, "group": "T07"} | ({"guesses_public_data": "public knowledge"} if public else {})
    test = app("guidance", **words, guess_sd_x="0.2", guess_sd_e="0.1")
    table, shown = made(test), taken(files, "guidance")
    assert shown["error"].tolist() == table["error"].tolist()
    assert ("digest" in shown.attrs, "data" in shown.attrs) == (not public, not public)
    assert ("read off the data" in script(test)) != public
    assert ("guess_sd_x=0.2" in shown.attrs["link"]) == public


MOVED = {"moving": "true", "record": "3", "record_y": "0.9", "moved_algorithm": "NoisyStats"}


def test_data(files: dict[str, Any]):
    shown = same(files, app("data", **SAMPLE), "data")
    data, y = TRACTS.dataset(TRACTS.groups[0]), TRACTS.y
    assert shown["OLS"].tolist() == y.from_unit(data.predict([0.25, 0.75])).tolist()
    assert shown["standard error"].tolist() == (y.scale * data.standard_error([0.25, 0.75])).tolist()
    picture = files["data.svg"]().decode()
    assert picture.startswith("<svg xmlns") and picture.count('fill="#3fa0dc"') == data.n


@pytest.mark.parametrize("unit_square", ["false", "true"])
def test_data_with_a_moved_record_name_the_move_and_nothing_of_the_record(files: dict[str, Any], unit_square: str):
    test = app("data", **SAMPLE, **MOVED, unit_square=unit_square)
    shown = same(files, test, "data")
    assert shown["data"].tolist() == ["before", "before", "after", "after"]
    data = TRACTS.dataset(TRACTS.groups[0])
    moved = data.with_record(2, float(data.x[2]), 0.9)
    assert shown["Theil–Sen"].tolist()[2:] == moved.theil_sen([0.25, 0.75]).tolist()
    assert "record=3&record_y=0.9" in shown.attrs["link"] and "record_x" not in shown.attrs["link"]
    assert shown.attrs["moved"].startswith("record 3 to ") and shown.attrs["moved"].endswith(" = 0.9")
    assert "MovedRecord(data, 2, float(data.x[2]), 0.9)" in script(test)
    assert repr(float(data.x[2])) not in script(test)
    pd.testing.assert_frame_equal(made(again("data", shown)), shown, check_exact=True)
    assert files["data.svg"]().startswith(b"<svg xmlns")


MOVE = {"record": "3", "record_x": "1", "record_y": "0"}


@pytest.mark.parametrize("name", ["DPExpTheilSen", "NoisyStats", "MaximumObservedSensitivity", "DPGDPure"])
def test_privacy(files: dict[str, Any], name: str):
    words = {**SAMPLE, "algorithms": ["DPExpTheilSen", "NoisyStats", "DPGDPure"], "records_per_person": "2"}
    test = app("privacy", **words, **MOVE, privacy_of=name, privacy_at="0.75", prior="50%")
    shown = same(files, test, "privacy")
    data = TRACTS.dataset(TRACTS.groups[0])
    mechanism, budget = mechanism_named(name)(), Budget(4.0, accounting=PerPerson(2))
    pair = pair_of(MovedRecord(data, 2, 1.0, 0.0), mechanism, budget, 1)
    if pair is None:
        loss = audit(mechanism, data, data.with_record(2, 1.0, 0.0), 2.0)
        assert shown["measured"].tolist() == [loss.measured] and "privacy.svg" not in files
    else:
        assert shown["loss"].tolist() == pair.curve["loss"].tolist()
        assert float(shown.attrs["largest loss"]) == pair.largest.loss
        assert files["privacy.svg"]().startswith(b"<svg xmlns")
    assert shown.attrs["algorithm"] == mechanism.name and shown.attrs["point"] == "parent income rank = 0.75"
    assert shown.attrs["moved"] == "record 3 to parent income rank = 1, child income rank = 0"
    assert said(again("privacy", shown)) == said(test) and len(said(test)) > 5


def test_a_loss_of_a_record_that_was_not_moved_names_no_place(files: dict[str, Any]):
    test = app("privacy", **SAMPLE)
    test.main.button(key="record_back").click().run()
    table, shown = made(test), taken(files, "privacy")
    assert (table["loss"] == 0).all() and "moved" not in shown.attrs
    assert re.search(r"MovedRecord\(data, (\d+), float\(data.x\[\1\]\), float\(data.y\[\1\]\)\)", script(test))


def test_tables_of_a_page_without_data_say_nothing(files: dict[str, Any]):
    test = app("compare", **SAMPLE)
    assert json.loads(files["compare.csv.json"]())["digest"]
    files.clear()
    test.switch_page("pages/findings.py").run()
    assert {"newer.csv", "shapes.csv", "findings_areas.csv"} <= set(files)
    settings = json.loads(files["findings.csv.json"]())
    assert (
        settings["command"].startswith("dpslr findings")
        and settings["seed"] == 0
        and not {"digest", "data", "scenario"} & settings.keys()
    )


LESSON = {
    "released": "4",
    "leaver": "3",
    "person": "9",
    "person_y": "10",
    "class_epsilon": "1",
    "students": "50",
    "scatter": "5",
}


@pytest.mark.parametrize("step", STEPS)
def test_lesson(files: dict[str, Any], step: str):
    name = f"lesson_{step}"
    test = app("lesson", step=step, **LESSON)
    table, shown = made(test), same(files, test, name)
    (below,) = [frame.value for frame in test.dataframe]
    pd.testing.assert_frame_equal(below, without_formulas(table).assign(**_note(below)), check_dtype=False)
    assert shown.attrs["step"] == step and shown.attrs["class_epsilon"] == "1.0"
    drawn = files[f"{name}.svg"]()
    assert drawn.startswith(b"<svg ") and b"><title>" in drawn
    files.clear()
    again("lesson", shown)
    pd.testing.assert_frame_equal(taken(files, name), shown, check_exact=True)


def _note(frame: pd.DataFrame) -> dict[str, pd.Series]:
    return {"note": frame["note"]} if "note" in frame else {}


@pytest.mark.parametrize("weaker", [False, True])
def test_findings(files: dict[str, Any], weaker: bool):
    shown = same(files, app("findings", **({"any": "true"} if weaker else {})), "findings")
    assert (shown["weaker"] == weaker).all() and ("any=true" in shown.attrs["link"]) == weaker
    words = re.findall(r">([\d.]+)(?: [✓✗])?</text>", files["findings.svg"]().decode())
    assert set(format_amount(ratio, 2) for ratio in shown["ratio"].dropna()) <= set(words)


@pytest.mark.parametrize(("name", "query"), [("beta", {"beta__n": "41"}), ("smooth-sensitivity", {})])
def test_paper(
    files: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, query: dict[str, str]
):
    test = app("paper", figure=name, seed="5", **query)
    shown = same(files, test, name)
    assert shown.attrs["figure"] == name and shown.attrs["seed"] == "5"
    (command,) = [code.value for code in test.code if code.value.startswith("dpslr ")]
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [*shlex.split(command)[1:], "--workers", "1"])
    assert done.exit_code == 0, done.output
    by_command = pd.read_csv(tmp_path / f"{name}.csv")
    pd.testing.assert_frame_equal(by_command, pd.read_csv(io.BytesIO(files[f"{name}.csv"]())))
    files.clear()
    again("paper", shown)
    pd.testing.assert_frame_equal(taken(files, name), shown, check_exact=True)
