"""plan, release, spent and verify from a terminal."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from dpslr_core.cli import UNCOMPARED
from dpslr_core.mechanisms import CenteredStats, DeepestLine
from dpslr_core.privacy import Budget
from dpslr_core.release import verification
from dpslr_core.release.certificate import as_text, sha256_of
from dpslr_core.release.explored import rehearsal_data, released_error
from dpslr_core.release.log import FOLDER
from dpslr_core.release.plans import LOOKED, Plan, digest_of
from dpslr_core.release.text import explored_sentence
from dpslr_core.report.certificate import as_page
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import Synthetic, UploadedFile
from tests.cases.scenario_files import run

N = 42
DATA = "school,hours,score\n" + "".join(
    f"{('east', 'north', 'south')[i % 3]},{i * 7 % 30 / 4:.2f},{40 + i * 11 % 50}\n" for i in range(N)
)
COLUMNS = ("--x", "hours", "--x-bounds", "0", "8", "--y", "score", "--y-bounds", "20", "120")
SAID = ("--bounds-from", "the timetable", "--choice-from", "simulated data")
PLAN = ("plan", "--algorithm", "CenteredStats", "--epsilon", "2", *COLUMNS, "--out", "plan.json")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with mine.csv, in which commands run."""
    (tmp_path / "mine.csv").write_text(DATA)
    (tmp_path / "sizes.csv").write_text("school,pupils\nsouth,14\nnorth,14\neast,14\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def done(*words: str, code: int = 0) -> str:
    ran = run(*words)
    assert ran.exit_code == code, ran.output
    return ran.output


def test_from_a_plan_to_a_certificate_that_is_verified(here: Path):
    pytest.importorskip("opendp")
    said = done(*PLAN, "--n", str(N), *SAID)
    plan = Plan.read(here / "plan.json")
    assert plan.sha256 in said and "more than 7.39 times" in said and plan.at == (0.25, 0.75)
    outs = ("--out", "certificate.json", "--out", "certificate.html")
    said = done("release", "plan.json", "mine.csv", *outs)
    assert "ε = 2 of 2 is spent" in said and "prediction" in said
    held = json.loads((here / "certificate.json").read_text())
    assert [str(point["at"]) for point in held["results"][0]["predictions"]] == ["2.0", "6.0"]
    for name in ("certificate.json", "certificate.html"):
        said = done("verify", name)
        assert "Every number follows from the released integers" in said and "SHA-256 of its JSON" in said
        assert sha256_of((here / "certificate.json").read_text()) in said
    assert sha256_of((here / "certificate.json").read_text()) in (here / "certificate.html").read_text()
    assert "holds this release" in done("verify", "certificate.json", "--log", FOLDER)
    again = done("release", "plan.json", "mine.csv", *outs)
    assert "nothing more is spent" in again and json.loads((here / "certificate.json").read_text()) == held


def test_a_second_run_writes_no_new_file_whatever_the_data_are(here: Path):
    pytest.importorskip("opendp")
    done(*PLAN, "--n", str(N), *SAID)
    done("release", "plan.json", "mine.csv")
    for content in (DATA, DATA.replace("40", "41", 1), "nothing", ""):
        (here / "mine.csv").write_text(content)
        assert "not looked at" in done("release", "plan.json", "mine.csv")
        assert "was released before" in done("release", "plan.json", "mine.csv", "--out", "again.json", code=2)
    assert not (here / "again.json").exists()


def test_the_sentences_of_another_version_have_an_exit_code_of_their_own(here: Path):
    pytest.importorskip("opendp")
    done(*PLAN, "--n", str(N), *SAID)
    done("release", "plan.json", "mine.csv", "--out", "certificate.json")
    held = json.loads((here / "certificate.json").read_text())
    held["software"]["dpslr"] = "9.9.9"
    held["guarantee"]["sentence"] = "This is 0.01-differential privacy."
    text = as_text(held | {"sha256": digest_of({name: held[name] for name in held if name != "sha256"})})
    (here / "forged.json").write_text(text)
    (here / "forged.html").write_text(as_page(text))
    for name in ("forged.json", "forged.html"):
        said = done("verify", name, code=UNCOMPARED)
        assert said.startswith("Do not rely on its sentences") and "0.01" not in said


def test_a_page_that_was_changed_is_refused(here: Path):
    pytest.importorskip("opendp")
    done(*PLAN, "--n", str(N), *SAID)
    done("release", "plan.json", "mine.csv", "--out", "certificate.html")
    page = (here / "certificate.html").read_text()
    assert "<script src" not in page and "://" not in page and page.count("<script") == 1
    for old, new in (
        ("7.39", "7.38"),
        ("</body>", "<p></p></body>"),
        ('"grid": 1000', '"grid": 1002'),
        ("<h2>", "<h3>"),
    ):
        assert old in page
        (here / "changed.html").write_text(page.replace(old, new, 1))
        assert "refused" in done("verify", "changed.html", code=1) or "was changed" in done(
            "verify", "changed.html", code=1
        )
    (here / "changed.json").write_text("{}")
    assert "no certificate" in done("verify", "changed.json", code=1)


def test_the_budget_is_shown_and_raised_by_somebody(here: Path):
    pytest.importorskip("opendp")
    assert "nothing was released" in done("spent", "mine.csv", code=2)
    done(*PLAN, "--n", str(N), *SAID)
    done("release", "plan.json", "mine.csv", "--budget", "3")
    assert "ε = 2 of ε = 3 is spent; ε = 1 is left." in done("spent", "mine.csv")
    second = tuple("second.json" if word == "plan.json" else word for word in PLAN)
    done(*second, "--at", "4", "--n", str(N), *SAID)
    assert "dpslr spent --raise" in done("release", "second.json", "mine.csv", code=2)
    assert "a name and a reason" in done("spent", "mine.csv", "--raise", "4", code=2)
    assert "can only be raised" in done("spent", "mine.csv", "--raise", "1", "--name", "A", "--reason", "b", code=2)
    said = done("spent", "mine.csv", "--raise", "4", "--name", "A. Person", "--reason", "the board")
    assert "ε = 2 is left" in said and "by A. Person: the board" in said
    done("release", "second.json", "mine.csv")
    told = json.loads(done("spent", "mine.csv", "--json"))
    assert (told["spent"], told["left"], told["unfinished"]) == ("4", "0", 0)
    assert [entry["entry"] for entry in told["entries"]] == [
        "budget", "intended", "released", "budget", "intended", "released"
    ]  # fmt: skip


def test_a_table_of_areas_is_planned_from_public_sizes(here: Path):
    pytest.importorskip("opendp")
    areas = ("--areas", "sizes.csv", "--group", "school", "--sizes", "pupils")
    done(*PLAN, *areas, *SAID, "--records-per-person", "2")
    done("release", "plan.json", "mine.csv", "--out", "table.json", "--out", "table.html")
    held = json.loads((here / "table.json").read_text())
    assert [row["area"] for row in held["results"]] == ["east", "north", "south"]
    assert "up to 2 records of one person" in held["guarantee"]["sentence"]
    done("verify", "table.html")


def test_a_scenario_of_the_app_gives_columns_points_and_hyperparameters(here: Path):
    source = UploadedFile(x_column="hours", y_column="score", x_bounds=(0, 8), y_bounds=(20, 120))
    scenario = Scenario(source=source, epsilon=1, at=(0.5,), mechanisms=(DeepestLine(grid=20), CenteredStats()))
    (here / "scenario.json").write_text(scenario.model_dump_json())
    words = ("plan", "--scenario", "scenario.json", "--n", "42", "--looked", "bounds", "--choice-from", "a paper")
    done(*words, "--algorithm", "DeepestLine", "--out", "plan.json")
    plan = Plan.read(here / "plan.json")
    assert (plan.mechanism, plan.at, plan.bounds_from) == (DeepestLine(grid=20), (0.5,), LOOKED)


def test_a_plan_says_the_error_of_a_release_where_it_is_not_the_one_explored(here: Path):
    budget = ("--epsilon", "2", "--n", "1000", *COLUMNS, *SAID, "--out")
    said = done("plan", "--algorithm", "DeepestLine", *budget, "plan.json")
    error = released_error(DeepestLine(), rehearsal_data(Synthetic(), 1000), Budget(2.0))
    y = Plan.read(here / "plan.json").y.axis
    assert f"On simulated data with n = 1,000: {explored_sentence('DeepestLine', error, y)}" in said
    assert "draws on" not in done("plan", "--algorithm", "CenteredStats", *budget, "other.json")


COMMAS = "school;hours;score\n" + "".join(
    f"{('east', 'north', 'south')[i % 3]};{i * 7 % 30 / 4:.2f};{40 + i * 11 % 50}\n" for i in range(N)
).replace(".", ",")


def test_a_plan_says_how_numbers_are_written_and_its_release_reads_them(here: Path):
    pytest.importorskip("opendp")
    (here / "mine.csv").write_text(COMMAS)
    said = done(*PLAN, "--n", str(N), *SAID, "--numbers", "comma", "--at", "1,5; 4")
    assert "with a decimal comma (1.234,5)" in said
    plan = Plan.read(here / "plan.json")
    assert (plan.columns.x_numbers, plan.columns.y_numbers, plan.at) == ("comma", "comma", (0.1875, 0.5))
    done("release", "plan.json", "mine.csv", "--out", "certificate.json")
    source = UploadedFile(x_column="hours", y_column="score", x_bounds=(0, 8), y_bounds=(20, 120))
    (here / "scenario.json").write_text(Scenario(source=source).model_dump_json())
    words = ("plan", "--scenario", "scenario.json", "--algorithm", "CenteredStats", "--n", str(N), *SAID)
    done(*words, "--numbers", "comma", "--out", "second.json")
    assert Plan.read(here / "second.json").columns.y_numbers == "comma"


def test_without_the_library_plans_are_made_and_certificates_verified_and_nothing_is_spent(
    here: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("opendp")
    done(*PLAN, "--n", str(N), *SAID)
    done("release", "plan.json", "mine.csv", "--out", "certificate.html")
    (here / "other").mkdir()
    (here / "other" / "mine.csv").write_text(DATA)

    def missing(name: str) -> str:
        raise verification.PackageNotFoundError(name)

    monkeypatch.setattr(verification, "version", missing)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    second = tuple("second.json" if word == "plan.json" else word for word in PLAN)
    done(*second, "--n", str(N), *SAID)
    said = done("release", "second.json", "other/mine.csv", code=2)
    assert "pip install 'dpslr[release]'" in said and "dpslr[app]" not in said
    assert not (here / "other" / FOLDER).exists()
    assert "OpenDP itself was not asked" in done("verify", "certificate.html")


def test_a_file_of_something_else_is_not_replaced(here: Path):
    (here / "plan.json").write_text("mine")
    assert "would replace" in done(*PLAN, "--n", "42", *SAID, code=2)
    assert (here / "plan.json").read_text() == "mine"


def test_other_data_a_changed_plan_and_an_open_key_are_sentences(here: Path):
    pytest.importorskip("opendp")
    done(*PLAN, "--n", "43", *SAID)
    assert "42 records, the plan says n = 43" in done("release", "plan.json", "mine.csv", code=2)
    (here / "plan.json").write_text((here / "plan.json").read_text().replace('"n": 43', '"n": 42'))
    assert "was changed after it was made" in done("release", "plan.json", "mine.csv", code=2)
    (here / "plan.json").unlink()
    done(*PLAN, "--n", "42", *SAID)
    done("release", "plan.json", "mine.csv")
    key = here / FOLDER / "key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o644)
    assert "chmod go-rwx" in done("spent", "mine.csv", code=2)
    assert "must end in .json or .html" in done("release", "plan.json", "mine.csv", "--out", "x.csv", code=2)
