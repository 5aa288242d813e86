"""From work on a GPU to the API call that launched it, and to the NVTX range around that call."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from nsys_walls.sources import Sink
from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.events import (
    THREAD_BITS,
    Columns,
    all_columns,
    process_ids,
    thread_ids,
)
from nsys_walls.sources.nsys_sqlite.schema import Found, rules
from nsys_walls.traces.arrow import Ints, Mask, integers, known, table, texts, values
from nsys_walls.traces.nesting import OUTSIDE, Nesting, Numbers

_COLUMNS = ("start", "end", "thread", "correlation", "name")
_PACKED = ("start", "thread", "correlation")

#: Packed calls of each process (the upper bits of its global ids).
Packed = dict[int, Ints]


class CallNames:
    """Which of a trace's strings are names of API calls that are stored, and what they do."""

    def __init__(self, database: Database, strings: Found | None) -> None:
        """Read the strings that may be such names: all of them begin with ``cu``."""
        kinds = [(row["kind"], re.compile(row["name"])) for row in rules()["call_kinds"]]
        version = re.compile(rules()["call_version"])
        found: list[tuple[int, str, str]] = []
        if strings is not None:
            value = strings.text("value")
            query = sa.select(strings.number("id").label("id"), value.label("value")).where(
                value.startswith("cu")
            )
            for row in database.rows(query):
                name = version.sub("", row["value"])
                kind = next((kind for kind, names in kinds if names.fullmatch(name)), None)
                if kind is not None and row["id"] is not None:
                    found.append((row["id"], kind, name))
        found.sort()
        self._ids = np.array([number for number, _, _ in found], np.int64)
        self._kinds = texts([kind for _, kind, _ in found])
        self._names = texts([name for _, _, name in found])

    def stored(self, columns: Columns) -> pa.Table | None:
        """Make the rows of ``calls`` out of a chunk of API calls; None where there are none."""
        number = values(columns["name"])
        if not self._ids.size:
            return None
        place = np.minimum(np.searchsorted(self._ids, number), len(self._ids) - 1)
        needed = [known(columns[name]) for name in ("start", "end", "thread", "name")]
        duration = values(columns["end"]) - values(columns["start"])
        rows = np.flatnonzero(
            np.logical_and.reduce([*needed, self._ids[place] == number, duration >= 0])
        )
        chosen = {name: columns[name].take(integers(rows)) for name in _COLUMNS}
        return table(
            {
                "start_ns": chosen["start"],
                "duration_ns": integers(duration[rows]),
                "process": process_ids(chosen["thread"]),
                "thread": thread_ids(chosen["thread"]),
                "correlation": chosen["correlation"],
                "kind": self._kinds.take(integers(place[rows])),
                "name": self._names.take(integers(place[rows])),
            }
        )


@dataclass(frozen=True, slots=True)
class _Part:
    rows_read: int
    packed: Packed
    stored: pa.Table | None


class ApiCalls:
    """The API calls of a trace as one sorted array of 8 bytes a call and process.

    The upper bits hold the correlation id, the lower ones the segment of the nesting that the
    call began in. Some schemas have two rows a call, cudaLaunchKernel around
    cudaLaunchKernel_v7000: the outer one began earlier, so it is the first of its id.

    Args:
        nesting: The ranges; None where the trace has none, and the calls are only stored.
    """

    def __init__(self, nesting: Nesting | None) -> None:
        self._nesting = nesting
        segments = len(nesting.range_of) if nesting else 1
        self._shift = max(1, segments.bit_length())
        self._by_process: Packed = {}

    def read(self, database: Database, found: Found, names: CallNames, sink: Sink) -> Iterator[int]:
        """Read the calls, and write those with a name that matters to ``calls``.

        Args:
            database: The trace.
            found: Its table of calls.
            names: Which ones to store.
            sink: Where to write.

        Yields:
            Numbers of rows that were read.
        """
        parts: defaultdict[int, list[Ints]] = defaultdict(list)
        chunks = database.chunks(
            found,
            found.numbers(_COLUMNS),
            lambda chunk: self._part(chunk, names),
            strict=found.numbers(_COLUMNS, strict=True),
        )
        for part in chunks:
            for process, calls in part.packed.items():
                parts[process].append(calls)
            if part.stored is not None:
                sink.write("calls", part.stored)
            yield part.rows_read
        for process in list(parts):
            calls = np.concatenate(parts.pop(process))
            calls.sort()
            self._by_process[process] = calls

    def _part(self, chunk: pa.Table, names: CallNames) -> _Part:
        columns = all_columns(chunk, _COLUMNS)
        packed = self._pack(columns, self._nesting) if self._nesting else {}
        return _Part(chunk.num_rows, packed, names.stored(columns))

    def _pack(self, columns: Columns, nesting: Nesting) -> Packed:
        correlation, thread = values(columns["correlation"]), values(columns["thread"])
        start = values(columns["start"])
        where = np.logical_and.reduce([known(columns[name]) for name in _PACKED])
        where &= self._packable(correlation)
        packed: defaultdict[int, list[Ints]] = defaultdict(list)
        for one, rows in _groups(thread, where):
            segments = nesting.segments(one, start[rows])
            packed[one >> THREAD_BITS].append(correlation[rows] << self._shift | segments)
        return {process: np.concatenate(calls) for process, calls in packed.items()}

    def _packable(self, correlation: Ints) -> Mask:
        """CUPTI's correlation ids have 32 bits; what does not fit is none."""
        return (correlation >= 0) & (correlation < 1 << (63 - self._shift))

    @property
    def has_ranges(self) -> bool:
        """Whether the trace has any range that a call may lie in."""
        return self._nesting is not None

    def ranges_of(self, columns: Columns) -> "Placed":
        """Find the innermost range around the API call of each launch.

        Args:
            columns: ``process`` and ``correlation`` of the launches.
        """
        process, correlation = values(columns["process"]), values(columns["correlation"])
        where = known(columns["process"]) & known(columns["correlation"])
        where &= self._packable(correlation)
        # segment 0 is outside of all ranges
        segments = np.zeros(len(process), np.int64)
        without_call = len(process)
        for one, rows in _groups(process >> THREAD_BITS, where):
            calls = self._by_process.get(one)
            if calls is None:
                continue
            wanted = correlation[rows]
            nearest = calls[np.searchsorted(calls[:-1], wanted << self._shift)]
            hit = nearest >> self._shift == wanted
            segments[rows[hit]] = nearest[hit] & ((1 << self._shift) - 1)
            without_call -= int(np.count_nonzero(hit))
        if self._nesting is None:
            return Placed(np.full(len(process), OUTSIDE, np.int32), None, without_call)
        also = self._nesting.also_of
        return Placed(
            self._nesting.range_of[segments],
            None if also is None else also[segments],
            without_call,
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """The ranges of launches.

    Attributes:
        innermost: Number of the innermost range around each call, or `OUTSIDE`.
        also: Range that is open too without being nested with it, or `OUTSIDE`; None where all
            ranges are nested.
        without_call: How many launches have no API call.
    """

    innermost: Numbers
    also: Numbers | None
    without_call: int

    def columns(self) -> Columns:
        """Make the columns ``range`` and ``also_range``."""
        found = {"range": integers(self.innermost, self.innermost != OUTSIDE)}
        if self.also is not None:
            found["also_range"] = integers(self.also, self.also != OUTSIDE)
        return found


def _groups(keys: Ints, where: Mask) -> Iterator[tuple[int, Ints]]:
    """Give the rows of each key, in their order."""
    rows = np.flatnonzero(where)
    if rows.size == 0:
        return
    if (keys[rows] == keys[rows[0]]).all():  # one thread, one process: the usual case
        yield int(keys[rows[0]]), rows
        return
    order = rows[np.argsort(keys[rows], kind="stable")]
    distinct, first = np.unique(keys[order], return_index=True)
    yield from zip(distinct.tolist(), np.split(order, first[1:]), strict=True)
