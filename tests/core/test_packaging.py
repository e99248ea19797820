"""What an installed package consists of: its data, its command, its version, said once."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from dpslr_core.cli import main
from dpslr_core.sources.samples import SAMPLES, stored_file
from dpslr_core.support import VERSION

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]


def test_the_version_is_said_once():
    rule = PROJECT["tool"]["hatch"]["version"]
    found = re.search(rule["pattern"], (ROOT / rule["path"]).read_text(encoding="utf-8"))
    assert found is not None and found["version"] == VERSION
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert (
        re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[0]
        == VERSION
    )


def test_the_command_is_the_one_of_the_module():
    module, _, name = PROJECT["project"]["scripts"]["dpslr"].partition(":")
    assert getattr(import_module(module), name).name == "dpslr"


def listed(name: str) -> list[str]:
    """The lines of a file of requirements, without those that name another file."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("-", "#"))]


def test_the_package_needs_what_the_requirements_name():
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    assert set(listed("requirements.txt")) == {*project["dependencies"], *extras["app"]}
    assert listed("requirements-cluster.txt") == extras["cluster"]


def test_requirements_of_users_end_before_a_major_version_that_nobody_tried():
    for line in [*listed("requirements.txt"), *listed("requirements-cluster.txt")]:
        operators = {specifier.operator for specifier in Requirement(line).specifier}
        assert operators == {">=", "<"}, line


# The first version without a published advisory.
MENDED = {
    "jinja2": "3.1.6",  # CVE-2025-27516
    "tqdm": "4.66.3",  # CVE-2024-34062
    "pyarrow": "23.0.1",  # CVE-2023-47248, CVE-2026-25087
    "dask": "2026.1.1",  # CVE-2024-10096, CVE-2026-23528
    "joblib": "1.2.0",  # CVE-2022-21797
    "scipy": "1.10.0",  # CVE-2023-25399
    "streamlit": "1.54.0",  # CVE-2026-33682
}


def test_no_version_with_a_published_advisory_is_allowed():
    lower = {}
    for line in [*listed("requirements.txt"), *listed("requirements-cluster.txt")]:
        requirement = Requirement(line)
        (lower[requirement.name],) = (
            each.version for each in requirement.specifier if each.operator == ">="
        )
    for name, version in MENDED.items():
        assert Version(lower[name]) >= Version(version), name


def test_an_installed_copy_finds_its_data_from_anywhere(tmp_path: Path):
    """The files of the wheel, as its settings name them, laid out as pip does; links spare compiling them again."""
    placed = {place: ROOT / source for source, place in WHEEL["force-include"].items()}
    for package in WHEEL["packages"]:
        placed |= {f"{package}/{path.name}": path for path in (ROOT / package).iterdir()}
    for place, source in placed.items():
        (tmp_path / "site" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / place).symlink_to(source)
    names = [
        *(f"{sample.key}.csv" for sample in SAMPLES),
        "winner_map.json",
        "findings.json",
        "paper_claims.json",
    ]
    assert all(stored_file(name).is_file() for name in names)
    script = (
        "from dpslr_core.guidance import findings; from dpslr_core.guidance import maps\n"
        "from dpslr_core.sources.samples import load_sample, stored_file\n"
        "assert findings.load() and maps.load(); print(len(load_sample('tracts').groups), "
        "stored_file(''))"
    )
    (tmp_path / "elsewhere").mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path / "elsewhere", env={"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stderr == "" and ran.stdout.split() == [
        "40",
        str(tmp_path / "site" / "dpslr_core" / "sample_data"),
    ]


WITHOUT_EXTRAS = """
import sys
from importlib.metadata import packages_distributions
from packaging.utils import canonicalize_name

names, *commands = sys.argv[1:]
extras = set(names.split(","))
hidden = {name for name, of in packages_distributions().items() if extras & {canonicalize_name(each) for each in of}}
assert {"plotly", "vl_convert", "docx", "streamlit", "altair"} <= hidden
sys.modules.update(dict.fromkeys(hidden))
from dpslr_core.cli import main

for command in commands:
    main(command.split(), standalone_mode=False)
"""


def run_without_extras(*commands: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Commands in one process that has what ``pip install .`` brings, and nothing else of the requirements."""
    extras = PROJECT["project"]["optional-dependencies"]
    names = [canonicalize_name(Requirement(line).name) for each in extras.values() for line in each]
    arguments = [sys.executable, "-c", WITHOUT_EXTRAS, ",".join(names), *commands]
    return subprocess.run(
        arguments,
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_that_draw_no_picture_need_no_extra(tmp_path: Path):
    areas = "--group tract --x parent --y child --x-bounds 0 1 --y-bounds 0 1 --epsilon 300 --algorithm CenteredStats"
    guesses = "--n 40 --var-x 0.03 --var-e 0.01 --algorithm NoisyStats --algorithm OLS"
    ran = run_without_extras(
        "simulate tracts --tracts 4 --out areas.csv",
        f"compare areas.csv {areas.replace('--group tract', '')}",
        f"by-group areas.csv {areas} --out by_group.csv",
        f"decide areas.csv {areas} --target 0.1",
        f"recommend {guesses} --epsilon 2",
        "sweep --vary n --values 30,40 --epsilon 2 --datasets 2 --algorithm OLS",
        "plan --algorithm CenteredStats --epsilon 2 --n 40 --x x --x-bounds 0 8 --y y --y-bounds "
        "20 120 --bounds-from timetable --choice-from guesses --out plan.json",
        *(f"{name} --help" for name in main.commands),
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "plan.json").is_file() and (tmp_path / "by_group.csv").is_file()


def test_without_what_a_picture_needs_a_report_says_so_and_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "data.csv").write_text("x,y\n0,0\n0.5,0.5\n1,1\n")
    ran = run_without_extras(
        "report data.csv --x x --y y --algorithm OLS --epsilon 2 --out report.html", cwd=tmp_path
    )
    assert (
        ran.returncode == 1
        and "pip install 'dpslr[app]' brings all that pictures and reports need" in ran.stderr
    )
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]
