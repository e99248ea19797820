"""The size and shape of the code: ``python -m benchmarks house``."""

from __future__ import annotations

import ast
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .timing import Row

ROOT = Path(__file__).parents[1]
PRODUCT = ("dpslr_core", "ui", "pages", "serve", "app.py")
LINES, FILES = 30_500, 200  # of the product
OF_MECHANISMS = 6_500  # of laws, depth, pairs and mechanisms
LINES_OF_TESTS = 20_000


def rows() -> Iterator[Row]:
    """Lines and files by package, the length of modules and functions, and modules that only one other imports."""
    product = {path: path.read_text(encoding="utf-8") for part in PRODUCT for path in _files(part)}
    lines = {path: len(text.splitlines()) for path, text in product.items()}
    yield Row(
        "product: lines",
        f"{sum(lines.values()):,}",
        f"at most {LINES:,}",
        sum(lines.values()) <= LINES,
    )
    yield Row("product: files", f"{len(lines)}", f"at most {FILES}", len(lines) <= FILES)
    tests = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in _files("tests"))
    yield Row("tests: lines", f"{tests:,}", f"at most {LINES_OF_TESTS:,}", tests <= LINES_OF_TESTS)
    for package in sorted({_package(path) for path in lines}):
        sizes = [length for path, length in lines.items() if _package(path) == package]
        yield Row(f"  {package}: files, lines", f"{len(sizes)}, {sum(sizes):,}", "", None)
    core = {"dpslr_core/laws", "dpslr_core/depth", "dpslr_core/pairs", "dpslr_core/mechanisms"}
    together = sum(length for path, length in lines.items() if _package(path) in core)
    yield Row(
        "laws, depth, pairs, mechanisms: lines",
        f"{together:,}",
        f"at most {OF_MECHANISMS:,}",
        together <= OF_MECHANISMS,
    )
    longest = max(lines, key=lambda path: lines[path])
    yield Row("lines of a module: median", f"{statistics.median(lines.values()):g}", "", None)
    yield Row(
        f"  longest: {longest.relative_to(ROOT)}",
        f"{lines[longest]}",
        "at most 600",
        lines[longest] <= 600,
    )
    trees = {path: ast.parse(text) for path, text in product.items()}
    yield from _functions([node for tree in trees.values() for node in ast.walk(tree)])
    importers = Counter(name for path, tree in trees.items() for name in _imports(path, tree))
    once = [path for path in product if importers[_dotted(path)] == 1]
    yield Row("modules imported by one other alone", f"{len(once)} of {len(product)}", "", None)


def _functions(nodes: list[ast.AST]) -> Iterator[Row]:
    """Length and parameters of functions, and how many public ones have a docstring."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    lengths = sorted((function.end_lineno or 0) - function.lineno + 1 for function in functions)
    figures = f"{statistics.median(lengths):g}, {lengths[len(lengths) * 9 // 10]}, {lengths[-1]}"
    yield Row("lines of a function: median, 90%, longest", figures, "", None)
    crowded = sum(_parameters(function) > 7 for function in functions)
    yield Row("functions with more than seven parameters", str(crowded), "", None)
    public = [function for function in functions if not function.name.startswith("_")]
    described = sum(ast.get_docstring(function) is not None for function in public)
    yield Row("public functions with a docstring", f"{described} of {len(public)}", "", None)


def _files(part: str) -> list[Path]:
    path = ROOT / part
    return [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))


def _package(path: Path) -> str:
    """The package of the core that a file belongs to, or its folder."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[0] == "dpslr_core" and len(parts) > 2 else parts[0]


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _parameters(function: ast.FunctionDef) -> int:
    arguments = function.args
    names = [
        argument.arg
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    ]
    return len([name for name in names if name not in ("self", "cls")])


def _imports(path: Path, tree: ast.Module) -> set[str]:
    """Dotted names of what a module imports: modules, and names that may be modules."""
    package = _dotted(path).split(".") if path.stem == "__init__" else _dotted(path).split(".")[:-1]
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            imported |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    return imported
