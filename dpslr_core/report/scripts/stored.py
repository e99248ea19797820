"""Scripts of the pages that show no data of the user's: Lesson and Findings."""

from __future__ import annotations

from ...experiments.lesson.settings import STEPS, Lesson
from .literals import call
from .whole import plain_script


def lesson_script(lesson: Lesson) -> str:
    """The table of the lesson's step."""
    imports = [
        "from dpslr_core.experiments.lesson.settings import Lesson",
        "from dpslr_core.experiments.lesson.tables import step_table",
    ]
    body = [f"lesson = {_lesson_call(lesson)}", "table = step_table(lesson)", "print(table.to_string(index=False))"]
    return plain_script(f"Step {lesson.step} of {STEPS} of the page Lesson", imports, body)


def _lesson_call(lesson: Lesson) -> str:
    """The settings that are not as usual."""
    names = lesson.to_query()
    return call("Lesson", {name: getattr(lesson, name) for name in names})


def findings_script(weaker: bool, command: str) -> str:
    """The tables of the page Findings, as they come with the package. command: that measured them."""
    body = [
        f"# The tables come with the package. They were measured by: {command}",
        "tables = load()",
        f'table = tables["map"][tables["map"]["weaker"] == {weaker}]',
        'for each in (table, tables["shapes"], tables["areas"]):',
        "    print(each.to_string(index=False))",
    ]
    return plain_script("The tables of the page Findings", ["from dpslr_core.guidance.findings import load"], body)
