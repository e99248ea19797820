"""dpslr audit: its table, its exit code, its options, and algorithms of a user's file."""

import sys

import pytest

from dpslr_core.cli import reproduce as command
from dpslr_core.laws.divergence import joint_divergences
from dpslr_core.mechanisms import FILE_VARIABLE, NoisyIntercept
from tests.cases import own_algorithm
from tests.cases.scenario_files import run as dpslr
from tests.cases.scenario_files import told as told_by


def run(*arguments):
    return dpslr("audit", "--workers", "1", *arguments)


def test_the_table_has_a_row_per_algorithm_and_part_and_ends_with_what_was_compared():
    told = told_by("audit", "--workers", "1", "--pairs", "60", "--mechanism", "NoisyIntercept")
    parts = {row["part"]: row for row in told["rows"] if row["mechanism"] == "NoisyIntercept"}
    usual = {"rules of accounting", "size of each draw", "draws", "laws of neighbours"}
    assert set(parts) == usual | {"real releases"} and 0.99 < parts["real releases"]["worst"] <= 1
    assert parts["laws of neighbours"]["pairs"] >= 60 and 0.5 < parts["laws of neighbours"]["worst"] <= 1 + 1e-9
    assert "single releases" in parts["draws"]["how"] and "release_statistics" in parts["draws"]["how"]
    assert told["holds"] and told["conclusion"].startswith("Nothing compared exceeds what is promised. Compared: ")
    comparisons = sum(row["comparisons"] for row in told["rows"] if row["part"] == "draws")
    assert f"draws ({comparisons} comparisons, 1 algorithms)" in told["conclusion"]
    assert "Not compared: running time, the last bits of floating-point numbers" in told["conclusion"]


def test_a_broken_promise_is_an_exit_code(monkeypatch):
    class NoisyInterceptHalved(NoisyIntercept):
        def loss(self, mine, theirs, epsilon):
            return 2 * max(joint_divergences(mine.law, theirs.law))

    monkeypatch.setattr(command.suite, "promising", lambda: [NoisyInterceptHalved()])
    result = run("--pairs", "60", "--mechanism", "NoisyInterceptHalved")
    assert result.exit_code == 1
    assert "The promise is broken: NoisyInterceptHalved." in result.output


def test_without_the_library_the_audit_says_that_real_releases_were_not_compared(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    told = told_by("audit", "--workers", "1", "--pairs", "60", "--mechanism", "NoisyIntercept")
    assert "real releases" not in {row["part"] for row in told["rows"]}
    assert told["conclusion"].endswith(
        "Not compared: real releases, as a release needs OpenDP 0.16: pip install 'dpslr[release]'."
    )


def test_an_algorithm_of_a_file_is_audited_by_its_law_and_by_trained_events(tmp_path):
    """Whether an option names the file, or the variable does; the next test sets the variable."""
    file = ["--mechanisms", str(own_algorithm.written(tmp_path))]
    told = told_by("audit", "--workers", "1", "--pairs", "60", "--mechanism", "CappedMean", *file)
    parts = {row["part"]: row for row in told["rows"]}
    assert set(parts) == {"rules of accounting", "size of each draw", "draws", "trained events", "laws of neighbours"}
    assert parts["laws of neighbours"]["how"] == "law of the release at each point alone"
    assert 0.9 < parts["laws of neighbours"]["worst"] <= 1 + 1e-9 and 0.5 < parts["trained events"]["worst"] <= 1


BROKEN = {
    "half the noise in draws": (".sample(size, rng)[:, None]", ".sample(size, rng)[:, None] / 2"),
    "half the noise in law and draws": ("self.cap / (epsilon * data.n)", "self.cap / (2 * epsilon * data.n)"),
    "without a law and with a third of the noise": (
        "return np.repeat(self._laws(data, epsilon, at)[0].sample(size, rng)[:, None], at.size, axis=1)",
        "mean, scale = np.minimum(data.y, self.cap).mean(), self.cap / (3 * epsilon * data.n)\n"
        "        return np.repeat(rng.laplace(mean, scale, (size, 1)), at.size, axis=1)",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_algorithm_of_a_file_is_caught(fault, tmp_path, monkeypatch):
    text = own_algorithm.code().replace(*BROKEN[fault])
    without_law = "without a law" in fault
    if without_law:
        start, end = text.index("    def _laws"), text.index("    def _draw")
        text = text[:start] + text[end:]
    file = tmp_path / "broken.py"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    result = run("--pairs", "60", "--mechanism", "CappedMean")
    assert result.exit_code == 1 and "The promise is broken: CappedMean." in result.output, result.output
    by_events = "By trained events alone, which show only what is large: CappedMean."
    assert (by_events in result.output) == without_law
