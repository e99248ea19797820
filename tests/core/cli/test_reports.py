"""Reports from a terminal: the numbers that the same command prints or writes, as a page or for Word."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from docx import Document
from test_cli import command, here, run

from dpslr_core.scenario import Scenario

__all__ = ["here"]
COMPARE = ("compare", "tracts.csv", "--x", "parent", "--y", "child", "--epsilon", "4", "--trials", "10",
           "--algorithm", "NoisyStats", "--algorithm", "NoisyIntercept")  # fmt: skip


def test_compare_writes_a_page_with_what_it_prints(here: Path):
    done = run(*COMPARE, "--report", "out.html")
    assert done.exit_code == 0, done.output
    page = Path("out.html").read_text(encoding="utf-8")
    assert "Best here: " in page and "not private" in done.stderr and done.stdout == run(*COMPARE).stdout
    scenario = re.search(r'<code id="scenario">(.*?)</code>', page)[1].replace("&quot;", '"')
    source = Scenario.model_validate_json(scenario).source
    assert (source.x_column, source.y_column, source.x_bounds) == ("parent", "child", (0, 1))
    assert "x_column=parent" in page


def test_by_group_writes_a_word_file_beside_its_result(here: Path):
    done = run(*command("out.csv", "--report", "out.docx"))
    assert done.exit_code == 0, done.output
    document = Document(BytesIO(Path("out.docx").read_bytes()))
    rows = document.tables[0].rows
    frame = pd.read_csv("out.csv", comment="#")
    assert len(rows) == frame["group"].nunique() + 1
    best = frame[(frame["at"] == 0.25) & (frame["mechanism"].isin(["DPExpTheilSen", "DPGDPure"]))]
    smallest = best.loc[best["ratio"].idxmin()]
    assert (rows[1].cells[0].text, rows[1].cells[-1].text) == (str(smallest["group"]), smallest["mechanism"])
    assert not list(Path().glob("*.unfinished"))


@pytest.mark.parametrize("words", [COMPARE, tuple(command("out.csv"))])
def test_a_report_that_cannot_be_written_is_refused_before_the_work(here: Path, words: tuple[str, ...]):
    done = run(*words, "--report", "out.pdf")
    assert done.exit_code == 2 and "--report must end in .html or .docx, got 'out.pdf'" in done.output
    assert not Path("out.csv").exists()
