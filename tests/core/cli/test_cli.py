"""The command line: what by_group and compare find, in the units of the data, whatever interrupts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import pytest
from docx import Document

from dpslr_core import Dataset, by_group, compare
from dpslr_core.cli import INTERRUPTED, output
from dpslr_core.cli import measure as commands
from dpslr_core.mechanisms import MECHANISMS, DPExpTheilSen, DPGDPure, DPWideTheilSen, MaximumObservedSensitivity
from dpslr_core.sources.tracts import NORTH_CAROLINA, simulate_tracts
from tests.cases.scenario_files import run

ROOT = Path(__file__).parents[3]
TRACTS = simulate_tracts(tracts=32, rng=np.random.default_rng(0))
QUICK = ("DPExpTheilSen", "DPGDPure", "MaximumObservedSensitivity")
MECHANISMS_OF_QUICK = (DPExpTheilSen(), DPGDPure(), MaximumObservedSensitivity())
COLUMNS = ("--group", "tract", "--x", "parent", "--y", "child")
COMPARE = ("compare", "tracts.csv", "--x", "parent", "--y", "child", "--epsilon", "4", "--algorithm", "NoisyStats")


def same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tracts.csv, in which commands run."""
    TRACTS.set_axis(["tract", "parent", "child"], axis=1).to_csv(tmp_path / "tracts.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@cache
def areas() -> pd.DataFrame:
    """What command() finds, by the core."""
    return by_group(TRACTS, MECHANISMS_OF_QUICK, 16.0, trials=10)


def command(out: str, *more: str) -> list[str]:
    chosen = [word for name in QUICK for word in ("--algorithm", name)]
    data = ["by-group", "tracts.csv", *COLUMNS, "--epsilon", "16", "--trials", "10"]
    return [*data, *chosen, "--workers", "1", "--out", out, *more]


@pytest.mark.parametrize(("out", "workers"), [("results.parquet", "1"), ("results.csv", "2")])
def test_by_group_writes_what_by_group_finds(here: Path, out: str, workers: str):
    done = run(*command(out, "--workers", workers))
    assert done.exit_code == 0, done.output
    if out.endswith("parquet"):
        same(pd.read_parquet(out), areas())
    else:
        written = pd.read_csv(out).astype(areas().dtypes)
        pd.testing.assert_frame_equal(written, areas(), rtol=1e-14)
    assert "32 areas" in done.stdout and "at 0.25" in done.stdout and f"Written to {out}." in done.stdout
    assert "which is not private. For illustration only: with the seed" in done.stdout
    beside = [f"{out}.json"] if out.endswith(".csv") else []
    assert sorted(path.name for path in here.iterdir()) == [out, *beside, "tracts.csv"]


@pytest.mark.slow
def test_processes_have_ended_before_the_table_is_made(here: Path, monkeypatch: pytest.MonkeyPatch):
    there: list[int] = []
    written = output.write

    def write(frame: pd.DataFrame, path: Path, *more: object) -> None:
        workers = [p for p in psutil.Process().children() if "popen_loky" in " ".join(p.cmdline())]
        there.append(len(workers) if path.name == "results.parquet" else -1)
        written(frame, path, *more)

    monkeypatch.setattr(output, "write", write)
    assert run(*command("results.parquet", "--workers", "2")).exit_code == 0
    assert there == [0]
    same(pd.read_parquet("results.parquet"), areas())


def test_numbers_are_in_the_units_of_the_data(here: Path):
    """x from -10 to 90 and y from 0 to 200: noise in units of y, points in units of x, ratios as before."""
    scaled = pd.DataFrame({"place": TRACTS["group"], "age": 100 * TRACTS["x"] - 10, "rent": 200 * TRACTS["y"]})
    scaled.to_csv("scaled.csv", index=False)
    words = "by-group scaled.csv --group place --x age --y rent --epsilon 3 --out r.csv --x-bounds -10 90"
    more = "--y-bounds 0 200 --at 15 --at 65,90 --workers 1 --algorithm DPExpTheilSen"
    done = run(*words.split(), *more.split())
    assert done.exit_code == 0, done.output
    found, expected = pd.read_csv("r.csv"), by_group(TRACTS, [DPExpTheilSen()], 3.0, at=[0.25, 0.75, 1.0])
    assert found["at"].tolist() == [15.0, 65.0, 90.0] * 32
    factors = dict.fromkeys(("c68", "c95", "standard_error", "bias"), 200) | {"nvar": 10_000, "ratio": 1}
    for column, factor in factors.items():
        np.testing.assert_allclose(found[column], factor * expected[column], rtol=1e-6, atol=1e-8)


def test_what_is_clipped_or_unusable_is_told(here: Path):
    odd = pd.DataFrame(
        {"tract": ["two", "two", "flat", "flat", "flat"], "parent": [0.1, 0.2, 0.5, 0.5, 0.5], "child": 7}
    )
    pd.concat([pd.read_csv("tracts.csv"), odd]).to_csv("tracts.csv", index=False)
    done = run(*command("results.parquet", "--y-bounds", "0", "1"))
    assert done.exit_code == 0, done.output
    same(pd.read_parquet("results.parquet"), areas())
    rejected = pd.read_csv("results.rejected.csv")
    assert dict(zip(rejected["group"], rejected["n"], strict=True)) == {"two": 2, "flat": 3}
    assert "2 areas could not be used" in done.stdout and "fewer than 3 records" in done.stdout
    pd.read_csv("tracts.csv").assign(child=lambda frame: frame["child"] * 1.5).to_csv("tracts.csv", index=False)
    done = run(*command("results.parquet", "--y-bounds", "0", "1"))
    assert "were moved to the nearer bound" in done.stderr


def test_a_file_that_by_group_has_not_made_is_neither_removed_nor_replaced(here: Path):
    few = ("--algorithm", "NoisyIntercept", "--workers", "1")
    whole = pd.read_csv("tracts.csv")
    odd = pd.DataFrame({"tract": ["two", "two"], "parent": [0.1, 0.2], "child": 0.5})
    other = Path("results.rejected.csv")
    for frame in (whole, pd.concat([whole, odd])):
        frame.to_csv("tracts.csv", index=False)
        other.write_text("group,n,reason\nmine,1,my own notes\n")
        done = run(*command("results.csv", *few))
        assert done.exit_code == 2 and "results.rejected.csv" in done.stderr
        assert "not an unchanged earlier result of" in done.stderr
        assert other.read_text() == "group,n,reason\nmine,1,my own notes\n" and not Path("results.csv").exists()
    other.unlink()
    assert run(*command("results.csv", *few)).exit_code == 0 and other.exists()  # that of a run before is its own
    whole.to_csv("tracts.csv", index=False)
    assert run(*command("results.csv", *few)).exit_code == 0 and not other.exists()


def test_the_data_are_not_the_list_of_areas_that_are_left_out(here: Path):
    data = Path("tracts.csv").rename("g.rejected.csv")
    before = data.read_bytes()
    done = run("by-group", str(data), *command("g.csv")[2:])
    assert done.exit_code == 2 and "the data" in done.stderr and data.read_bytes() == before


def test_an_output_that_is_a_link_is_written_through(here: Path):
    Path("far").mkdir()
    Path("results.csv").symlink_to("far/real.csv")
    for _ in range(2):  # the file that the link leads to is made, then replaced
        done = run(*command("results.csv", "--algorithm", "NoisyIntercept", "--workers", "1"))
        assert done.exit_code == 0, done.output
    assert Path("results.csv").is_symlink() and len(pd.read_csv("far/real.csv"))


def test_hyperparameters_and_matchings(here: Path):
    head = pd.read_csv("tracts.csv").head(30)
    head.to_csv("tracts.csv", index=False)
    words = "compare tracts.csv --x parent --y child --epsilon 2 --trials 10 --json"
    done = run(*words.split(), *["--algorithm", "DPWideTheilSen", "--set", "DPWideTheilSen.theta=0.2", "--also-k", "4"])
    assert done.exit_code == 0, done.output
    both = [DPWideTheilSen(theta=0.2), DPWideTheilSen(theta=0.2, k=4)]
    expected = compare(Dataset(head["parent"], head["child"]), both, 2.0, trials=10)
    written = json.loads(done.stdout)
    assert written["n"] == 30
    assert [row["c68"] for row in written["summary"]] == pytest.approx(expected.summary["c68"].tolist())
    every = run(*words.removesuffix(" --json").split())
    assert all(algorithm.__name__ in every.stdout for algorithm in MECHANISMS)


@pytest.mark.parametrize(
    ("words", "settings"),
    [("", {}), ("--elasticity 0.5", {"elasticity": 0.5}), ("--state|North Carolina", {"state": NORTH_CAROLINA})],
)
def test_simulated_tracts_are_those_of_the_core(here: Path, words: str, settings: dict[str, Any]):
    more = words.split("|") if "|" in words else words.split()
    assert run("simulate", "tracts", "--out", "new.csv", "--tracts", "5", *more).exit_code == 0
    expected = simulate_tracts(tracts=5, rng=np.random.default_rng(0), **settings)
    np.testing.assert_array_equal(pd.read_csv("new.csv")["child"], expected["y"])
    said = json.loads(Path("new.csv.json").read_text())
    assert said["dpslr"] and said["seed"] == 0
    assert "elasticity" in run("simulate", "tracts", "--out", "new.csv", "--elasticity", "nan").output


@pytest.mark.parametrize(("content", "style"), [("x;y\n1.100;1\n800;2\n1.003;3\n", "comma"),
                                                 ('x,y\n"1,100",1\n800,2\n"1,003",3\n', "point")])  # fmt: skip
def test_thousands_that_could_be_decimals_are_refused_with_the_option_that_decides(here: Path, content, style):
    Path("money.csv").write_text(content)
    words = ["compare", "money.csv", "--x", "x", "--y", "y", "--epsilon", "2", "--algorithm", "OLS", "--json",
             "--x-bounds", "0", "2000", "--y-bounds", "0", "4"]  # fmt: skip
    refused = run(*words)
    assert refused.exit_code == 2 and "could mean" in refused.stderr
    assert "1.1 (decimal" in refused.stderr and "1100 (decimal" in refused.stderr
    assert "--numbers point or --numbers comma decides" in refused.stderr
    done = run(*words, "--numbers", style)
    assert done.exit_code == 0 and json.loads(done.stdout)["n"] == 3


OF_BY_GROUP = [
    ((), ["--epsilon", "0"], "epsilon: Input should be greater than 0, got 0.0"),
    ((), ["--trials", "1"], "trials: "),
    ((), ["--at", "here"], "points must be numbers"),
    ((), ["--at", "inf"], "points must be finite"),
    ((), ["--at", "0.2,0.2"], "at must be different points"),
    ((), ["--algorithm", "Magic"], "algorithm must be one of"),
    ((), ["--set", "DPExpTheilSen"], "--set must look like DPExpTheilSen.k=10"),
    ((), ["--set", "DPExpTheilSen.k=many"], "DPExpTheilSen.k must be a number"),
    ((), ["--set", "DPExpTheilSen.k=0"], "k must be"),
    ((), ["--set", "DPExpTheilSen.theta=1"], "has no hyperparameter 'theta'"),
    ((), ["--set", "OLS.k=1"], "OLS is not among the chosen algorithms"),
    ((), ["--x", "age"], "There is no column 'age'"),
    ((), ["--group", "child"], "is also y"),
    ((), ["--x-bounds", "1", "0"], "x_bounds: lower must be below upper"),
    ((), ["--workers", "0"], "workers must be"),
    ((), ["--dask", "nowhere"], "workers must be"),
    ((), ["--report", "out.pdf"], "--report must end in .html or .docx, got 'out.pdf'"),
    ((), ["--out", "results.xlsx"], "must end in .parquet or .csv"),
    ((), ["--out", "no/where.csv"], "there is no folder 'no'"),
    ((), ["--out", "tracts.csv"], "would replace the data"),
    (("absent.csv",), [], "absent.csv"),
    (("empty.csv",), [], "it is empty"),
    (("wrong.dta",), [], "wrong.dta is neither text nor a workbook, Stata or Parquet file"),
]
OF_OTHERS = [
    ("datasets --out x.csv", "NAME must be given with --out, one of sample/linear, "),
    ("datasets sample/linear --out x.txt", "--out must end in .csv or .parquet, got 'x.txt'"),
    ("simulate linear --out x.csv --n 2", "n: Input should be greater than or equal to 3, got 2"),
    ("simulate linear --out x.csv --seed -1", "data_seed: "),
    ("simulate tracts --out x.csv --seed -1", "seed must be a whole number"),
    ("recommend --n 9 --var-x .03 --var-e .01 --epsilon 1 --lower 9", "lower must"),
    ("figure figure-1", "figure must be one of"),
    ("figure theta beta --out one.svg", "--out must be a folder for several figures"),
    ("figure theta --out figure.pdf", "--out must end in .svg, .png, .html, .csv or be a folder"),
    ("figure theta --out nowhere/figure.svg", "there is no folder 'nowhere'"),
    ("figure theta --set epsilon", "--set must look like epsilon=2"),
    ("figure theta --set sigma=2", "theta has the parameters"),
    ("figure theta --set n=9.5", "n must be a whole number"),
    ("figure theta --seed -1", "seed must be"),
    ("audit --mechanism OLS", "--mechanism must be one that promises privacy, NoisyStats, "),
    ("audit --pairs 0", "pairs must be"),
    ("audit --seed -1", "seed must be"),
    (" ".join([*COMPARE, "--report", "out.pdf"]), "--report must end in .html or .docx, got 'out.pdf'"),
]
WRONG = [
    *(([*(["by-group", *file, *command("results.csv")[2:]] if file else command("results.csv")), *more], sentence)
      for file, more, sentence in OF_BY_GROUP),
    *((words.split(), sentence) for words, sentence in OF_OTHERS),
]  # fmt: skip


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_what_is_wrong_is_said_in_a_sentence(here: Path, words: list[str], sentence: str):
    Path("empty.csv").touch()
    Path("wrong.dta").write_bytes(b"\x01\x02")
    done = run(*words)
    assert done.exit_code == 2
    assert sentence in " ".join(done.stderr.split())
    assert "Traceback" not in done.output and not Path("results.csv").exists()


def test_a_column_without_numbers_is_named_and_nothing_that_follows_from_it():
    bikes = [str(ROOT / "sample_data" / "bikes.csv"), "--x", "month_hour", "--y", "temperature_c", "--epsilon", "2"]
    done = run("compare", *bikes, "--x-bounds", "0", "100", "--y-bounds", "0", "100", "--algorithm", "NoisyStats")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("Error: Column 'month_hour' has no numbers")
    assert "Note:" not in done.stderr and "left out" not in done.stderr


def stop_after(batches: int, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Let by-group be interrupted after so many batches of two areas; what it was told is done, run by run."""
    monkeypatch.setattr("dpslr_core.experiments.areas.BATCH", 2)
    told: list[set[str]] = []
    original = commands.measured_groups

    def interrupted(*words):
        told.append(set(words[-1]))
        for number, frame in enumerate(original(*words)):
            if len(told) == 1 and number == batches:
                raise KeyboardInterrupt
            yield frame

    monkeypatch.setattr(commands, "measured_groups", interrupted)
    return told


@pytest.mark.parametrize("out", ["results.parquet", "results.csv"])
def test_an_interrupted_run_goes_on(here: Path, monkeypatch: pytest.MonkeyPatch, out: str):
    assert run(*command(f"whole.{out}")).exit_code == 0
    assert run(*command(out, "--seed", "1")).exit_code == 0
    before = Path(out).read_bytes()
    told = stop_after(5, monkeypatch)
    done = run(*command(out))
    assert done.exit_code == INTERRUPTED
    assert f"10 of 32 areas are kept in {out}.part" in done.stderr
    assert Path(out).read_bytes() == before
    again = run(*command(out))
    assert again.exit_code == 0, again.output
    assert "Going on: 10 of 32 areas" in again.stderr
    assert [len(done) for done in told] == [0, 10]
    assert Path(out).read_bytes() == Path(f"whole.{out}").read_bytes()
    assert not Path(f"{out}.part").exists()


@pytest.mark.parametrize(
    "other", [["--epsilon", "15"], ["--seed", "1"], ["--at", "0.3"], ["--set", "DPGDPure.steps=20"], []]
)
def test_another_command_or_other_data_take_nothing_from_an_interrupted_run(
    here: Path, monkeypatch: pytest.MonkeyPatch, other: list[str]
):
    told = stop_after(3, monkeypatch)
    assert run(*command("results.parquet")).exit_code == INTERRUPTED
    if not other:
        lines = Path("tracts.csv").read_text().splitlines()
        Path("tracts.csv").write_text("\n".join([lines[0], *lines[2:]]))
    assert run(*command("results.parquet", *other)).exit_code == 0
    assert told == [set(), set()]
    assert not Path("results.parquet.part").exists()


def test_the_order_of_rows_is_no_other_run(here: Path, monkeypatch: pytest.MonkeyPatch):
    told = stop_after(3, monkeypatch)
    assert run(*command("results.parquet")).exit_code == INTERRUPTED
    pd.read_csv("tracts.csv").sample(frac=1, random_state=0).to_csv("tracts.csv", index=False)
    assert run(*command("results.parquet")).exit_code == 0
    assert len(told[1]) == 6


def kept(out: str) -> int:
    return len(list(Path().glob(f"{out}.part/*/*.part")))


@pytest.mark.slow
def test_a_real_run_interrupted_and_killed_ends_in_the_same_bytes(here: Path):
    """Each of the signals to all of its processes, then to the end, with other numbers of workers."""
    words = command("results.parquet", "--trials", "1500")
    ends = [(signal.SIGINT, "2"), (signal.SIGTERM, "1"), (signal.SIGHUP, "1"), (signal.SIGKILL, "1")]
    for number, (sent, workers) in enumerate(ends, 1):
        before = kept("results.parquet")
        with Path(f"log{number}").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dpslr_core", *words, "--workers", workers],
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                start_new_session=True,
                # what a shell runs in the background ignores Ctrl-C, and so would its children
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                stdout=log,
                stderr=log,
            )
        while process.poll() is None and kept("results.parquet") < before + 1:
            time.sleep(0.005)
        assert process.poll() is None, "the run was over before it could be interrupted"
        os.killpg(process.pid, sent)
        assert process.wait(60) == (-signal.SIGKILL if sent == signal.SIGKILL else INTERRUPTED)
        assert before + 1 <= kept("results.parquet") < 16
        if sent != signal.SIGKILL:
            said = Path(f"log{number}").read_text()
            assert "Traceback" not in said and "run the same command again" in said
    done = run(*words)
    assert done.exit_code == 0 and "Going on" in done.stderr and not Path("results.parquet.part").exists()
    assert run(*command("whole.parquet", "--trials", "1500")).exit_code == 0
    assert Path("results.parquet").read_bytes() == Path("whole.parquet").read_bytes()


# ---------------------------------------------------------------- reports: the numbers that are printed or written


def test_by_group_writes_a_word_file_beside_its_result(here: Path):
    done = run(*command("out.csv", "--report", "out.docx"))
    assert done.exit_code == 0, done.output
    document = Document(BytesIO(Path("out.docx").read_bytes()))
    rows = next(table.rows for table in document.tables if table.cell(0, 0).text == "area")
    frame = pd.read_csv("out.csv")
    assert len(rows) == frame["group"].nunique() + 1
    best = frame[(frame["at"] == 0.25) & (frame["mechanism"].isin(["DPExpTheilSen", "DPGDPure"]))]
    smallest = best.loc[best["ratio"].idxmin()]
    assert (rows[1].cells[0].text, rows[1].cells[-1].text) == (str(smallest["group"]), smallest["mechanism"])
    assert not list(Path().glob("*.unfinished"))
    flat = ["by-group", "tracts.csv", *COLUMNS, "--epsilon", "16", "--algorithm", "NoisyIntercept", "--workers", "1"]
    for more, verdict in (([], "flat: no slope"), (["--flat-lines"], "yes, flat: no slope")):
        assert run(*flat, "--out", "flat.csv", "--report", "flat.html", *more).exit_code == 0
        assert f"<td>{verdict}</td>" in Path("flat.html").read_text(encoding="utf-8")
