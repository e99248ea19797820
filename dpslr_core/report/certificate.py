"""A certificate as one page to print, which holds the certificate itself and fetches nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import floor, inf, log10
from typing import Any

from ..release.certificate import as_text, sha256_of
from ..release.verification import Unverified
from ..sources.axis import LOGARITHM
from ..support.readable import format_amount
from .document import page_environment

DIGITS = 5
NO_END, UNKNOWN, OUTSIDE = "none", "not known", "outside the bounds"
COLUMNS = (
    "area",
    "n",
    "what",
    "value",
    "expected error, ±",
    "confidence interval",
    "privacy interval",
    "remark",
)
_START, _END = '<script type="application/json" id="certificate">', "</script>"
_HELD = re.compile(f"{re.escape(_START)}(.*?){re.escape(_END)}", re.DOTALL)


def as_page(text: str) -> str:
    """Make the HTML page of a certificate, given as the text of its JSON."""
    from markupsafe import Markup

    held = json.loads(text)
    rows, several = _rows(held), bool(held["plan"]["areas"])
    shown = [i for i in range(0 if several else 2, len(COLUMNS)) if any(row[i] for row in rows)]
    template = page_environment().get_template("certificate.html.j2")
    machine = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return template.render(
        held=held,
        columns=[COLUMNS[i] for i in shown],
        rows=[[row[i] for i in shown] for row in rows],
        title=_title(held),
        draws=_draws(held),
        settings=_settings(held) | {"Certificate": _digest(text)},
        pooled=_pooled(held),
        machine=Markup(f"{_START}{machine}{_END}"),
    )


def text_in(page: str) -> str:
    """Return the text of the certificate that a page holds.

    Parameters
    ----------
    page : str
        The page of HTML.

    Raises
    ------
    Unverified
        If the page holds no certificate, or is not what this version prints for its certificate.
    """
    match = _HELD.search(page)
    try:
        if match is None:
            raise ValueError("no certificate")
        text = as_text(json.loads(match[1]))
        same = as_page(text) == page
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Unverified(
            "the page holds no certificate of this version of dpslr, or it was changed"
        ) from None
    if not same:
        raise Unverified(
            "the page is refused: it is not what this version of dpslr prints for its "
            "certificate. Verify the certificate's JSON file"
        )
    return text


def _digest(text: str) -> str:
    return f"SHA-256 of its JSON: {sha256_of(text)}"


def _title(held: Mapping[str, Any]) -> str:
    name = held["plan"]["name"]
    kind = "Certificate of a release" if held["kind"] == "release" else "REHEARSAL of a release"
    return f"{kind}: “{name}”" if name else kind


def _amount(value: float | None, none: str = NO_END, digits: int = DIGITS) -> str:
    return none if value is None else format_amount(value, digits)


def _rows(held: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Rows of COLUMNS, as texts, for each prediction, slope and line; one row for an area without a line."""
    rows: list[tuple[str, ...]] = []
    columns = held["plan"]["columns"]
    for result in held["results"]:
        numbers = [*_predictions(result, columns), *_line(result, columns)]
        remarks = [result["remark"]] + [""] * len(numbers)
        rows += [
            (result["area"], f"{result['n']:,}", *number, remark)
            for number, remark in zip(numbers or [("",) * 5], remarks, strict=False)
        ]
    return rows


def _predictions(result: Mapping[str, Any], columns: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Rows for the predictions of an area: label, value, expected error, and both intervals."""
    low, high = columns["y_bounds"]
    if columns["y_transform"]:  # predictions are of the transformed column
        is_logarithm = columns["y_transform"] == LOGARITHM
        low, high = (log10(low), log10(high)) if is_logarithm else (-inf, inf)
    intervals: dict[float, dict[str, str]] = {}  # by point and kind
    for interval in result["intervals"]:
        ends = f"{_amount(interval['low'])} to {_amount(interval['high'])}"
        intervals.setdefault(interval["at"], {})[interval["kind"]] = ends
    points = {point["at"]: point for point in result["predictions"]}
    rows: list[tuple[str, ...]] = []
    for at in dict.fromkeys([*points, *intervals]):
        of_kind, point = intervals.get(at, {}), points.get(at, {})
        value = _amount(point["prediction"]) if point else ""
        if point and point["prediction"] is not None and not low <= point["prediction"] <= high:
            value += f", {OUTSIDE}"
        error = _amount(point["expected error"], UNKNOWN, 2) if "expected error" in point else ""
        both = of_kind.get("confidence", ""), of_kind.get("privacy", "")
        rows.append((f"at {_amount(at)}", value, error, *both))
    return rows


def _line(result: Mapping[str, Any], columns: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Rows for the released slope, intercept and scatter of an area, as in `_predictions`."""
    left, right = columns["x_bounds"]
    # a slope per round unit of x, about a fifth of the range
    unit = 1.0 if columns["x_transform"] else 10.0 ** max(floor(log10((right - left) / 5)), 0)
    slope = "slope" if unit == 1 else f"slope, per {unit:,.0f} of {columns['x_column']}"
    values = (
        (slope, result["slope"], unit),
        ("intercept", result["intercept"], 1.0),
        ("scatter, σₑ", result["residual standard deviation"], 1.0),
    )
    return [
        (label, _amount(value * factor), "", "", "")
        for label, value, factor in values
        if value is not None
    ]


def _pooled(held: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Rows for pooled areas: area, point, released and pooled prediction, ends of the interval; empty without any."""
    names = ("at", "released", "pooled", "low", "high")
    rows = held["pooled"]["rows"] if held["pooled"] else []
    return [(row["group"], *(_amount(row[name]) for name in names)) for row in rows]


def _draws(held: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Rows for the draws: label, function, scale, sensitivity, and cost by OpenDP's map."""
    return [
        (
            call["label"],
            call["measurement"]["__function__"],
            format_amount(call["measurement"]["__kwargs__"]["scale"], 9),
            f"{call['sensitivity']:,}",
            call["opendp map"],
        )
        for calls in held["guarantee"]["draws"]
        for call in calls
    ]


def _settings(held: Mapping[str, Any]) -> dict[str, str]:
    """Settings of the plan, versions and digests by name, which a reader may look up."""
    guarantee, plan = held["guarantee"], held["plan"]
    hyperparameters = "; ".join(
        f"{name} = {value}" for name, value in guarantee["hyperparameters"].items()
    )
    return {
        "Algorithm": f"{guarantee['mechanism']} ({hyperparameters or 'no hyperparameters'})",
        "Columns": f"x: {plan['columns']['x_column']}, y: {plan['columns']['y_column']}. {guarantee['bounds']}",
        "Grid": f"{guarantee['grid']:,} steps between the bounds",
        "Versions": ", ".join(f"{name} {number}" for name, number in held["software"].items()),
        "Plan": f"SHA-256 {held['plan sha256']}",
        "Log": f"SHA-256 {held['composition']['entry sha256']}"
        if held["composition"]["entry"]
        else "none",
    }
