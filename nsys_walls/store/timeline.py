"""Times of launches, from their Parquet files: exact quantiles, unions of intervals, gaps.

DuckDB runs over the files (it spills to disk past its memory limit), so no launch ever
becomes a Python object. A *point* is a number that the caller gives to kernels which are
reported together; rows of kernels without a point are left out.
"""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from nsys_walls.store import queries
from nsys_walls.store.dataset import StoredRun, damage_as_error
from nsys_walls.store.schema import TABLES
from nsys_walls.store.selection import ALL, RANGE_COLUMNS, Extent, Selected
from nsys_walls.store.times import (
    GpuTime,
    ImpossibleLaunches,
    LaunchTimes,
    RangeTime,
    RankTime,
)

_MEMORY_LIMIT = "1GB"
_STORED = ("launches", "copies", "graphs", "calls", "syncs", "gpu_metrics")
_DEVICE = "source, device"

# A launch that ends long after the next one of its stream began can't be right; programmatic
# dependent launch makes overlaps of some microseconds, so small ones say nothing.
_IMPOSSIBLE_OVERLAP_NS = 100_000


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
    """Queries over the launches of a run; use it as a context manager.

    Attributes:
        connection: To run queries of other modules over the views of `queries`.
    """

    connection: duckdb.DuckDBPyConnection

    def __init__(
        self,
        run: StoredRun,
        *,
        points: Mapping[tuple[int, int], int],
        devices: Mapping[tuple[int, int], int],
        selected: Selected = ALL,
    ) -> None:
        """Remember what to ask about.

        Args:
            run: The run.
            points: (source, kernel) to point.
            devices: (source, gpu) to number of the device.
            selected: What to look at.
        """
        self._run, self._points, self._devices = run, points, devices
        self._selected = selected
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            spill = stack.enter_context(tempfile.TemporaryDirectory(prefix="nsys-walls-"))
            connection = duckdb.connect(
                config={"memory_limit": _MEMORY_LIMIT, "temp_directory": spill}
            )
            self.connection = stack.enter_context(closing(connection))
            self._register_ids()
            with damage_as_error(self._run.manifest.run):
                for table in _STORED:
                    rows = _union_all(self._run, table)
                    self.connection.execute(f"CREATE VIEW stored_{table} AS {rows}")
                self._create_views()
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
        self.register(
            "points",
            {
                "source": [source for source, _ in keys],
                "kernel": [kernel for _, kernel in keys],
                "point": [self._points.get(key) for key in keys],
                "device": [self._devices[gpu] for gpu in gpus],
                "process": kernels["process"].to_pylist(),
            },
        )
        self.register(
            "gpus",
            {
                "source": [source for source, _ in self._devices],
                "gpu": [gpu for _, gpu in self._devices],
                "device": list(self._devices.values()),
            },
        )
        self.register("chosen_points", {"point": sorted(self._selected.points or ())})
        ranges = self._selected.ranges
        self.connection.register(
            "chosen_ranges", RANGE_COLUMNS.empty_table() if ranges is None else ranges
        )

    def _create_views(self) -> None:
        windows = {}
        if self._selected.window is not None:
            windows = {
                source: self._selected.window.resolve(first_ns, last_ns)
                for source, (first_ns, last_ns) in self._windows().items()
            }
        in_scope = self._selected.in_scope(windows)
        starts = self._selected.starts_in(windows)
        self.connection.execute(
            queries.LAUNCHES_VIEW.format(
                in_scope=in_scope,
                selected=f"{starts} AND {self._selected.is_chosen(point='stored.point')}",
            )
        )
        for name, table in (("copy", "copies"), ("graph", "graphs")):
            self.connection.execute(
                queries.OTHER_WORK_VIEW.format(
                    name=name,
                    table=table,
                    in_scope=in_scope,
                    selected=f"{starts} AND {self._selected.is_chosen(point=None)}",
                )
            )
        self.connection.execute(queries.SELECTED_VIEWS)

    def register(self, name: str, columns: Mapping[str, Sequence[int | None]]) -> None:
        """Make columns of whole numbers known to the queries as a table."""
        table = pa.table({key: pa.array(values, pa.int64()) for key, values in columns.items()})
        self.connection.register(name, table)

    def run(self, statement: str) -> None:
        """Run a statement that gives no rows.

        Raises:
            InputError: A file of the run is damaged.
        """
        with damage_as_error(self._run.manifest.run):
            self.connection.execute(statement)

    def rows(self, query: str, *parameters: int) -> list[tuple[Any, ...]]:
        """Run a query over the views of `nsys_walls.store.queries`.

        Raises:
            InputError: A file of the run is damaged.
        """
        with damage_as_error(self._run.manifest.run):
            return self.connection.execute(query, list(parameters)).fetchall()

    def _windows(self) -> dict[int, tuple[int, int]]:
        return {source: (first, last) for source, first, last in self.rows(queries.EXTENTS)}

    def extent(self) -> Extent:
        """Say what the run holds, whatever is selected."""
        streams = {
            (device, stream): launches for device, stream, launches in self.rows(queries.STREAMS)
        }
        return Extent(windows=self._windows(), streams=streams)

    def has_selected_graphs(self) -> bool:
        """Whether any graph that was traced as one row is selected."""
        return bool(self.rows("SELECT 1 FROM graphs LIMIT 1"))

    def launch_times(self, *, everything: bool = False) -> dict[int, LaunchTimes]:
        """Summarise the durations of every point that has launches.

        Args:
            everything: Of all launches, whatever is selected.
        """
        names = LaunchTimes.__slots__
        query = queries.LAUNCH_TIMES.format(launches="every_launch" if everything else "launches")
        return {
            point: LaunchTimes(**dict(zip(names, row, strict=True)))
            for point, *row in self.rows(query)
        }

    def durations_ns(self, points: Sequence[int]) -> dict[int, list[tuple[int, bool]]]:
        """List the durations of all launches of a few points, in the order of their starts.

        Returns:
            For each point, durations in ns and whether the launch is selected.
        """
        self.register("wanted", {"point": points})
        return {
            point: list(zip(durations, selected, strict=True))
            for point, durations, selected in self.rows(queries.DURATIONS)
        }

    def recoverable_ns(self, floors_ns: Mapping[int, float]) -> dict[int, float]:
        """Sum what every launch took above the floor of its point, ns."""
        table = pa.table(
            {
                "point": pa.array(list(floors_ns), pa.int64()),
                "floor_ns": pa.array(list(floors_ns.values()), pa.float64()),
            }
        )
        self.connection.register("floors", table)
        return dict(self.rows(queries.RECOVERABLE))

    def device_times(self) -> dict[int, GpuTime]:
        """Account for the time of every device that did something selected."""
        times: dict[int, GpuTime] = {}
        for _, device, *numbers in self.rows(
            queries.ACCOUNT.format(first="", parts="", keys=_DEVICE)
        ):
            time = GpuTime(**dict(zip(GpuTime.__slots__, numbers, strict=True)))
            times[device] = times[device] + time if device in times else time
        return dict(sorted(times.items()))

    def rank_times(self) -> list[RankTime]:
        """Account for the time of every process on every device, in source order."""
        query = queries.ACCOUNT.format(
            # no process is one too: NULL would never join
            first="coalesce(process, -1) AS process,",
            parts="process,",
            keys=f"{_DEVICE}, process",
        )
        return [
            RankTime(
                source=source,
                device=device,
                process=None if process < 0 else process,
                time=GpuTime(**dict(zip(GpuTime.__slots__, numbers, strict=True))),
            )
            for source, device, process, *numbers in self.rows(query)
        ]

    def wall_ns(self) -> int | None:
        """First start to last end of all that is selected, ns; of several sources, the longest.

        None where there are no launches.
        """
        ((wall_ns,),) = self.rows(queries.WALL_TIME)
        return None if wall_ns is None else int(wall_ns)

    def impossible_launches(self) -> list[ImpossibleLaunches]:
        """Find launches that mostly lie behind the next launch of their own stream.

        Work on a stream runs in order, so such a row is damaged.
        """
        names = ImpossibleLaunches.__slots__
        return [
            ImpossibleLaunches(**dict(zip(names, row, strict=True)))
            for row in self.rows(queries.IMPOSSIBLE_LAUNCHES, _IMPOSSIBLE_OVERLAP_NS)
        ]

    def range_times(self) -> list[RangeTime]:
        """Sum kernel time by innermost NVTX range and point."""
        names = RangeTime.__slots__
        return [
            RangeTime(**dict(zip(names, row, strict=True)))
            for row in self.rows(queries.RANGE_TIMES)
        ]
