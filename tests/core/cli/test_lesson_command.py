"""dpslr lesson: a folder for a class; nothing of anybody else's is written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpslr_core.report import static_lesson
from dpslr_core.report.static_lesson import FILES
from tests.cases.scenario_files import run


@pytest.fixture(autouse=True)
def few(monkeypatch, tmp_path):
    """Two steps without the libraries, for the states of all take minutes; in a folder of its own."""
    monkeypatch.setattr(static_lesson, "STEPS", ("leaves", "people"))
    monkeypatch.setattr(static_lesson, "javascript", lambda: "// drawn by")
    monkeypatch.chdir(tmp_path)


def test_a_folder_is_written_and_may_be_written_again(tmp_path: Path):
    for students in ("300", "50"):
        result = run("lesson", "--out", "class", "--students", students)
        assert result.exit_code == 0 and "Open class/index.html." in result.output, result.output
        assert {path.name for path in Path("class").iterdir()} == {*FILES}
    assert "50 students" in Path("class/steps.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("there", "fault"),
    [(False, KeyboardInterrupt()), (True, OSError(28, "No space left on device"))],
)
def test_a_lesson_is_written_whole_or_not_at_all(monkeypatch, there: bool, fault: BaseException):
    before = {}
    if there:
        assert run("lesson", "--out", "class").exit_code == 0
        before = {path.name: path.read_bytes() for path in Path("class").iterdir()}
    write, written = Path.write_text, []

    def failing(path: Path, *arguments, **options):
        if len(written) == 2:
            raise fault
        written.append(path)
        return write(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", failing)
    result = run("lesson", "--out", "class", "--students", "50")
    assert result.exit_code != 0 and len(written) == 2 and "Traceback" not in result.output
    assert Path("class").exists() == there
    assert {path.name: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
    assert not list(Path().rglob("*.unfinished"))
