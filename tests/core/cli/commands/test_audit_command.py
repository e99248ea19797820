"""dpslr audit: its table, its exit code, its options."""

import pytest
from click.testing import CliRunner

from dpslr_core.cli import main
from dpslr_core.cli.commands import audit as command
from dpslr_core.laws.divergence import joint_divergences
from dpslr_core.mechanisms import NoisyIntercept


def run(*arguments):
    return CliRunner().invoke(main, ["audit", "--workers", "1", *arguments])


def test_the_table_has_a_row_per_algorithm_and_how_it_was_measured():
    result = run("--pairs", "60", "--mechanism", "NoisyIntercept", "--mechanism", "NoisyStats")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [word in lines[0] for word in ("mechanism", "pairs", "worst loss / promise", "how")] == [True] * 4
    assert lines[1].split()[0] == "NoisyStats" and lines[2].split()[0] == "NoisyIntercept"
    assert "noisy nvar, ncov and intercept" in lines[1] and "law of the release" in lines[2]
    assert int(lines[1].split()[1]) >= 60 and 0.5 < float(lines[1].split()[2]) <= 1
    assert "No loss exceeds what is promised." in result.output
    assert run("--pairs", "60", "--mechanism", "NoisyIntercept", "--seed", "3").exit_code == 0


def test_a_broken_promise_is_an_exit_code(monkeypatch):
    class NoisyInterceptHalved(NoisyIntercept):
        def loss(self, mine, theirs, epsilon):
            return 2 * max(joint_divergences(mine.law, theirs.law))

    monkeypatch.setattr(command, "promising", lambda: [NoisyInterceptHalved()])
    result = run("--pairs", "60", "--mechanism", "NoisyInterceptHalved")
    assert result.exit_code == 1
    assert "The promise is broken: NoisyInterceptHalved." in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mechanism", "OLS"], "--mechanism must be one that promises privacy, NoisyStats, "),
        (["--pairs", "0"], "pairs must be"),
        (["--seed", "-1"], "seed must be"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2 and message in result.output
