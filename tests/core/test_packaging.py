"""What an installed package consists of: its data, its command, its version, said once."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

from packaging.requirements import Requirement

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
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[0] == VERSION


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


def test_a_fixed_version_of_every_requirement_is_one_that_it_allows():
    fixed: dict[str, list[str]] = {}
    for pin in map(Requirement, listed("constraints.txt")):
        (version,) = pin.specifier
        fixed.setdefault(pin.name, []).append(version.version)
    for file in ("requirements.txt", "requirements-cluster.txt", "requirements-test.txt", "requirements-docs.txt"):
        for requirement in map(Requirement, listed(file)):
            versions = fixed[requirement.name]
            assert list(requirement.specifier.filter(versions)) == versions, requirement


def test_an_installed_copy_finds_its_data_from_anywhere(tmp_path: Path):
    """The files of the wheel, as its settings name them, laid out as pip does; links spare compiling them again."""
    placed = {place: ROOT / source for source, place in WHEEL["force-include"].items()}
    for package in WHEEL["packages"]:
        placed |= {f"{package}/{path.name}": path for path in (ROOT / package).iterdir()}
    for place, source in placed.items():
        (tmp_path / "site" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / place).symlink_to(source)
    names = [*(f"{sample.key}.csv" for sample in SAMPLES), "winner_map.json", "findings.json", "paper_claims.json"]
    assert all(stored_file(name).is_file() for name in names)
    script = (
        "from dpslr_core.guidance import findings; from dpslr_core.guidance import maps\n"
        "from dpslr_core.sources.samples import load_sample, stored_file\n"
        "assert findings.load() and maps.load(); print(len(load_sample('tracts').groups), stored_file(''))"
    )
    (tmp_path / "elsewhere").mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path / "elsewhere", env={"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stderr == "" and ran.stdout.split() == ["40", str(tmp_path / "site" / "dpslr_core" / "sample_data")]
