"""Spending log beside the data: the releases from them, their costs, and the rest of the budget.

A seat belt and no security: it keeps honest people from spending twice. Who may change its files may also delete them.

The folder `dpslr-spending` is open to its owner alone. It holds `log.jsonl`, an entry on each line, with a keyed
digest of the entry before; `head`, the number and digest of the last entry, by which a log that was cut short is
seen; `key`, a local secret; and the certificates of all releases. A certificate quotes the entry before its draw, so
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
START = "0" * 64  # digest in place of an entry before the first
CERTIFICATE = "certificate.json"  # follows the number of the release's entry
# Entries before a draw have a time. Later ones have none: the duration of a draw depends on the data.
TIMED = ("budget", "intended")
_OF_A_RELEASE = re.compile(rf"([0-9]{{6,}})-{re.escape(CERTIFICATE)}")
_PRIVATE, _OF_OTHERS = 0o600, 0o077
_KEY_BYTES = 32
# Digits and rounding up of epsilon tanh(epsilon / 2), and the epsilon from which on the price is epsilon itself.
_DIGITS, _ROUNDING, _LARGE = 120, Fraction(1, 10**40), 1000


class LogRefused(ValueError):
    """Log that cannot be used: a sentence with the fault and the remedy."""


class OverBudget(ValueError):
    """Release that would cost more than is left: a sentence with the numbers and the remedy."""


def reached(step: str) -> None:
    """Do nothing: called around each step of a release that touches a disk, so that tests can end the process there."""


def cost(promise: Promise, definition: Definition) -> Fraction:
    """Return the cost of a release in the currency of a budget, never too low.

    Pure releases cost epsilon of a pure budget, zCDP releases rho of a zCDP budget; of a zCDP budget a pure release
    costs epsilon tanh(epsilon / 2), rounded up: the least rho that every such release satisfies, see
    conversions.pure_rho.

    Parameters
    ----------
    promise : Promise
        Promise of the release.
    definition : {"pure", "zcdp"}
        Definition of the budget.

    Raises
    ------
    OverBudget
        If a zCDP release has no price in a pure budget.
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
    """Entry of the log, all of which is public."""

    public: Mapping[str, Any]

    @property
    def sequence(self) -> int:
        """Number of the entry, from 1."""
        return int(self.public["sequence"])

    @property
    def kind(self) -> str:
        """Kind of the entry: "budget", "intended" or "released"; earlier versions had others."""
        return str(self.public["kind"])

    @property
    def sha256(self) -> str:
        """Digest of the public part."""
        return digest_of(self.public)

    @property
    def promise(self) -> Promise:
        """Promise of a budget, or of a release that is intended."""
        return Promise(**self.public["promise"])

    def line(self, key: bytes) -> bytes:
        """Return the entry as a line of the log's file, in bytes, sealed with the secret key of the log."""
        return sealed(key, {"public": dict(self.public)})


def seal(key: bytes, value: Any) -> str:
    """Return the HMAC-SHA256 of a JSON value, in hexadecimal: nobody without the key can change the value unseen."""
    return hmac.new(key, canonical(value), sha256).hexdigest()


def sealed(key: bytes, held: Mapping[str, Any]) -> bytes:
    """Return a line of the log in bytes: a JSON object, to which the entry "seal" is added, and a newline."""
    return canonical({**held, "seal": seal(key, held)}) + b"\n"


def unsealed(key: bytes, line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line of `sealed`.

    ValueError, LookupError, TypeError or RecursionError where `sealed` did not write the line.
    """
    held: dict[str, Any] = json.loads(line)
    del held["seal"]
    if not hmac.compare_digest(sealed(key, held), line):
        raise ValueError("its seal is another")
    return held


def find_folder(data: Path) -> Path:
    """Return the folder of a data file's log: beside the file itself, wherever a link to the file stands."""
    return Path(os.path.realpath(data)).parent / FOLDER


@dataclass
class SpendingLog:
    """Verified entries of a log; to be changed only while `opened` holds its lock.

    Attributes
    ----------
    notes : list of str
        Sentences for the user of the log.
    """

    folder: Path
    key: bytes
    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def budget(self) -> Promise | None:
        """Budget in force; None of an empty log."""
        return next(
            (entry.promise for entry in reversed(self.entries) if entry.kind == "budget"), None
        )

    def spent(self, definition: Definition) -> Fraction:
        """Return the total cost of all releases that were begun, finished or not; OverBudget where any has no price."""
        return sum(
            (cost(entry.promise, definition) for entry in self.of_kind("intended")), Fraction(0)
        )

    def of_kind(self, kind: str) -> list[Entry]:
        """Return the entries of a kind, in order."""
        return [entry for entry in self.entries if entry.kind == kind]

    def released(self, intended: Entry) -> Entry | None:
        """Return the entry that reports the end of an intended release; None where there is none."""
        return next(
            (e for e in self.of_kind("released") if e.public["of"] == intended.sequence), None
        )

    def afford(self, promise: Promise) -> tuple[Promise, Fraction, Fraction]:
        """Return the budget, and the total spent before and after a release with this promise.

        The first release opens the log: its own promise becomes the budget. OverBudget where a release costs too much.
        """
        budget = self.budget or promise
        before = self.spent(budget.definition)
        after = before + cost(promise, budget.definition)
        if after > exact(budget.amount):
            unit = UNITS[budget.definition]
            remaining = at_least(max(exact(budget.amount) - before, Fraction(0)), 6)
            raise OverBudget(
                f"the budget does not allow it: of {budget}, {unit} = {remaining} is left, and "
                f"this plan costs {unit} = {shown(after - before)}. Plan a smaller release, or "
                "raise the budget, with a name and a reason: dpslr spent --raise"
            )
        return budget, before, after

    def set_budget(self, budget: Promise, name: str, reason: str) -> Entry:
        """Append a budget, with who set it and why; ValueError where it is below the total spent, or no raise."""
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
        """Return the keyed digest of the last entry: a plain digest would let trial and error find the entry's time."""
        return seal(self.key, dict(self.entries[-1].public)) if self.entries else START

    def _write_head(self) -> None:
        """Write the number and the digest of the last entry."""
        digest = self.entries[-1].sha256 if self.entries else START
        write_durably(
            sealed(self.key, {"sequence": len(self.entries), "sha256": digest}), self.folder / HEAD
        )


# ---------------------------------------------------------------- reading, which trusts nothing


@contextmanager
def opened(folder: Path, waiting: Callable[[], None] | None = None) -> Iterator[SpendingLog]:
    """Open the log of a folder, locked for this process; made where there is none.

    Parameters
    ----------
    folder : Path
        Folder of the log.
    waiting : callable, optional
        Called where another process holds the lock.

    Raises
    ------
    LogRefused
        If the log is damaged.
    Unwritable
        If the folder may not be written to.
    """
    try:
        import fcntl
    except ImportError:  # this system has no such locks
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
    """Read the log of a folder, not to be changed; LogRefused where there is none or it is damaged."""
    if _is_empty(folder):
        raise LogRefused(
            f"there is no spending log in {folder.parent}: nothing was released from data there"
        )
    _must_be_own(folder)
    return _read(folder, writable=False)


def _is_empty(folder: Path) -> bool:
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def _make(folder: Path) -> None:
    """Make a new log with its key and a head that counts no entry: in place completely or not at all."""
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
    """Raise LogRefused if the folder or a file in it is a link, or the folder is somebody else's or open to others."""
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
    """Return the log of a folder; LogRefused unless all files are as written and each certificate has an entry.

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
    sequences = {entry.sequence for entry in log.of_kind("intended")}
    for name, named in beside.items():
        if named and int(named[1]) not in sequences:
            raise _damaged(
                folder, f"it holds {name}, and {LOG} has no such release: some entries were removed"
            )
    if torn and writable:
        # The last line was cut off while it was written: nothing was drawn after it.
        write_durably(content.removesuffix(torn), folder / LOG)
    return log


def _content(path: Path) -> bytes:
    """Return the content of a file of the log; LogRefused where it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise _damaged(path.parent, f"its file {path.name} is missing") from None
    except OSError as error:
        raise LogRefused(f"{path} cannot be read ({error.strerror or error})") from error


def _entry(number: int, line: bytes, log: SpendingLog) -> Entry:
    """Return a line as an entry.

    ValueError, LookupError, TypeError or RecursionError where the line was not written at this number.
    """
    held = unsealed(log.key, line)
    entry = Entry(held["public"])
    # Up to version 0.2.0 this digest was not keyed.
    befores = [log._chained(), *(last.sha256 for last in log.entries[-1:])]
    if entry.sequence != number or entry.public["before"] not in befores:
        raise ValueError("it stands in another place")
    return entry


def _damaged(folder: Path, what: str) -> LogRefused:
    """Return the refusal of a damaged log."""
    return LogRefused(
        f"the spending log in {folder} cannot be trusted: {what}. Restore the whole folder from a "
        "backup. Where there is none, nothing more can be released under this log. If nothing was "
        "ever released, remove the folder"
    )


# ---------------------------------------------------------------- writing, on the disk when it returns


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an OSError within into Unwritable."""
    try:
        yield
    except Unwritable:
        raise
    except OSError as error:
        raise unwritable(path, error) from error


def sync_folder(folder: Path) -> None:
    """Put the names of new files in a folder on the disk, before this returns."""
    with _writing(folder):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def write_durably(content: bytes, path: Path) -> None:
    """Write a file that only its owner may read, completely or not at all. Unwritable where that fails."""
    with whole(path) as file:
        os.fchmod(file.fileno(), _PRIVATE)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        reached(f"{path.name}: not yet in place")
    sync_folder(path.parent)


def write_once(content: bytes, path: Path) -> None:
    """Write a file as `write_durably` does, but replace none; LogRefused where there is a file already."""
    if path.exists() or path.is_symlink():
        raise LogRefused(
            f"{path} is there already, and a certificate is never replaced; move it elsewhere"
        )
    write_durably(content, path)
