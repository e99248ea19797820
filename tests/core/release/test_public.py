"""What is public is the same for data sets that differ in one record, but for the draw itself."""

import json
from datetime import datetime, timedelta

import pytest
from click.testing import CliRunner

from dpslr_core.cli import main
from dpslr_core.mechanisms import CenteredStats, DeepestLine, NoisyStats
from dpslr_core.release import log as logs
from dpslr_core.release.base import Program
from dpslr_core.release.certificate import sha256_of
from tests.cases.plans import text

pytest.importorskip("opendp")
PLAN = (
    "plan", "--epsilon", "1", "--x", "hours", "--x-bounds", "0", "8", "--y", "score", "--y-bounds", "20", "120",
    "--bounds-from", "the timetable", "--choice-from", "simulated data",
)  # fmt: skip
PLANS = {
    "first": "--algorithm CenteredStats --areas sizes.csv --group school",
    "second": "--algorithm DeepestLine --n 60",
    "third": "--algorithm NoisyStats --n 60",
}
FIRST = "release first.json mine.csv --budget 3 --out one.json --out one.html"
# What is done after the first release, when the file may be another.
STEPS = """
    again: release first.json mine.csv
    again, to a new file: release first.json mine.csv --out again.json
    next: release second.json mine.csv --out two.json --out two.html
    last: release third.json mine.csv --out three.json
    over: release first.json mine.csv --budget 9
    spent: spent mine.csv --json
"""
CONSTANT = {CenteredStats: [[1, 2, 3, 4, 5]], DeepestLine: [[17]], NoisyStats: [[1], [2], [3]]}


def with_another_record(content):
    """The file with one record replaced by one at the other end of the bounds."""
    header, first, *rest = content.splitlines()
    return "\n".join([header, f"{first.split(',')[0]},8,20", *rest]) + "\n"


@pytest.fixture
def constant(monkeypatch):
    """Draws, keys and clocks that are always the same: a draw takes one second more on each call in a process."""
    taken = []

    def draw(self, x, y):
        taken.append(int(sum(x)))  # as a running time that depends on the records
        return CONSTANT[type(self.mechanism)]

    class Clock(datetime):
        @classmethod
        def now(cls, zone=None):
            return cls(2026, 5, 4, tzinfo=zone) + timedelta(
                seconds=0 if counting["before"] else sum(taken) % 100
            )

    counting = {"before": False}
    monkeypatch.setattr(Program, "draw", draw)
    monkeypatch.setattr(logs, "datetime", Clock)
    monkeypatch.setattr(logs.secrets, "token_bytes", lambda count: b"\xab" * count)

    def begin():
        taken.clear()
        counting["before"] = False

    def at_the_start_of_the_next(step):
        counting["before"] = step == "locked"  # a later release begins when its custodian likes

    monkeypatch.setattr(logs, "reached", at_the_start_of_the_next)
    return begin


def run_command(*words):
    ran = CliRunner().invoke(main, words)
    assert not ran.exception or isinstance(ran.exception, SystemExit), ran.output
    return ran.exit_code, ran.output


def story(folder, before, after, monkeypatch):
    """All that can be seen of two releases, with another file in between, and of the first run a second time."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "sizes.csv").write_text("school,n\n" + "".join(f"s{i:03},10\n" for i in range(6)))
    seen = {}
    for name, words in PLANS.items():
        seen[f"plan {name}"] = run_command(*PLAN, *words.split(), "--out", f"{name}.json")
        seen[f"text of plan {name}"] = (folder / f"{name}.json").read_text()
    (folder / "mine.csv").write_text(before)
    seen["release"] = run_command(*FIRST.split())
    (folder / "mine.csv").write_text(after)
    for step in STEPS.strip().splitlines():
        name, words = step.strip().split(": ")
        seen[name] = run_command(*words.split())
    for name in ("one.json", "one.html", "two.json", "two.html", "three.json"):
        seen[f"text of {name}"] = (folder / name).read_text()
        seen[f"verify {name}"] = run_command("verify", name, "--log", logs.FOLDER)
    entries = logs.read_log(folder / logs.FOLDER).entries
    seen["public part"] = [dict(entry.public) for entry in entries]
    seen["sizes"] = {
        path.name: path.stat().st_size for path in sorted((folder / logs.FOLDER).iterdir())
    }
    seen["names"] = sorted(path.name for path in folder.iterdir())
    return json.loads(json.dumps(seen).replace(str(folder), "FOLDER"))


def test_two_files_that_differ_in_one_record_give_the_same_but_for_the_draw(
    tmp_path, monkeypatch, constant
):
    """Also where the record changes between two runs: neighbours in that a later file differs."""
    one = text(areas=6)
    other = with_another_record(one)
    stories = []
    for number, (before, after) in enumerate(
        [(one, one), (other, other), (one, other), (other, one)]
    ):
        constant()
        stories.append(story(tmp_path / str(number), before, after, monkeypatch))
    first, *rest = stories
    for seen in rest:
        assert seen.keys() == first.keys()
        for name, value in seen.items():
            assert value == first[name], name
    assert [
        code for code, _ in (first["release"], first["again"], first["again, to a new file"])
    ] == [0, 0, 2]
    assert (
        "again.json" not in first["names"] and "released before" in first["again, to a new file"][1]
    )


def test_the_time_that_a_release_took_is_in_nothing_that_is_published(
    tmp_path, monkeypatch, constant
):
    """Whoever has two certificates finds no time by which a digest in the second is one of the first's entries."""
    constant()
    seen = story(tmp_path / "here", text(areas=6), text(areas=6), monkeypatch)
    first, second = (
        json.loads(seen[f"text of {name}.json"])["composition"]["entry"]
        for name in ("two", "three")
    )
    released = {
        "kind": "released",
        "of": first["sequence"],
        "before": logs.digest_of(first),
        "certificate": sha256_of(seen["text of two.json"]),
        "sequence": first["sequence"] + 1,
    }
    start = datetime.fromisoformat(first["time"])
    assert second["sequence"] == released["sequence"] + 1
    for seconds in range(200):
        time = (start + timedelta(seconds=seconds)).isoformat(timespec="seconds")
        for guess in (released, {**released, "time": time}):
            assert logs.digest_of(guess) != second["before"]
    assert all(
        "time" not in entry for entry in seen["public part"] if entry["kind"] in ("released",)
    )
    rows = json.loads(seen["spent"][1])["entries"]
    assert {row["entry"] for row in rows if row["time"]} == {"budget", "intended"}
