"""Copies, sets and whole graphs: the other work on a GPU; and what waits for it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from nsys_walls.sources import Sink
from nsys_walls.sources.nsys_sqlite.calls import ApiCalls
from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.events import Columns, all_columns, placed, usable
from nsys_walls.sources.nsys_sqlite.gpus import Gpus
from nsys_walls.sources.nsys_sqlite.schema import Catalog, rules
from nsys_walls.traces.arrow import integers, table, texts, values
from nsys_walls.traces.keys import coded

_REQUIRED = ("start", "end", "device")
_PLACE = ("process", "stream", "correlation")
_COPY = ("bytes", "kind", "source_memory", "target_memory")
_COLUMNS = (*_REQUIRED, *_PLACE, *_COPY, "graph")

#: Stored text of each number of a kind.
Labels = Mapping[int | None, str]


def labels(database: Database, catalog: Catalog, what: str, kinds: str) -> Labels:
    """Say what the numbers of a kind are stored as.

    Args:
        database: The trace.
        catalog: Its tables.
        what: Our name of the trace's own table of these numbers; older traces have none.
        kinds: The rows of ``nsys_schemas.toml`` that hold for them then.
    """
    found, rows = catalog.find(what), rules()[kinds]
    if found is None:
        return {row["number"]: row["stored"] for row in rows}
    stored = {row["symbol"]: row["stored"] for row in rows}
    query = found.numbers(["number"], strict=True).add_columns(found.text("symbol").label("symbol"))
    return {
        row["number"]: stored[row["symbol"]]
        for row in database.rows(query)
        if row["symbol"] in stored
    }


@dataclass(slots=True)
class TransferCounts:
    """What became of the rows of a table.

    Attributes:
        stored: Rows that were written.
        time_ns: Sum of their durations, ns.
        dropped: Rows that were left out, by reason.
    """

    stored: int = 0
    time_ns: int = 0
    dropped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Transfers:
    """Reads the tables of copies, sets, graphs and synchronisations.

    Attributes:
        database: The trace.
        catalog: Its tables.
        gpus: Its GPUs.
        calls: Its API calls.
        sink: Where to write.
    """

    database: Database
    catalog: Catalog
    gpus: Gpus
    calls: ApiCalls
    sink: Sink

    def write_copies(self) -> TransferCounts:
        """Write copies to ``copies``."""
        return self._copies("copy", labels(self.database, self.catalog, "copy_label", "copy_kinds"))

    def write_sets(self) -> TransferCounts:
        """Write sets to ``copies``."""
        return self._copies("set", {None: "memset"})

    def _copies(self, what: str, operations: Labels) -> TransferCounts:
        memory = labels(self.database, self.catalog, "memory_label", "memory_kinds")

        def columns_of(columns: Columns) -> Columns:
            return {
                "bytes": columns["bytes"],
                "operation": _labelled(columns["kind"], operations, "other"),
                "source_memory": _labelled(columns["source_memory"], memory),
                "target_memory": _labelled(columns["target_memory"], memory),
                **self._range(columns),
            }

        return self._write(what, "copies", columns_of)

    def write_graphs(self) -> TransferCounts:
        """Write launches of whole graphs to ``graphs``."""
        return self._write(
            "graph", "graphs", lambda columns: {"graph": columns["graph"], **self._range(columns)}
        )

    def write_syncs(self) -> TransferCounts:
        """Write synchronisations and waits for events to ``syncs``."""
        kinds = labels(self.database, self.catalog, "sync_label", "sync_kinds")
        return self._write(
            "sync", "syncs", lambda columns: {"kind": _labelled(columns["kind"], kinds)}
        )

    def _range(self, columns: Columns) -> Columns:
        """Give the innermost range around the API call of each row."""
        if not self.calls.has_ranges:
            return {}
        return {"range": self.calls.ranges_of(columns).columns()["range"]}

    def _write(
        self, what: str, target: str, columns_of: Callable[[Columns], Columns]
    ) -> TransferCounts:
        counts, found = TransferCounts(), self.catalog.find(what)
        if found is None:
            return counts
        chunks = self.database.chunks(
            found,
            found.numbers(_COLUMNS),
            lambda chunk: usable(all_columns(chunk, _COLUMNS), _REQUIRED),
            strict=found.numbers(_COLUMNS, strict=True),
        )
        for columns, dropped in chunks:
            # a GPU that a program only waited for did no work: it gets no number
            number = self.gpus.known if target == "syncs" else self.gpus.number
            rows = table({**placed(columns, number), **columns_of(columns)})
            self.sink.write(target, rows)
            counts.stored += rows.num_rows
            counts.time_ns += int(values(columns["duration"]).sum())
            counts.dropped += dropped
        return counts


def _labelled(numbers: pa.Array, labels_of: Labels, default: str | None = None) -> pa.Array:
    keyed = coded([numbers])
    return texts([labels_of.get(number, default) for (number,) in keyed.keys]).take(
        integers(keyed.codes)
    )
