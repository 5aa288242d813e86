"""Read from a run what is to be one point each, and the counters that may belong to it.

A point is (device, full demangled name, grid, block, dynamic shared memory): never an
average over shapes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nsys_walls.errors import Notice
from nsys_walls.join.match import Traced
from nsys_walls.join.profiles import Profile
from nsys_walls.roofline.kernel_class import classify
from nsys_walls.roofline.run_devices import RunDevices
from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.times import LaunchTimes
from nsys_walls.texts import text

Shape = tuple[int, int, int]


class PointKey(NamedTuple):
    """What makes a kernel a point of its own; None where the source does not know."""

    device: int
    full_name: str
    grid: Shape | None
    block: Shape | None
    dynamic_shared_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A kernel that was traced, before its times are known.

    Attributes:
        key: What tells it from others.
        short: nsys's function name, or None.
        mangled: nsys's mangled name, or None.
    """

    key: PointKey
    short: str | None = None
    mangled: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedTimes:
    """Times of a point's launches; None where the source does not say.

    Attributes:
        launches: How many.
        time_ns: Sum, ns; None where no duration was measured at all.
        median_ns: Median, ns.
        mean_ns: Mean, ns.
        min_ns: Shortest, ns.
        max_ns: Longest, ns.
        p95_ns: 95th percentile, ns.
        first_ns: The launch that started first, ns.
        from_summary: Whether only a summary per name was there, which mixes shapes.
    """

    launches: int
    time_ns: int | None
    median_ns: float | None = None
    mean_ns: float | None = None
    min_ns: int | None = None
    max_ns: int | None = None
    p95_ns: float | None = None
    first_ns: int | None = None
    from_summary: bool = False

    @property
    def typical_ns(self) -> float | None:
        """Time to compute rates with: the median, else the mean; None where not above 0."""
        return self.median_ns or self.mean_ns or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """All points of a run.

    Attributes:
        points: By their number.
        by_kernel: (source, kernel) of the store to number.
        summary_times: Times of the points that come from a summary, by number.
        warnings: What the reader of a report should know.
    """

    points: tuple[Point, ...]
    by_kernel: Mapping[tuple[int, int], int] = field(default_factory=dict)
    summary_times: Mapping[int, TracedTimes] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()


def times_of(launches: LaunchTimes) -> TracedTimes:
    """Take over what the timeline says of a point."""
    return TracedTimes(
        launches=launches.launches,
        time_ns=launches.time_ns,
        median_ns=launches.median_ns,
        mean_ns=launches.mean_ns,
        min_ns=launches.min_ns,
        max_ns=launches.max_ns,
        p95_ns=launches.p95_ns,
        first_ns=launches.first_ns,
    )


def _axes(row: Mapping[str, Any], what: str) -> Shape | None:
    x, y, z = (row[f"{what}_{axis}"] for axis in "xyz")
    return None if x is None or y is None or z is None else (x, y, z)


def read_points(run: StoredRun, devices: RunDevices) -> Points:
    """Group the traced kernels of a run into points.

    Where launches were traced one by one, summaries per name would count them twice: they
    are left out, and that is said.
    """
    names = {(row["source"], row["name"]): row for row in run.read("names").to_pylist()}
    numbers: dict[PointKey, int] = {}
    points: list[Point] = []
    by_kernel: dict[tuple[int, int], int] = {}
    for row in run.read("kernels").to_pylist():
        name = names[row["source"], row["name"]]
        key = PointKey(
            device=devices.by_gpu[row["source"], row["gpu"]],
            full_name=name["full"] or name["short"] or name["mangled"] or "",
            grid=_axes(row, "grid"),
            block=_axes(row, "block"),
            dynamic_shared_bytes=row["dynamic_shared_bytes"],
        )
        if key not in numbers:
            numbers[key] = len(points)
            points.append(Point(key=key, short=name["short"], mangled=name["mangled"]))
        by_kernel[row["source"], row["kernel"]] = numbers[key]
    if not points:
        return _read_summaries(run, devices)
    return Points(points=tuple(points), by_kernel=by_kernel, warnings=_ignored_summaries(run))


def _ignored_summaries(run: StoredRun) -> tuple[Notice, ...]:
    rows = run.read("summaries").num_rows
    if not rows:
        return ()
    return (Notice("summary-not-used", text("notice.summary_not_used", rows=rows)),)


def _read_summaries(run: StoredRun, devices: RunDevices) -> Points:
    device = min(devices.facts)
    points, times = [], {}
    for number, row in enumerate(run.read("summaries").to_pylist()):
        key = PointKey(device, row["name"], None, None, None)
        points.append(Point(key=key))
        times[number] = TracedTimes(
            launches=row["launches"],
            time_ns=row["total_ns"],
            median_ns=row["median_ns"],
            mean_ns=row["mean_ns"],
            min_ns=row["min_ns"],
            max_ns=row["max_ns"],
            from_summary=True,
        )
    return Points(points=tuple(points), summary_times=times)


def traced_kernels(
    points: Points, times: Mapping[int, TracedTimes], devices: RunDevices
) -> list[Traced]:
    """Describe the points that have launches to the join, in point order."""
    return [
        Traced(
            id=number,
            device=point.key.device,
            part=devices.part(point.key.device),
            full=point.key.full_name,
            short=point.short,
            mangled=point.mangled,
            grid=point.key.grid,
            block=point.key.block,
            dynamic_shared_bytes=point.key.dynamic_shared_bytes,
            launches=times[number].launches,
            time_ns=times[number].time_ns or 0,
            min_ns=times[number].min_ns,
            max_ns=times[number].max_ns,
            is_communication=classify(point.key.full_name).is_communication,
            from_summary=times[number].from_summary,
        )
        for number, point in enumerate(points.points)
        if number in times
    ]


def read_profiles(run: StoredRun, devices: RunDevices) -> list[Profile]:
    """Read the profiled launches of a run, in the order of their files."""
    return [
        Profile(
            source=row["source"],
            launch_id=row["launch_id"],
            process=row["process"],
            device=devices.of_counters(row["ordinal"], row["compute_capability"]),
            part=row["compute_capability"],
            name=row["name"],
            grid=_axes(row, "grid"),
            block=_axes(row, "block"),
            dynamic_shared_bytes=row["dynamic_shared_bytes"],
            launches=row["launches"],
            values=dict(row["values"]),
        )
        for row in run.read("counters").to_pylist()
    ]
