"""Recognise the reports of ``nsys stats`` by their columns, over all versions.

Column names carry their unit in brackets, as in ``Total Time (ns)``; old versions print
``Average`` and ``Time(%)`` where new ones print ``Avg (ns)`` and ``Time (%)``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from nsys_walls.textfile import Kind, cells

#: Report name of ``nsys stats``; ``other`` holds no kernels.
ReportName = Literal[
    "cuda_gpu_trace", "cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_sum", "other"
]

NOT_A_ROW: Final = "lines that are not CSV rows"
_DELIMITERS: Final = ",;\t"
_UNIT = re.compile(r"(?P<name>.*?)\s*\((?P<unit>[^)]*)\)")
_SYNONYMS: Final = {"average": "avg", "median": "med", "minimum": "min", "maximum": "max"}
#: Unit in brackets to its factor: ns for times, bytes for sizes. Without brackets 1.
_FACTORS: Final = {
    **dict.fromkeys(("", "ns", "nsec", "B", "%"), 1),
    **dict.fromkeys(("us", "µs", "μs", "usec", "KB", "kB"), 10**3),
    **dict.fromkeys(("ms", "msec", "MB"), 10**6),
    **dict.fromkeys(("s", "sec", "GB"), 10**9),
    "TB": 10**12,
}
_SUMMARY: Final = frozenset({"total time", "instances", "name"})
# Summaries of NVTX ranges and of MPI look like those of kernels but for these
_NO_KERNELS: Final = frozenset({"range", "style", "source", "category", "operation"})
_MEASURED: Final = frozenset(
    {"start", "duration", "stcsmem", "dymsmem", "bytes", "total time", "avg", "med", "min", "max"}
)
_ROW = re.compile(r'\s*"?\d[\d.,]*"?\s*[,;\t]')
_PROCESSING = re.compile(r"Processing \[.+\] with \[.+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a report.

    Attributes:
        at: Its position.
        unit: As printed in brackets; empty without.
    """

    at: int
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report that a header begins.

    Attributes:
        name: Which one.
        delimiter: Character between cells.
        columns: Columns by case-folded name without unit.
        width: Number of columns.
    """

    name: ReportName
    delimiter: str
    columns: Mapping[str, Column]
    width: int

    def factor(self, name: str) -> int:
        """Find the factor from the unit of a column to ns or bytes; 1 where it has none."""
        column = self.columns.get(name)
        return 1 if column is None else _FACTORS.get(column.unit, 1)

    @property
    def unknown_unit(self) -> str | None:
        """A unit that is not known, of a column that is read; None where all are known."""
        units = (self.columns[name].unit for name in _MEASURED & self.columns.keys())
        return next((unit for unit in units if unit not in _FACTORS), None)


def parse_header(line: str) -> Report | None:
    """Read a line as header; None where it is something else."""
    text = line.lstrip("\ufeff").rstrip("\r\n")
    delimiter = max(_DELIMITERS, key=text.count)
    names = [name.strip() for name in cells(text, delimiter)]
    while names and not names[-1]:  # a spreadsheet fills all lines to the same width
        names.pop()
    columns = dict(_column(name, at) for at, name in enumerate(names))
    found = _report_name(columns, has_units=any("(" in name for name in names))
    if found is None:
        return None
    return Report(name=found, delimiter=delimiter, columns=columns, width=len(names))


def _column(printed: str, at: int) -> tuple[str, Column]:
    match = _UNIT.fullmatch(printed)
    name, unit = (match["name"], match["unit"]) if match else (printed, "")
    folded = name.casefold()
    return _SYNONYMS.get(folded, folded), Column(at=at, unit=unit)


def _report_name(columns: Mapping[str, Column], *, has_units: bool) -> ReportName | None:
    """Tell a report by its columns; None where they are no report's."""
    names = columns.keys()
    found: ReportName | None = None
    if {"start", "duration", "name", "grdx"} <= names:
        found = "cuda_gpu_trace"
    elif {"total time", "instances", "category", "operation"} <= names:
        found = "cuda_gpu_sum"
    elif names >= _SUMMARY and not names & _NO_KERNELS:
        found = "cuda_gpu_kern_gb_sum" if "gridxyz" in names else "cuda_gpu_kern_sum"
    elif has_units and ({"time", "total time"} <= names or {"start", "duration"} <= names):
        found = "other"
    return found


def is_progress(line: str) -> bool:
    """Whether a line is what ``nsys stats`` prints while it works on a report.

    >>> is_progress("Processing [a.sqlite] with [cuda_gpu_kern_sum.py]... ")
    True
    """
    return _PROCESSING.match(line.lstrip("\ufeff")) is not None


class Scanner:
    """Classifies lines for `nsys_walls.textfile.records`.

    Attributes:
        report: The report whose header was met last; a new object for each header.
    """

    def __init__(self) -> None:
        self.report: Report | None = None

    def classify(self, line: str) -> tuple[Kind, str]:
        """Say what a line is that does not continue a row."""
        if _ROW.match(line):
            return ("row" if self.report else "noise"), line
        report = parse_header(line)
        if report is None:
            return "noise", line
        self.report = report
        return "header", line
