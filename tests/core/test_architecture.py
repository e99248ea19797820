"""The house plan: floors import only downwards, the core knows no user interface, no hidden random state."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "dpslr_core"
PATHS = {path: path.relative_to(ROOT).with_suffix("").parts for path in sorted(CORE.rglob("*.py"))}
SOURCES = {".".join(parts).removesuffix(".__init__"): path for path, parts in PATHS.items()}

# Lowest first: each module or package is a floor of its own, and imports from itself and from the floors below.
FLOORS = (
    "support",
    "privacy",
    "pairs",
    "depth",
    "dataset",
    "laws",
    "intervals",
    "mechanisms",
    "sources",
    "scenario",
    "audit",
    "experiments",
    "sweeps",
    "guidance",
    "text",
    "charts",
    "lesson",
    "paper",
    "release",
    "report",
    "cli",
    "",
    "__main__",
)
FLOOR = {name: number for number, name in enumerate(FLOORS)}
USER_INTERFACES = {"streamlit", "plotly", "altair", "vl_convert"}


@cache
def tree(name):
    return ast.parse(SOURCES[name].read_text(encoding="utf-8"))


@cache
def imports(name):
    """Absolute names of the modules that a module imports, wherever in it: "numpy", "dpslr_core.laws.ratio"."""
    package = name if SOURCES[name].name == "__init__.py" else name.rpartition(".")[0]
    modules = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            named = {f"{module}.{alias.name}" for alias in node.names}
            modules |= {other if other in SOURCES else module for other in named}
    return modules


def inside(name):
    """The modules of the core that a module imports."""
    return imports(name) & SOURCES.keys()


def floor_of(name):
    return FLOOR.get((*name.split("."), "")[1])


def test_every_module_has_a_floor():
    missing = sorted(name for name in SOURCES if floor_of(name) is None)
    assert not missing, f"give {missing} a floor in FLOORS"


def test_floors_import_only_downwards():
    upward = [
        f"{name} imports {other}"
        for name in SOURCES
        for other in inside(name)
        if floor_of(other) > floor_of(name)
    ]
    assert not upward, "a module imports another of a higher floor"


def test_imports_make_no_circle():
    """CycleError names the modules of a circle."""
    assert len(SOURCES) > 100
    TopologicalSorter({name: inside(name) - {name} for name in SOURCES}).prepare()


def test_mechanisms_need_numpy_and_scipy_alone():
    """So do all modules of the core that they reach."""
    reached, left = set(), {name for name in SOURCES if name.startswith("dpslr_core.mechanisms.")}
    assert len(left) > 5
    while left:
        name = left.pop()
        reached.add(name)
        left |= inside(name) - reached
    allowed = {"numpy", "scipy", "dpslr_core"} | set(sys.stdlib_module_names)
    for name in reached:
        foreign = {module.split(".")[0] for module in imports(name)} - allowed
        assert not foreign, f"{name} imports {foreign}"


@pytest.mark.parametrize(
    "modules", ["dpslr_core; dpslr_core.compare", "dpslr_core.mechanisms, dpslr_core.audit"]
)
def test_the_core_pulls_in_no_user_interface(modules):
    script = (
        f"import sys, {modules}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(ran.stdout.split())
    assert "numpy" in loaded
    assert not loaded & USER_INTERFACES


def test_only_charts_know_a_chart_library():
    for name in SOURCES:
        used = {module.split(".")[0] for module in imports(name)} & USER_INTERFACES
        assert not used or name.startswith("dpslr_core.charts."), f"{name} imports {used}"
        assert "streamlit" not in used


def test_no_module_uses_the_random_state_of_python():
    """That of numpy is refused by ruff."""
    assert not [name for name in SOURCES if "random" in imports(name)]


def test_a_generator_is_made_from_a_seed_never_from_nothing():
    for name in (name for name in SOURCES if floor_of(name) < FLOOR["scenario"]):
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("default_rng"):
                assert node.args, f"{name}, line {node.lineno}: default_rng() without a seed"


def test_every_module_says_what_it_is_for():
    assert not [name for name in SOURCES if not ast.get_docstring(tree(name))]
