"""The spending log beside the data: what has been released from them, what it cost, and what is left.

A seat belt and no security: it keeps honest people from spending twice. Who may change its files may also delete them.

The folder ``dpslr-spending`` holds ``log.jsonl``, one entry a line, each with a keyed digest of the one before;
``head``, the number and digest of the last entry, by which a log that was cut short is seen; ``key``, a local secret;
and the certificates of all releases. An entry has a public part and a private part, the key of the data. A certificate
quotes the public part of the entry before its draw, so nothing in it may depend on the data: digests of other entries
are keyed there, and entries after a draw hold no time. A seal of both parts shows changes.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, localcontext
from errno import EAGAIN, EWOULDBLOCK
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..sources.stored import unwritable
from ..support.readable import at_least
from .plans import UNITS, Definition, Promise, canonical, digest_of, exact, shown

FOLDER = "dpslr-spending"
LOG, HEAD, KEY, LOCK = "log.jsonl", "head", "key", "lock"
START = "0" * 64  # what stands for the entry before the first
CERTIFICATE, AREAS = "certificate.json", "areas.jsonl"  # after the number of the entry that they are of
TIMED = ("budget", "intended")  # entries before a draw: how long one took depends on the data
_OF_A_RELEASE = re.compile(rf"([0-9]{{6,}})-(?:{re.escape(CERTIFICATE)}|{re.escape(AREAS)})")
_PRIVATE, _OWN = 0o600, 0o700
_OTHERS_WRITE, _OTHERS_READ = 0o022, 0o077
_KEY_BYTES = 32
_DIGITS, _ROUNDING, _LARGE = 120, Fraction(1, 10**40), 1000  # of epsilon tanh(epsilon / 2), rounded up


class LogRefused(ValueError):
    """The log cannot be used: one sentence with what is wrong and what to do."""


class OverBudget(ValueError):
    """A release would cost more than is left: one sentence with the numbers and what to do."""


def reached(step: str) -> None:
    """Called before and after each step of a release that touches a disk; tests end the process here."""


def cost(promise: Promise, definition: Definition) -> Fraction:
    """What a release costs in the currency of a budget, never less; ValueError where it has no price in it.

    Pure releases cost epsilon of a pure budget, zCDP ones rho of a zCDP budget; of a zCDP budget a pure release costs
    epsilon tanh(epsilon / 2), rounded up: the least rho that every such release satisfies, see conversions.pure_rho.
    """
    amount = exact(promise.amount)
    if promise.definition == definition:
        return amount
    if definition == "pure":
        raise OverBudget(
            f"the budget is one of pure privacy, and {promise} satisfies it for no ε; raise the budget to one in ρ"
        )
    if amount > _LARGE:
        return amount  # tanh is at most 1
    with localcontext() as context:
        context.prec = _DIGITS
        epsilon = Decimal(amount.numerator) / Decimal(amount.denominator)
        grown = epsilon.exp()
        rho = Fraction(epsilon * (grown - 1) / (grown + 1)) * (1 + _ROUNDING)
    return min(rho, amount, amount**2 / 2)


@dataclass(frozen=True)
class Entry:
    """One entry: its public part, and the key of the data, "" where it is about no data."""

    public: Mapping[str, Any]
    data_key: str = ""

    @property
    def sequence(self) -> int:
        """Its number, from 1."""
        return int(self.public["sequence"])

    @property
    def kind(self) -> str:
        """ "budget", "intended", "areas" or "released"."""
        return str(self.public["kind"])

    @property
    def sha256(self) -> str:
        """Digest of the public part."""
        return digest_of(self.public)

    @property
    def promise(self) -> Promise:
        """Of a budget or of a release that is intended."""
        return Promise(**self.public["promise"])

    def line(self, key: bytes) -> bytes:
        """The entry as a line of the log, sealed."""
        held = {"public": dict(self.public), "data_key": self.data_key}
        return canonical(held | {"seal": seal(key, held)}) + b"\n"


def seal(key: bytes, value: Any) -> str:
    """A keyed digest of a JSON value, by which a change is seen."""
    return hmac.new(key, canonical(value), sha256).hexdigest()


def data_key(key: bytes, areas: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> str:
    """What tells whether data are the same: a keyed digest of all records on their grid, in whatever order they stand.

    Keyed, because the digest of few records could be searched for; it is in no certificate.
    """
    records = [[name, sorted(zip(map(int, xs), map(int, ys), strict=True))] for name, (xs, ys) in sorted(areas.items())]
    return seal(key, records)


def find_folder(data: Path) -> Path:
    """The folder of the log that counts for a data file: beside the file itself, wherever a link to it stands."""
    return Path(os.path.realpath(data)).parent / FOLDER


@dataclass
class SpendingLog:
    """The entries of a log, verified; to be changed only while ``opened`` holds its lock.

    notes: what its user should hear, such as that the clock was set back. begun: by the number of its entry, how many
    areas of a table may have been written down before the log said so.
    """

    folder: Path
    key: bytes
    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    begun: dict[str, int] = field(default_factory=dict)

    @property
    def budget(self) -> Promise | None:
        """The budget in force; None of an empty log."""
        return next((entry.promise for entry in reversed(self.entries) if entry.kind == "budget"), None)

    def spent(self, definition: Definition) -> Fraction:
        """What all releases that were begun cost together, finished or not; ValueError where it has no price."""
        return sum((cost(entry.promise, definition) for entry in self.of_kind("intended")), Fraction(0))

    def of_kind(self, kind: str) -> list[Entry]:
        """The entries of a kind, in order."""
        return [entry for entry in self.entries if entry.kind == kind]

    def released(self, intended: Entry) -> Entry | None:
        """The entry that says that this release was finished; None where there is none."""
        return next((e for e in self.of_kind("released") if e.public["of"] == intended.sequence), None)

    def afford(self, promise: Promise) -> tuple[Promise, Fraction, Fraction]:
        """The budget, and what is spent before and after a release with this promise; OverBudget where it is too much.

        The first release opens the log: its own promise becomes the budget.
        """
        budget = self.budget or promise
        before = self.spent(budget.definition)
        after = before + cost(promise, budget.definition)
        if after > exact(budget.amount):
            unit = UNITS[budget.definition]
            left = at_least(max(exact(budget.amount) - before, Fraction(0)), 6)
            raise OverBudget(
                f"the budget does not allow it: of {budget}, {unit} = {left} is left, and this plan costs "
                f"{unit} = {shown(after - before)}. Plan a smaller release, or raise the budget, with a name and a "
                "reason: dpslr spent --raise"
            )
        return budget, before, after

    def set_budget(self, budget: Promise, name: str, reason: str) -> Entry:
        """Append a budget, with who set it and why; ValueError where it is less than what was spent, or no raise."""
        if not name.strip() or not reason.strip():
            raise ValueError("a budget needs a name and a reason: who decided it, and why")
        before, amount = self.budget, exact(budget.amount)
        if before and before.definition == budget.definition and amount <= exact(before.amount):
            raise ValueError(f"the budget can only be raised: it is {before}, got {budget}")
        if (spent := self.spent(budget.definition)) > amount:
            unit = UNITS[budget.definition]
            raise ValueError(f"the budget must be at least what was spent, {unit} = {shown(spent)}, got {budget}")
        return self.append("budget", promise=budget.model_dump(), name=name.strip(), reason=reason.strip())

    def append(self, kind: str, data_key: str = "", **public: Any) -> Entry:
        """Add an entry, on the disk when this returns. Unwritable where that fails; then nothing may be drawn."""
        held = {"sequence": len(self.entries) + 1, "kind": kind, "before": self._chained(), **public}
        if kind in TIMED:
            held["time"] = self._now()
        entry = Entry(held, data_key)
        path = self.folder / LOG
        reached(f"{kind}: before")
        append_lines(path, [entry.line(self.key)])
        reached(f"{kind}: in the log")
        self.entries.append(entry)
        if kind == "areas":
            self.begun.pop(str(public["of"]), None)
        self._write_head()
        reached(f"{kind}: in the head")
        return entry

    def begin(self, intended: Entry, areas: int) -> None:
        """Let the head know that so many areas of a table are about to be written down, before anybody can read them.

        Where they are not in their file afterwards, they may have been read and removed.
        """
        self.begun[str(intended.sequence)] = areas
        self._write_head()

    def _chained(self) -> str:
        """What a new entry says of the one before: keyed, as certificates quote it and could be searched for times."""
        return seal(self.key, dict(self.entries[-1].public)) if self.entries else START

    def _now(self) -> str:
        """The time, with a note where it is before that of an earlier entry."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        times = [entry.public["time"] for entry in self.entries if "time" in entry.public]
        if times and now < times[-1]:
            self.notes.append(
                f"The clock says {now}, which is before the last entry, {times[-1]}. Entries are counted by their "
                "number, so the budget is right; set the clock."
            )
        return now

    def _write_head(self) -> None:
        last = self.entries[-1] if self.entries else None
        held: dict[str, Any] = {"sequence": last.sequence if last else 0, "sha256": last.sha256 if last else START}
        if self.begun:
            held["begun"] = self.begun
        write_durably(canonical(held | {"seal": seal(self.key, held)}) + b"\n", self.folder / HEAD)


# ---------------------------------------------------------------- reading, which trusts nothing


@contextmanager
def opened(folder: Path, waiting: Callable[[], None] | None = None) -> Iterator[SpendingLog]:
    """The log of a folder, locked for this process; made where there is none.

    waiting: called where another process holds the lock. LogRefused where the log is damaged, Unwritable where the
    folder may not be written to.
    """
    try:
        import fcntl
    except ImportError:  # not on this system
        raise LogRefused("a release needs a system with file locks, Linux or macOS") from None
    _own_folder(folder, make=True)
    lock = _open(folder / LOCK, os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (EAGAIN, EWOULDBLOCK):
                raise unwritable(folder / LOCK, error) from error
            if waiting is not None:
                waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        reached("locked")
        yield _read(folder, writable=True)
    finally:
        fcntl.flock(lock, fcntl.LOCK_UN)  # a child of this process holds the same open file
        os.close(lock)


def read_log(folder: Path) -> SpendingLog:
    """The log of a folder, for reading. LogRefused where there is none or it is damaged."""
    if not folder.is_dir():
        raise LogRefused(f"there is no spending log in {folder.parent}: nothing was released from data there")
    _own_folder(folder, make=False)
    return _read(folder, writable=False)


def _read(folder: Path, writable: bool) -> SpendingLog:
    path = folder / LOG
    content = content_of(path) or b""
    whole, _, torn = content.rpartition(b"\n")
    lines = whole.split(b"\n") if whole else []
    head = content_of(folder / HEAD)
    if not content and _is_new(folder, head):
        _no_others(folder, ())
        if not writable:
            raise LogRefused(f"the spending log in {folder} is empty: nothing was released")
        return _made(folder)
    if head is None:
        raise _damaged(folder, f"its file {HEAD} is missing")
    log = SpendingLog(folder, _key(folder))
    for number, line in enumerate(lines, 1):
        log.entries.append(_entry(folder, number, line, log))
    _compare(folder, head, log)
    _no_others(folder, [entry.sequence for entry in log.of_kind("intended")])
    if torn and writable:  # a line that never was on the disk as a whole, so that nothing was drawn after it
        cut(path, len(content) - len(torn))
    return log


def _is_new(folder: Path, head: bytes | None) -> bool:
    """Whether nothing was ever in a log that is empty now: it has no key, and at most a head that says so.

    The head is written before the key. So a key without a head, or beside a head that counts entries, had a log.
    """
    key = folder / KEY
    if key.exists() or key.is_symlink():
        return False
    try:
        return head is None or json.loads(head)["sequence"] == 0
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def _made(folder: Path) -> SpendingLog:
    """A new log: its head, then its key."""
    log = SpendingLog(folder, bytes.fromhex(secrets.token_hex(_KEY_BYTES)))
    log._write_head()
    write_durably(log.key.hex().encode() + b"\n", folder / KEY)
    reached("key: written")
    return log


def _no_others(folder: Path, numbers: Collection[int]) -> None:
    """LogRefused where the folder holds what was released by an entry that the log does not have."""
    for path in sorted(folder.iterdir()):
        named = _OF_A_RELEASE.fullmatch(path.name)
        if named and int(named[1]) not in numbers:
            raise _damaged(folder, f"it holds {path.name}, and {LOG} has no such release: some entries were removed")


def _entry(folder: Path, number: int, line: bytes, log: SpendingLog) -> Entry:
    """A line as an entry; LogRefused unless it is the one that was written there."""
    try:
        held = json.loads(line)
        entry = Entry(held["public"], held["data_key"])
        sealed = hmac.compare_digest(entry.line(log.key), line + b"\n")
        befores = [log._chained(), *(last.sha256 for last in log.entries[-1:])]  # not keyed up to version 0.2.0
        right = sealed and entry.sequence == number and entry.public["before"] in befores
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        right = False
    if not right:
        raise _damaged(folder, f"line {number} of {LOG} is not as it was written")
    return entry


def _compare(folder: Path, head: bytes, log: SpendingLog) -> None:
    """LogRefused where the log ends before the entry that the head names."""
    try:
        held = json.loads(head)
        sealed = hmac.compare_digest(held.pop("seal"), seal(log.key, held))
        number, digest, log.begun = held["sequence"], held["sha256"], held.get("begun", {})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        sealed, number, digest = False, 0, ""
    if not sealed:
        raise _damaged(folder, f"its file {HEAD} is not as it was written")
    digests = [START, *(entry.sha256 for entry in log.entries)]
    if number >= len(digests) or digests[number] != digest:
        raise _damaged(folder, f"{LOG} has {len(log.entries)} entries, and there were {number}: some were removed")


def _damaged(folder: Path, what: str) -> LogRefused:
    return LogRefused(
        f"the spending log in {folder} cannot be trusted: {what}. Restore the whole folder from a backup. Where there "
        "is none, nothing more can be released under this log. If nothing was ever released, remove the folder"
    )


def _key(folder: Path) -> bytes:
    """The local secret of a log, which nobody else may read; LogRefused where it is missing, or open to others."""
    content = content_of(folder / KEY, _OTHERS_READ)
    if content is None:
        raise _damaged(folder, f"its file {KEY} is missing")
    try:
        key = bytes.fromhex(content.decode().strip())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise _damaged(folder, f"its file {KEY} holds no key")
    return key


def _own_folder(folder: Path, make: bool) -> None:
    """Make the folder; LogRefused where it is a link, somebody else's, or others may write to it."""
    try:
        if make:
            with suppress(FileExistsError):
                folder.mkdir(_OWN)
                sync_folder(folder.parent)
        _must_be_own(folder, folder.lstat(), stat.S_ISDIR, _OTHERS_WRITE)
    except OSError as error:
        raise unwritable(folder, error) from error


def _must_be_own(path: Path, status: os.stat_result, kind: Callable[[int], bool], forbidden: int) -> None:
    if not kind(status.st_mode):
        raise LogRefused(f"{path} is a link or of another kind than it should be; remove it, or move the log back")
    if status.st_uid != os.geteuid():
        raise LogRefused(f"{path} belongs to somebody else; whoever made the log releases")
    if status.st_mode & forbidden:
        others = "read" if forbidden == _OTHERS_READ else "changed"
        raise LogRefused(f"{path} can be {others} by others; run: chmod go-rwx {path}")


def _open(path: Path, flags: int) -> int:
    """A file of the log, never through a link; Unwritable or LogRefused where it cannot be."""
    if path.is_symlink():
        raise LogRefused(f"{path} is a link or of another kind than it should be; remove it, or move the log back")
    try:
        number = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        _must_be_own(path, os.fstat(number), stat.S_ISREG, _OTHERS_WRITE)
    except LogRefused:
        os.close(number)
        raise
    return number


def content_of(path: Path, forbidden: int = _OTHERS_WRITE) -> bytes | None:
    """The bytes of a file of the log; None where there is none."""
    if path.is_symlink():
        raise LogRefused(f"{path} is a link or of another kind than it should be; remove it, or move the log back")
    try:
        with path.open("rb") as file:
            _must_be_own(path, os.fstat(file.fileno()), stat.S_ISREG, forbidden)
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LogRefused(f"{path} cannot be read ({error.strerror or error})") from error


# ---------------------------------------------------------------- writing, on the disk when it returns


def sync_folder(folder: Path) -> None:
    """Names of new files in a folder are on the disk when this returns."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def write_durably(content: bytes, path: Path) -> None:
    """A file that only its owner may read, whole or not at all. Unwritable where that fails."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with suppress(FileNotFoundError):
            unfinished.unlink()
        number = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
        with open(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        reached(f"{path.name}: not yet in place")
        os.replace(unfinished, path)
        sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise unwritable(path, error) from error


def write_once(content: bytes, path: Path) -> None:
    """A file as write_durably, which replaces none; LogRefused where there is one."""
    if path.exists() or path.is_symlink():
        raise LogRefused(f"{path} is there already, and a certificate is never replaced; move it elsewhere")
    write_durably(content, path)


def append_lines(path: Path, lines: Sequence[bytes]) -> None:
    """Add lines to a file, or leave it as it was; on the disk when this returns. Unwritable where that fails."""
    new = not path.exists()
    number = _open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(number).st_size
        try:
            left = b"".join(lines)
            while left:
                left = left[os.write(number, left) :]
            reached("line: not yet on the disk")
            os.fsync(number)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(number, size)
                os.fsync(number)
            raise unwritable(path, error) from error
    finally:
        os.close(number)
    if new:
        sync_folder(path.parent)


def cut(path: Path, size: int) -> None:
    """Remove what follows in a file; Unwritable where that fails."""
    number = _open(path, os.O_WRONLY)
    try:
        os.ftruncate(number, size)
        os.fsync(number)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        os.close(number)
