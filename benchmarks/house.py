"""The size and shape of the code: ``python -m benchmarks house``."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .timing import Row

ROOT = Path(__file__).parents[1]
PARTS = ("dpslr_core", "ui", "pages")
FRONTS = {"recommend", "sweep", "by_group", "compare", "simulate_linear", "simulate_tracts"}  # fixed public signatures


def rows() -> Iterator[Row]:
    """One row per figure; aims where there are some."""
    for part in PARTS:
        lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in _files(part)]
        longest = max(_files(part), key=lambda path: len(path.read_text(encoding="utf-8").splitlines()))
        yield Row(f"{part}: files, lines", f"{len(lengths)}, {sum(lengths):,}", "", None)
        aim = "at most 250"
        yield Row(f"{part}: longest file, {longest.relative_to(ROOT)}", f"{max(lengths)}", aim, max(lengths) <= 250)
    core = [function for path in _files("dpslr_core") for function in _functions(path)]
    lengths = sorted(function.end_lineno - function.lineno + 1 for function in core)  # type: ignore[operator]
    told = f"{statistics.median(lengths):g}, {lengths[len(lengths) * 9 // 10]}, {lengths[-1]}"
    yield Row("core functions: median, 90%, longest, in lines", told, "", None)
    crowded = [function.name for function in core if _parameters(function) > 6 and function.name not in FRONTS]
    yield Row("core functions with more than six parameters", f"{len(crowded)}: {', '.join(crowded)}", "0", not crowded)
    chain = max((_chain(name) for name in _modules()), key=len)
    yield Row(f"longest import chain: {' > '.join(chain)}", str(len(chain)), "at most 14", len(chain) <= 14)
    folders = {folder: len(list(folder.glob("*.py"))) - 1 for part in PARTS for folder in _folders(part)}
    fullest = max(folders, key=lambda folder: folders[folder])
    told = f"{folders[fullest]} in {fullest.relative_to(ROOT)}"
    yield Row("most modules in one folder", told, "at most 10", folders[fullest] <= 10)
    yield from _docstrings(core)


def _docstrings(core: list[ast.FunctionDef]) -> Iterator[Row]:
    """How many public docstrings of the core say what they should."""
    public = [function for function in core if not function.name.startswith("_")]
    texts = [ast.get_docstring(function) or "" for function in public]
    yield Row("public functions of the core with a docstring", f"{sum(map(bool, texts))} of {len(texts)}", "", None)
    for what, words in (
        ("shapes", ("shape",)),
        ("errors", ("ValueError", "raises", "Raises", "KeyError", "OSError")),
        ("a source", ("Algorithm", "Lemma", "lemma", "Equation", "paper", "Section", "appendix")),
    ):
        told = sum(any(word in text for word in words) for text in texts)
        yield Row(f"  of these with {what}", str(told), "", None)


def _files(part: str) -> list[Path]:
    return sorted((ROOT / part).rglob("*.py"))


def _folders(part: str) -> list[Path]:
    return sorted({path.parent for path in _files(part)})


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(_tree(path)) if isinstance(node, ast.FunctionDef)]


def _parameters(function: ast.FunctionDef) -> int:
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


@cache
def _modules() -> dict[str, Path]:
    """The modules of the core by their dotted names; a package goes by its own name."""
    found = {}
    for path in _files("dpslr_core"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def _imports(name: str) -> frozenset[str]:
    """The modules of the core that a module imports when it is loaded."""
    path = _modules()[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in _tree(path).body:
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = [*base, *(node.module or "").split(".")] if node.module else base
            for alias in node.names:
                whole, part = ".".join([*stem, alias.name]), ".".join(stem)
                found.add(whole if whole in _modules() else part)
    return frozenset(found & set(_modules())) - {name}


@cache
def _chain(name: str) -> tuple[str, ...]:
    """The longest chain of imports that begins with a module; a circle ends it."""
    below = [_chain(other) for other in _imports(name) if not _leads_to(other, name)]
    return (name, *max(below, key=len, default=()))


@cache
def _leads_to(name: str, target: str) -> bool:
    seen, left = set(), [name]
    while left:
        here = left.pop()
        if here == target:
            return True
        if here not in seen:
            seen.add(here)
            left += _imports(here)
    return False
