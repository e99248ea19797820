"""Verification of a certificate: without the data, without OpenDP, and without trust in whoever sends it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from math import isclose
from pathlib import Path
from typing import Any

from ..privacy import PureDP
from ..support import VERSION
from . import certificate as certificates
from .base import Program
from .log import Entry, cost, read_log
from .plans import Plan, Promise, exact

# What follows from the released integers whatever the version; sentences are those of one version.
NUMBERS = ("kind", "results", "pooled", "released integers", "plan", "plan sha256", "sha256")
_WITH_FLOATS = ("intervals", "pooled")  # all other numbers are exact
_RELATIVE, _ABSOLUTE = 1e-7, 1e-9  # by which those of another machine may differ
_FUNCTIONS = {
    ("noisy", True): "make_laplace", ("noisy", False): "make_gaussian", ("select", True): "make_noisy_max",
    ("select", False): "make_noisy_max",
}  # fmt: skip


class Unverified(ValueError):
    """A certificate is refused: one sentence that says why."""


@dataclass(frozen=True)
class Verified:
    """A certificate that was verified.

    plan: its plan. content: all it says. file_sha256: of its text; a publisher names it elsewhere. said: what was
    compared, one sentence each.
    """

    plan: Plan
    content: Mapping[str, Any]
    file_sha256: str
    said: tuple[str, ...]

    @property
    def rehearsal(self) -> bool:
        """Whether it is of synthetic data, and no release."""
        return bool(self.content["kind"] != "release")


def verify(certificate: Path | str, log: Path | None = None) -> Verified:
    """Verify a certificate: its digest, its guarantee, and all its numbers, from the released integers.

    Parameters
    ----------
    certificate : the file, or its text.
    log : folder of the spending log, where it is at hand: the release must be in it.

    Raises
    ------
    ValueError : the certificate is refused; the sentence says why.
    """
    content = _text_of(certificate)
    held = _parsed(content)
    plan = _plan_of(held)
    entry = held["composition"]["entry"]
    released = {row["area"]: row["integers"] for row in held["released integers"]}
    calls = held["guarantee"]["draws"]
    said = [
        "No byte of it has changed since it was written.",
        _guarantee(plan, calls, held["software"]),
        _composition(plan, entry),
    ]
    try:
        again = certificates.certificate(plan, released, calls, held["software"], entry)
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:
        raise Unverified(f"the certificate is refused: its numbers do not follow from its integers ({error})") from None
    same = held["software"]["dpslr"] == VERSION
    if same and list(held) != list(again):
        raise Unverified("the certificate is refused: it has parts too few or too many")
    for name in held if same else NUMBERS:
        if name != "sha256" and (where := _difference(held.get(name), again[name], name)):
            raise Unverified(f"the certificate is refused: {where} does not follow from the plan and the integers")
    said.append("Every number follows from the released integers, computed again.")
    if not same:
        said.append(f"Its sentences are those of dpslr {held['software']['dpslr']} and were not compared.")
    digest = sha256(content.encode()).hexdigest()
    if log is not None:
        said.append(_in_log(entry, digest, log))
    return Verified(plan, held, digest, tuple(said))


def _text_of(certificate: Path | str) -> str:
    if isinstance(certificate, str):
        return certificate
    try:
        return certificate.read_bytes().decode()
    except UnicodeDecodeError:
        raise Unverified(f"{certificate} holds no certificate: it is no text in UTF-8") from None


def _parsed(content: str) -> dict[str, Any]:
    """The content of a certificate, whose text is the one text of it and whose digest is its own."""
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


def _plan_of(held: Mapping[str, Any]) -> Plan:
    """The plan in a certificate; Unverified where a part of the certificate is missing, or the plan is another."""
    try:
        if held["dpslr certificate"] != certificates.FORMAT:
            raise ValueError("its format is another")
        plan = Plan.from_json(json.dumps({"plan": held["plan"], "sha256": held["plan sha256"]}), "its plan")
        parts = (held["composition"]["entry"], held["guarantee"]["draws"], held["software"]["dpslr"])
        areas = [row["area"] for row in held["released integers"]]
        if areas != list(plan.sizes) or not isinstance(parts[1], list):
            raise ValueError("its areas are not those of its plan")
    except (ValueError, LookupError, TypeError) as error:
        raise Unverified(f"the certificate is refused: {error}") from None
    return plan


def _guarantee(plan: Plan, calls: Sequence[Any], software: Mapping[str, str]) -> str:
    """Sentence on the guarantee; Unverified where a draw costs more than the plan promises.

    What a draw costs is computed anew from the scale in the library's measurement and the sensitivity of the program:
    Laplace noise s / scale, Gaussian noise s^2 / (2 scale^2), permute-and-flip 2 s / scale, the exponential mechanism
    s^2 / (2 scale^2).
    """
    wanted: list[list[Any]] = []
    for area in {n: area for area, n in reversed(plan.sizes.items())}.values():  # one of each size
        program = plan.program(area)
        found = next((each for each in calls if _describes(each, program)), None)
        if found is None:
            raise Unverified("the certificate is refused: what it says of its draws is not what its plan draws")
        if found not in wanted:
            wanted.append(found)
    if wanted != list(calls):
        raise Unverified("the certificate is refused: it names draws that its plan does not make")
    try:
        same = version("opendp") == software.get("opendp")
    except PackageNotFoundError:
        same = False
    if same:
        if certificates.all_described(plan) != list(calls):
            raise Unverified("the certificate is refused: OpenDP makes other measurements for its plan")
        return f"The draws are those of OpenDP for this plan, and keep {plan.promise}."
    return f"The draws keep {plan.promise}, computed from their scales; OpenDP itself was not asked."


def _describes(calls: Any, program: Program) -> bool:
    """Whether these are the draws of a program, and cost no more than it may."""
    steps, pure = program.steps, isinstance(program.guarantee, PureDP)
    if not isinstance(calls, list) or len(calls) != len(steps):
        return False
    try:
        for call, step, share, part in zip(calls, steps, program.shares, program.parts, strict=True):
            said = tuple(call[name] for name in ("label", "kind", "count", "sensitivity", "share"))
            if said != (step.label, step.kind, step.count, step.sensitivity, str(share)):
                return False
            measurement = call["measurement"]
            given = measurement["__kwargs__"]
            if measurement["__function__"] != _FUNCTIONS[step.kind, pure]:
                return False
            if given["input_domain"]["__kwargs__"]["size"] != step.count or not given["scale"] > 0:
                return False
            ratio = Fraction(step.sensitivity) / Fraction(given["scale"])
            costs = ratio * (1 if step.kind == "noisy" else 2) if pure else ratio**2 / 2
            stated = Fraction(call["opendp map"])
            allowed = Fraction(part.epsilon if isinstance(part, PureDP) else part.rho)
            if not costs <= stated <= allowed:
                return False
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return False
    return True


def _composition(plan: Plan, entry: Any) -> str:
    """Sentence on the log's entry that came before the draw; Unverified where it is not about this release."""
    if entry is None:
        return "It is a rehearsal: no budget was spent."
    try:
        budget = Promise(**entry["budget"])
        before, after = Fraction(entry["spent before"]), Fraction(entry["spent after"])
        right = (
            entry["kind"] == "intended"
            and entry["plan"] == plan.sha256
            and Promise(**entry["promise"]) == plan.promise
            and before >= 0
            and after == before + cost(plan.promise, budget.definition)
            and after <= exact(budget.amount)
        )
    except (ValueError, LookupError, TypeError, ArithmeticError):
        right = False
    if not right:
        raise Unverified("the certificate is refused: the entry of the spending log in it is not about this release")
    return f"The budget of {budget} covers it, as its entry in the spending log says."


def _difference(one: Any, other: Any, where: str) -> str:
    """Where two values differ first; "" where they are the same, but for last digits of what floats computed."""
    if isinstance(one, float) and isinstance(other, float) and any(name in where for name in _WITH_FLOATS):
        return "" if isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE) else where
    if type(one) is not type(other):
        return where
    if isinstance(one, dict):
        if list(one) != list(other):
            return where
        return next((found for name in one if (found := _difference(one[name], other[name], f"{where}, {name}"))), "")
    if isinstance(one, list):
        if len(one) != len(other):
            return where
        pairs = enumerate(zip(one, other, strict=True), 1)
        return next((found for i, pair in pairs if (found := _difference(*pair, f"{where} {i}"))), "")
    return "" if one == other else where


def _in_log(entry: Any, digest: str, folder: Path) -> str:
    """Sentence on the log that holds a release; Unverified where it holds another, or none."""
    log = read_log(folder)
    held = next((each for each in log.of_kind("intended") if entry is not None and each.public == entry), None)
    released: Entry | None = log.released(held) if held is not None else None
    if released is None or released.public["certificate"] != digest:
        raise Unverified(f"the certificate is refused: the spending log in {folder} holds no such release")
    return "The spending log holds this release, and no entry of it has changed."
