"""--accounting: the same rule as in the core, for every command that spends a budget."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from dpslr_core import Dataset, by_group, compare, recommend
from dpslr_core.cli import main
from dpslr_core.mechanisms import DPGDzCDP, NoisyStats, NoisyStatsGaussian
from dpslr_core.privacy import GaussianDP, pure_mu

ALGORITHMS = [word for name in ("NoisyStats", "NoisyStatsGaussian") for word in ("--algorithm", name)]
FRAME = pd.DataFrame(
    {"group": [*"aaaabbbb"], "x": [0.0, 0.3, 0.6, 1.0] * 2, "y": [0.1, 0.2, 0.5, 0.4, 0.9, 0.8, 0.2, 0.3]}
)
BOTH = [NoisyStats(), NoisyStatsGaussian()]


@pytest.fixture
def here(tmp_path, monkeypatch):
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def options(accounting):
    return ["--x", "x", "--y", "y", "--epsilon", "9", "--trials", "10", *ALGORITHMS, "--accounting", accounting]


@pytest.mark.parametrize("accounting", ["paper", "implied", "attack", "pure"])
def test_compare(here, accounting):
    told = json.loads(run("compare", "data.csv", *options(accounting), "--json"))
    expected = compare(Dataset(FRAME["x"], FRAME["y"]), BOTH, 9.0, trials=10, accounting=accounting).summary
    assert told["accounting"] == accounting
    assert [row["mechanism"] for row in told["summary"]] == expected["mechanism"].tolist()
    assert [row["c68"] for row in told["summary"]] == pytest.approx(expected["c68"].tolist())


def test_by_group_and_its_report_say_the_guarantee_that_all_have(here):
    said = run("by-group", "data.csv", "--group", "group", *options("attack"), "--workers", "1", "--out", "r.csv",
               "--report", "r.html")  # fmt: skip
    expected = by_group(FRAME, BOTH, 9.0, trials=10, accounting="attack")
    assert pd.read_csv("r.csv")["c68"].tolist() == pytest.approx(expected["c68"].tolist())
    report = Path("r.html").read_text(encoding="utf-8")
    assert "What each algorithm may spend: same attack." in report and "weaker" not in report
    shown = str(GaussianDP(pure_mu(9.0)))
    assert set(expected["guarantee"]) == {shown} and shown in said


def test_the_report_of_a_comparison_names_the_rule_and_no_weaker_guarantee(here):
    run("compare", "data.csv", *options("attack"), "--report", "r.html")
    report = Path("r.html").read_text(encoding="utf-8")
    assert "What each algorithm may spend: same attack." in report and "weaker" not in report
    run("compare", "data.csv", *options("paper"), "--report", "r.html")
    assert "What each algorithm may spend" not in Path("r.html").read_text(encoding="utf-8")


def test_recommend(here):
    guesses = {"n": 30, "var_x": 0.03, "var_e": 0.01, "epsilon": 4.0}
    words = [word for name, value in guesses.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    said = run("recommend", *words, "--accounting", "pure")
    assert DPGDzCDP().name not in said
    assert said.startswith(f"Use {recommend(**guesses, accounting='pure').algorithm}") or "Too close" in said
