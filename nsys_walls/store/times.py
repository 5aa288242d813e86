"""Times that `nsys_walls.store.timeline` answers with, all in ns."""

from dataclasses import dataclass


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
class GpuTime:
    """GPU time of a device, or of a process on it, ns; busy + copy + other + idle = span.

    Attributes:
        launches: Kernel launches.
        span_ns: First start to last end of any selected kernel, graph, copy or set; of several
            sources, which have a clock each, the sum.
        kernel_ns: Plain sum of kernel durations.
        busy_ns: Union of kernels and of graphs that were traced as one row.
        copy_ns: Copies and sets while no kernel ran.
        other_ns: Work of the device that is not selected, while nothing selected ran.
        graph_hidden_ns: Sum of graph rows, whose kernels can't be seen.
    """

    launches: int
    span_ns: int
    kernel_ns: int
    busy_ns: int
    copy_ns: int
    other_ns: int
    graph_hidden_ns: int

    @property
    def idle_ns(self) -> int:
        """Time in which nothing ran, ns."""
        return self.span_ns - self.busy_ns - self.copy_ns - self.other_ns

    def __add__(self, other: "GpuTime") -> "GpuTime":
        """Add the time of another source."""
        names = GpuTime.__slots__
        return GpuTime(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTime:
    """GPU time of one process on one device.

    Attributes:
        source: The source that it was traced in.
        device: Number of the device.
        process: Process id of the operating system, or None where the source has none.
        time: Its time.
    """

    source: int
    device: int
    process: int | None
    time: GpuTime


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
        also: Row of ``ranges`` that was open too without being nested with it, or None.
        point: Point of the kernels.
        launches: How many.
        time_ns: Sum of their durations, ns.
    """

    source: int
    range: int | None
    also: int | None
    point: int
    launches: int
    time_ns: int
