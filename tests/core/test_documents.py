"""The documents are right: the notebook runs, the commands and options exist, the examples compile and are sorted."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from dpslr_core.cli import CODES, Lazy, main
from dpslr_core.mechanisms import MECHANISMS
from dpslr_core.report.metadata import BIBTEX

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))
}


def blocks(language: str) -> list[tuple[str, str]]:
    """The code of a language, with the page that it stands on."""
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.M | re.S)
    return [(page, block) for page, text in PAGES.items() for block in pattern.findall(text)]


COMMANDS = sorted(
    {line for _, block in blocks("sh") for line in block.splitlines() if line.startswith("dpslr ")}
)


def parameters(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the first words name, and the other words."""
    command: click.Command = main
    while isinstance(command, click.Group):
        below = command.get_command(click.Context(command), words[0])
        assert below is not None, words[0]
        command, words = below.load() if isinstance(below, Lazy) else below, words[1:]
    return command, words


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_in_documents_exist_with_their_options(line: str):
    command, words = parameters(shlex.split(line, comments=True)[1:])
    options = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_python_in_documents_compiles_and_imports_what_there_is():
    examples = blocks("python")
    assert len(examples) > 3
    for page, block in examples:
        compile(block, page, "exec")
        for module, names in re.findall(r"^from (dpslr_core\S*) import \(?([\w, ]+)", block, re.M):
            for name in names.replace(" ", "").strip(",").split(","):
                assert hasattr(importlib.import_module(module), name), f"{page}: {module}.{name}"


def test_the_notebook_prints_what_it_shows():
    cells = json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "tour"}
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), "tour.ipynb", "exec"), names)
        assert printed.getvalue() == "".join(
            text for output in cell["outputs"] for text in output["text"]
        )


def test_the_table_of_exit_codes_is_complete():
    table = dict(re.findall(r"^\| (\d+) \| (.*) \|$", PAGES["docs/command_line.md"], re.M))
    assert list(table) == [str(code) for code in CODES]
    assert all(table[str(code)].startswith(meaning) for code, meaning in CODES.items())


def test_the_reference_names_what_there_is_and_every_algorithm():
    named = [name for text in PAGES.values() for name in re.findall(r"^::: (\S+)$", text, re.M)]
    for name in named:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name
    assert {f"{algorithm.__module__}.{algorithm.__name__}" for algorithm in MECHANISMS} <= set(
        named
    )


@pytest.mark.parametrize("page", [page for page in PAGES if not page.startswith("docs/reference")])
def test_paths_and_links_in_documents_lead_somewhere(page: str):
    text = re.sub(r"^```.*?^```", "", PAGES[page], flags=re.M | re.S)
    paths = re.findall(
        r"`((?:dpslr_core|ui|pages|tests|docs|sample_data|benchmarks|serve)/[\w./]*)`", text
    )
    missing = [path for path in paths if not (ROOT / path).exists()]
    for link in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", text):
        if not ((ROOT / page).parent / link).exists():
            missing.append(link)
    assert not missing


def test_the_page_on_citing_is_what_the_command_prints():
    assert BIBTEX in PAGES["docs/cite.md"]


def test_all_pages_are_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [
        page
        for page in PAGES
        if page.startswith("docs/") and page.removeprefix("docs/") not in navigation
    ]
    assert not missing
