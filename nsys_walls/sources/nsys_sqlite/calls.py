"""From a launch to the API call that made it, and to the NVTX range around that call."""

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.events import THREAD_BITS, Columns, all_columns
from nsys_walls.sources.nsys_sqlite.schema import Found
from nsys_walls.traces.arrow import Ints, Mask, known, values
from nsys_walls.traces.nesting import OUTSIDE, Nesting, Numbers

_COLUMNS = ("start", "thread", "correlation")

#: Packed calls of each process (the upper bits of its global ids).
Packed = dict[int, Ints]


class ApiCalls:
    """The API calls of a trace as one sorted array of 8 bytes a call and process.

    The upper bits hold the correlation id, the lower ones the segment of the nesting that the
    call began in. Some schemas have two rows a call, cudaLaunchKernel around
    cudaLaunchKernel_v7000: the outer one began earlier, so it is the first of its id.
    """

    def __init__(self, nesting: Nesting) -> None:
        self._nesting = nesting
        self._shift = max(1, len(nesting.range_of).bit_length())
        self._by_process: Packed = {}

    def read(self, database: Database, found: Found, tick: Callable[[int], None]) -> None:
        """Read the calls.

        Args:
            database: The trace.
            found: Its table of calls.
            tick: Called with the number of rows, now and then.
        """
        parts: defaultdict[int, list[Ints]] = defaultdict(list)
        chunks = database.chunks(
            found,
            found.numbers(_COLUMNS),
            self._pack,
            strict=found.numbers(_COLUMNS, strict=True),
        )
        for rows, packed in chunks:
            for process, calls in packed.items():
                parts[process].append(calls)
            tick(rows)
        for process in list(parts):
            calls = np.concatenate(parts.pop(process))
            calls.sort()
            self._by_process[process] = calls

    def _pack(self, chunk: pa.Table) -> tuple[int, Packed]:
        columns = all_columns(chunk, _COLUMNS)
        correlation, thread = values(columns["correlation"]), values(columns["thread"])
        start = values(columns["start"])
        where = np.logical_and.reduce([known(column) for column in columns.values()])
        where &= self._packable(correlation)
        packed: defaultdict[int, list[Ints]] = defaultdict(list)
        for one, rows in _groups(thread, where):
            segments = self._nesting.segments(one, start[rows])
            packed[one >> THREAD_BITS].append(correlation[rows] << self._shift | segments)
        return chunk.num_rows, {process: np.concatenate(calls) for process, calls in packed.items()}

    def _packable(self, correlation: Ints) -> Mask:
        """CUPTI's correlation ids have 32 bits; what does not fit is none."""
        return (correlation >= 0) & (correlation < 1 << (63 - self._shift))

    def ranges_of(self, columns: Columns) -> tuple[Numbers, int]:
        """Find the innermost range around the API call of each launch.

        Args:
            columns: ``process`` and ``correlation`` of the launches.

        Returns:
            Number of the range, or `OUTSIDE`, and how many launches have no API call.
        """
        process, correlation = values(columns["process"]), values(columns["correlation"])
        where = known(columns["process"]) & known(columns["correlation"])
        where &= self._packable(correlation)
        found = np.full(len(process), OUTSIDE, np.int32)
        without_call = len(process)
        for one, rows in _groups(process >> THREAD_BITS, where):
            calls = self._by_process.get(one)
            if calls is None:
                continue
            wanted = correlation[rows]
            nearest = calls[np.searchsorted(calls[:-1], wanted << self._shift)]
            hit = nearest >> self._shift == wanted
            segments = nearest[hit] & ((1 << self._shift) - 1)
            found[rows[hit]] = self._nesting.range_of[segments]
            without_call -= int(np.count_nonzero(hit))
        return found, without_call


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
