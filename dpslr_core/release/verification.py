"""Verification of a certificate: without the data, without OpenDP, and without trust in whoever sends it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from math import isclose
from pathlib import Path
from typing import Any

from ..privacy import PureDP
from ..support import VERSION
from . import certificate as certificates
from .base import Program
from .library import serialization
from .log import Entry, cost, read_log
from .plans import Plan, Promise, canonical, exact

DIGEST = (
    "Its digest is that of its content. That shows accidents alone: whoever changes a "
    "certificate can compute another. Compare its SHA-256 with the one that the publisher names."
)
TRUST = (
    "Whether the integers were drawn so nobody can see from them: for that you trust the publisher."
)
_WITH_FLOATS = ("intervals", "pooled")  # all other numbers are exact
_RELATIVE, _ABSOLUTE = 1e-7, 1e-9  # largest differences to the numbers of another machine
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,40}")
_ENTRY = {
    "sequence",
    "time",
    "kind",
    "before",
    "plan",
    "promise",
    "budget",
    "spent before",
    "spent after",
}


class Unverified(ValueError):
    """Certificate that is refused: a sentence with the reason."""


@dataclass(frozen=True)
class Verified:
    """Certificate that was verified.

    Attributes
    ----------
    plan : Plan
        Plan of the release.
    content : mapping
        Content of the certificate.
    file_sha256 : str
        SHA-256 of its text, which a publisher names elsewhere.
    said : tuple of str
        A sentence for each comparison that was made.
    """

    plan: Plan
    content: Mapping[str, Any]
    file_sha256: str
    said: tuple[str, ...]

    @property
    def rehearsal(self) -> bool:
        """Whether the certificate is of synthetic data, and no release."""
        return bool(self.content["kind"] != "release")


def verify(certificate: Path | str, log: Path | None = None) -> Verified:
    """Verify a certificate: its digest, its guarantee, and every word and number of it, from the released integers.

    Another version of dpslr may write other sentences: that version verifies its certificates, and the refusal says so.

    Parameters
    ----------
    certificate : Path or str
        File of the certificate, or its text.
    log : Path, optional
        Folder of the spending log, where it is at hand: the release must be in it.

    Returns
    -------
    Verified
        Content and plan, and a sentence for each comparison.

    Raises
    ------
    ValueError
        If the certificate is refused; the sentence says why.
    """
    if isinstance(certificate, Path):
        certificate = certificate.read_bytes().decode(errors="replace")
    held = _parsed(certificate)
    plan, entry, released, calls, software = _parts_of(held)
    sentences = [
        DIGEST,
        _guarantee(plan, calls, software),
        _composition(plan, entry, log is not None),
    ]
    try:
        again = certificates.certificate(plan, released, calls, software, entry)
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:
        raise Unverified(
            f"the certificate is refused: its numbers do not follow from its integers ({error})"
        ) from None
    if list(held) != list(again):
        raise Unverified("the certificate is refused: it has parts too few or too many")
    for name in [name for name in held if name != "sha256"]:
        for where, stated, computed in _differences(held[name], again[name], name):
            if not _is_close(where, stated, computed):
                raise Unverified(
                    f"the certificate is refused: {where} does not follow from the plan and the "
                    f"integers{_by_another(software['dpslr'])}"
                )
    sentences.append(
        "Every sentence and number follows from the released integers and the plan, computed "
        "again; intervals to seven digits."
    )
    digest = certificates.sha256_of(certificate)
    if log is not None:
        sentences.append(_in_log(entry, digest, log))
    return Verified(plan, held, digest, tuple(sentences))


def _by_another(version: str) -> str:
    """Return the remedy for a certificate of another version; "" for this version."""
    return (
        "" if version == VERSION else f". It says that dpslr {version} wrote it: verify with that"
    )


def _parsed(content: str) -> dict[str, Any]:
    """Return the content of a certificate; Unverified unless text and digest follow from this content."""
    try:
        held = json.loads(content)
        written = certificates.as_text(held)
        digest = held["sha256"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Unverified("the file holds no certificate, or it was changed") from None
    rest = {name: value for name, value in held.items() if name != "sha256"}
    if written != content or digest != certificates.digest_of(rest):
        raise Unverified("the certificate is refused: it was changed after it was written")
    return dict(held)


def _parts_of(
    held: Mapping[str, Any],
) -> tuple[Plan, Any, dict[str, Any], list[Any], dict[str, str]]:
    """Return plan, log entry, integers of each area, draws and software: all else in a certificate follows from these.

    Unverified where any is missing or of another kind.
    """
    try:
        if held["dpslr certificate"] != certificates.FORMAT:
            raise ValueError("another version of dpslr wrote it: verify it with that")
        plan = Plan.from_json(
            json.dumps({"plan": held["plan"], "sha256": held["plan sha256"]}), "its plan"
        )
        entry, software = held["composition"]["entry"], held["software"]
        if (held["kind"] == "release") != (entry is not None):
            raise ValueError("a release quotes an entry of a log, and a rehearsal quotes none")
        if list(software) != list(certificates.SOFTWARE) or not all(
            _VERSION.fullmatch(version_text) for version_text in software.values()
        ):
            raise ValueError("it names no versions of its software")
        rows, calls = held["released integers"], held["guarantee"]["draws"]
        if [row["area"] for row in rows] != list(plan.sizes) or not isinstance(calls, list):
            raise ValueError("its areas are not those of its plan")
        released = {row["area"]: row["integers"] for row in rows}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Unverified(f"the certificate is refused: {error}") from None
    return plan, entry, released, calls, software


def _guarantee(plan: Plan, calls: Sequence[Any], software: Mapping[str, str]) -> str:
    """Return the sentence on the guarantee; Unverified where a draw costs more than the plan promises.

    The cost of a draw is computed anew from the scale in the library's measurement and the program's sensitivity s:
    Laplace noise s / scale, Gaussian noise s^2 / (2 scale^2), permute-and-flip 2 s / scale, the exponential mechanism
    s^2 / (2 scale^2).
    """
    wanted: list[list[Any]] = []
    for area in plan.one_of_each_size:
        program = plan.program(area)
        described = next(
            (draws for draws in calls if _describes(draws, program, software["opendp"])), None
        )
        if described is None:
            raise Unverified(
                "the certificate is refused: what it says of its draws is not what its plan draws"
            )
        if described not in wanted:
            wanted.append(described)
    if wanted != list(calls):
        raise Unverified("the certificate is refused: it names draws that its plan does not make")
    try:
        same = version("opendp") == software["opendp"]
    except PackageNotFoundError:
        same = False
    if not same:
        by = "computed from their scales; OpenDP itself was not asked"
        return f"The draws that it names would keep {plan.promise}, {by}. {TRUST}"
    if certificates.all_described(plan) != list(calls):
        raise Unverified("the certificate is refused: OpenDP makes other measurements for its plan")
    return f"The draws that it names are those of OpenDP for this plan, and would keep {plan.promise}. {TRUST}"


def _describes(calls: Any, program: Program, of_opendp: str) -> bool:
    """Tell whether these are the draws of a program and nothing else, and cost no more than it may."""
    steps, pure = program.steps, isinstance(program.guarantee, PureDP)
    if not isinstance(calls, list) or len(calls) != len(steps):
        return False
    try:
        for number, (call, step, limit) in enumerate(zip(calls, steps, program.parts, strict=True)):
            scale, stated = call["measurement"]["__kwargs__"]["scale"], Fraction(call["opendp map"])
            right = program.call(
                number, stated, serialization(step.kind, pure, step.count, scale, of_opendp)
            )
            if type(scale) is not float or canonical(call) != canonical(right):
                return False
            ratio = Fraction(step.sensitivity) / Fraction(scale)
            costs = ratio * (1 if step.kind == "noisy" else 2) if pure else ratio**2 / 2
            allowed = Fraction(limit.epsilon if isinstance(limit, PureDP) else limit.rho)
            if not 0 < costs <= stated <= allowed:
                return False
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return False
    return True


def _composition(plan: Plan, entry: Any, looked_up: bool) -> str:
    """Return the sentence on the log's entry before the draw; Unverified where it is not about this release."""
    if entry is None:
        return "It calls itself a rehearsal, and quotes no entry of a log."
    try:
        budget = Promise(**entry["budget"])
        before, after = Fraction(entry["spent before"]), Fraction(entry["spent after"])
        time = datetime.fromisoformat(entry["time"])
        right = (
            entry.keys() == _ENTRY
            and entry["kind"] == "intended"
            and entry["plan"] == plan.sha256
            and entry["promise"] == plan.promise.model_dump()
            and entry["budget"] == budget.model_dump()
            and time.utcoffset() == timedelta(0)
            and time.isoformat(timespec="seconds") == entry["time"]
            and type(entry["sequence"]) is int
            and re.fullmatch("[0-9a-f]{64}", entry["before"]) is not None
            and [str(before), str(after)] == [entry["spent before"], entry["spent after"]]
            and after == before + cost(plan.promise, budget.definition)
            and after <= exact(budget.amount)
            # A budget comes first, and an earlier release where anything was spent.
            and entry["sequence"] >= (3 if before else 2)
            and before >= 0
        )
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        right = False
    if not right:
        raise Unverified(
            "the certificate is refused: the entry of the spending log in it is not about this "
            "release"
        )
    sentence = f"The budget of {budget} covers it, as the entry says that it quotes"
    return f"{sentence}." if looked_up else f"{sentence}; it was not looked up in a log."


def _differences(stated: Any, computed: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the position of each difference between two values, with both contents."""
    if (
        type(stated) is type(computed)
        and isinstance(stated, dict)
        and list(stated) == list(computed)
    ):
        for name in stated:
            yield from _differences(stated[name], computed[name], f"{where}, {name}")
    elif (
        type(stated) is type(computed) and isinstance(stated, list) and len(stated) == len(computed)
    ):
        for number, pair in enumerate(zip(stated, computed, strict=True), 1):
            yield from _differences(*pair, f"{where} {number}")
    elif type(stated) is not type(computed) or stated != computed:
        yield where, stated, computed


def _is_close(where: str, stated: Any, computed: Any) -> bool:
    """Tell whether both values come from floats and are the same but for the last digits of another machine."""
    rounded = any(name in where for name in _WITH_FLOATS)
    floats = rounded and isinstance(stated, float) and isinstance(computed, float)
    return floats and isclose(stated, computed, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _in_log(entry: Any, digest: str, folder: Path) -> str:
    """Return the sentence on the log that holds a release; Unverified where the log holds another, or none."""
    log = read_log(folder)
    held = next(
        (
            intended
            for intended in log.of_kind("intended")
            if entry is not None and intended.public == entry
        ),
        None,
    )
    released: Entry | None = log.released(held) if held is not None else None
    if released is None or released.public["certificate"] != digest:
        raise Unverified(
            f"the certificate is refused: the spending log in {folder} holds no such release"
        )
    return (
        "The spending log holds this release, and its chain of entries is whole under the key "
        "beside it. Whoever has the key can write another log."
    )
