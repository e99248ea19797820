"""What the pages, their reports and plans call public stays as it is when every value of an uploaded file is another.

Two files have the same labels, with as many rows of each, and no value in common. In each, other rows cannot be read
and another area has one x alone. Each sentence that says public, or what one may act on, is followed to its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from dpslr_core.cli import main as command
from dpslr_core.release.plans import Plan
from dpslr_core.release.text import certificate_says
from tests.cases.opened import app, bounded, changed, fine, heading, pressed, read, turned, upload

AREAS, ROWS = 6, 30  # the first area has fewer rows than a line needs
FEW = 2
CALLED = re.compile(r"[^.:;!?\n]*\b(?:[Pp]ublic|[Aa]ct on)\b[^.!?\n]*[.!?]?")
SOURCES = {  # the beginning of a sentence: where what it calls public comes from
    "Public bounds": "typed bounds",
    "That these columns exist, how their numbers are written, and their public bounds.": "typed bounds; the form of "
    "the file is not protected",
    "The guarantee takes the number of rows as public.": "rows of each label",
    "The guarantee takes n as public": "rows of each label",
    "The number of records is public.": "the definition of neighbours",
    "You may act on this plan where the guesses are public.": "a file of public numbers, typed guesses",
    "All numbers on this page are computed from public guesses": "a file of public numbers, typed guesses",
    "The areas are simulated from public guesses": "a file of public numbers, typed guesses",
    "Simulated from public guesses.": "a file of public numbers, typed guesses",
    "This report is computed from public guesses": "a file of public numbers, typed guesses",
    "`dpslr decide --scenario` reads the scenario, a file beside": "a file of public numbers, typed guesses",
    "Simulate the areas from a public file": "a file of public numbers",
    "Act on the answer only where n is public.": "rows of the label",
    "Where file and guesses are public, you may act on the answer.": "a file of public numbers, typed guesses",
    "That needs group labels and group sizes that are public": "a condition",
    "Computed from public guesses and the number of records alone": "typed guesses, rows of the label",
    "A row without two numbers counts as this public value.": "typed bounds, or typed beside it",
    "Fixed in public, before anybody looks at the data": "an assumption, under that heading",
    "Guidance, on public guesses alone": "typed guesses",
    "This was read off the file, and is not public.": "the true data",
    "Bounds must be public knowledge": "advice",
    "Choose on public": "advice",
    "the public bounds.": "typed bounds",
}


def file(seed: int, areas: int = AREAS, most: int = ROWS) -> str:
    """A file with decimal commas, rows that cannot be read, an area with one x and one with two rows alone."""
    rng = np.random.default_rng(seed)
    lines = ["school;hours;score"]
    for area in range(areas):
        rows = FEW if area == 0 else most
        hours = rng.uniform(0.1, 7.9, rows)
        if area == 1 + seed % 3:
            hours[:] = hours[0]
        score = 30 + 8 * hours + rng.normal(0, 6, rows)
        cells = [f"{x:.3f};{y:.3f}".replace(".", ",") for x, y in zip(hours, score, strict=True)]
        if area > 3:
            cells[seed % rows] = "no answer;50,5"
            cells[(seed + 7) % rows] = "3,25;"
        lines += [f"s{area};{both}" for both in cells]
    return "\n".join(lines) + "\n"


def loaded(content: str) -> AppTest:
    """The page Data after the file was uploaded, with its areas."""
    chosen = ["CenteredStats", "NoisyStats", "DPExpTheilSen"]
    test = upload(app("data", source="upload", algorithms=chosen, epsilon="8"), content)
    changed(test, "upload_group", "school")
    return bounded(test, hours=(0, 8), score=(20, 120))


def guessed(test: AppTest) -> AppTest:
    """A page after the guesses were typed."""
    for key, text in (
        ("guess_sd_x", "2"),
        ("guess_sd_e", "6"),
        ("guess_low", "30"),
        ("guess_high", "94"),
    ):
        test.text_input(key=key).set_value(text)
    return fine(test.run())


def said(test: AppTest) -> list[str]:
    """All that a page says in sentences, with what boxes warn of and what hovering shows; without the glossary."""
    main = test.main
    shown = [
        each.value
        for each in (*main.header, *main.markdown, *main.caption, *main.info, *main.warning)
    ]
    hints = [each.help for each in (*main.metric, *main.toggle) if each.help]
    return [read(text) for text in (*shown, *hints) if not text.startswith("**Data**\n")]


def called_public(texts: Iterable[str]) -> list[str]:
    """The sentences that call something public, or say what one may act on; each has a source."""
    found = [match.strip(" -") for text in texts for match in CALLED.findall(text)]
    unknown = [sentence for sentence in found if not sentence.startswith(tuple(SOURCES))]
    assert not unknown, f"where does what these call public come from? {unknown}"
    return found


def sentences_of(report: bytes) -> list[str]:
    """The texts between the marks of a report."""
    shown = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", report.decode())
    return [unescape(text) for text in re.split("<[^>]+>", shown) if "public+knowledge" not in text]


SIZES = "school;people;sigma_e\ns0;2;6\ns1;30;6\ns2;30;6\ns3;40;\ns4;25;\ns5;31;8\n"


def on_guesses(test: AppTest) -> AppTest:
    """Small areas on a file of public numbers and typed guesses."""
    turned(test, "small_areas")
    changed(test, "area_guesses", True)
    assert "Upload a public file" in test.info[0].value and not test.header
    fine(
        test.file_uploader(key="public_file")
        .set_value(("sizes.csv", SIZES.encode(), "text/csv"))
        .run()
    )
    return guessed(test)


def first_line(report: bytes) -> str:
    return next(text for text in sentences_of(report.partition(b"<main>")[2]) if text.strip())


def test_small_areas_on_public_guesses_take_nothing_from_the_file(saved_files):
    """Other values, other numbers of rows and other areas: the same answer, memo, scenario and tables."""
    shown = []
    for content in (file(1), file(2, AREAS - 1, ROWS - 3)):
        test = on_guesses(loaded(content))
        changed(test, "area_details", "Memo and files")
        names = [name for name in saved_files if name.startswith(("small_areas.csv", "scenario"))]
        files = {name: saved_files[name]() for name in names}
        memo = sentences_of(saved_files["report.html"]())
        assert not test.warning  # of rows and people, read off the file
        shown.append(
            (
                heading(test),
                called_public([*said(test), *memo]),
                memo,
                files,
                [code.value for code in test.code],
            )
        )
    assert len(shown[0][3]) == 3 and shown[0] == shown[1]
    answer, called, _, _, _ = shown[0]
    assert (
        "of 5 areas" in answer
        and "You may act on this plan where the guesses are public." in called
    )
    assert first_line(saved_files["report.html"]()).startswith(
        "This report is computed from public guesses"
    )


def test_a_memo_from_true_data_says_first_that_one_may_not_act_on_it(saved_files):
    test = turned(loaded(file(1)), "small_areas")
    assert "Nothing was computed on your file yet" in test.info[0].value and not test.header
    pressed(test, "true_file")
    changed(test, "area_details", "Memo and files")
    assert "left out" in test.warning[0].value
    assert test.info[0].value.startswith("A memo to act on is made with the switch")
    first = first_line(saved_files["report.html"]())
    assert (
        first
        == "Do not act on this report. It is computed from the true data, which is not private."
    )


def test_what_is_called_public_is_the_same_for_other_values(saved_files):
    shown = []
    for seed in (1, 2):
        test = loaded(file(seed))
        of_data = called_public(said(test))
        turned(test, "guidance")
        changed(test, "guesses", "public knowledge")
        guessed(test)
        report = sentences_of(saved_files["report.html"]())
        assert not test.warning and "left out" not in " ".join(report)
        advice = heading(test), called_public([*said(test), *report]), report
        turned(test, "release")
        changed(test, "release_areas", True)
        plan = Plan.from_json(saved_files["plan.json"]().decode())
        certificate = [
            sentence for several in certificate_says(plan).values() for sentence in several
        ]
        of_plan = heading(test), called_public([*said(test), *certificate]), plan
        shown.append((of_data, advice, of_plan))
    for first, second in zip(*shown, strict=True):
        assert first == second
    (_, (_, of_guidance, _), (_, of_release, plan)) = shown[0]
    assert plan.areas == {f"s{area}": ROWS if area else FEW for area in range(AREAS)}
    assert any(sentence.startswith("Computed from public guesses") for sentence in of_guidance)
    assert any(sentence.startswith("The guarantee takes n as public") for sentence in of_release)


def test_a_point_beyond_the_simulated_records_is_said_beside_what_one_may_act_on():
    test = on_guesses(loaded(file(1)))
    assert not any("simulated records" in text for text in said(test))
    test.text_input(key="guess_sd_x").set_value("0,2")
    shown = " ".join(said(fine(test.run())))
    assert "The point hours = 2 lies beyond all simulated records." in shown
    assert "If real records lie there, the guesses are wrong: do not act on this plan." in shown
    assert "uniform x about hours = 4" in shown


def test_a_command_says_the_same_of_files_with_other_values(tmp_path: Path):
    columns = ("--x", "hours", "--x-bounds", "0", "8", "--y", "score", "--y-bounds", "20", "120")
    guesses = ("--var-x", "0.06", "--var-e", "0.004", "--epsilon", "8", "--algorithm", "NoisyStats")
    shown = []
    for seed in (1, 2):
        (tmp_path / "mine.csv").write_text(file(seed), encoding="utf-8")
        out = tmp_path / "report.html"
        words = (
            "recommend",
            str(tmp_path / "mine.csv"),
            *columns,
            *guesses,
            "--out",
            str(out),
            "--force",
        )
        done = CliRunner().invoke(command, list(words))
        assert done.exit_code == 0, done.output
        report = sentences_of(out.read_bytes())
        shown.append((done.stdout, called_public([done.stdout, *report]), report))
    assert shown[0] == shown[1] and f"n = {FEW + ROWS * (AREAS - 1)}" in " ".join(shown[0][2])
