"""Times of launches, from their Parquet files: exact quantiles, unions of intervals, gaps.

DuckDB runs over the files (it spills to disk past its memory limit), so no launch ever
becomes a Python object. A *point* is a number that the caller gives to kernels which are
reported together; rows of kernels without a point are left out.
"""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from nsys_walls.store import queries
from nsys_walls.store.dataset import StoredRun, damage_as_error
from nsys_walls.store.schema import TABLES

_MEMORY_LIMIT = "1GB"

# A launch that ends long after the next one of its stream began can't be right; programmatic
# dependent launch makes overlaps of some microseconds, so small ones say nothing.
_IMPOSSIBLE_OVERLAP_NS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchTimes:
    """Durations of all launches of one point.

    Attributes:
        launches: How many.
        time_ns: Sum, ns.
        median_ns: Median; the mean of the middle two where the number is even, ns.
        mean_ns: Mean, ns.
        min_ns: Shortest, ns.
        max_ns: Longest, ns.
        p95_ns: 95th percentile, linear between ranks, ns.
        first_ns: Duration of the launch that started first, ns.
    """

    launches: int
    time_ns: int
    median_ns: float
    mean_ns: float
    min_ns: int
    max_ns: int
    p95_ns: float
    first_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTime:
    """GPU time of one device, ns; busy + copy + idle = span.

    Attributes:
        device: Number of the device.
        launches: Kernel launches.
        span_ns: First start to last end of any kernel, graph, copy or set; of several sources,
            which have a clock each, the sum.
        kernel_ns: Plain sum of kernel durations.
        busy_ns: Union of kernels and of graphs that were traced as one row.
        copy_ns: Union of everything, less ``busy_ns``: copies and sets in the gaps.
        graph_hidden_ns: Sum of graph rows, whose kernels can't be seen.
    """

    device: int
    launches: int
    span_ns: int
    kernel_ns: int
    busy_ns: int
    copy_ns: int
    graph_hidden_ns: int

    @property
    def idle_ns(self) -> int:
        """Time in which nothing ran, ns."""
        return self.span_ns - self.busy_ns - self.copy_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpossibleLaunches:
    """Launches of one point that end long after the next one of their stream began.

    Attributes:
        point: The point.
        launches: How many.
        time_ns: Their sum, ns.
    """

    point: int
    launches: int
    time_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTime:
    """Kernel time whose innermost NVTX range is one row of ``ranges``.

    Attributes:
        source: Source of the range.
        range: Row of ``ranges``, or None outside all of them.
        point: Point of the kernels.
        launches: How many.
        time_ns: Sum of their durations, ns.
    """

    source: int
    range: int | None
    point: int
    launches: int
    time_ns: int


def _union_all(run: StoredRun, table: str) -> str:
    """Write a subquery over all sources of a table, with the source number as a column."""
    # views take no parameters; the path is quoted, the number is ours
    parts = [
        f"SELECT {source}::SMALLINT AS source, * FROM read_parquet({_quote(path)})"  # noqa: S608
        for source, path in run.files(table)
    ]
    if parts:
        return " UNION ALL ".join(parts)
    columns = ", ".join(f"NULL::{_sql_type(field.type)} AS {field.name}" for field in TABLES[table])
    return f"SELECT NULL::SMALLINT AS source, {columns} WHERE false"


def _quote(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _sql_type(kind: pa.DataType) -> str:
    return "VARCHAR" if pa.types.is_string(kind) else "BIGINT"


class Timeline:
    """Queries over the launches of a run; use it as a context manager."""

    def __init__(
        self,
        run: StoredRun,
        *,
        points: Mapping[tuple[int, int], int],
        devices: Mapping[tuple[int, int], int],
    ) -> None:
        """Remember what to ask about.

        Args:
            run: The run.
            points: (source, kernel) to point.
            devices: (source, gpu) to number of the device.
        """
        self._run, self._points, self._devices = run, points, devices
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            spill = stack.enter_context(tempfile.TemporaryDirectory(prefix="nsys-walls-"))
            connection = duckdb.connect(
                config={"memory_limit": _MEMORY_LIMIT, "temp_directory": spill}
            )
            self._duckdb = stack.enter_context(closing(connection))
            self._register_ids()
            with damage_as_error(self._run.manifest.run):
                for table in ("launches", "copies", "graphs"):
                    rows = _union_all(self._run, table)
                    self._duckdb.execute(f"CREATE VIEW stored_{table} AS {rows}")
                self._duckdb.execute(queries.LAUNCHES_VIEW)
            self._open = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def _register_ids(self) -> None:
        """Make the points and devices that the caller gave known to the queries."""
        kernels = self._run.read("kernels")
        sources = kernels["source"].to_pylist()
        keys = list(zip(sources, kernels["kernel"].to_pylist(), strict=True))
        gpus = zip(sources, kernels["gpu"].to_pylist(), strict=True)
        self._register(
            "points",
            {
                "source": [source for source, _ in keys],
                "kernel": [kernel for _, kernel in keys],
                "point": [self._points.get(key) for key in keys],
                "device": [self._devices[gpu] for gpu in gpus],
                "process": kernels["process"].to_pylist(),
            },
        )
        self._register(
            "gpus",
            {
                "source": [source for source, _ in self._devices],
                "gpu": [gpu for _, gpu in self._devices],
                "device": list(self._devices.values()),
            },
        )

    def _register(self, name: str, columns: Mapping[str, Sequence[int | None]]) -> None:
        table = pa.table({key: pa.array(values, pa.int64()) for key, values in columns.items()})
        self._duckdb.register(name, table)

    def _rows(self, query: str, *parameters: int) -> list[tuple[Any, ...]]:
        with damage_as_error(self._run.manifest.run):
            return self._duckdb.execute(query, list(parameters)).fetchall()

    def launch_times(self) -> dict[int, LaunchTimes]:
        """Summarise the durations of every point."""
        names = LaunchTimes.__slots__
        return {
            point: LaunchTimes(**dict(zip(names, row, strict=True)))
            for point, *row in self._rows(queries.LAUNCH_TIMES)
        }

    def durations_ns(self, points: Sequence[int]) -> dict[int, list[int]]:
        """List the durations of a few points, each in the order of their starts, ns."""
        self._register("wanted", {"point": points})
        return dict(self._rows(queries.DURATIONS))

    def recoverable_ns(self, floors_ns: Mapping[int, float]) -> dict[int, float]:
        """Sum what every launch took above the floor of its point, ns."""
        table = pa.table(
            {
                "point": pa.array(list(floors_ns), pa.int64()),
                "floor_ns": pa.array(list(floors_ns.values()), pa.float64()),
            }
        )
        self._duckdb.register("floors", table)
        return dict(self._rows(queries.RECOVERABLE))

    def device_times(self) -> list[DeviceTime]:
        """Account for the time of every device, in device order."""
        names = DeviceTime.__slots__
        return [
            DeviceTime(**dict(zip(names, row, strict=True)))
            for row in self._rows(queries.DEVICE_TIMES)
        ]

    def wall_ns(self) -> int | None:
        """First start to last end of everything, ns; of several sources, the longest.

        None where there are no launches.
        """
        ((wall_ns,),) = self._rows(queries.WALL_TIME)
        return None if wall_ns is None else int(wall_ns)

    def impossible_launches(self) -> list[ImpossibleLaunches]:
        """Find launches that mostly lie behind the next launch of their own stream.

        Work on a stream runs in order, so such a row is damaged.
        """
        names = ImpossibleLaunches.__slots__
        return [
            ImpossibleLaunches(**dict(zip(names, row, strict=True)))
            for row in self._rows(queries.IMPOSSIBLE_LAUNCHES, _IMPOSSIBLE_OVERLAP_NS)
        ]

    def range_times(self) -> list[RangeTime]:
        """Sum kernel time by innermost NVTX range and point."""
        names = RangeTime.__slots__
        return [
            RangeTime(**dict(zip(names, row, strict=True)))
            for row in self._rows(queries.RANGE_TIMES)
        ]
