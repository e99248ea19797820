"""The sample data that come with the project: CSV files of sample_data and their public bounds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from .axis import Axis
from .files.stored import Damaged
from .grouping import ONE_GROUP, GroupedData, some_labels

CURE = "install the project anew, or choose other data"
_PACKAGE = Path(__file__).parents[1]


def stored_file(name: str) -> Path:
    """The place of a file of sample_data: in the package where it is installed, beside it in a checkout."""
    installed = _PACKAGE / "sample_data"
    return (installed if installed.is_dir() else _PACKAGE.parent / "sample_data") / name


@dataclass(frozen=True)
class Sample:
    """A CSV of sample_data: which of its columns are x, y and the group, the public bounds, and GroupedData.digest."""

    key: str
    title: str
    file: str
    x_column: str
    x: Axis
    y_column: str
    y: Axis
    group_column: str | None
    about: str
    digest: str


SAMPLES = (
    Sample(
        key="linear",
        title="Homes: floor area and electricity",
        file="linear.csv",
        x_column="floor_area_m2",
        x=Axis("floor area", "m²", 20, 220),
        y_column="electricity_kwh",
        y=Axis("electricity per year", "kWh", 0, 10_000),
        group_column=None,
        about="Simulated: 250 homes, a straight line with moderate noise. Made by sample_data/make.py.",
        digest="2213f45c4d73a2862f625119e0c9abb21c9d47d748b1f22ddaea318cf165cb44",
    ),
    Sample(
        key="tracts",
        title="Small areas: parents' and children's income rank",
        file="tracts.csv",
        x_column="parent_rank",
        x=Axis("parent income rank"),
        y_column="child_rank",
        y=Axis("child income rank"),
        group_column="tract",
        about="Simulated: 40 census-tract-like groups of 30 to 150 people with ranks rounded up to two "
        "decimals, in the manner of the Opportunity Atlas. Made by sample_data/make.py.",
        digest="142c910265e61429f1e50dde0005dc852b28ed854245359ab1f57649a5480491",
    ),
    Sample(
        key="bikes",
        title="Shared bikes: temperature and rides",
        file="bikes.csv",
        x_column="temperature_c",
        x=Axis("temperature", "°C", -8, 39),
        y_column="rides",
        y=Axis("rides per hour", "", 0, 1000),
        group_column="month_hour",
        about="Simulated: 24 groups (month and hour of the day) of 45 to 62 hours each, from nearly noiseless to "
        "very noisy, in the manner of a bike-share log. Made by sample_data/make.py.",
        digest="5c6f1d16086afc6a52efbdeae2fafd7310917c67c8e13f07d5b9572cf94402cf",
    ),
)


def load_sample(key: str) -> GroupedData:
    """The data of one entry of SAMPLES, read from sample_data.

    ValueError where no entry has the key, or (Damaged) where the file is missing or is not as it came with the project.
    """
    sample = next((sample for sample in SAMPLES if sample.key == key), None)
    if sample is None:
        raise ValueError(f"key must be one of {some_labels(tuple(s.key for s in SAMPLES))}, got {key!r}")
    path = stored_file(sample.file)
    try:
        grouped = _read(sample, path)
    except Exception as error:  # whatever a damaged file makes a parser raise
        raise Damaged(f"{path.name} cannot be read ({type(error).__name__}); {CURE}") from error
    if grouped.digest != sample.digest:
        raise Damaged(f"{path.name} is not as it came with the project; {CURE}")
    return grouped


def _read(sample: Sample, path: Path) -> GroupedData:
    table = pd.read_csv(path, dtype="str")
    columns = {
        name: table[column].to_numpy(dtype=object).astype(float)
        for name, column in (("x", sample.x_column), ("y", sample.y_column))
    }
    group = ONE_GROUP if sample.group_column is None else table[sample.group_column]
    frame = pd.DataFrame({"group": group, **columns})
    return GroupedData.rescaled(sample.title, sample.about, sample.x, sample.y, frame, reproducible=True)
