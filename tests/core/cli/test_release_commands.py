"""plan, release, spent and verify from a terminal; what is wrong in their options stands in test_wrong_input.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dpslr_core.mechanisms import CenteredStats, DeepestLine
from dpslr_core.release import verification
from dpslr_core.release.certificate import sha256_of
from dpslr_core.release.log import FOLDER
from dpslr_core.release.plans import LOOKED, Plan
from dpslr_core.release.text import REHEARSAL
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import UploadedFile
from tests.cases.scenario_files import run

N = ("--n", "42")
DATA = "school,hours,score\n" + "".join(
    f"{('east', 'north', 'south')[i % 3]},{i * 7 % 30 / 4:.2f},{40 + i * 11 % 50}\n"
    for i in range(42)
)
COLUMNS = ("--x", "hours", "--x-bounds", "0", "8", "--y", "score", "--y-bounds", "20", "120")
SAID = ("--bounds-from", "the timetable", "--choice-from", "simulated data")
PLAN = ("plan", "--algorithm", "CenteredStats", "--epsilon", "2", *COLUMNS, *SAID, "--out")
RELEASE = ("release", "plan.json", "mine.csv")
SOURCE = UploadedFile(x_column="hours", y_column="score", x_bounds=(0, 8), y_bounds=(20, 120))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with mine.csv, in which commands run."""
    (tmp_path / "mine.csv").write_text(DATA)
    (tmp_path / "sizes.csv").write_text("school,pupils\nsouth,14\nnorth,14\neast,14\n")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def planned() -> str:
    """What is said of a plan."""
    pytest.importorskip("opendp")
    return done(*PLAN, "plan.json", *N)


@pytest.fixture
def released(planned: str) -> str:
    """What is said of the release of the plan; certificate.json and certificate.html are there."""
    return done(*RELEASE, "--out", "certificate.json", "--out", "certificate.html")


def done(*words: str, code: int = 0) -> str:
    ran = run(*words)
    assert ran.exit_code == code, ran.output
    return ran.output


def certificate() -> str:
    return Path("certificate.json").read_text()


def test_from_a_plan_to_a_certificate_that_is_verified(planned: str, released: str):
    plan = Plan.read(Path("plan.json"))
    assert plan.sha256 in planned and "more than 7.39 times" in planned and plan.at == (0.25, 0.75)
    assert "ε = 2 of 2 is spent" in released and "prediction" in released
    held = json.loads(certificate())
    assert [str(point["at"]) for point in held["results"][0]["predictions"]] == ["2.0", "6.0"]
    for name in ("certificate.json", "certificate.html"):
        words = done("verify", name)
        assert "Every sentence and number follows from the released integers" in words
        assert sha256_of(certificate()) in words
    assert sha256_of(certificate()) in Path("certificate.html").read_text()
    assert "holds this release" in done("verify", "certificate.json", "--log", FOLDER)
    again = done(*RELEASE, "--out", "certificate.json", "--out", "certificate.html")
    assert "nothing more is spent" in again and json.loads(certificate()) == held


@pytest.mark.usefixtures("planned")
def test_a_rehearsal_of_areas_is_drawn_on_the_guesses_of_its_plan():
    areas = ("--areas", "sizes.csv", "--group", "school", "--sizes", "pupils", "--smallest", "14")
    rows = Path("sizes.csv").read_text().replace("s\n", "s;x_sd;sigma_e\n").replace(",", ";")
    guessed = rows.replace(";14\n", ";14;0,8;5\n").replace("5\n", "9\n", 1)
    Path("sizes.csv").write_text(guessed)
    done(*PLAN, "table.json", *areas, "--var-x", "0.02", "--unusable-as", "4", "70")
    plan = Plan.read(Path("table.json"))
    model = plan.expected.source
    assert (model.var_x, model.var_e, model.slope) == pytest.approx((0.1**2, 0.05**2, 0.5))
    assert (plan.smallest, plan.unusable_as) == (14, (4, 70))
    assert REHEARSAL in done(
        "rehearse", "table.json", "--out", "table.html", "--out", "rehearsal.json"
    )
    assert (
        "Every sentence and number follows" in done("verify", "table.html", code=1)
        and not Path(FOLDER).exists()
    )
    assert "would replace" in done("rehearse", "table.json", "--out", "table.html", code=2)


@pytest.mark.usefixtures("planned")
def test_the_terminal_says_the_remark_of_the_certificate_with_each_number():
    Path("sizes.csv").write_text(Path("sizes.csv").read_text() + "west,0\n")
    areas = ("--areas", "sizes.csv", "--group", "school", "--sizes", "pupils", "--smallest", "9")
    done(*PLAN, "table.json", *areas, "--epsilon", "0.1")
    said = done("release", "table.json", "mine.csv", "--out", "certificate.json")
    remarks = {row["area"]: row["remark"] for row in json.loads(certificate())["results"]}
    assert "Too vague to use" in remarks["south"] and "no line" in remarks["west"]
    assert all(f"{area}: {remark}\n" in said for area, remark in remarks.items())


@pytest.mark.usefixtures("released")
def test_a_page_that_was_changed_is_refused():
    page, changed = Path("certificate.html").read_text(), Path("changed.html")
    assert "<script src" not in page and "://" not in page and page.count("<script") == 1
    for old, new in (
        ("7.39", "7.38"),
        ("</body>", "<p></p></body>"),
        ('"grid": 1000', '"grid": 1002'),
        ("<h2>", "<h3>"),
    ):
        assert old in page
        changed.write_text(page.replace(old, new, 1))
        words = done("verify", "changed.html", code=1)
        assert "refused" in words or "was changed" in words
    Path("changed.json").write_text("{}")
    assert "no certificate" in done("verify", "changed.json", code=1)


@pytest.mark.usefixtures("planned")
def test_the_budget_is_shown_and_raised_by_somebody():
    done(*RELEASE, "--budget", "3")
    assert "ε = 2 of ε = 3 is spent; ε = 1 is left." in done("spent", "mine.csv")
    done(*PLAN, "second.json", "--at", "4", *N)
    second, by = (
        ("release", "second.json", "mine.csv"),
        ("--name", "A. Person", "--reason", "the board"),
    )
    assert "dpslr spent --raise" in done(*second, code=2)
    assert "a name and a reason" in done("spent", "mine.csv", "--raise", "4", code=2)
    raised = done("spent", "mine.csv", "--raise", "4", *by)
    assert "ε = 2 is left" in raised and "by A. Person: the board" in raised
    done(*second)
    log = json.loads(done("spent", "mine.csv", "--json"))
    assert (log["spent"], log["left"], log["unfinished"]) == ("4", "0", 0)
    assert [entry["entry"] for entry in log["entries"]] == ["budget", "intended", "released"] * 2


def test_a_scenario_of_the_app_gives_columns_points_and_hyperparameters():
    scenario = Scenario(
        source=SOURCE, epsilon=1, at=(0.5,), mechanisms=(DeepestLine(grid=20), CenteredStats())
    )
    Path("scenario.json").write_text(scenario.model_dump_json())
    words = (
        "plan --scenario scenario.json --n 42 --looked bounds --choice-from paper --out plan.json"
    )
    done(*words.split(), "--algorithm", "DeepestLine")
    plan = Plan.read(Path("plan.json"))
    assert (plan.mechanism, plan.at, plan.bounds_from) == (DeepestLine(grid=20), (0.5,), LOOKED)


@pytest.mark.usefixtures("released")
def test_without_the_library_plans_are_made_and_certificates_verified_and_nothing_is_spent(
    monkeypatch,
):
    def missing(name: str) -> str:
        raise verification.PackageNotFoundError(name)

    Path("other").mkdir()
    Path("other/mine.csv").write_text(DATA)
    monkeypatch.setattr(verification, "version", missing)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    done(*PLAN, "second.json", *N)
    words = done("release", "second.json", "other/mine.csv", code=2)
    assert "pip install 'dpslr[release]'" in words and "dpslr[app]" not in words
    assert not Path("other", FOLDER).exists()
    assert "OpenDP itself was not asked" in done("verify", "certificate.html")


def test_a_foreign_file_other_data_and_another_kind_of_file_are_sentences():
    pytest.importorskip("opendp")
    plan = Path("plan.json")
    plan.write_text("mine")
    assert "would replace" in done(*PLAN, "plan.json", *N, code=2)
    assert plan.read_text() == "mine"
    plan.unlink()
    done(*PLAN, "plan.json", "--n", "43")
    assert "42 records, and 43 in the plan" in done(*RELEASE, code=2)
    assert "must end in .json or .html" in done(*RELEASE, "--out", "x.csv", code=2)
