"""The spending log: it never counts too little, whatever happens to the process, the disk or its files."""

import errno
import json
import os
import resource
import stat
from fractions import Fraction
from math import tanh
from pathlib import Path

import pytest

from dpslr_core.release import log
from dpslr_core.release.log import (
    FOLDER,
    HEAD,
    KEY,
    LOCK,
    LOG,
    LogRefused,
    OverBudget,
    cost,
    find_folder,
    opened,
    read_log,
)
from dpslr_core.release.plans import exact
from dpslr_core.sources.stored import Unwritable
from tests.cases.forked import begun, ended, forked
from tests.cases.plans import copy_of_stored, pure, rho


def begin(held, promise):
    budget, before, after = held.afford(promise)
    if held.budget is None:
        held.append("budget", promise=budget.model_dump(), name="n", reason="r")
    return held.append("intended", promise=promise.model_dump(), spent=[str(before), str(after)])


@pytest.fixture
def folder(tmp_path):
    """A log with a budget of 1, and .1 and .2 spent."""
    place = tmp_path / FOLDER
    with opened(place) as held:
        held.set_budget(pure("1"), "A. Person", "decided")
        begin(held, pure("0.1"))
        begin(held, pure("0.2"))
    return place


def test_what_was_spent_is_added_exactly(folder):
    with opened(folder) as held:
        assert held.spent("pure") == Fraction(3, 10) and str(held.budget) == "ε = 1"
        begin(held, pure("0.7"))
        with pytest.raises(
            OverBudget,
            match=r"ε = 0 is left, and this plan costs ε = 0.001\. .*dpslr spent --raise",
        ):
            held.afford(pure("0.001"))
        held.set_budget(pure("1.5"), "A. Person", "a law")
        assert held.afford(pure("0.5"))[1:] == (1, Fraction(3, 2))


def test_a_budget_is_only_raised_and_by_somebody_for_a_reason(folder):
    with opened(folder) as held:
        for budget, name, reason in [
            (pure("1"), "A", "b"),
            (pure("0.9"), "A", "b"),
            (pure("2"), " ", "b"),
            (pure("2"), "A", ""),
            (rho("0.01"), "A", "b"),
        ]:
            with pytest.raises(ValueError, match="budget"):
                held.set_budget(budget, name, reason)
        held.set_budget(rho("0.03"), "A", "b")
        assert held.spent("zcdp") <= exact("0.03")
    assert len(read_log(folder).entries) == 4


@pytest.mark.parametrize("amount", ["0.000001", "0.1", "1", "4", "16", "999.5", "2000"])
def test_a_pure_release_costs_a_rho_that_is_rounded_up(amount):
    epsilon = float(amount)
    paid = cost(pure(amount), "zcdp")
    assert float(paid) == pytest.approx(epsilon * tanh(epsilon / 2), rel=1e-12)
    # tanh(x) > x - x^3 / 3, and 1 - 2 e^-eps < tanh(eps / 2) for large eps
    assert paid > Fraction(epsilon) ** 2 / 2 - Fraction(epsilon) ** 4 / 24
    assert cost(rho(amount), "zcdp") == exact(amount) == cost(pure(amount), "pure")


def test_a_zcdp_release_has_no_price_in_epsilon(folder):
    with opened(folder) as held, pytest.raises(OverBudget, match="for no ε"):
        held.afford(rho("0.001"))


# ---------------------------------------------------------------- files that were changed


def lines(content):
    return content.splitlines(keepends=True)


def written(content):
    return b"{}"


NONE = dict.fromkeys((LOG, HEAD, KEY))
CHANGED = {  # of files what a function makes of their bytes; those without one are removed
    "the last entry is gone": {LOG: lambda log: b"".join(lines(log)[:-1])},
    "the middle entry is gone": {LOG: lambda log: b"".join(lines(log)[::2])},
    "all entries are gone": {LOG: None},
    "an entry is cheaper": {LOG: lambda log: log.replace(b'"amount":"0.2"', b'"amount":"0.1"')},
    "the last line is cut": {LOG: lambda log: log[:-20]},
    "no head": {HEAD: None},
    "another head": {HEAD: lambda head: json.dumps(json.loads(head) | {"sequence": 2}).encode()},
    "no key": {KEY: None},
    "another key": {KEY: lambda key: b"00" * 32},
    "an empty key": {KEY: lambda key: b""},
    "only the first entry": {LOG: lambda log: lines(log)[0], HEAD: None},
    "nothing but a lock": NONE,
    "nothing but a certificate": NONE | {"000002-certificate.json": written},
    "an older log beside a later certificate": {"000009-certificate.json": written},
    "a certificate of a budget": {"000001-certificate.json": written},
}


@pytest.mark.parametrize("changes", CHANGED.values(), ids=CHANGED)
def test_a_log_that_was_changed_or_lacks_what_lies_beside_it_is_refused_and_stays_so(
    folder, changes
):
    for name, change in changes.items():
        path = folder / name
        if change is None:
            path.unlink()
        else:
            path.write_bytes(change(path.read_bytes() if path.exists() else b""))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(LogRefused, match=r"cannot be trusted.*remove the folder"), opened(folder):
        pass
    with pytest.raises(LogRefused, match="Restore the whole folder from a backup"):
        read_log(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_empty_folder_is_new(tmp_path):
    (tmp_path / FOLDER).mkdir(mode=0o700)
    with pytest.raises(LogRefused, match="nothing was released"):
        read_log(tmp_path / FOLDER)
    with opened(tmp_path / FOLDER) as held:
        assert held.entries == []


def test_a_log_of_version_0_2_0_is_read_and_goes_on_with_keyed_digests(tmp_path):
    """It has two releases; digests in it are not keyed, and all entries have a time."""
    stored = tmp_path / FOLDER
    copy_of_stored(stored)
    old = read_log(stored)
    assert old.spent("pure") == 3 and "time" in old.of_kind("released")[0].public
    with opened(stored) as held:
        last = held.entries[-1]
        entry = held.append("intended", promise=pure("0.5").model_dump())
        assert entry.public["before"] != last.sha256 and len(entry.public["before"]) == 64
    assert read_log(stored).spent("pure") == Fraction(7, 2)
    (stored / LOG).write_bytes(b"".join(lines((stored / LOG).read_bytes())[:-1]))
    with pytest.raises(LogRefused, match="some were removed"):
        read_log(stored)


@pytest.mark.parametrize("mode", [0o710, 0o740, 0o777])
def test_a_log_folder_open_to_other_users_is_refused(folder, mode):
    folder.chmod(mode)
    with pytest.raises(LogRefused, match="chmod go-rwx"), opened(folder):
        pass
    with pytest.raises(LogRefused, match="chmod go-rwx"):
        read_log(folder)


@pytest.mark.parametrize("name", [LOG, KEY, LOCK, "000002-certificate.json", "."])
def test_a_symbolic_link_in_place_of_a_log_file_or_folder_is_refused(folder, name):
    path, elsewhere = folder / name, folder.with_name("elsewhere")
    if path.exists():
        path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(LogRefused, match="is a link"), opened(folder):
        pass


def test_a_folder_in_place_of_the_log_file_is_refused(folder):
    (folder / LOG).unlink()
    (folder / LOG).mkdir()
    with pytest.raises(LogRefused, match="cannot be read"), opened(folder):
        pass


def test_the_folder_and_the_key_are_for_their_owner_alone(folder):
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / KEY)] == [0o700, 0o600]


def test_a_log_that_belongs_to_another_user_is_refused(folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(LogRefused, match="belongs to somebody else"), opened(folder):
        pass


def test_the_log_is_beside_the_file_and_not_beside_a_link_to_it(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.csv").write_text("x,y\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "data" / "mine.csv")
    assert find_folder(tmp_path / "link.csv") == tmp_path / "data" / FOLDER
    with pytest.raises(LogRefused, match="nothing was released"):
        read_log(tmp_path / FOLDER)


# ---------------------------------------------------------------- disks and clocks


def failing(number, name, after):
    """A function of os that fails from its call number ``after`` on."""
    original, calls = getattr(os, name), []

    def fail(*given, **more):
        calls.append(given)
        if len(calls) > after:
            raise OSError(number, os.strerror(number))
        return original(*given, **more)

    return fail


@pytest.mark.parametrize("name", ["fsync", "replace", "open"])
@pytest.mark.parametrize(
    "number, said", [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "may not be written to")]
)
@pytest.mark.parametrize("after", range(3))
def test_a_disk_that_takes_nothing_leaves_a_log_that_counts_no_less(
    tmp_path, folder, monkeypatch, name, number, said, after
):
    with monkeypatch.context() as broken:
        broken.setattr(os, name, failing(number, name, after))
        try:
            with opened(folder) as held:
                begin(held, pure("0.4"))
        except Unwritable as refused:
            assert said in str(refused)
        else:
            assert after > 0
    check_goes_on(folder)


def check_goes_on(folder):
    """What was said to be begun is counted; what failed may be counted, and never less than before."""
    spent = read_log(folder).spent("pure")
    assert spent in (Fraction(3, 10), Fraction(7, 10))
    with opened(folder) as held:
        begin(held, pure("0.3"))
    assert read_log(folder).spent("pure") == spent + Fraction(3, 10)


@pytest.mark.parametrize("more", [0, 1, 200, 500])
def test_a_line_that_the_disk_takes_in_part_is_not_counted_and_nothing_is_drawn(folder, more):
    """Files may grow by so many bytes; an entry has more than 300, and the head fewer than that."""
    size = (folder / LOG).stat().st_size

    def run(say):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + more, resource.RLIM_INFINITY))
        with opened(folder) as held:
            begin(held, pure("0.4"))
        say("drawn")

    ran = forked(run)
    assert ("drawn" in ran.said) == (more == 500) and (
        more == 500 or "larger files are not allowed" in ran.said
    )
    check_goes_on(folder)


def test_a_line_is_on_the_disk_before_the_head_and_the_folder_before_it_is_relied_on(
    folder, monkeypatch
):
    """A killed process keeps what the system holds; a machine that stops keeps what was synced, and in this order."""
    order = []

    def synced(number, original=os.fsync):
        original(number)
        path = Path(os.readlink(f"/proc/self/fd/{number}"))
        order.append(
            (
                "on the disk",
                path.name.split(".")[0],
                path.is_file() and path.read_bytes().count(b"\n"),
            )
        )

    def replaced(old, new, original=os.replace):
        original(old, new)
        order.append(("in place", Path(new).name))

    with opened(folder) as held:
        monkeypatch.setattr(os, "fsync", synced)
        monkeypatch.setattr(os, "replace", replaced)
        monkeypatch.setattr(log, "reached", lambda step: order.append(step))
        begin(held, pure("0.4"))
    assert [each for each in order if "not yet" not in each] == [
        "intended: before",
        ("on the disk", "log", 4),
        "intended: in the log",
        ("on the disk", HEAD, 1),
        ("in place", HEAD),
        ("on the disk", FOLDER, False),
        "intended: in the head",
    ]


def test_who_waits_for_the_lock_is_told_and_goes_on(folder):
    def spend(say):
        with opened(folder, lambda: say("waiting")) as held:
            begin(held, pure("0.4"))

    with opened(folder):
        child, reader = begun(spend)
        assert os.read(reader, 100) == b"waiting\n"
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
    assert ended((child, reader)).code == 0
    assert read_log(folder).spent("pure") == Fraction(7, 10)
