"""Certificates: a release as JSON text that follows from the plan and the released integers alone.

Nothing in a certificate is a function of the data but the released integers. Only `certificate` writes this text, and
verification calls it again with the integers that a certificate holds.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from math import isfinite, sqrt
from typing import Any

import numpy as np
import scipy

from ..experiments.pooled_areas import pooled_in_units
from ..experiments.pooling import LEAST_AREAS, pool_areas
from ..intervals import Target
from ..support import VERSION
from ..text.phrases import joined
from . import text
from .base import Answer, decimal
from .plans import DEFINITIONS, Plan, Promise, digest_of
from .sums import FiveSums

FORMAT = 3
SOFTWARE = ("dpslr", "opendp", "numpy", "scipy", "python")
VAGUE = 0.25  # share of the width of y's bounds: a larger expected error is remarked
TARGETS = {Target.TRUE_LINE: "confidence", Target.OLS: "privacy"}
Integers = Sequence[Sequence[int]]


def certificate(
    plan: Plan,
    released: Mapping[str, Integers],
    calls: Sequence[Any],
    software: Mapping[str, str],
    entry: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the certificate of a release, or of a rehearsal.

    Parameters
    ----------
    plan : Plan
        Plan of the release.
    released : mapping of str to lists of int
        Released integers of each area; of a single release under "".
    calls : sequence
        Draws of the release, as `all_described` gives them.
    software : mapping of str to str
        Versions, as `software_used` gives them.
    entry : mapping or None
        Public content of the log's entry before the draw; None for a rehearsal.

    Raises
    ------
    ValueError
        If the plan cannot release these integers.
    """
    if list(released) != list(plan.sizes):
        raise ValueError("released must hold the areas of the plan, in their order")
    programs = {area: plan.program(area) for area in plan.sizes}
    answers = {area: program.answer(released[area]) for area, program in programs.items()}
    held = {
        "dpslr certificate": FORMAT,
        "kind": "release" if entry is not None else "rehearsal",
        "warning": "" if entry is not None else text.REHEARSAL,
        "guarantee": _guarantee(plan, calls),
        "results": [_result(plan, area, answers.get(area)) for area in plan.areas or answers],
        "pooled": _pooled(plan, programs, released),
        "released integers": [{"area": area, "integers": integers} for area, integers in released.items()],
        "not protected": list(text.unprotected(plan)),
        "looked at the data": list(text.looked_sentences(plan)),
        "known limits": list(text.limits(plan)),
        "composition": _composition(plan, entry),
        "plan": plan.content,
        "plan sha256": plan.sha256,
        "software": dict(software),
    }  # fmt: skip
    return held | {"sha256": digest_of(held)}


def as_text(held: Mapping[str, Any]) -> str:
    """Write the text of a certificate; any other text of the same content is refused."""
    return json.dumps(held, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def sha256_of(certificate: str) -> str:
    """Return the SHA-256 of a certificate's text: the digest that publisher, page, `verify` and log name."""
    return sha256(certificate.encode()).hexdigest()


def software_used() -> dict[str, str]:
    """Return the versions that make a release, under the names of `SOFTWARE`."""
    used = (
        VERSION,
        version("opendp"),
        np.__version__,
        scipy.__version__,
        platform.python_version(),
    )
    return dict(zip(SOFTWARE, used, strict=True))


def all_described(plan: Plan) -> list[list[dict[str, Any]]]:
    """Return the different lists of draws among a plan's programs, beginning with the first area's.

    ImportError without OpenDP.
    """
    different: list[list[dict[str, Any]]] = []
    for area in plan.one_of_each_size:
        calls = plan.program(area).calls
        if calls not in different:
            different.append(calls)
    return different


def _guarantee(plan: Plan, calls: Sequence[Any]) -> dict[str, Any]:
    """Return the section on the guarantee."""
    return {
        "sentence": text.guarantee_sentence(plan),
        "definition": DEFINITIONS[plan.promise.definition],
        "amount": plan.promise.amount,
        "unit": plan.unit,
        "records per unit": plan.records_per_person,
        "neighbours": text.neighbours_sentence(plan),
        "mechanism": type(plan.mechanism).__name__,
        "hyperparameters": {
            name: value for name, value in plan.content["mechanism"].items() if name != "algorithm"
        },
        "bounds": text.bounds_sentence(plan),
        "grid": plan.grid,
        "draws": list(calls),
    }


def _result(plan: Plan, area: str, answer: Answer | None) -> dict[str, Any]:
    """Return the numbers of an area's release in the units of the columns, or a remark that the area has no line."""
    (x_low, x_scale), (y_low, y_scale) = (_units(axis.axis_bounds) for axis in (plan.x, plan.y))
    n, answer = (plan.areas or plan.sizes)[area], answer or Answer(remark=text.NO_LINE)

    def height(value: Fraction | None) -> float | None:
        return None if value is None else float(y_low + y_scale * value)

    slope = None if answer.slope is None else answer.slope * y_scale / x_scale
    intercept = None
    if answer.intercept is not None and slope is not None:
        intercept = float(y_low + y_scale * answer.intercept - slope * x_low)
    variance = answer.residual_variance
    at = [float(x_low + x_scale * decimal(point)) for point in plan.at]
    errors = [
        plan.expected.at(n, number) if plan.expected else None
        for number in range(len(answer.predictions))
    ]
    predictions: list[dict[str, float | None]] = []
    for position, prediction, error in zip(at, answer.predictions, errors, strict=False):
        predictions.append({"at": position, "prediction": height(prediction)})
        if plan.expected:
            predictions[-1]["expected error"] = None if error is None else float(y_scale) * error
    outside = [
        position
        for position, value in zip(at, answer.predictions, strict=False)
        if value and not 0 <= value <= 1
    ]
    vague = [
        position for position, error in zip(at, errors, strict=False) if error and error > VAGUE
    ]
    unknown = [
        position
        for position, error in zip(at, errors, strict=False)
        if plan.expected and error is None
    ]
    intervals = []
    for interval in answer.intervals:
        intervals.append(
            {
                "of": "prediction",
                "at": float(x_low + x_scale * interval.at),
                "kind": TARGETS[interval.target],
                "level": interval.level,
                "low": height(interval.low),
                "high": height(interval.high),
            }
        )
    return {
        "area": area,
        "n": n,
        "predictions": predictions,
        "intercept": intercept,
        "slope": None if slope is None else float(slope),
        "residual standard deviation": None
        if variance is None
        else float(y_scale) * sqrt(float(variance)),
        "intervals": intervals,
        "remark": joined(
            answer.remark,
            text.outside_sentence(plan, outside),
            text.vague_sentence(plan, vague),
            text.unknown_sentence(unknown),
        ),
    }


@cache
def _units(bounds: tuple[float, float]) -> tuple[Fraction, Fraction]:
    """Return the lower bound and the scale of an axis, exactly as they are written."""
    low, high = map(decimal, bounds)
    return low, high - low


def can_pool(plan: Plan) -> bool:
    """Tell whether the areas of a plan help each other after their release."""
    return len(plan.sizes) >= LEAST_AREAS and issubclass(
        type(plan.program(next(iter(plan.sizes)))), FiveSums
    )


def _pooled(
    plan: Plan, programs: Mapping[str, Any], released: Mapping[str, Integers]
) -> dict[str, Any] | None:
    """Return the pooled lines of all areas, from their releases alone; None where the algorithm releases too little."""
    if not can_pool(plan):
        return None
    statistics = {area: program.statistics(released[area]) for area, program in programs.items()}
    frame = pooled_in_units(
        pool_areas(statistics, plan.at, level=plan.level), plan.x.axis, plan.y.axis
    )
    rows = [
        {name: _number(value) for name, value in row.items()} for row in frame.to_dict("records")
    ]
    return {
        "sentence": text.pooling_sentence(len(programs)),
        "common": {name: _number(value) for name, value in frame.attrs.items()},
        "rows": rows,
    }


def _number(value: Any) -> Any:
    """Return a cell as JSON has it: ten digits, as pooling computes with floats."""
    if isinstance(value, str):
        return value
    return float(f"{value:.10g}") if isfinite(value) else None


def _composition(plan: Plan, entry: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the section on the release's position in its log."""
    if entry is None:
        return {"sentence": text.REHEARSAL, "entry": None, "entry sha256": None}
    budget = Promise(**entry["budget"])
    return {
        "sentence": text.spent_sentence(plan.promise, budget, Fraction(entry["spent after"])),
        "entry": dict(entry),
        "entry sha256": digest_of(entry),
    }
