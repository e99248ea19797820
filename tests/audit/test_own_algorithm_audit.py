"""The audit of an algorithm of somebody's file: by its law and by trained events, and its faults are caught."""

import subprocess
import sys
from pathlib import Path

import pytest

from dpslr_core.mechanisms import FILE_VARIABLE
from tests.audit import suite
from tests.cases import own_algorithm


def parts_of(file, monkeypatch):
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    (own,) = [each for each in suite.promising() if each.name == "CappedMean"]
    rows = suite.joined(
        [[row] for row in suite.examine(own, suite.AuditPlan(full=False), suite.plan(60))]
    )
    return {row.part: row for row in rows}


def test_an_algorithm_of_a_file_is_audited_by_its_law_and_by_trained_events(tmp_path, monkeypatch):
    parts = parts_of(own_algorithm.written(tmp_path), monkeypatch)
    assert set(parts) == {suite.SPENDING, suite.SIZES, suite.DRAWS, suite.TRAINED, suite.LAWS}
    assert all(row.holds for row in parts.values())
    assert parts[suite.LAWS].worst.loss.share > 0.9 and parts[suite.TRAINED].worst.loss.share > 0.5


BROKEN = {
    "half the noise in draws": (".sample(size, rng)[:, None]", ".sample(size, rng)[:, None] / 2"),
    "half the noise in law and draws": (
        "self.cap / (epsilon * data.n)",
        "self.cap / (2 * epsilon * data.n)",
    ),
    "without a law and with a third of the noise": (
        "return np.repeat(\n"
        "            self._laws(data, epsilon, at)[0].sample(size, rng)[:, None], at.size, axis=1\n"
        "        )",
        "mean, scale = np.minimum(data.y, self.cap).mean(), self.cap / (3 * epsilon * data.n)\n"
        "        return np.repeat(rng.laplace(mean, scale, (size, 1)), at.size, axis=1)",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_algorithm_of_a_file_is_caught(fault, tmp_path, monkeypatch):
    text = own_algorithm.code().replace(*BROKEN[fault])
    assert text != own_algorithm.code()
    if without_law := "without a law" in fault:
        text = text[: text.index("    def _laws")] + text[text.index("    def _draw") :]
    file = tmp_path / "broken.py"
    file.write_text(text, encoding="utf-8")
    parts = parts_of(file, monkeypatch)
    assert not all(row.holds for row in parts.values()) and (suite.LAWS not in parts) == without_law


@pytest.mark.slow
def test_the_author_of_an_algorithm_runs_the_audit_of_nothing_else(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        own_algorithm.code().replace("(epsilon * data.n)", "(2 * epsilon * data.n)"),
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/audit",
        "-p",
        "no:cacheprovider",
        "--mechanism",
        file,
    ]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 1 and "The promise is broken." in done.stdout, done.stdout
