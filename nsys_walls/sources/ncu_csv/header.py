"""Find ncu's header and rows among whatever else was printed into the same file.

Columns are found by name: their number and order differ between versions. Rows that have
lost their header are recognised by their content, which ncu prints in a fixed order.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from nsys_walls.textfile import Kind, cells

#: ``long``: a row per metric (details page, ``--metrics``); ``raw``: a row per launch;
#: ``summary``: a row per launch shape and metric (``--print-summary per-kernel``);
#: ``unjoinable``: a summary that names no kernels (per GPU, per NVTX range).
Page = Literal["long", "raw", "summary", "unjoinable"]

_DELIMITERS: Final = ",;\t"
# A program may have printed something without a line end just before
_HEADER_START = re.compile(r'"?(?:ID|Process ID)"?[,;\t]"?Process (?:ID|Name)\b')
_ROW_START = re.compile(r'"?\d+"?([,;\t])"?\d+"?\1')
_ROW_INSIDE = re.compile(r'"\d+","\d+","[^"]*","[^"]*","')
_SHAPE = re.compile(r"\(?\s*(\d{1,10})\s*,\s*(\d{1,5})\s*,\s*(\d{1,5})\s*\)?")
_TIME = re.compile(r"\d{4}-\w{3}-\d{1,2} \d{1,2}:\d\d:\d\d")
_PROCESS: Final = ("ID", "Process ID", "Process Name", "Host Name")
_BEFORE_2022: Final = ("Kernel Name", "Kernel Time", "Context", "Stream")
_SINCE_2022: Final = (
    *("Kernel Name", "Context", "Stream", "Block Size", "Grid Size"),
    *("Device", "CC"),
)
_METRIC: Final = ("Section Name", "Metric Name", "Metric Unit", "Metric Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Where the columns of a part of the file are.

    Attributes:
        page: Kind of page.
        delimiter: Character between cells.
        names: Column names as printed.
        columns: Position by case-folded name.
        row: Matches the beginning of a row, the units row included.
        is_numbered: Whether rows begin with the numbers of launch or process.
    """

    page: Page
    delimiter: str
    names: tuple[str, ...]
    columns: Mapping[str, int]
    row: re.Pattern[str]
    is_numbered: bool


def shape(text: str) -> tuple[int, int, int] | None:
    """Read a grid or block size.

    >>> shape("(4096, 1, 1)"), shape("4096, 1, 1"), shape("ns")
    ((4096, 1, 1), (4096, 1, 1), None)
    """
    match = _SHAPE.fullmatch(text.strip())
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def parse_header(line: str) -> Header | None:
    """Read a line as header; None where it is something else."""
    start = _HEADER_START.search(line)
    text = line[start.start() :] if start else line.lstrip("\ufeff")
    delimiter = max(_DELIMITERS, key=text.count)
    names = [name.strip() for name in cells(text.rstrip("\r\n"), delimiter)]
    while names and not names[-1]:  # a spreadsheet fills all lines to the same width
        names.pop()
    return _header(tuple(names), delimiter)


def _header(names: tuple[str, ...], delimiter: str) -> Header | None:
    columns = {name.casefold(): position for position, name in enumerate(names)}
    page = _page(columns)
    if page is None:
        return None
    folded = list(columns)
    numbers = next((n for n in (2, 1) if set(folded[:n]) <= {"id", "process id"}), 0)
    cell = rf'"?\d{"*" if page == "raw" else "+"}"?{delimiter}'  # the units row has no numbers
    return Header(
        page=page,
        delimiter=delimiter,
        names=names,
        columns=columns,
        row=re.compile(cell * numbers or r"[^\r\n]"),
        is_numbered=numbers > 0,
    )


def _page(columns: Mapping[str, int]) -> Page | None:
    """Tell the kind of page by its columns."""
    if "metric name" in columns:
        is_summary = "average" in columns
        if "kernel name" not in columns:
            return "unjoinable" if is_summary else None
        if is_summary:
            return "summary"
        return "long" if {"id", "metric value"} <= columns.keys() else None
    has_metrics = "kernel name" in columns and any("__" in name for name in columns)
    return "raw" if has_metrics else None


def guess_header(line: str) -> Header | None:
    """Infer the columns of a row that has no header; None where it is no such row.

    ncu's order is fixed: grid and block size stand before device, section and metric; the
    versions before 2022 print the time of the launch in their place.
    """
    match = _ROW_START.match(line)
    if match is None:
        return None
    row = cells(line.rstrip("\r\n"), match[1])
    for position in range(len(_PROCESS) + 1, len(row) - len(_METRIC)):
        if _TIME.fullmatch(row[position]):
            return _guessed(position - 1, _BEFORE_2022, row, match[1])
        if shape(row[position]) and shape(row[position + 1]):
            return _guessed(position - 3, _SINCE_2022, row, match[1])
    return None


def _guessed(kernel: int, middle: tuple[str, ...], row: list[str], delimiter: str) -> Header | None:
    """Name the columns around the kernel name; NVTX columns may stand before it."""
    names = (*_PROCESS, *[""] * (kernel - len(_PROCESS)), *middle, *_METRIC)
    fits = kernel >= len(_PROCESS) and len(row) >= len(names)
    return _header(names, delimiter) if fits else None


class Scanner:
    """Classifies lines for `nsys_walls.textfile.records`.

    Attributes:
        header: The header in force; a new object for each header that is met.
    """

    def __init__(self) -> None:
        self.header: Header | None = None

    def classify(self, line: str) -> tuple[Kind, str]:
        """Say what a line is that does not continue a row."""
        header = self.header
        # First, as kernel names may hold anything, even a header
        if header is not None and header.is_numbered and header.row.match(line):
            return "row", line
        if "Kernel Name" in line or "Metric Name" in line:
            found = parse_header(line)
            if found is not None:
                self.header = found
                return "header", line
        if header is None:
            header = self.header = guess_header(line)
        if header is None or line.isspace():
            return "noise", line
        return _row(line, header)


def _row(line: str, header: Header) -> tuple[Kind, str]:
    """Find the row in a line, which a program may have begun with its own output."""
    if header.row.match(line):
        return "row", line
    inside = _ROW_INSIDE.search(line) if '","' in line else None
    return ("noise", line) if inside is None else ("row", line[inside.start() :])
