"""Data sets that have a name: the samples that come with the project, and the paper's three UCI data sets.

Samples are CSV files of sample_data. UCI files are not shipped: each is on this machine or is downloaded, and its
content is checked.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import numpy as np
import pandas as pd

from .axis import Axis
from .grouping import ONE_GROUP, GroupedData
from .numbers import read_numbers
from .stored import REASONS, Damaged, unwritable

CURE = "install the project anew, or choose other data"
_PACKAGE = Path(__file__).parents[1]


def stored_file(name: str) -> Path:
    """Return the path of a file of sample_data, which lies in the installed package or next to it in a checkout."""
    installed = _PACKAGE / "sample_data"
    return (installed if installed.is_dir() else _PACKAGE.parent / "sample_data") / name


@dataclass(frozen=True)
class Sample:
    """CSV file of sample_data, named by its key: the columns of x, y and, if any, the group, and the public bounds."""

    key: str
    title: str
    columns: tuple[str, ...]
    x: Axis
    y: Axis
    about: str


SAMPLES = (
    Sample(
        key="linear",
        title="Homes: floor area and electricity",
        columns=("floor_area_m2", "electricity_kwh"),
        x=Axis("floor area", "m²", 20, 220),
        y=Axis("electricity per year", "kWh", 0, 10_000),
        about="Simulated: 250 homes, a straight line with moderate noise. Made by sample_data/make.py.",
    ),
    Sample(
        key="tracts",
        title="Small areas: parents' and children's income rank",
        columns=("parent_rank", "child_rank", "tract"),
        x=Axis("parent income rank"),
        y=Axis("child income rank"),
        about="Simulated: 40 census-tract-like groups of 30 to 150 people with ranks rounded up to two "
        "decimals, in the manner of the Opportunity Atlas. Made by sample_data/make.py.",
    ),
    Sample(
        key="bikes",
        title="Shared bikes: temperature and rides",
        columns=("temperature_c", "rides", "month_hour"),
        x=Axis("temperature", "°C", -8, 39),
        y=Axis("rides per hour", "", 0, 1000),
        about="Simulated: 24 groups (month and hour of the day) of 45 to 62 hours each, from nearly noiseless to "
        "very noisy, in the manner of a bike-share log. Made by sample_data/make.py.",
    ),
)


def load_sample(key: str) -> GroupedData:
    """Load an entry of `SAMPLES` from sample_data; Damaged where its file cannot be read."""
    sample = next(sample for sample in SAMPLES if sample.key == key)
    path = stored_file(f"{sample.key}.csv")
    try:
        table = pd.read_csv(path, dtype="str")
        x, y, *group = (table[column] for column in sample.columns)
        unit = [
            axis.to_unit(column.to_numpy(dtype=object))
            for axis, column in ((sample.x, x), (sample.y, y))
        ]
        inside = dict(zip("xy", np.clip(unit, 0, 1), strict=True))
        frame = pd.DataFrame({"group": group[0] if group else ONE_GROUP, **inside})
        return GroupedData(sample.title, sample.about, sample.x, sample.y, frame, reproducible=True)
    except Exception as error:  # whatever a damaged file makes a parser raise
        raise Damaged(f"{path.name} cannot be read ({type(error).__name__}); {CURE}") from error


# ---------------------------------------------------------------- UCI data sets

FOLDER_VARIABLE = "DPSLR_DATA"
TIMEOUT = (5, 15)  # seconds to connect, and to wait for more bytes
UPLOAD = (
    f"Name a folder that holds its file in {FOLDER_VARIABLE}, or upload the data as a CSV file."
)
LARGEST_MEMBER = 20 * 2**20  # bytes; the largest file of the three archives has about 1.2 MB


class DataUnavailable(RuntimeError):
    """Data set that is not to be had, or whose file holds something else; the text is a sentence for the user."""


@dataclass(frozen=True)
class UciData:
    """UCI data set: its address, the recipe for x and y, and the digest of the expected result.

    Attributes
    ----------
    files : tuple of str
        Names of the table's file, in a folder or in the archive.
    recipe : callable
        Makes a frame of group, x, y in the unit square from the table's bytes and whether it is a workbook.
    digest : str
        Digest of this frame, see `content_digest`.
    """

    key: str
    title: str
    uci_id: int
    archive: str
    files: tuple[str, ...]
    x: Axis
    y: Axis
    about: str
    recipe: Callable[[bytes, bool], pd.DataFrame]
    digest: str

    @property
    def url(self) -> str:
        """Address of the archive."""
        return f"https://archive.ics.uci.edu/static/public/{self.uci_id}/{quote(self.archive, safe='+')}"


def _text(
    content: bytes, workbook: bool, separator: str = ",", header: int | None = 0
) -> pd.DataFrame:
    """Return a table of text cells, with numbers exactly as they are written."""
    file = io.BytesIO(content)
    if workbook:
        return pd.read_excel(file, header=header, dtype=object)
    return pd.read_csv(
        file, sep=separator, header=header, dtype="str", encoding="latin-1", keep_default_na=False
    )


def _floats(column: pd.Series) -> np.ndarray:
    """Return texts or numbers as floats, correctly rounded, with a decimal point or a decimal comma."""
    commas = column.astype("str").str.contains(",", regex=False).any()
    return read_numbers(column, str(column.name), others="comma" if commas else "point").values


def _bikes(content: bytes, workbook: bool) -> pd.DataFrame:
    """Make groups (mnth, hr) with x = temp as stored and y = cnt / 977."""
    table = (
        _text(content, workbook)
        .astype({"mnth": int, "hr": int})
        .sort_values(["mnth", "hr"], kind="stable")
    )
    labels = [
        f"month {month}, hour {hour}"
        for month, hour in zip(table["mnth"], table["hr"], strict=True)
    ]
    return pd.DataFrame(
        {"group": labels, "x": _floats(table["temp"]), "y": _floats(table["cnt"]) / 977}
    )


def _nanotubes(content: bytes, workbook: bool) -> pd.DataFrame:
    """Make x = initial w and y = calculated w', without the 38 rows where either has at most 3 decimals.

    At most 3 decimals is the paper's "five characters or fewer" (0.021, 1), whatever the zeros at the end.
    """
    table = _text(content, workbook, separator=";")
    column = {
        name.split()[0]: name for name in table.columns if " coordinate" in name and " w" in name
    }
    x, y = _floats(table[column["Initial"]]), _floats(table[column["Calculated"]])
    short = [np.abs(1000 * values - np.round(1000 * values)) < 1e-6 for values in (x, y)]
    keep = ~np.any(short, axis=0)
    return pd.DataFrame({"group": ONE_GROUP, "x": x[keep], "y": y[keep]})


def _stocks(content: bytes, workbook: bool) -> pd.DataFrame:
    """Make x = first ISE column (TL) and y = second (USD) of 2009, each min-max scaled.

    Returns are rounded to nine decimals, as the CSV has them; a workbook may hold more.
    """
    table = _text(content, workbook, header=None)
    # Headers become NaT.
    dates = pd.to_datetime(table[0], format="mixed", dayfirst=True, errors="coerce")
    rows = table[dates.dt.year == 2009]
    x, y = (np.round(_floats(rows[column]), 9) for column in (1, 2))
    return pd.DataFrame({"group": ONE_GROUP, "x": ISE_TL.to_unit(x), "y": ISE_USD.to_unit(y)})


ISE_TL = Axis("ISE 100 in lira", "daily return", -0.062208079, 0.05198032)  # the extremes of 2009
ISE_USD = Axis("ISE 100 in US dollars", "daily return", -0.084715902, 0.073005406)

UCI = (
    UciData(
        key="bikes",
        title="Bike share, Washington DC",
        uci_id=275,
        archive="bike+sharing+dataset.zip",
        files=("bikeshare_hour.csv", "hour.csv"),
        x=Axis("temperature", "°C", -8, 39),
        y=Axis("rides per hour", "", 0, 977),
        about="Rides and temperature in 17,379 hours of 2011 and 2012, one group for each month and hour of the "
        "day. Fanaee-T and Gama (2013), UCI Machine Learning Repository, doi:10.24432/C5W894 (CC "
        "BY 4.0).",
        recipe=_bikes,
        digest="ceab9beee0bbec698914c2ada8d54dcb0b4c79479e2448b9bcf6fa3659b8ab7d",
    ),
    UciData(
        key="nanotubes",
        title="Carbon nanotubes",
        uci_id=448,
        archive="carbon+nanotubes.zip",
        files=("carbon_nanotubes.csv",),
        x=Axis("initial coordinate w"),
        y=Axis("calculated coordinate w'"),
        about="Atomic coordinates before and after the energy is minimised: large and almost noiseless. Acı and "
        "Avcı (2016), UCI Machine Learning Repository, data set 448.",
        recipe=_nanotubes,
        digest="886810b80d067c6aaa4e8554941b25412baf0511cacce387040088678fe9df92",
    ),
    UciData(
        key="stocks",
        title="Istanbul stock exchange, 2009",
        uci_id=247,
        archive="istanbul+stock+exchange.zip",
        files=("istanbul_stock_exchange.csv", "data_akbilgic.xlsx"),
        x=ISE_TL,
        y=ISE_USD,
        about="Daily returns of the ISE 100 index in lira and in US dollars. The bounds are the extremes of the "
        "data, as in the paper, so they are not private. Akbilgic (2013), UCI Machine Learning "
        "Repository, doi:10.24432/C54P4J (CC BY 4.0).",
        recipe=_stocks,
        digest="56bb239544a8a2fbf91b36618f9c30d2aab2dd92e05704274eeb2de883490b0b",
    ),
)


def load_uci(key: str) -> GroupedData:
    """Load a UCI data set from $DPSLR_DATA, the download cache or, at last, its address.

    No value is clipped, since the bounds contain the data. DataUnavailable where the data cannot be had or differ from
    the paper's. Source: Section "Description of the Data".
    """
    data, local = _uci(key), find_uci(key)
    path = local or _cache() / data.archive
    if local is None:
        try:
            path = download(data.url, _cache(), data.archive)
        except (OSError, ValueError) as error:
            sentence = f"{data.title} could not be downloaded from {data.url}; is there a network?"
            # The fault may lie with the disk, not the network.
            if isinstance(error, OSError) and error.errno in REASONS:
                sentence = f"{data.title} could not be downloaded: {unwritable(path, error)}."
            raise DataUnavailable(f"{sentence} {UPLOAD}") from error
    try:
        try:
            name, content = _table(data, path)
            frame = data.recipe(content, name.endswith(".xlsx"))
        except Exception as error:  # whatever a wrong or damaged file makes a parser raise
            raise DataUnavailable(
                f"{path} cannot be read as {data.title} ({error}). {UPLOAD}"
            ) from error
        if content_digest(frame) != data.digest:
            raise DataUnavailable(
                f"{path} does not hold {data.title}: its checksum differs. {UPLOAD}"
            )
    except DataUnavailable:
        if local is None:
            path.unlink(missing_ok=True)  # so that the next try downloads again
        raise
    return GroupedData(data.title, data.about, data.x, data.y, frame, reproducible=True)


def _uci(key: str) -> UciData:
    return next(data for data in UCI if data.key == key)


def find_uci(key: str) -> Path | None:
    """Return the file on this machine that `load_uci` reads for a key of `UCI`; None where it has to download."""
    data = _uci(key)
    folders = [Path(folder) for folder in (os.environ.get(FOLDER_VARIABLE), _cache()) if folder]
    paths = (folder / name for folder in folders for name in (*data.files, data.archive))
    return next((path for path in paths if path.is_file()), None)


def content_digest(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of the group labels and of x and y as little-endian float64, whatever the file's format."""
    digest = hashlib.sha256("\n".join(frame["group"]).encode())
    for column in ("x", "y"):
        digest.update(np.ascontiguousarray(frame[column], dtype="<f8").tobytes())
    return digest.hexdigest()


def download(url: str, folder: Path, name: str) -> Path:
    """Download the file at an address into a folder under a name; OSError or ValueError where that fails."""
    import pooch

    downloader = pooch.HTTPDownloader(timeout=TIMEOUT)
    return Path(
        pooch.retrieve(url, known_hash=None, fname=name, path=folder, downloader=downloader)
    )


def _cache() -> Path:
    """Return the download cache of this user; pooch is imported late because few runs need it."""
    import pooch

    return Path(pooch.os_cache("dpslr"))


def _table(data: UciData, path: Path) -> tuple[str, bytes]:
    """Return the name and bytes of the table in a file, which may be an archive."""
    if path.suffix != ".zip":
        return path.name, path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            named = PurePosixPath(member.filename).name in data.files
            if named and member.file_size <= LARGEST_MEMBER:
                return member.filename, archive.read(member)
    raise ValueError(f"the archive holds none of {', '.join(data.files)}")
