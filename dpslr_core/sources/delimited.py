"""Reader of text tables: encoding, delimiter, and the row with the names of the columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import pandas as pd

from .columns import Unreadable, refuse_beyond, refuse_bytes, warning
from .layout import LOOKED_AT, find_header, frame_of, header_question, skipped_note
from .numbers import Problem

MAX_LINE = 100_000  # characters; below the csv module's own limit for one cell
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
ONE_COLUMN = (
    "Only one column was found in {name}, {header!r}; x and y need two, separated by commas, "
    "semicolons, tabs or vertical bars."
)
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
_DECLARED = re.compile(r'"?[sS][eE][pP]=([,;\t|])"?')
_QUOTED = re.compile(r'(^|[,;\t|]) *"(?:[^"]|"")*"', re.MULTILINE)  # with any delimiter
_REMARK = re.compile(r'\s*"?\s*#')
_HEAD = 1_000_000  # first characters, which decide the delimiter
_MOSTLY = 0.5  # share of rows like the first row, from which on the first row is no title


def read_text(content: bytes, name: str, problems: list[Problem]) -> pd.DataFrame:
    """Read the table in a text; Unreadable where there is none.

    Text may be UTF-8, UTF-16, UTF-32, or Windows-1252 / Latin-1; columns may be separated by , ; tab or |; fields may
    be quoted. Remarks that begin with "#" and titles above the header are skipped.
    """
    text = _decode(content, name, problems)
    lines, declared, remarks = _table_lines(text, name)
    text = "\n".join(lines)
    delimiter = declared or _delimiter(text, name)
    if delimiter != ",":
        separated = f"The columns of {name} are separated by {DELIMITERS[delimiter]}."
        problems.insert(0, warning(separated))
    first: list[list[str]] = []
    with suppress(Unreadable):  # raised again where all rows are read
        for cells in islice(_rows(text, delimiter, name), LOOKED_AT):
            first.append(cells)
    header = find_header(first)
    names, above = first[header.at] if first else [], header.at
    if header.over_data and remarks:
        of_remark = next(csv.reader([remarks[max(remarks)]], delimiter=delimiter))
        if len(of_remark) == len(names):
            names, above = of_remark, max(remarks) - 1
            remarks.pop(max(remarks))
    if not "".join(names).strip():
        raise Unreadable(f"There are no rows below the header (row 0) of {name}.")
    if len(names) == 1:
        raise Unreadable(ONE_COLUMN.format(name=name, header=names[0].strip()[:60]))
    if skipped := remarks | header.skipped:
        problems.append(skipped_note(skipped, name, header.doubtful))
    if above == header.at:
        problems += header_question(header, name)
    rows = islice(_rows(text, delimiter, name), above + 1, None)
    return frame_of(names, above + 1, rows, name, problems)


def _decode(content: bytes, name: str, problems: list[Problem]) -> str:
    """Return the bytes as text; Unreadable where they are too many or no text."""
    refuse_bytes(len(content), name)
    encoding = _encoding(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
        encoding = "cp1252"
    if junk := _BINARY.search(text):
        line = text.count("\n", 0, junk.start()) + 1
        raise Unreadable(
            f"{name} is neither text nor a workbook, Stata or Parquet file: line {line} holds the "
            f"byte 0x{ord(junk.group()):02x}. Save the table as CSV."
        )
    if encoding == "cp1252":
        read_as = f"The text of {name} is not UTF-8; it was read as Latin-1 (Windows-1252)"
        problems.append(warning(f"{read_as}, so check accents."))
    return text


def _encoding(content: bytes) -> str:
    """Return the encoding of a text by its byte order mark, "utf-8-sig" without one."""
    if content.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-8-sig"


def _table_lines(text: str, name: str) -> tuple[list[str], str | None, dict[int, str]]:
    """Return the lines, the delimiter that the first line declares, and the remarks at the top by line.

    Lines that are no rows become empty, so that rows keep their numbers: remarks that begin with "#" above the table,
    and a first line "sep=;", as Excel writes it. Unreadable beyond the limits.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    if not text.strip():
        raise Unreadable(f"There is nothing in {name}: it is empty.")
    refuse_beyond(text.count("\n"), 0, name)
    lines = text.split("\n")
    if (size := len(longest := max(lines, key=len))) > MAX_LINE:
        line = f"Line {lines.index(longest) + 1} of {name}"
        raise Unreadable(
            f"{line} has {size:,} characters, more than {MAX_LINE:,}: is it really a table?"
        )
    declared = _DECLARED.fullmatch(lines[0])
    if declared:
        lines[0] = ""
    remarks: dict[int, str] = {}
    for row, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not _REMARK.match(line) or line.count('"') % 2:
            break
        remarks[row] = line.strip()
        lines[row - 1] = ""
    if not any(map(str.strip, lines)):
        raise Unreadable(f"There is nothing in {name} but remarks.")
    return lines, declared[1] if declared else None, remarks


def _delimiter(text: str, name: str) -> str:
    """Return the delimiter that splits the first rows most evenly, quoted cells not counted.

    Rows are compared with the first row, or with each other where most differ from the first. Unreadable where no
    delimiter gives two columns.
    """
    first = _QUOTED.sub(r'\1"0"', text[:_HEAD]).split("\n", 100)[:100]
    fits: dict[str, tuple[float, int]] = {}  # share of like rows, and their number of cells
    even: dict[str, tuple[float, int]] = {}
    for delimiter in DELIMITERS:
        lines = (line + "\n" for line in first)
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            sizes = [len(cells) for cells in reader if "".join(cells).strip()]
        except csv.Error:
            sizes = []
        later_sizes = sizes[1:]
        columns = sizes[0] if sizes and sizes[0] > 1 else 0
        share = later_sizes.count(columns) / max(len(later_sizes), 1)
        fits[delimiter] = (share, columns) if columns else (0.0, 0)
        usual = Counter(size for size in later_sizes if size > 1).most_common(1)
        even[delimiter] = (usual[0][1] / len(later_sizes), usual[0][0]) if usual else (0.0, 0)
    if max(fits.values())[0] < _MOSTLY:
        fits = {delimiter: max(fits[delimiter], even[delimiter]) for delimiter in DELIMITERS}
    best = max(fits, key=lambda delimiter: fits[delimiter])
    if fits[best][1] < 2:
        header = text.strip().split("\n")[0].strip()[:60]
        raise Unreadable(ONE_COLUMN.format(name=name, header=header))
    return best


def _rows(text: str, delimiter: str, name: str) -> Iterator[list[str]]:
    """Yield the rows as cells; Unreadable where quotes do not match."""
    file = io.StringIO(text, newline="")
    reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=True)
    row = 0
    try:
        for cells in reader:
            row += 1
            yield cells
    except csv.Error:
        wrong = "the quotation marks do not match; one is never closed or closed too early."
        raise Unreadable(f"Row {row + 1} of {name}: {wrong}") from None
