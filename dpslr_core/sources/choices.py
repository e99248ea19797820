"""Places that data can come from, each a frozen value whose `load` gives grouped data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from ..support import validate
from ..support.readable import in_full, one_name
from .axis import UNIT_X, UNIT_Y, Axis, Rescaling, TransformField
from .grouping import ONE_GROUP, SMALLEST, GroupedData
from .linear import ERROR_SHAPES, X_SHAPES, ErrorShape, LinearModel, XShape
from .numbers import Style
from .public_areas import GUESSES, guessed_areas
from .samples import SAMPLES, UCI, load_sample, load_uci
from .tables import Built, Column, Table, grouped_from_table
from .tracts import BETA, ILLINOIS, STATES, draw_tracts, simulate_tracts, true_lines

Bounds = tuple[float, float]
Origin = Literal["simulated", "public", "guesses", "private"]
KEYS = {
    "sample": [sample.key for sample in SAMPLES],
    "state": list(STATES),
    "uci": [data.key for data in UCI],
}


class _Choice(BaseModel):
    """Choice of a source by the fields that a link names; equal values load equal data.

    Limits, title and description of a field serve its widget on the pages and its option in the terminal.
    pydantic.ValidationError where a field cannot be.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    # Records are nobody's, a public file's, made of public guesses, or private.
    origin: ClassVar[Origin] = "simulated"

    @field_validator("sample", "state", "uci", check_fields=False)
    @classmethod
    def _known(cls, key: str, info: ValidationInfo) -> str:
        validate.one_of(KEYS[str(info.field_name)], **{str(info.field_name): key})
        return key


class Synthetic(_Choice):
    """Records of a linear model, see `LinearModel`."""

    kind: Literal["synthetic"] = "synthetic"
    n: int = Field(
        250,
        ge=3,
        le=1_000_000,
        title="Records, n",
        description="The number of people or other units in the data. It is public.",
    )
    var_x: float = Field(
        0.03,
        ge=0,
        le=1,
        allow_inf_nan=False,
        title="Variance of x, σₓ²",
        description="Variance of x in the unit square, where x lies between 0 and 1.",
    )
    x_mean: float = Field(
        0.5,
        ge=0,
        le=1,
        allow_inf_nan=False,
        title="Mean of x",
        description="Mean of x in the unit square.",
    )
    var_e: float = Field(
        0.01,
        ge=0,
        le=10,
        allow_inf_nan=False,
        title="Residual variance, σₑ²",
        description="Variance of the errors about the line.",
    )
    slope: float = Field(
        0.5,
        ge=-100,
        le=100,
        allow_inf_nan=False,
        title="Slope",
        description="Slope of the true line.",
    )
    intercept: float = Field(
        0.2,
        ge=-100,
        le=100,
        allow_inf_nan=False,
        title="Intercept",
        description="Height of the true line at x = 0.",
    )
    x_shape: XShape = Field(
        "uniform", title="Distribution of x", description="Distribution of x before it is clipped."
    )
    error_shape: ErrorShape = Field("normal", title="Errors about the line")
    data_seed: int = Field(0, ge=0, title="Seed of the data")

    @property
    def model(self) -> LinearModel:
        """Model that the records are drawn from."""
        line = {"slope": self.slope, "intercept": self.intercept, "x_mean": self.x_mean}
        return LinearModel(
            self.n,
            self.var_x,
            self.var_e,
            **line,
            x_shape=self.x_shape,
            error_shape=self.error_shape,
        )

    def load(self) -> GroupedData:
        """Simulate a single group of n records."""
        data = self.model.simulate(np.random.default_rng(self.data_seed))
        frame = pd.DataFrame({"group": [ONE_GROUP] * self.n, "x": data.x, "y": data.y})
        line = f"y = {in_full(self.slope)} x + {in_full(self.intercept)}"
        about = f"Simulated: {X_SHAPES[self.x_shape]}, {line} + {ERROR_SHAPES[self.error_shape]}, clipped to [0, 1]."
        return GroupedData("Synthetic data", about, UNIT_X, UNIT_Y, frame, reproducible=True)


class SampleData(_Choice):
    """File that comes with the project, by its key in `SAMPLES`."""

    kind: Literal["sample"] = "sample"
    sample: str = SAMPLES[0].key

    def load(self) -> GroupedData:
        """Load the groups of the sample."""
        return load_sample(self.sample)


class SimulatedState(_Choice):
    """Simulated census tracts of a state by its key in `STATES`, see `simulate_tracts`."""

    kind: Literal["state"] = "state"
    state: str = ILLINOIS.name
    tracts: int = Field(300, ge=2, le=100_000)
    elasticity: float = Field(
        BETA,
        ge=-10,
        le=10,
        allow_inf_nan=False,
        title="Income elasticity",
        description="By how many percent children's expected income grows with 1% more of their parents'. The larger "
        "it is, the steeper the lines and the less noise about them.",
    )
    data_seed: int = Field(0, ge=0, title="Seed of the data")

    def load(self) -> GroupedData:
        """Simulate a group for each tract."""
        rng, state = np.random.default_rng(self.data_seed), STATES[self.state]
        frame = simulate_tracts(
            tracts=self.tracts, elasticity=self.elasticity, state=state, rng=rng
        )
        x, y = Axis("parent income rank"), Axis("child income rank")
        owner = f"{self.state}'" if self.state.endswith("s") else f"{self.state}'s"
        about = (
            f"Simulated: {self.tracts:,} census tracts sized and spread like {owner}, income "
            f"elasticity {in_full(self.elasticity)}, ranks rounded up to two decimals."
        )
        like = "" if state is ILLINOIS else f" like {self.state}"
        return GroupedData(f"A simulated state{like}", about, x, y, frame, reproducible=True)

    def _table(self) -> pd.DataFrame:
        """Draw the tracts that the people live in."""
        return draw_tracts(
            self.tracts, np.random.default_rng(self.data_seed), self.elasticity, STATES[self.state]
        )

    def public_numbers(self) -> pd.DataFrame:
        """Return the public numbers of the tracts, indexed by label: column "mean parent income".

        This income is a parameter of the simulation, which no simulated person went into.
        """
        table = self._table()
        return pd.DataFrame(
            {"mean parent income": table["mu"].to_numpy()}, index=pd.Index(table["group"])
        )

    def true_lines(self, sizes: Mapping[str, int]) -> pd.DataFrame:
        """Return the lines of everybody in the tracts, indexed by label: columns intercept and slope.

        Parameters
        ----------
        sizes : mapping of str to int
            Number of records of each tract, see `tracts.true_lines`.
        """
        table = self._table()
        return true_lines(table.assign(size=[sizes[group] for group in table["group"]]))


class PublicData(_Choice):
    """Public data set of the paper, by its key in `UCI`."""

    origin: ClassVar[Origin] = "public"
    kind: Literal["uci"] = "uci"
    uci: str = UCI[0].key

    def load(self) -> GroupedData:
        """Load the groups of the data set; DataUnavailable where no file can be found or downloaded."""
        return load_uci(self.uci)


_BOUNDS = "Public bounds of {}, known without the data; values beyond are moved to the nearer one."
_TRANSFORM = "The logarithm of {}. It follows the clipping to the bounds."


class UploadedFile(_Choice):
    """Columns of a file that become data, with bounds in the file's units; the file itself is not part of the value."""

    origin: ClassVar[Origin] = "private"
    kind: Literal["upload"] = "upload"
    x_column: str = Field("", description="The column of x.")
    y_column: str = Field("", description="The column of y.")
    group_column: str = Field("", description="The column that tells the areas apart.")
    x_bounds: Bounds | None = Field(None, description=_BOUNDS.format("x"))
    y_bounds: Bounds | None = Field(None, description=_BOUNDS.format("y"))
    x_numbers: Style | None = Field(
        None,
        description="How the columns are written: with a decimal point (1,234.5), a decimal comma (1.234,5), or "
        "plainly, so that nothing else is read.",
    )
    y_numbers: Style | None = None
    x_transform: TransformField = Field(None, description=_TRANSFORM.format("x"))
    y_transform: TransformField = Field(None, description=_TRANSFORM.format("y"))
    x_most: Bounds | None = Field(
        None,
        description="Where most people are, if that is public; the usual points are the ends of its middle half.",
    )
    person_column: str = Field(
        "",
        description="A column of person ids: the rows of one person are compared with those that the guarantee "
        "covers.",
    )

    @field_validator("x_column", "y_column", "group_column", "person_column")
    @classmethod
    def _one_name(cls, column: str) -> str:
        return one_name(column)

    @model_validator(mode="after")
    def _can_be_transformed(self) -> UploadedFile:
        for name, bounds, transform in (
            ("x_bounds", self.x_bounds, self.x_transform),
            ("y_bounds", self.y_bounds, self.y_transform),
            ("x_most", self.x_most, None),
        ):
            if bounds is not None:
                try:
                    Rescaling(Axis("column", "", *bounds), transform)
                except ValueError as problem:
                    raise ValueError(f"{name}: {problem}") from None
        return self

    def rescaling(self, axis: Literal["x", "y"]) -> Rescaling:
        """Return the map of x or of y to the unit square; ValueError where a bound is missing."""
        bounds = self.x_bounds if axis == "x" else self.y_bounds
        if bounds is None:
            raise ValueError("columns and bounds of the uploaded file must be named, got none")
        column, transform = getattr(self, f"{axis}_column"), getattr(self, f"{axis}_transform")
        return Rescaling(Axis(column, "", *bounds), transform)

    def built(self, table: Table, name: str = "your data") -> Built:
        """Return the columns of a table as grouped data, with all messages on the table.

        Parameters
        ----------
        table : Table
            Table of the uploaded file.
        name : str
            Name of the data, for a reader.

        Raises
        ------
        ValueError
            If a bound is missing.
        """
        if self.x_bounds is None or self.y_bounds is None:
            raise ValueError("columns and bounds of the uploaded file must be named, got none")
        x = Column(self.x_column, self.x_bounds, "", self.x_numbers, self.x_transform, self.x_most)
        y = Column(self.y_column, self.y_bounds, "", self.y_numbers, self.y_transform)
        return grouped_from_table(
            table, x, y, self.group_column or None, name, self.person_column or None
        )

    def load(self) -> GroupedData:
        """Raise ValueError: a file can only be loaded by whoever has it."""
        raise ValueError("no file has been loaded yet")


class GuessedAreas(_Choice):
    """Areas of which public numbers alone are known; their records are simulated, see `LinearModel`.

    Each guess, in the unit square, is one value for all areas or a tuple with a value for each.
    """

    origin: ClassVar[Origin] = "guesses"
    kind: Literal["guesses"] = "guesses"
    name: str = "Public numbers of areas"
    x: Axis = UNIT_X
    y: Axis = UNIT_Y
    areas: tuple[str, ...]
    n: tuple[int, ...]
    var_x: float | tuple[float, ...]
    var_e: float | tuple[float, ...]
    slope: float | tuple[float, ...] = 0.5
    intercept: float | tuple[float, ...] = 0.2
    x_mean: float | tuple[float, ...] = 0.5
    x_shape: XShape | tuple[XShape, ...] = "uniform"
    data_seed: int = 0

    def load(self) -> GroupedData:
        """Simulate the records of the areas that have enough for a line; ValueError where none of the areas has."""
        guesses = pd.DataFrame(
            {"group": self.areas, "n": self.n} | {name: getattr(self, name) for name in GUESSES}
        )
        usable = guesses[guesses["n"] >= SMALLEST]
        if usable.empty:
            raise ValueError(f"no area has {SMALLEST} records or more")
        frame = guessed_areas(usable, LinearModel(SMALLEST, 0.0, 0.0), self.data_seed)
        return GroupedData(self.name, "Simulated from public guesses.", self.x, self.y, frame)


Source = Annotated[
    Synthetic | SampleData | SimulatedState | PublicData | UploadedFile | GuessedAreas,
    Field(discriminator="kind"),
]
# A link can name these kinds.
KINDS: dict[str, type[_Choice]] = {
    str(choice.model_fields["kind"].default): choice
    for choice in (Synthetic, SampleData, SimulatedState, PublicData, UploadedFile)
}
FLAT = frozenset(name for choice in KINDS.values() for name in choice.model_fields) - {"kind"}


def source_from(kind: str, fields: dict[str, Any]) -> _Choice:
    """Return the source of a kind with these fields; ValueError names a field that cannot be."""
    validate.one_of(KINDS, source=kind)
    return KINDS[kind](**fields)
