"""Kernel launches: a narrow row each, beside small tables of kernels and names."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from nsys_walls.sources import Sink
from nsys_walls.sources.nsys_sqlite.calls import ApiCalls
from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.events import Columns, all_columns, pid_of, usable
from nsys_walls.sources.nsys_sqlite.gpus import Gpus
from nsys_walls.sources.nsys_sqlite.schema import Found
from nsys_walls.traces.arrow import (
    in_int32,
    integers,
    optional_integers,
    table,
    texts,
)
from nsys_walls.traces.keys import Coded, Key, coded

_NAMES = ("full", "short", "mangled")
_PLACE = ("process", "device")
_SHAPE = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z")
_RESOURCES = ("static_shared_bytes", "dynamic_shared_bytes", "registers")
_KERNEL = (*_NAMES, *_PLACE, *_SHAPE, *_RESOURCES)
_LAUNCH = ("start", "end", "stream", "correlation", "graph_node")
_REQUIRED = ("start", "end", "device", "full")

# Strings that one query looks up: a few hundred kB of SQL.
_STRINGS_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A chunk of launches, all but the number of each kernel."""

    rows_read: int
    columns: Columns
    kernels: Coded
    dropped: Counter[str]
    without_call: int


@dataclass(slots=True)
class LaunchCounts:
    """What became of the rows of the table of kernels.

    Attributes:
        stored: Launches.
        without_call: Launches whose API call is not in the trace, of those stored.
        dropped: Rows that were left out, by reason.
    """

    stored: int
    without_call: int
    dropped: Counter[str]


class Launches:
    """Reads the table of kernels.

    Args:
        database: The trace.
        found: Its table of kernels.
        calls: Its API calls.
    """

    def __init__(self, database: Database, found: Found, calls: ApiCalls) -> None:
        self._database, self._found, self._calls = database, found, calls
        self._kernels: dict[Key, int] = {}

    def write(self, sink: Sink, tick: Callable[[int], None]) -> LaunchCounts:
        """Write the rows of ``launches``, in the order of the trace.

        Args:
            sink: Where to write.
            tick: Called with the number of rows, now and then.
        """
        counts = LaunchCounts(0, 0, Counter())
        names = (*_KERNEL, *_LAUNCH)
        chunks = self._database.chunks(
            self._found,
            self._found.numbers(names),
            self._part,
            strict=self._found.numbers(names, strict=True),
        )
        for part in chunks:
            numbers = [
                self._kernels.setdefault(key, len(self._kernels)) for key in part.kernels.keys
            ]
            kernel = integers(np.array(numbers, np.int32)[part.kernels.codes])
            sink.write("launches", table({**part.columns, "kernel": kernel}))
            counts.stored += len(kernel)
            counts.without_call += part.without_call
            counts.dropped += part.dropped
            tick(part.rows_read)
        return counts

    def _part(self, chunk: pa.Table) -> _Part:
        columns, dropped = usable(all_columns(chunk, (*_KERNEL, *_LAUNCH)), _REQUIRED)
        stored = {
            "start_ns": columns["start"],
            "duration_ns": columns["duration"],
            "stream": in_int32(columns["stream"]),
            "correlation": columns["correlation"],
            "graph_node": columns["graph_node"],
        }
        without_call = 0
        if self._calls.has_ranges:
            placed = self._calls.ranges_of(columns)
            stored |= placed.columns()
            without_call = placed.without_call
        return _Part(
            rows_read=chunk.num_rows,
            columns=stored,
            kernels=coded([columns[name] for name in _KERNEL]),
            dropped=dropped,
            without_call=without_call,
        )

    def write_kernels(self, sink: Sink, strings: Found | None, gpus: Gpus) -> None:
        """Write the rows of ``kernels`` and ``names`` for the launches that were written."""
        if not self._kernels:
            return
        rows = [dict(zip(_KERNEL, key, strict=True)) for key in self._kernels]
        names: dict[Key, int] = {}
        name_of = [
            names.setdefault(tuple(row[name] for name in _NAMES), len(names)) for row in rows
        ]
        columns = {
            "kernel": optional_integers(range(len(rows))),
            "name": optional_integers(name_of),
            "gpu": optional_integers(
                [gpus.number(pid_of(row["process"]), row["device"]) for row in rows]
            ),
            "process": optional_integers([pid_of(row["process"]) for row in rows]),
        }
        for what in (*_SHAPE, *_RESOURCES):
            columns[what] = optional_integers([row[what] for row in rows])
        for what in (*_SHAPE, "registers"):
            columns[what] = in_int32(columns[what])
        sink.write("kernels", table(columns))
        sink.write("names", _named(list(names), self._strings(strings, names)))

    def _strings(self, found: Found | None, names: dict[Key, int]) -> dict[int | None, str]:
        wanted = sorted({number for key in names for number in key if number is not None})
        strings: dict[int | None, str] = {}
        if found is None:
            return strings
        for first in range(0, len(wanted), _STRINGS_AT_ONCE):
            some = wanted[first : first + _STRINGS_AT_ONCE]
            query = sa.select(found.number("id").label("id"), found.text("value").label("value"))
            query = query.where(found.columns["id"].in_(some))
            strings.update((row["id"], row["value"]) for row in self._database.rows(query))
        return strings


def _named(keys: Sequence[Key], strings: dict[int | None, str]) -> pa.Table:
    """Make the rows of ``names``; a name whose string is missing still tells kernels apart."""
    full, short, mangled = (
        [strings.get(number) for number in ids] for ids in zip(*keys, strict=True)
    )
    unnamed = [f"(unnamed kernel {key[0]})" for key in keys]
    return table(
        {
            "name": optional_integers(range(len(keys))),
            "full": texts(
                [one or two or three for one, two, three in zip(full, short, unnamed, strict=True)]
            ),
            "short": texts(short),
            "mangled": texts(mangled),
        }
    )
