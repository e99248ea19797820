"""The spending log beside the data: what has been released from them, what it cost, and what is left.

A seat belt and no security: it keeps honest people from spending twice. Who may change its files may also delete them.

The folder ``dpslr-spending`` is open to its owner alone. It holds ``log.jsonl``, one entry a line, each with a keyed
digest of the one before; ``head``, the number and digest of the last entry, by which a log that was cut short is seen;
``key``, a local secret; and the certificates of all releases. A certificate quotes the entry before its draw, so
nothing in an entry may depend on the data: digests of other entries are keyed there, and entries after a draw hold no
time. A seal shows changes.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, localcontext
from errno import EEXIST, ENOTEMPTY
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from ..sources.stored import Unwritable, unwritable, whole
from ..support.readable import at_least
from .plans import UNITS, Definition, Promise, canonical, digest_of, exact, shown

FOLDER = "dpslr-spending"
LOG, HEAD, KEY, LOCK = "log.jsonl", "head", "key", "lock"
START = "0" * 64  # what stands for the entry before the first
CERTIFICATE = "certificate.json"  # after the number of the entry that it is of
TIMED = ("budget", "intended")  # entries before a draw: how long one took depends on the data
_OF_A_RELEASE = re.compile(rf"([0-9]{{6,}})-{re.escape(CERTIFICATE)}")
_PRIVATE, _OF_OTHERS = 0o600, 0o077
_KEY_BYTES = 32
_DIGITS, _ROUNDING, _LARGE = (
    120,
    Fraction(1, 10**40),
    1000,
)  # of epsilon tanh(epsilon / 2), rounded up


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
            f"the budget is one of pure privacy, and {promise} satisfies it for no ε; raise the "
            "budget to one in ρ"
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
    """One entry, all of which is public."""

    public: Mapping[str, Any]

    @property
    def sequence(self) -> int:
        """Its number, from 1."""
        return int(self.public["sequence"])

    @property
    def kind(self) -> str:
        """ "budget", "intended" or "released"; earlier versions had others."""
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
        return sealed(key, {"public": dict(self.public)})


def seal(key: bytes, value: Any) -> str:
    """A keyed digest of a JSON value, by which a change is seen."""
    return hmac.new(key, canonical(value), sha256).hexdigest()


def sealed(key: bytes, held: Mapping[str, Any]) -> bytes:
    """A line with a JSON object and its seal."""
    return canonical({**held, "seal": seal(key, held)}) + b"\n"


def unsealed(key: bytes, line: bytes) -> dict[str, Any]:
    """The JSON object of a line; ValueError, LookupError, TypeError or RecursionError where ``sealed`` made another."""
    held: dict[str, Any] = json.loads(line)
    del held["seal"]
    if not hmac.compare_digest(sealed(key, held), line):
        raise ValueError("its seal is another")
    return held


def find_folder(data: Path) -> Path:
    """The folder of the log that counts for a data file: beside the file itself, wherever a link to it stands."""
    return Path(os.path.realpath(data)).parent / FOLDER


@dataclass
class SpendingLog:
    """The entries of a log, verified; to be changed only while ``opened`` holds its lock.

    notes: what its user should hear.
    """

    folder: Path
    key: bytes
    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def budget(self) -> Promise | None:
        """The budget in force; None of an empty log."""
        return next(
            (entry.promise for entry in reversed(self.entries) if entry.kind == "budget"), None
        )

    def spent(self, definition: Definition) -> Fraction:
        """What all releases that were begun cost together, finished or not; ValueError where it has no price."""
        return sum(
            (cost(entry.promise, definition) for entry in self.of_kind("intended")), Fraction(0)
        )

    def of_kind(self, kind: str) -> list[Entry]:
        """The entries of a kind, in order."""
        return [entry for entry in self.entries if entry.kind == kind]

    def released(self, intended: Entry) -> Entry | None:
        """The entry that says that this release was finished; None where there is none."""
        return next(
            (e for e in self.of_kind("released") if e.public["of"] == intended.sequence), None
        )

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
                f"the budget does not allow it: of {budget}, {unit} = {left} is left, and this "
                "plan costs "
                f"{unit} = {shown(after - before)}. Plan a smaller release, or raise the budget, "
                "with a name and a reason: dpslr spent --raise"
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
            raise ValueError(
                f"the budget must be at least what was spent, {unit} = {shown(spent)}, got {budget}"
            )
        return self.append(
            "budget", promise=budget.model_dump(), name=name.strip(), reason=reason.strip()
        )

    def append(self, kind: str, **public: Any) -> Entry:
        """Add an entry, on the disk when this returns. Unwritable where that fails; then nothing may be drawn."""
        held = {
            "sequence": len(self.entries) + 1,
            "kind": kind,
            "before": self._chained(),
            **public,
        }
        if kind in TIMED:
            held["time"] = datetime.now(UTC).isoformat(timespec="seconds")
        entry = Entry(held)
        path = self.folder / LOG
        reached(f"{kind}: before")
        with _writing(path), path.open("ab") as file:
            file.write(entry.line(self.key))
            file.flush()
            reached(f"{kind}: not yet on the disk")
            os.fsync(file.fileno())
        reached(f"{kind}: in the log")
        self.entries.append(entry)
        self._write_head()
        reached(f"{kind}: in the head")
        return entry

    def _chained(self) -> str:
        """What a new entry says of the one before: keyed, as certificates quote it and could be searched for times."""
        return seal(self.key, dict(self.entries[-1].public)) if self.entries else START

    def _write_head(self) -> None:
        digest = self.entries[-1].sha256 if self.entries else START
        write_durably(
            sealed(self.key, {"sequence": len(self.entries), "sha256": digest}), self.folder / HEAD
        )


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
    with _writing(folder):
        if _is_empty(folder):
            _make(folder)
    _must_be_own(folder)
    with _writing(folder / LOCK):
        lock = (folder / LOCK).open("ab")
    try:
        with _writing(folder / LOCK):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if waiting is not None:
                    waiting()
                fcntl.flock(lock, fcntl.LOCK_EX)
        reached("locked")
        yield _read(folder, writable=True)
    finally:
        fcntl.flock(lock, fcntl.LOCK_UN)  # a child of this process holds the same open file
        lock.close()


def read_log(folder: Path) -> SpendingLog:
    """The log of a folder, for reading. LogRefused where there is none or it is damaged."""
    if _is_empty(folder):
        raise LogRefused(
            f"there is no spending log in {folder.parent}: nothing was released from data there"
        )
    _must_be_own(folder)
    return _read(folder, writable=False)


def _is_empty(folder: Path) -> bool:
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def _make(folder: Path) -> None:
    """A new log, with its key and a head that counts no entry: there as a whole or not at all."""
    new = Path(mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        log = SpendingLog(new, secrets.token_bytes(_KEY_BYTES))
        write_durably(log.key.hex().encode() + b"\n", new / KEY)
        write_durably(b"", new / LOG)
        log._write_head()
        os.rename(new, folder)
        reached("folder: in place")
        sync_folder(folder.parent)
    except OSError as error:
        rmtree(new, ignore_errors=True)
        if error.errno not in (EEXIST, ENOTEMPTY):  # another process has made it
            raise


def _must_be_own(folder: Path) -> None:
    """LogRefused where a folder or a file in it is a link, it is somebody else's, or it is open to others."""
    try:
        links = [path for path in (folder, *folder.iterdir()) if path.is_symlink()]
        status = folder.stat()
    except OSError as error:
        raise LogRefused(f"{folder} cannot be read ({error.strerror or error})") from error
    if links:
        raise LogRefused(f"{links[0]} is a link; remove it, or move the log back")
    if status.st_uid != os.geteuid():
        raise LogRefused(f"{folder} belongs to somebody else; whoever made the log releases")
    if status.st_mode & _OF_OTHERS:
        raise LogRefused(f"{folder} can be read or changed by others; run: chmod go-rwx {folder}")


def _read(folder: Path, writable: bool) -> SpendingLog:
    """The log of a folder; LogRefused unless each file is as it was written and the log has all that lies beside it.

    The head is read before the log, so that who reads while another releases finds no fewer entries than it names.
    """
    beside = {path.name: _OF_A_RELEASE.fullmatch(path.name) for path in sorted(folder.iterdir())}
    key, head, content = (_content(folder / name) for name in (KEY, HEAD, LOG))
    *lines, torn = content.split(b"\n")
    log, where = SpendingLog(folder, b""), f"its file {KEY}"
    try:
        log.key = bytes.fromhex(key.decode())
        where = f"its file {HEAD}"
        held = unsealed(log.key, head)
        for number, line in enumerate(lines, 1):
            where = f"line {number} of {LOG}"
            log.entries.append(_entry(number, line + b"\n", log))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise _damaged(folder, f"{where} is not as it was written") from None
    number, digests = held["sequence"], [START, *(entry.sha256 for entry in log.entries)]
    if number >= len(digests) or digests[number] != held["sha256"]:
        raise _damaged(
            folder, f"{LOG} has {len(lines)} entries, and there were {number}: some were removed"
        )
    known = {entry.sequence for entry in log.of_kind("intended")}
    for name, named in beside.items():
        if named and int(named[1]) not in known:
            raise _damaged(
                folder, f"it holds {name}, and {LOG} has no such release: some entries were removed"
            )
    if torn and writable:  # a line that never was whole on the disk: nothing was drawn after it
        write_durably(content.removesuffix(torn), folder / LOG)
    return log


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise _damaged(path.parent, f"its file {path.name} is missing") from None
    except OSError as error:
        raise LogRefused(f"{path} cannot be read ({error.strerror or error})") from error


def _entry(number: int, line: bytes, log: SpendingLog) -> Entry:
    """A line as an entry; ValueError, LookupError, TypeError or RecursionError unless it was written there."""
    held = unsealed(log.key, line)
    entry = Entry(held["public"])
    befores = [
        log._chained(),
        *(last.sha256 for last in log.entries[-1:]),
    ]  # not keyed up to version 0.2.0
    if entry.sequence != number or entry.public["before"] not in befores:
        raise ValueError("it stands in another place")
    return entry


def _damaged(folder: Path, what: str) -> LogRefused:
    return LogRefused(
        f"the spending log in {folder} cannot be trusted: {what}. Restore the whole folder from "
        "a backup. Where there "
        "is none, nothing more can be released under this log. If nothing was ever released, "
        "remove the folder"
    )


# ---------------------------------------------------------------- writing, on the disk when it returns


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Unwritable where what is done within fails."""
    try:
        yield
    except Unwritable:
        raise
    except OSError as error:
        raise unwritable(path, error) from error


def sync_folder(folder: Path) -> None:
    """Names of new files in a folder are on the disk when this returns."""
    with _writing(folder):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def write_durably(content: bytes, path: Path) -> None:
    """A file that only its owner may read, whole or not at all. Unwritable where that fails."""
    with whole(path) as file:
        os.fchmod(file.fileno(), _PRIVATE)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        reached(f"{path.name}: not yet in place")
    sync_folder(path.parent)


def write_once(content: bytes, path: Path) -> None:
    """A file as write_durably, which replaces none; LogRefused where there is one."""
    if path.exists() or path.is_symlink():
        raise LogRefused(
            f"{path} is there already, and a certificate is never replaced; move it elsewhere"
        )
    write_durably(content, path)
