"""Release of a plan: read the records once, draw once, and let the log know before and after.

Order: lock, check the budget, log "intended" and see it on the disk, draw, write the certificate, log "released". So a
process that ends anywhere leaves a log that counts all that may have been drawn. A table of areas is a single release:
ended in the middle, it counts, and nothing drawn was stored.

A plan is released once. Whether it was is asked before the records are looked at: messages of a second run, and
later entries, must not tell whether the file has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..privacy import PureDP
from ..sources.numbers import Style, read_one
from ..sources.tables import Column, Table, labels_of, most_rows, records_of
from ..text.phrases import counted
from . import certificate as certificates
from . import log as logs
from .base import to_grid
from .log import Entry, LogRefused, OverBudget, SpendingLog
from .plans import Plan, Promise, exact
from .verification import verify

Records = Mapping[str, tuple[Sequence[int], Sequence[int]]]
UNFINISHED = (
    "an earlier run of this release did not finish; what it may have drawn counts as spent."
)
UNUSABLE = "count as the public value of the plan. This number is not protected: do not publish it."
FIRST = "the promise of the first release"


@dataclass(frozen=True)
class Released:
    """Release: its certificate as text, the file of the certificate, and whether the release is an earlier one.

    Attributes
    ----------
    notes : tuple of str
        Sentences for the user of the log.
    """

    text: str
    path: Path
    earlier: bool
    notes: tuple[str, ...] = ()

    @property
    def content(self) -> dict[str, Any]:
        """Content of the certificate."""
        held: dict[str, Any] = json.loads(self.text)
        return held


def release(
    plan: Plan,
    data: Table,
    folder: Path,
    budget: Promise | None = None,
    waiting: Callable[[], None] | None = None,
    drawn: Callable[[int], None] | None = None,
) -> Released:
    """Release a plan from data, or return the earlier release of this plan, whatever the data are now.

    Parameters
    ----------
    plan : Plan
        Plan of `dpslr_core.release.plan`.
    data : Table
        Table of the data's file, from `sources.files.read_file`.
    folder : Path
        Folder of the spending log, `find_folder` of the data's file.
    budget : Promise, optional
        Budget for all releases of a new log; by default the promise of the plan.
    waiting : callable, optional
        Called where another release holds the log.
    drawn : callable, optional
        Called with the number of areas after each draw.

    Returns
    -------
    Released
        The certificate and its file.

    Raises
    ------
    ValueError
        If the data are not as the plan says, the budget does not allow it, or the log cannot be trusted.
    OSError
        If a file cannot be written.
    ImportError
        If OpenDP is not installed.
    """
    # Every map is compared with its promise before the records are read.
    calls = certificates.all_described(plan)
    _keeps(plan, calls)
    if (earlier := released_before(plan, folder, waiting)) is not None:
        return earlier
    notes: list[str] = []
    records = records_on_grid(plan, data, notes)
    with logs.opened(folder, waiting) as log:
        log.notes += notes
        if (earlier := _earlier(plan, log)) is not None:  # another process released it in between
            return earlier
        before = UNFINISHED if _begun(plan, log) else ""
        intended = _intend(plan, log, budget, before)
        integers: dict[str, list[list[int]]] = {}
        for area in plan.sizes:
            integers[area] = plan.program(area).draw(*records[area])
            if drawn is not None:
                drawn(len(integers))
        logs.reached("drawn")
        held = certificates.certificate(
            plan, integers, calls, certificates.software_used(), intended.public
        )
        path = _path(log, intended)
        logs.reached("certificate: before")
        logs.write_once(certificates.as_text(held).encode(), path)
        logs.reached("certificate: written")
        return _finish(plan, log, intended)


def released_before(
    plan: Plan, folder: Path, waiting: Callable[[], None] | None = None
) -> Released | None:
    """Return the release of a plan that the log in a folder holds, found without the data; None where there is none.

    Arguments and errors as for `release`.
    """
    if not folder.is_dir():
        return None
    with logs.opened(folder, waiting) as log:
        return _earlier(plan, log)


def rehearse(plan: Plan, records: Records) -> str:
    """Draw a rehearsal from synthetic records, as a release is drawn; return a certificate that says so.

    Parameters
    ----------
    plan : Plan
        Plan of the release.
    records : mapping of str to pairs of sequences of int
        By area, x and y of synthetic records on the plan's grid.

    Raises
    ------
    ValueError
        If the numbers of records are not the plan's.
    ImportError
        If OpenDP is not installed.
    """
    calls = certificates.all_described(plan)
    integers = {area: plan.program(area).draw(*records[area]) for area in plan.sizes}
    return certificates.as_text(
        certificates.certificate(plan, integers, calls, certificates.software_used(), None)
    )


def records_on_grid(
    plan: Plan, table: Table, notes: list[str] | None = None
) -> dict[str, tuple[list[int], list[int]]]:
    """Convert the records of each area to integers on the plan's grid.

    Each record depends on its own row alone. So files that differ in a single row give records that differ in one, and
    n is as planned, also where a row without two numbers counts as the plan's public value. A refusal, and any message
    added to `notes`, is for whoever holds the data, and no part of the release.

    Parameters
    ----------
    plan : Plan
        Plan of the release.
    table : Table
        Table of the data's file.
    notes : list of str, optional
        Receives a message on rows that count as the plan's public value.

    Returns
    -------
    dict of str to (list of int, list of int)
        By area of the plan that gets a line: x and y of the area's records.

    Raises
    ------
    ValueError
        If the table is not as the plan says.
    """
    columns = plan.columns
    assert columns.x_bounds is not None and columns.y_bounds is not None
    if not table.readable:
        raise ValueError(" ".join(problem.message for problem in table.problems))
    person = columns.person_column
    names = [columns.x_column, columns.y_column, *([columns.group_column] if plan.areas else [])]
    names += [person] if person else []
    if missing := [name for name in names if name not in table.names]:
        raise ValueError(
            f"the data have no column {missing[0]!r}; the plan needs {', '.join(map(repr, names))}"
        )
    x = Column(columns.x_column, columns.x_bounds, "", columns.x_numbers)
    y = Column(columns.y_column, columns.y_bounds, "", columns.y_numbers)
    frame, problems = records_of(table, x, y, columns.group_column or None)
    problems = [*(problem for problem in table.problems if problem.doubtful), *problems]
    broken = any(problem.severity == "error" or problem.doubtful for problem in problems)
    if plan.unusable_as is not None and not broken:
        unusable, frame = len(table.rows) - len(frame), _every_row(plan, table)
        if unusable and notes is not None:
            notes.append(f"{unusable:,} of {len(table.rows):,} rows {UNUSABLE}")
    if broken or len(frame) < len(table.rows):
        messages = " ".join(problem.message for problem in problems)
        raise ValueError(
            "the data have rows that cannot be read or may be no records, and a release leaves "
            f"none out: {messages} Set the rule for such rows without looking: plan with "
            "--unusable-as, or apply it to the file first"
        )
    if person and (most := most_rows(labels_of(table, person))) > plan.records_per_person:
        raise ValueError(
            f"one {plan.unit} has {most:,} rows by the column {person!r}, and the plan protects "
            f"{plan.records_per_person:,} each; keep no more by a rule set without looking, or "
            "make another plan"
        )
    if not plan.areas:
        frame = frame.assign(group="")
    public, sizes = plan.areas or plan.sizes, frame["group"].value_counts().to_dict()
    for area in dict.fromkeys([*public, *sizes]):
        if (held := sizes.get(area, 0)) != (n := public.get(area, 0)):
            raise ValueError(
                f"{f'area {area!r}' if plan.areas else 'the file'} has {counted(held, 'record')}, and "
                f"{n:,} in the plan. This number is public: correct it in another plan, or the file"
            )
    xs, ys = (
        to_grid(scale.to_unit(frame[name]), plan.grid)
        for name, scale in (("x", plan.x), ("y", plan.y))
    )
    rows = frame.groupby("group", sort=False).indices
    return {area: ([xs[i] for i in rows[area]], [ys[i] for i in rows[area]]) for area in plan.sizes}


def _every_row(plan: Plan, table: Table) -> pd.DataFrame:
    """Tabulate all labelled rows, with the plan's public value where a row lacks a number: columns group, x, y.

    Cells are read singly: a text among the numbers of a sheet turns all its cells to texts, which a decimal comma would
    read otherwise.
    """
    columns, frame = plan.columns, pd.DataFrame(index=table.rows)
    for axis, name, style in (
        ("x", columns.x_column, columns.x_numbers),
        ("y", columns.y_column, columns.y_numbers),
    ):
        cells = table.column(name)
        if style == "comma" and pd.api.types.is_numeric_dtype(cells):
            raise ValueError(
                f"column {name!r} holds numbers, no texts with decimal commas; plan with "
                "--numbers point"
            )
        frame[axis] = [_number(cell, style) for cell in cells]
    frame[~np.isfinite(frame).all(axis=1)] = plan.unusable_as
    labels = labels_of(table, columns.group_column) if plan.areas else pd.Series("all", table.rows)
    return frame.assign(group=labels)[labels != ""]


def _number(cell: Any, style: Style | None) -> float:
    """Return the number in a cell, NaN where there is none."""
    if isinstance(cell, str):
        number = read_one(cell, style or "point")
        return float("nan") if number is None else number
    numeric = isinstance(cell, int | float | Decimal | np.number) and not isinstance(cell, bool)
    return float(cell) if numeric else float("nan")


def _keeps(plan: Plan, calls: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """Raise ValueError unless the library's maps, for all records of a person, keep the promise as exact fractions."""
    records, promise = plan.records_per_person, exact(plan.promise.amount)
    times = records if isinstance(plan.per_record, PureDP) else records**2
    for draws in calls:
        total = sum((Fraction(call["opendp map"]) for call in draws), Fraction(0)) * times
        if total > promise:
            raise ValueError(
                f"promise must cover what OpenDP says that the draws cost, {float(total)}, got "
                f"{promise}"
            )


# ---------------------------------------------------------------- one entry of the log, from its begin to its end


def _intend(plan: Plan, log: SpendingLog, budget: Promise | None, before: str) -> Entry:
    """Append the entry that counts a release before it is drawn; OverBudget where it costs too much.

    Parameters
    ----------
    plan : Plan
        Plan of the release.
    log : SpendingLog
        Log under its lock.
    budget : Promise, optional
        Budget of a new log.
    before : str
        Sentence on earlier runs, or "".
    """
    if log.budget is None:
        log.set_budget(
            budget or plan.promise,
            FIRST,
            "no other budget was given" if budget is None else "given",
        )
    elif budget is not None and budget != log.budget:
        raise ValueError(
            f"the budget of this log is {log.budget} already; raise it with dpslr spent --raise"
        )
    try:
        allowed, so_far, after = log.afford(plan.promise)
    except OverBudget as refused:
        raise OverBudget(" ".join(filter(None, [before, str(refused)]))) from None
    if before:
        log.notes.append(before)
    return log.append(
        "intended",
        plan=plan.sha256,
        promise=plan.promise.model_dump(),
        budget=allowed.model_dump(),
        **{"spent before": str(so_far), "spent after": str(after)},
    )


def _path(log: SpendingLog, intended: Entry) -> Path:
    """Return the path of the certificate of an intended release."""
    return log.folder / f"{intended.sequence:06d}-{logs.CERTIFICATE}"


def _begun(plan: Plan, log: SpendingLog) -> list[Entry]:
    """Return the entries that count a release of this plan, of whatever data."""
    return [entry for entry in log.of_kind("intended") if entry.public["plan"] == plan.sha256]


def _earlier(plan: Plan, log: SpendingLog) -> Released | None:
    """Return the last release of a plan in this log; None where every process ended before it wrote a certificate.

    A certificate that was written without a "released" entry gets this entry now. LogRefused where it was changed.
    """
    for intended in reversed(_begun(plan, log)):
        if log.released(intended) is not None or _path(log, intended).exists():
            return _finish(plan, log, intended)
    return None


def _finish(plan: Plan, log: SpendingLog, intended: Entry) -> Released:
    """Return the release of a written certificate, an earlier release where the log holds it already; else log it."""
    path, released = _path(log, intended), log.released(intended)
    try:
        content = path.read_bytes().decode()
        digest = certificates.sha256_of(content)
        if released is None:
            checked = verify(content)
            entry = checked.content["composition"]["entry"]
            right = entry == intended.public and checked.plan == plan
        else:
            right = released.public["certificate"] == digest
    except (OSError, ValueError):
        right = False
    if not right:
        raise LogRefused(
            f"this plan was released before, and its certificate {path} is missing or was changed; "
            "restore it from a backup. It is not drawn again"
        )
    if released is None:
        log.append("released", of=intended.sequence, certificate=digest)
    return Released(content, path, released is not None, tuple(log.notes))
