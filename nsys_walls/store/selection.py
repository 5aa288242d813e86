"""Which part of a run is to be looked at."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import pyarrow as pa

from nsys_walls.units import NS_PER_S, duration, percent

_IN_CHOSEN = (
    "EXISTS (SELECT 1 FROM chosen_ranges AS chosen "
    "WHERE chosen.source = stored.source AND chosen.range = stored.{column})"
)

#: Columns of `Selected.ranges`.
RANGE_COLUMNS = pa.schema([pa.field("source", pa.int64()), pa.field("range", pa.int64())])


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One end of a time window; one of the two is given.

    Attributes:
        time_ns: Time on the trace's own clock, as the profiler's timeline shows it, ns.
        share: Part of the time from the first to the last work of a source, 0 to 1.
    """

    time_ns: int | None = None
    share: float | None = None

    def __str__(self) -> str:
        """Write it as a user would type it."""
        if self.share is not None:
            return percent(self.share).replace(" ", "")
        seconds = Decimal(self.time_ns or 0) / NS_PER_S
        return f"{seconds.normalize():f}s"

    def resolve(self, first_ns: int, last_ns: int) -> int:
        """Give the time of this edge in a source whose work spans these times, ns."""
        if self.share is not None:
            return first_ns + round(self.share * (last_ns - first_ns))
        return self.time_ns or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of the time; work belongs to it that starts in it.

    Attributes:
        start: First moment that belongs to it; None: from the beginning.
        end: First moment that does not, unless it is the end of the trace; None: to the end.
    """

    start: Edge | None = None
    end: Edge | None = None

    def __str__(self) -> str:
        """Write it as a user would type it."""
        return f"{self.start or ''}:{self.end or ''}"

    def resolve(self, first_ns: int, last_ns: int) -> tuple[int, int]:
        """Give the first and the last start that belong to it in a source, ns.

        Args:
            first_ns: Start of the first work of the source.
            last_ns: End of its last work.
        """
        start = first_ns if self.start is None else self.start.resolve(first_ns, last_ns)
        end = last_ns + 1 if self.end is None else self.end.resolve(first_ns, last_ns)
        return start, end - 1 if end < last_ns else last_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a user asked for; everything by default. All that is given must hold.

    Attributes:
        nvtx: Patterns of range names (``*``, ``?``, ``[...]``); kernels launched inside a range
            of any of them, also in ranges that it encloses.
        window: Part of the time.
        devices: Numbers of devices.
        streams: Numbers of streams.
        kernel: Regular expression that is found in the full name.
    """

    nvtx: tuple[str, ...] = ()
    window: Window | None = None
    devices: tuple[int, ...] = ()
    streams: tuple[int, ...] = ()
    kernel: str | None = None

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self == EVERYTHING

    def __str__(self) -> str:
        """Write it as a user would type it."""
        return shlex.join(self.as_typed())

    def as_typed(self) -> list[str]:
        """List the words of a command that give this selection; none for everything."""
        words = [word for pattern in self.nvtx for word in ("--nvtx", pattern)]
        words += ["--window", str(self.window)] if self.window else []
        words += [word for device in self.devices for word in ("--device", str(device))]
        words += [word for stream in self.streams for word in ("--stream", str(stream))]
        words += ["--kernel", self.kernel] if self.kernel is not None else []
        return words


#: Nothing is left out.
EVERYTHING = Selection()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A selection, in the numbers of one run.

    Device and window cut the run: what is outside does not exist. The others choose within it:
    what they leave out is still there, as other work.

    Attributes:
        devices: Devices that are looked at; None: all.
        window: Part of the time.
        streams: Streams that are chosen; None: all.
        points: Points that are chosen; None: all, and copies, sets and graphs with them.
        ranges: Ranges that are chosen, see `RANGE_COLUMNS`; None: all launches.
    """

    devices: frozenset[int] | None = None
    window: Window | None = None
    streams: frozenset[int] | None = None
    points: frozenset[int] | None = None
    ranges: pa.Table | None = None

    def in_scope(self, windows: Mapping[int, tuple[int, int]]) -> str:
        """Write the SQL condition of what exists, on columns device, source, start and end.

        What began before a window and runs into it exists there, as other work.

        Args:
            windows: First and last start of each source, ns.
        """
        conditions = []
        if self.devices is not None:
            conditions.append(f"device IN ({_listed(self.devices)})")
        if self.window is not None:
            conditions.append(_by_source(windows, "start_ns <= {last} AND end_ns >= {first}"))
        return " AND ".join(conditions) or "true"

    def starts_in(self, windows: Mapping[int, tuple[int, int]]) -> str:
        """Write the SQL condition of what starts in the window, on source and start_ns."""
        if self.window is None:
            return "true"
        return _by_source(windows, "start_ns BETWEEN {first} AND {last}")

    def is_chosen(self, *, point: str | None) -> str:
        """Write the SQL condition of what is chosen, on columns of a row that is called ``stored``.

        Args:
            point: The column with the point; None for what is no kernel.
        """
        conditions = []
        if self.streams is not None:
            conditions.append(f"coalesce(stream IN ({_listed(self.streams)}), false)")
        if self.points is not None:
            chosen = "IN (SELECT point FROM chosen_points)"
            conditions.append(f"{point} {chosen}" if point else "false")
        if self.ranges is not None:
            columns = ["range", "also_range"] if point else ["range"]
            inside = [_IN_CHOSEN.format(column=column) for column in columns]
            conditions.append(f"({' OR '.join(inside)})")
        return " AND ".join(conditions) or "true"


def _by_source(windows: Mapping[int, tuple[int, int]], condition: str) -> str:
    cases = " ".join(
        f"WHEN {source} THEN {condition.format(first=first, last=last)}"
        for source, (first, last) in windows.items()
    )
    return f"CASE source {cases} ELSE false END" if cases else "false"


def _listed(numbers: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "NULL"


#: A selection that leaves nothing out, in the numbers of any run.
ALL = Selected()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """What a run holds, to tell a user who selected nothing.

    Attributes:
        windows: First start and last end of each source, ns.
        streams: Launches by device and stream.
    """

    windows: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    streams: Mapping[tuple[int, int | None], int] = field(default_factory=dict)

    def window_text(self) -> str:
        """Name the time that there is."""
        spans = [f"{first / NS_PER_S:.6g}s:{last / NS_PER_S:.6g}s ({duration(last - first)})"
                 for first, last in self.windows.values()]  # fmt: skip
        return ", ".join(spans)
