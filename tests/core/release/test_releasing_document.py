"""The document on releasing: its commands release, spend and verify as they stand, its numbers are computed."""

import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dpslr_core.cli import main

TEXT = (Path(__file__).parents[3] / "docs" / "releasing.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.M | re.S)
    for line in block.splitlines()
    if line.startswith("dpslr ")
]


def people(n, rng):
    x = rng.uniform(0, 1, n)
    y = np.clip(0.35 + 0.3 * x + 0.14 * rng.standard_normal(n), 0, 1)
    return [f"{a:.3f},{b:.3f}" for a, b in zip(x, y, strict=True)]


def test_the_worked_examples_run_as_they_stand(tmp_path, monkeypatch):
    pytest.importorskip("opendp")
    monkeypatch.chdir(tmp_path)
    rng, tracts = np.random.default_rng(0), {f"t{i:02}": 30 + i for i in range(12)}
    for folder, lines in {
        "county/county.csv": ["parent,child", *people(250, rng)],
        "tracts/tracts.csv": [
            "tract,parent,child",
            *(f"{t},{row}" for t, n in tracts.items() for row in people(n, rng)),
        ],
        "sizes.csv": ["tract,people", *(f"{t},{n}" for t, n in tracts.items())],
    }.items():
        Path(folder).parent.mkdir(exist_ok=True)
        Path(folder).write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = []
    for line in COMMANDS:
        words = shlex.split(line)[1:]
        if words[0] in ("recommend", "decide"):  # tried elsewhere: they take long
            continue
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, (line, result.output)
        ran.append(words[0])
    assert ran == ["plan", "release", "spent", "verify", "plan", "rehearse", "release", "verify"]
    assert sorted(path.name for path in Path().glob("*.[jh]*")) == [
        "certificate.json",
        "plan.json",
        "rehearsal.html",
        "table.html",
        "table.json",
        "tracts.json",
    ]


def test_what_an_epsilon_means_is_computed():
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.,]+) \| ([\d.]+)% \|$", TEXT, re.M)
    assert len(rows) == 6
    for epsilon, odds, guess in rows:
        e, digits = float(epsilon), len(guess.partition(".")[2])
        assert math.exp(e) <= float(odds.replace(",", "")) <= math.exp(e) * 1.01
        assert float(guess) == math.ceil(100 / (1 + math.exp(-e)) * 10**digits) / 10**digits
