"""Plans: everything that determines a release before the data are read, with a digest.

A plan holds settings that depend on no value of the data. Settings chosen by looking at the data are marked, and the
mark stands in the certificate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal
from unicodedata import category

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from ..mechanisms.base import Mechanism
from ..privacy import ZCDP, PureDP
from ..privacy.accounting import guarantee
from ..scenario import MAX_POINTS, MechanismField, Scenario
from ..sources.axis import Rescaling
from ..sources.choices import Synthetic, UploadedFile
from ..sources.grouping import SMALLEST, GroupedData
from ..sources.stored import RepeatedName, parse_json
from ..support.readable import at_most, decimals, one_name
from .base import float_below
from .programs import Program, program_of

LOOKED = "chosen by looking, outside the guarantee"
GRID = 1000  # steps of x and of y between their bounds
MAX_AREAS = 100_000
ANEW = "make a new plan with `dpslr plan`"
MOST_WORDS = 6  # of the name for whom a promise protects
_DECIMAL = re.compile(r"[0-9]{1,20}(\.[0-9]{1,40})?")

Definition = Literal["pure", "zcdp"]
UNITS: dict[str, str] = {"pure": "ε", "zcdp": "ρ"}
DEFINITIONS: dict[str, str] = {"pure": "Pure DP", "zcdp": "Zero-concentrated DP"}


def exact(written: Any) -> Fraction:
    """Return the exact value of a number above 0 in decimals: "0.1" is a tenth. ValueError for any other text.

    >>> exact("0.1") + exact("0.2") == exact("0.3")
    True
    """
    text = written.strip() if isinstance(written, str) else ""
    if not _DECIMAL.fullmatch(text) or not (number := Fraction(text)) > 0:
        raise ValueError(
            f"amount must be a number above 0 in decimals, such as 0.5, got {written!r}"
        )
    return number


def shown(amount: Fraction) -> str:
    """Write an exact amount for people, in six digits and never less than it is."""
    return at_most(amount, 6)


def canonical(value: Any) -> bytes:
    """Return the only form of a JSON value that digests are taken of."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form, in hexadecimal."""
    return sha256(canonical(value)).hexdigest()


class Promise(BaseModel):
    """Guarantee for a person: its definition, and its amount in decimals, which is exact."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    definition: Definition
    amount: str

    @model_validator(mode="after")
    def _is_a_number(self) -> Promise:
        exact(self.amount)
        return self

    def for_record(self, records: int) -> PureDP | ZCDP:
        """Return the guarantee for a record, rounded down, that keeps the promise for people with `records` records."""
        if self.definition == "pure":
            return PureDP(float_below(exact(self.amount) / records))
        return ZCDP(float_below(exact(self.amount) / records**2))

    def __str__(self) -> str:
        written = shown(exact(self.amount))
        return f"ε = {written}" if self.definition == "pure" else f"ρ = {written} (zCDP)"


def _words(unit: str) -> str:
    """Return a unit of a few words; ValueError for marks that would end the sentence of the guarantee."""
    marked = [
        sign
        for sign in unit
        if not (sign.isalnum() or category(sign)[0] == "M" or sign in " -'’()/&")
    ]
    if marked or len(unit.split()) > MOST_WORDS:
        raise ValueError(
            f"unit must be at most {MOST_WORDS} words without full stops or commas, got {unit!r}"
        )
    return unit


def _all_settings(mechanism: Mechanism) -> dict[str, Any]:
    """Return an algorithm with every hyperparameter, defaults too: a later version may have others."""
    return {
        "algorithm": type(mechanism).__name__,
        **{f.name: getattr(mechanism, f.name) for f in fields(mechanism)},
    }


def _sorted(areas: dict[str, int]) -> dict[str, int]:
    """Sort areas with their numbers of records by name."""
    return dict(sorted(areas.items()))


class ExpectedErrors(BaseModel):
    """Errors of releases on simulated records, computed before anybody reads the data.

    Parameters
    ----------
    source : Synthetic
        Model of the simulated records; its n is not used.
    by_n : dict of int to tuple of float or None
        By number of records, C(68) about OLS at each point, in the unit square; None where unknown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Synthetic
    by_n: dict[int, tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)] | None, ...]] = Field(
        min_length=1
    )

    def at(self, n: int, number: int) -> float | None:
        """Return the error for n records at a point, linear in 1/n between two sizes; None where unknown.

        It needs only the four operations, so that the error is the same on every processor.

        Parameters
        ----------
        n : int
            Number of records, from the smallest size to the largest.
        number : int
            Number of the point, from 0.
        """
        below, above = (
            max(size for size in self.by_n if size <= n),
            min(size for size in self.by_n if size >= n),
        )
        low, high = self.by_n[below][number], self.by_n[above][number]
        if low is None or high is None or below == above:
            return low if low == high else None
        share = (1 / below - 1 / n) / (1 / below - 1 / above)
        return low + share * (high - low)


class Plan(BaseModel):
    """Plan of a release before the data are read: a single release, or a table with a release for each area.

    Which areas get a line follows from `areas` and `smallest` alone, see `sizes`. Both are in the plan, which is
    made before the data are read. So no record decides whether an area has a line, and whoever lives in an area
    without a line is in no draw: replacing that record changes nothing that is published.

    Parameters
    ----------
    columns : UploadedFile
        Columns of the data file, with public bounds and transforms.
    n : int
        Public number of records.
    areas : dict of str to int
        Public number of records of each area; n is their sum. Empty for a single release.
    unit : str
        Whom the promise protects, such as "person".
    records_per_person : int
        Most records of any such unit.
    at : tuple of float
        Points of the predictions, in the unit square.
    grid : int
        Number of steps between the bounds that records are rounded to.
    bounds_from, choice_from : str
        Where the bounds come from, and how algorithm, promise and points were chosen; LOOKED where somebody looked at
        the data.
    name : str
        Name of the release, for its readers.
    unusable_as : tuple of float, optional
        x and y that a row without two numbers counts as, in the units of the columns; None: such a row is refused.
    smallest : int, optional
        Areas with fewer records get no line.
    expected : ExpectedErrors, optional
        Errors on simulated records.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    format: Literal[2] = 2
    columns: UploadedFile
    n: int = Field(ge=SMALLEST, le=1_000_000)
    areas: Annotated[
        dict[Annotated[str, Field(pattern=r"\S")], Annotated[int, Field(ge=0, strict=True)]],
        Field(max_length=MAX_AREAS),
        AfterValidator(_sorted),
    ] = {}
    unit: Annotated[str, AfterValidator(_words)] = Field("person", min_length=1, max_length=100)
    records_per_person: int = Field(1, ge=1, le=1000)
    mechanism: Annotated[MechanismField, PlainSerializer(_all_settings)]
    promise: Promise
    at: tuple[float, ...] = Field(max_length=MAX_POINTS)
    grid: int = GRID
    level: float = 0.95
    bounds_from: str = Field(min_length=1, max_length=1000)
    choice_from: str = Field(min_length=1, max_length=1000)
    name: str = Field("", max_length=200)
    unusable_as: tuple[float, float] | None = None
    smallest: int | None = Field(None, ge=SMALLEST)
    expected: ExpectedErrors | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Plan:
        columns = self.columns
        if not (columns.x_column and columns.y_column and columns.x_bounds and columns.y_bounds):
            raise ValueError("columns must name x and y and the public bounds of both")
        if columns.x_column == columns.y_column:
            raise ValueError(f"columns must be two different ones, got {columns.x_column!r} twice")
        if columns.x_numbers is None or columns.y_numbers is None:
            raise ValueError(
                "columns must say how the numbers of x and y are written: a file's other rows "
                "must not"
            )
        if bool(columns.group_column) != bool(self.areas):
            raise ValueError(
                "areas need the column that tells them apart, and that column needs areas"
            )
        if self.areas and self.n != sum(self.areas.values()):
            raise ValueError(
                f"n must be the sum over all areas, {sum(self.areas.values())}, got {self.n}"
            )
        if self.areas and self.smallest is None and (small := min(self.areas.values())) < SMALLEST:
            raise ValueError(
                f"areas must have {SMALLEST} records or more each, or smallest must be set, got "
                f"{small}"
            )
        if self.smallest is not None and not (self.areas and self.sizes):
            raise ValueError(f"smallest must leave areas with a line, got {self.smallest}")
        if self.unusable_as is not None:
            for value, scale in zip(self.unusable_as, (self.x, self.y), strict=True):
                if not scale.raw.lower <= value <= scale.raw.upper:
                    raise ValueError(
                        f"unusable rows must count as {scale.raw.name} within its bounds, got "
                        f"{value}"
                    )
        if len(set(self.at)) < len(self.at):
            raise ValueError(f"at must be different points, got {self.at!r}")
        if self.expected is not None:
            sizes, by_n = self.sizes.values(), self.expected.by_n
            ends = (min(by_n), max(by_n)) == (min(sizes), max(sizes))
            if not ends or any(len(errors) != len(self.at) for errors in by_n.values()):
                raise ValueError(
                    "expected must have an error for each point, from the smallest size to the "
                    "largest"
                )
        for area in self.one_of_each_size:
            self.program(area)  # ValueError where such a release cannot be
        return self

    @cached_property
    def x(self) -> Rescaling:
        """Map of x to the unit square."""
        return self.columns.rescaling("x")

    @cached_property
    def y(self) -> Rescaling:
        """Map of y to the unit square."""
        return self.columns.rescaling("y")

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Public number of records of each area that gets a line; of a single release under the name ""."""
        return (
            {area: n for area, n in self.areas.items() if n >= (self.smallest or 1)}
            if self.areas
            else {"": self.n}
        )

    @property
    def one_of_each_size(self) -> list[str]:
        """First area of each number of records, in order: areas of equal size have the same program."""
        return list({n: area for area, n in reversed(self.sizes.items())}.values())

    @property
    def per_record(self) -> PureDP | ZCDP:
        """Guarantee of each record, which keeps the promise for a person with all records."""
        return self.promise.for_record(self.records_per_person)

    def program(self, area: str = "") -> Program:
        """Return the program of an area's draws, or of the single release; a plan that can be made has one."""
        size = self.sizes[area]
        return program_of(self.mechanism, self.per_record, self.at, size, self.grid, self.level)

    @property
    def content(self) -> dict[str, Any]:
        """Settings of the plan as values of JSON."""
        return self.model_dump(mode="json")

    def with_expected(self, expected: ExpectedErrors | None) -> Plan:
        """Return the same plan with these expected errors."""
        return Plan(
            **{name: getattr(self, name) for name in type(self).model_fields}
            | {"expected": expected}
        )

    @cached_property
    def sha256(self) -> str:
        """Digest of all settings, by which logs and certificates name the plan."""
        return digest_of(self.content)

    def to_json(self) -> str:
        """Return the text of the plan's file: the settings and their digest."""
        return (
            json.dumps({"sha256": self.sha256, "plan": self.content}, indent=2, ensure_ascii=False)
            + "\n"
        )

    @classmethod
    def from_json(cls, text: str, name: str = "the plan") -> Plan:
        """Read the plan in the text of a file; ValueError names the fault.

        A plan whose digest is another was changed after it was made, and is refused.
        """
        try:
            held = parse_json(text)
            settings, digest = held["plan"], held["sha256"]
            plan = cls.model_validate_json(json.dumps(settings))
        except RepeatedName as error:
            raise ValueError(f"{name} cannot be used: {error}") from None
        except ValidationError as error:
            raise ValueError(f"{name} cannot be used: {_sentence(error)}; {ANEW}") from None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise ValueError(f"{name} holds no plan; {ANEW}") from None
        right = list(held) in (["sha256", "plan"], ["plan", "sha256"]) and digest == plan.sha256
        if not right or canonical(settings) != canonical(plan.content):
            raise ValueError(f"{name} was changed after it was made; {ANEW}")
        return plan

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Read the plan in a file; ValueError as for `from_json`."""
        return cls.from_json(path.read_text(encoding="utf-8", errors="replace"), str(path))


def plan(
    scenario: Scenario,
    *,
    bounds_from: str,
    choice_from: str,
    n: int | None = None,
    areas: Mapping[str, int] | None = None,
    columns: UploadedFile | None = None,
    algorithm: Mechanism | None = None,
    unit: str = "person",
    level: float = 0.95,
    name: str = "",
    data: GroupedData | None = None,
    unusable_as: tuple[float, float] | None = None,
    smallest: int | None = None,
) -> Plan:
    """Make the plan of a release from the settings of a scenario: public settings alone, before the data are read.

    Parameters
    ----------
    scenario : Scenario
        Its budget, points, accounting and records per person become the plan's.
    bounds_from : str
        Where the bounds come from without the data; LOOKED where they were read off the data.
    choice_from : str
        How algorithm, budget and points were chosen without the data; LOOKED where the data were looked at.
    n : int, optional
        Public number of records of a single release.
    areas : mapping of str to int, optional
        Instead of n, the public number of records of each area of a table.
    columns : UploadedFile, optional
        Columns and public bounds; by default the scenario's, if its source is a file.
    algorithm : Mechanism, optional
        Algorithm of the release; by default the scenario's only one.
    unit : str
        Whom the promise protects.
    level : float
        Level of the intervals.
    name : str
        Name of the release, for its readers.
    data : GroupedData, optional
        Records, where they are at hand: bounds that are a column's own range are refused. Where the columns do not
        say how numbers are written, the plan takes the style from the data: "comma" of a file with decimal commas.
    unusable_as : tuple of float, optional
        x and y that a row without two numbers counts as, set without looking at the data; see `Plan`.
    smallest : int, optional
        Areas with fewer records get no line; set without looking at the data.

    Returns
    -------
    Plan
        The plan, without expected errors.

    Raises
    ------
    ValueError
        If a setting is missing, was read off the data and is not marked, or the algorithm cannot be released.
    """
    source = columns or scenario.source
    if not isinstance(source, UploadedFile):
        raise ValueError(
            "columns must be named, with their public bounds: the scenario is not one of a file"
        )
    for setting, explanation in (("bounds_from", bounds_from), ("choice_from", choice_from)):
        if not explanation.strip():
            raise ValueError(
                f"{setting} must say where this comes from without the data; or {LOOKED!r}"
            )
    if data is not None and bounds_from != LOOKED and (own := _own_range(data)):
        raise ValueError(
            f"bounds of {own} are the smallest and the largest value in the data; take public "
            f"ones, or mark them as {LOOKED!r}"
        )
    if algorithm is None and len(scenario.mechanisms) != 1:
        names = [mechanism.name for mechanism in scenario.mechanisms]
        raise ValueError(f"algorithm must be given, one of {names}: a release has one")
    chosen = algorithm or scenario.mechanisms[0]
    promised = guarantee(chosen, scenario.budget).bare
    if not isinstance(promised, PureDP | ZCDP):
        raise ValueError(
            f"promise must be pure or zero-concentrated privacy, got {promised} for {chosen.name}; "
            "take another algorithm, or the accounting 'paper', 'implied', 'pure' or 'zcdp'"
        )
    pure = isinstance(promised, PureDP)
    promise = Promise(
        definition="pure" if pure else "zcdp",
        amount=decimals(promised.epsilon if isinstance(promised, PureDP) else promised.rho),
    )
    sizes = {one_name(area): size for area, size in (areas or {}).items()}
    if len(sizes) < len(areas or {}):
        raise ValueError("areas must have different names; two of them look alike")
    if n is None and not sizes:
        raise ValueError(
            "n must be given, the public number of records, or areas, that of each area"
        )
    fixed = source.model_copy(
        update={
            "x_numbers": source.x_numbers or ("point" if data is None else data.x.numbers),
            "y_numbers": source.y_numbers or ("point" if data is None else data.y.numbers),
            "group_column": source.group_column if sizes else "",
        }
    )
    try:
        return Plan(
            columns=fixed,
            n=n or sum(sizes.values()),
            areas=sizes,
            unit=unit,
            records_per_person=scenario.records_per_person,
            mechanism=chosen,
            promise=promise,
            at=scenario.at,
            level=level,
            bounds_from=bounds_from.strip(),
            choice_from=choice_from.strip(),
            name=name,
            unusable_as=unusable_as,
            smallest=smallest if sizes else None,
        )
    except ValidationError as error:
        raise ValueError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    """Return a sentence on each field that cannot be, with its name."""
    sentences = []
    for problem in error.errors():
        field = ".".join(map(str, problem["loc"]))
        sentences.append(
            f"{field}{': ' if field else ''}{problem['msg'].removeprefix('Value error, ')}"
        )
    return "; ".join(sentences)


def _own_range(data: GroupedData) -> str:
    """Return the names of the axes whose bounds are the records' own range, as far as records tell; "" for none."""
    clipped: Sequence[int] = (data.clipped_x, data.clipped_y)
    own = [
        axis.name
        for axis, name, cut in zip((data.x, data.y), ("x", "y"), clipped, strict=True)
        if not cut and data.frame[name].min() == 0 and data.frame[name].max() == 1
    ]
    return " and ".join(own)
