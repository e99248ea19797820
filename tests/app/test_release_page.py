"""The Release page plans and rehearses; it never releases, and never looks at the data for what it shows."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from click.testing import CliRunner

from dpslr_core.cli import main
from dpslr_core.release import text, verify
from dpslr_core.release.plans import LOOKED, Plan
from dpslr_core.report.certificate import text_in
from dpslr_core.sources.choices import SampleData, Synthetic
from tests.cases.opened import (
    app,
    bounded,
    changed,
    fine,
    frame_with,
    heading,
    scenario,
    turned,
    upload,
    words,
)
from ui import planned
from ui.planned import Answer

ONE = {"algorithms": "CenteredStats"}
FILE = "hours,score,school\n" + "".join(
    f"{i * 7 % 30 / 4 + 0.1:.2f},{40 + i * 11 % 50},{('north', 'south')[i % 2]}\n"
    for i in range(60)
)


def filled(test):
    """The page after it was said where bounds and choice come from."""
    test.text_input(key="release_bounds").set_value("the timetable")
    test.text_input(key="release_choice").set_value("last year")
    return fine(test.run())


def plan_of(saved_files) -> Plan:
    """The plan that the page saves."""
    return Plan.from_json(saved_files["plan.json"]().decode())


def of_upload(hours=(0, 8), score=(20, 120), content=FILE):
    """The page after an upload."""
    test = bounded(upload(app("data", source="upload", **ONE), content), hours=hours, score=score)
    return turned(test, "release")


def unmarked(test):
    """The page after it was said that the records were not looked at."""
    for key in ("release_bounds_looked", "release_choice_looked"):
        test.checkbox(key=key).set_value(False)
    return fine(test.run())


def test_a_plan_is_saved_once_it_is_said_where_bounds_and_choice_come_from(saved_files):
    test = app("release", **ONE, n="80", epsilon="1")
    assert [button.disabled for button in test.main.button if button.label == "Save the plan"] == [
        True
    ]
    assert "plan.json" not in saved_files
    for key, value in (
        ("release_x", "hours"),
        ("release_x_bounds", "0, 8"),
        ("release_y_bounds", "20; 120"),
    ):
        test.text_input(key=key).set_value(value)
    filled(test)
    plan = plan_of(saved_files)
    assert (plan.n, str(plan.promise), plan.columns.x_column, plan.columns.x_bounds) == (
        80,
        "ε = 1",
        "hours",
        (0, 8),
    )
    assert plan.bounds_from == "the timetable" and plan.choice_from != LOOKED
    assert text.NEVER_RELEASES in words(test) and "hours = 2" in words(test)
    assert (
        plan.unusable_as == (4, 70)
        and [*plan.expected.by_n] == [80]
        and plan.expected.source.n == 80
    )


def test_the_noise_in_the_heading_is_that_of_releases(saved_files):
    """A second way: draws of the program itself."""
    pytest.importorskip("opendp")
    test = filled(app("release", **ONE, n="80", epsilon="4"))
    plan = plan_of(saved_files)
    noise = float(re.search(r"±([\d.]*\d)", heading(test))[1])
    source = scenario(test).source.data_seed
    data = Synthetic(n=80, data_seed=source).load().dataset()
    program = plan.program()
    x, y = (column.tolist() for column in program.on_grid(data))
    drawn = [program.answer(program.draw(x, y)) for _ in range(600)]
    away = np.array([float(answer.predictions[0]) for answer in drawn])
    inside = np.mean(np.abs(away - float(data.predict(0.25)[0])) <= noise)
    assert 0.62 < inside < 0.74


def test_a_rehearsal_is_marked_and_verified_as_none(saved_files):
    pytest.importorskip("opendp")
    filled(app("release", **ONE, n="40"))
    [name] = [name for name in saved_files if name.endswith(".html")]
    page = saved_files[name]().decode()
    assert "REHEARSAL" in name and page.count("REHEARSAL") > 3
    certificate = verify(text_in(page))
    assert certificate.rehearsal and "REHEARSAL" in certificate.content["warning"]


def test_of_an_upload_what_was_looked_at_is_marked_unless_somebody_says_otherwise(saved_files):
    test = of_upload()
    plan = plan_of(saved_files)
    assert plan.n == 60 and plan.bounds_from == plan.choice_from == LOOKED
    turned(turned(test, "data"), "release")
    assert plan_of(saved_files) == plan
    assert (
        test.text_input(key="release_bounds").disabled
        and test.text_input(key="release_choice").disabled
    )
    filled(unmarked(test))
    assert LOOKED not in (plan_of(saved_files).bounds_from, plan_of(saved_files).choice_from)
    changed(test, "release_bounds_looked", True)
    box = test.text_input(key="release_bounds")
    assert (
        box.disabled and box.value == "the timetable"
    )  # what was typed is kept, and seen not to count
    assert plan_of(saved_files).bounds_from == LOOKED


def test_whether_the_choice_looked_at_the_file_follows_the_last_answer(saved_files):
    test = app("release", **ONE)  # what is marked without a file says nothing of one
    bounded(
        upload(turned(changed(test, "source", "upload"), "data"), FILE),
        hours=(0, 8),
        score=(20, 120),
    )
    of_guesses = Answer("Guidance", "CenteredStats", Synthetic(var_x=0.02, var_e=0.02))
    test.session_state["plan_answer"] = of_guesses
    turned(test, "release")
    assert not test.checkbox(key="release_choice_looked").value
    assert test.checkbox(key="release_bounds_looked").value
    assert plan_of(saved_files).choice_from == of_guesses.reason
    turned(turned(test, "compare"), "release")
    assert test.checkbox(key="release_choice_looked").value
    assert plan_of(saved_files).choice_from == LOOKED
    turned(test, "data").session_state["plan_answer"] = of_guesses
    turned(test, "release")
    assert test.checkbox(key="release_choice_looked").value, "who has seen it has seen it"


def test_bounds_that_are_the_file_s_own_range_are_refused(saved_files):
    test = filled(unmarked(of_upload(hours=(0.1, 7.35), score=(40, 89))))
    assert "the smallest and the largest value in the data" in test.main.warning[0].value


def test_what_is_shown_does_not_depend_on_the_records(saved_files):
    shown = []
    for content in (FILE, re.sub(r"\d\.\d\d,", "1.00,", FILE, count=40)):
        test = of_upload(content=content)
        shown.append(
            (
                heading(test),
                frame_with(test, "point").to_csv(),
                json.loads(saved_files["plan.json"]()),
            )
        )
    assert shown[0] == shown[1]


def test_without_a_private_algorithm_there_is_nothing_to_release():
    test = app("release", algorithms=["OLS"])
    assert "No private algorithm is chosen" in test.main.info[0].value
    assert not test.main.header


def in_areas(content: str, **query):
    """The page after a file with a column of areas was uploaded, with a release of each area."""
    test = upload(app("data", source="upload", **ONE, **query), content)
    changed(test, "upload_group", "school")
    bounded(test, hours=(0, 8), score=(20, 120))
    turned(test, "release")
    return changed(test, "release_areas", True)


def boxes(test) -> str:
    return " ".join(box.value for box in test.main.warning)


def test_n_is_the_number_of_rows_and_small_areas_and_unusable_rows_have_a_rule(saved_files):
    """Of unusable rows, of an area whose hours are all the same, and of one that no line could have."""
    broken = FILE.replace("7.10,", "closed,") + "2.00,50,flat\n" * 4 + "3.00,60,tiny\n"
    test = in_areas(broken)
    plan = plan_of(saved_files)
    assert plan.areas == {"flat": 4, "north": 30, "south": 30, "tiny": 1} and "closed" in broken
    assert [*plan.sizes] == ["north", "south"] and (plan.smallest, plan.unusable_as) == (
        10,
        (4, 70),
    )
    assert (
        "n = 65, the rows of your file, unusable ones too. The guarantee takes n as public"
        in words(test)
    )
    assert "refused" not in boxes(test)
    assert "left out (2 unusable, 5 in groups without a line)" in boxes(test)
    changed(test, "release_as_x", "")
    assert f"refused: it has {broken.count('closed,')} rows without two numbers" in boxes(test)
    assert plan_of(saved_files).unusable_as is None
    assert "refused: it has 1 row without an area" in boxes(in_areas(f"{FILE}2.00,50,\n"))


def test_a_file_with_more_rows_of_a_person_than_the_plan_protects_would_be_refused():
    test = upload(app("data", source="upload", **ONE), FILE.replace("south", "north", 1))
    changed(test, "upload_person", "school")
    bounded(test, hours=(0, 8), score=(20, 120))
    turned(test, "release")
    assert "one person has 31 rows, and the plan protects 1" in boxes(test)


COMMAS = FILE.replace(",", ";").replace(".", ",").replace("7,10;", "closed;") + "2,00;50;flat\n" * 4


def test_a_plan_of_a_file_with_decimal_commas_and_unusable_rows_is_released_by_the_command(
    saved_files, tmp_path
):
    pytest.importorskip("opendp")
    test = in_areas(COMMAS)
    assert "written with a decimal comma (1.234,5)" in words(test)
    (tmp_path / "plan.json").write_bytes(saved_files["plan.json"]())
    (tmp_path / "mine.csv").write_text(COMMAS)
    outs = [str(tmp_path / name) for name in ("plan.json", "mine.csv", "certificate.json")]
    done = CliRunner().invoke(main, ["release", *outs[:2], "--out", outs[2]])
    assert done.exit_code == 0, done.output
    held = json.loads((tmp_path / "certificate.json").read_text())
    assert [(row["area"], bool(row["predictions"])) for row in held["results"]] == [
        ("flat", False),
        ("north", True),
        ("south", True),
    ]


def test_the_algorithm_is_that_of_the_last_answer_or_one_that_can_be_released(saved_files):
    test = app("release", n="80")
    assert test.selectbox(key="release_of").value == "DeepestLine"
    assert text.why_sentence("DeepestLine", "", "") in words(test)
    few = app(
        "compare",
        algorithms=["DPGDPure", "DPSSTheilSen", "NoisyIntercept", "CenteredStats"],
        n="80",
    )
    said = few.session_state["plan_answer"].algorithm
    turned(few, "release")
    assert few.selectbox(key="release_of").value == "CenteredStats"
    assert text.why_sentence("CenteredStats", said, "Compare") in words(few)


def test_guidance_fills_in_algorithm_and_reason_and_the_records_are_like_its_guesses(saved_files):
    query = {
        "source": "sample",
        "guesses_public_data": "public knowledge",
        "guess_sd_x": "0.2",
        "guess_sd_e": "0.1",
    }
    test = app("guidance", **query)
    said = test.session_state["plan_answer"]
    assert said.guesses.var_e > 0
    turned(test, "release")
    assert test.selectbox(
        key="release_of"
    ).value == said.algorithm and "like your guesses" in words(test)
    assert test.text_input(key="release_choice").value == said.reason
    test.text_input(key="release_bounds").set_value("ranks")
    fine(test.run())
    assert (
        plan_of(saved_files).expected.source == said.guesses
        and plan_of(saved_files).choice_from == said.reason
    )
    turned(test, "compare")
    turned(test, "release")
    assert test.text_input(key="release_choice").value == ""  # an answer on data has no such reason


def test_sizes_of_the_last_answer_are_those_of_its_public_file_and_not_of_the_rows(saved_files):
    test = in_areas(FILE + "2.00,50,flat\n" * 4)
    guessed = Synthetic(var_x=0.02, var_e=0.02)
    test.session_state["plan_answer"] = Answer(
        "Small areas", "CenteredStats", guessed, (("north", 31), ("tiny", 2))
    )
    fine(test.run())
    plan = plan_of(saved_files)
    assert (plan.areas, [*plan.sizes]) == (
        {"north": 31, "tiny": 2},
        ["north"],
    ) and plan.expected.source == guessed
    assert "as in the data of this page" not in words(test) and "rows of your file" not in words(
        test
    )
    assert test.text_input(key="release_choice").value == "Small areas, on public guesses alone"


def test_an_answer_on_a_file_of_public_numbers_is_kept_with_them():
    source = SimpleNamespace(
        areas=("a", "b", "c"),
        n=(4, 90, 9),
        var_x=0.02,
        var_e=(0.1, 0.2, 0.4),
        x_mean=(0.2, 0.3, 0.7),
        slope=0.3,
        x_shape=("skewed", "normal", "skewed"),
    )
    with patch.object(planned.st, "session_state", {}):
        planned.note_answer("Small areas", "DeepestLine", source, "the slope")
        kept = planned.last_answer()
        typical = Synthetic(var_x=0.02, var_e=0.2, x_mean=0.3, slope=0.3, x_shape="skewed")
        assert kept.sizes == (("a", 4), ("b", 90), ("c", 9)) and kept.guesses == typical
        assert kept.reason == "Small areas, on public guesses alone, for the slope"
        planned.note_answer("Compare", "OLS", SampleData())
        assert (
            planned.last_answer() == Answer("Compare", "OLS") and planned.last_answer().reason == ""
        )
        planned.note_answer("Compare", None)
        assert planned.last_answer().algorithm == "OLS"
