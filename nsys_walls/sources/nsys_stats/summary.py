"""Reports with a row per kernel name: ``cuda_gpu_kern_sum`` and its relatives."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from nsys_walls.sources.nsys_stats.printed import Printed
from nsys_walls.sources.nsys_stats.report import NOT_A_ROW, Report, ReportName
from nsys_walls.store.schema import TABLES

#: Best first: where a file has several, they describe the same launches.
_BEST_FIRST: Final[tuple[ReportName, ...]] = (
    "cuda_gpu_kern_sum",
    "cuda_gpu_kern_gb_sum",
    "cuda_gpu_sum",
)
_STATISTICS: Final = ("total time", "avg", "med", "min", "max")
_KERNELS: Final = "CUDA_KERNEL"
_OTHER: Final = "operations that are not kernels"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statistics:
    """Times of the launches of one name.

    Attributes:
        launches: How many.
        total_ns: Their sum.
        mean_ns: Their mean.
        median_ns: Their median, or None where it is not known.
        min_ns: The shortest, or None.
        max_ns: The longest, or None.
    """

    launches: int
    total_ns: int
    mean_ns: float
    median_ns: float | None
    min_ns: int | None
    max_ns: int | None

    def __add__(self, other: "_Statistics") -> "_Statistics":
        """Put two sets of launches together; their common median can't be known."""
        launches = self.launches + other.launches
        total_ns = self.total_ns + other.total_ns
        shortest = [part.min_ns for part in (self, other) if part.min_ns is not None]
        longest = [part.max_ns for part in (self, other) if part.max_ns is not None]
        return _Statistics(
            launches=launches,
            total_ns=total_ns,
            mean_ns=total_ns / launches,
            median_ns=None,
            min_ns=min(shortest) if len(shortest) == len((self, other)) else None,
            max_ns=max(longest) if len(longest) == len((self, other)) else None,
        )


class Summaries:
    """Keeps the rows until the whole file has shown what it holds."""

    def __init__(self, printed: Printed, skipped: Counter[str]) -> None:
        self._printed, self._skipped = printed, skipped
        self._rows: dict[ReportName, list[tuple[Report, Sequence[str]]]] = {}

    def add(self, report: Report, row: Sequence[str]) -> None:
        """Take one row."""
        if len(row) < report.width:
            self._skipped[NOT_A_ROW] += 1
            return
        for name in _STATISTICS:
            if name in report.columns:
                self._printed.style.see(row[report.columns[name].at])
        self._rows.setdefault(report.name, []).append((report, row))

    def skip_all(self, instead: ReportName) -> None:
        """Count the rows as superseded by a report that says more about the same launches."""
        for name, rows in self._rows.items():
            self._skipped[f"rows of {name}, as {instead} has the same launches"] += len(rows)
        self._rows.clear()

    @property
    def best(self) -> ReportName | None:
        """The report that is read; None without any rows."""
        return next((name for name in _BEST_FIRST if name in self._rows), None)

    def table(self) -> pa.Table:
        """Make the rows of the best report, one per name."""
        best = self.best
        by_name: dict[str, _Statistics] = {}
        if best is not None:
            rows = self._rows.pop(best)
            self.skip_all(best)
            for report, row in rows:
                self._read(report, row, by_name)
        return pa.Table.from_pylist(
            [
                {
                    "name": name,
                    "launches": times.launches,
                    "total_ns": times.total_ns,
                    "mean_ns": times.mean_ns,
                    "median_ns": times.median_ns,
                    "min_ns": times.min_ns,
                    "max_ns": times.max_ns,
                }
                for name, times in by_name.items()
            ],
            schema=TABLES["summaries"],
        )

    def _read(self, report: Report, row: Sequence[str], by_name: dict[str, _Statistics]) -> None:
        cells = {name: row[column.at] for name, column in report.columns.items()}
        if cells.get("category", _KERNELS) != _KERNELS:
            self._skipped[_OTHER] += 1
            return
        try:
            times = self._statistics(report, cells)
        except ValueError:
            self._skipped[NOT_A_ROW] += 1
            return
        name = cells["operation" if report.name == "cuda_gpu_sum" else "name"]
        by_name[name] = by_name[name] + times if name in by_name else times

    def _statistics(self, report: Report, cells: Mapping[str, str]) -> _Statistics:
        """Read the numbers of a row.

        Raises:
            ValueError: One is missing or no number.
        """
        launches = self._printed.whole(cells["instances"], 1)
        total_ns = self._printed.whole(cells["total time"], report.factor("total time"))
        if not launches or total_ns is None:
            msg = "a row without launches"
            raise ValueError(msg)
        mean_ns = self._printed.number(cells.get("avg", ""), report.factor("avg"))
        return _Statistics(
            launches=launches,
            total_ns=total_ns,
            mean_ns=total_ns / launches if mean_ns is None else mean_ns,
            median_ns=self._printed.number(cells.get("med", ""), report.factor("med")),
            min_ns=self._printed.whole(cells.get("min", ""), report.factor("min")),
            max_ns=self._printed.whole(cells.get("max", ""), report.factor("max")),
        )
