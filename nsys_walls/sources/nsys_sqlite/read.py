"""Read a whole trace: the order of the steps, and what the user is told about it."""

from collections import Counter
from dataclasses import replace

import sqlalchemy as sa

from nsys_walls.errors import InputError, Notice
from nsys_walls.sources import Request, Sink, Skipped, SourceInfo
from nsys_walls.sources.nsys_sqlite.calls import ApiCalls, CallNames
from nsys_walls.sources.nsys_sqlite.chunks import Database, connected
from nsys_walls.sources.nsys_sqlite.connect import opened
from nsys_walls.sources.nsys_sqlite.explain import check_is_export, no_launches
from nsys_walls.sources.nsys_sqlite.gpu_metrics import write_gpu_metrics
from nsys_walls.sources.nsys_sqlite.gpus import Gpus, read_gpu_tables
from nsys_walls.sources.nsys_sqlite.launches import LaunchCounts, Launches
from nsys_walls.sources.nsys_sqlite.ranges import RangeTable
from nsys_walls.sources.nsys_sqlite.schema import Catalog, Found, rules
from nsys_walls.sources.nsys_sqlite.transfers import TransferCounts, Transfers
from nsys_walls.texts import Text, text
from nsys_walls.traces.nesting import Nesting
from nsys_walls.units import duration


def read_trace(
    request: Request, sink: Sink, *, label: str | None = None, kind: str = "nsys-sqlite"
) -> SourceInfo:
    """Read a SQLite export into the sink.

    Args:
        request: The export.
        sink: Where its rows go.
        label: What to call it in messages; by default its file's name.
        kind: Format of the export that the user has, where this is a copy of its tables.

    Raises:
        InputError: It is damaged, no Nsight Systems export, or holds no launch.
    """
    label = label or request.path.name
    with (
        opened(request.path) as (uri, size_bytes),
        connected(uri, label=label, size_bytes=size_bytes, jobs=request.jobs) as database,
    ):
        catalog = Catalog(database.rows)
        check_is_export(catalog, label)
        info = _Reading(request, label, database, catalog, sink).run()
    return replace(info, kind=kind)


class _Reading:
    """One trace on its way to the sink; collects what was left out and what to warn of."""

    def __init__(
        self, request: Request, label: str, database: Database, catalog: Catalog, sink: Sink
    ) -> None:
        self._request, self._database, self._catalog, self._sink = request, database, catalog, sink
        self._label = label
        file_key = f"{self._label}:{request.path.stat().st_size}"
        self._gpus = Gpus(read_gpu_tables(database, catalog, file_key))
        self._skipped: list[Skipped] = []
        self._warnings: list[Notice] = []
        self._done, self._total = 0, 0

    def run(self) -> SourceInfo:
        """Read everything."""
        product_version, schema_version = self._versions()
        launches, calls = self._launches()
        transfers = Transfers(self._database, self._catalog, self._gpus, calls, self._sink)
        graphs = transfers.write_graphs()
        if launches.stored + graphs.stored == 0:
            unusable = launches.dropped.total()
            raise no_launches(self._database, self._catalog, self._label, unusable)
        self._warn_of_graphs(graphs)
        self._skip("launches", launches.dropped)
        self._skip("graphs", graphs.dropped)
        self._skip("copies", transfers.write_copies().dropped)
        self._skip("sets", transfers.write_sets().dropped)
        self._skip("synchronisations", transfers.write_syncs().dropped)
        skipped, notices = write_gpu_metrics(self._database, self._catalog, self._gpus, self._sink)
        self._skipped += skipped
        self._warnings += notices
        self._sink.write("devices", self._gpus.table())
        for what in self._catalog.incomplete.values():
            self._warn("incomplete-table", text("source.incomplete_table", what=what))
        return SourceInfo(
            kind="nsys-sqlite",
            product_version=product_version,
            schema_version=schema_version,
            rows=launches.stored,
            skipped=tuple(row for row in self._skipped if row.rows),
            warnings=tuple(self._warnings),
        )

    def _versions(self) -> tuple[str | None, str | None]:
        """Give product and schema version; exports before 2021.5 record none."""
        found = self._catalog.find("metadata")
        if found is None:
            return None, None
        wanted = ("EXPORT_PRODUCT_VERSION", "EXPORT_SCHEMA_VERSION")
        key, value = found.text("key"), found.text("value")
        query = sa.select(key.label("key"), value.label("value")).where(key.in_(wanted))
        values = {row["key"]: row["value"] for row in self._database.rows(query)}
        product, schema = (values.get(name) for name in wanted)
        major = (schema or "").partition(".")[0]
        if major.isdecimal() and int(major) > max(rules()["known_majors"]):
            self._warn("newer-schema", text("source.newer_schema", schema=str(schema)))
        return product, schema

    def _launches(self) -> tuple[LaunchCounts, ApiCalls]:
        found = self._catalog.find("kernel")
        if "kernel" in self._catalog.incomplete:
            msg = (
                f"{self._label}: {self._catalog.incomplete['kernel']}; expected an unchanged "
                "export: run `nsys export --type sqlite REPORT.nsys-rep` again."
            )
            raise InputError("unknown-schema", msg)
        self._total = self._rows(found) if found else 0
        calls = self._api_calls()
        if found is None:
            return LaunchCounts(0, 0, Counter()), calls
        launches = Launches(self._database, found, calls)
        counts = launches.write(self._sink, self._tick)
        launches.write_kernels(self._sink, self._catalog.find("string"), self._gpus)
        if calls.has_ranges and counts.without_call:
            said = text(
                "source.launches_without_call",
                launches=counts.without_call,
                of_launches=counts.stored,
            )
            self._warn("launches-without-call", said)
        return counts, calls

    def _api_calls(self) -> ApiCalls:
        """Write the ranges and the API calls that they may be around."""
        calls, found = ApiCalls(self._nesting()), self._catalog.find("call")
        if found is not None:
            self._total += self._rows(found)
            names = CallNames(self._database, self._catalog.find("string"))
            for rows in calls.read(self._database, found, names, self._sink):
                self._tick(rows)
        return calls

    def _nesting(self) -> Nesting | None:
        """Write the ranges; None where there are none."""
        found = self._catalog.find("nvtx")
        if found is None:
            return None
        ranges = RangeTable(self._database, found)
        nesting = ranges.nesting()
        written = len(nesting.parent_of) if nesting else 0
        self._skipped += ranges.skipped(written)
        if nesting is None:
            return None
        ranges.write(nesting, self._sink, self._catalog.find("string"))
        if nesting.overlaps:
            said = text("source.overlapping_ranges", overlaps=nesting.overlaps, ranges=written)
            self._warn("overlapping-ranges", said)
        return nesting

    def _warn_of_graphs(self, graphs: TransferCounts) -> None:
        if graphs.stored:
            time = duration(graphs.time_ns)
            said = text("source.graph_level_trace", graphs=graphs.stored, time=time)
            self._warn("graph-level-trace", said)

    def _warn(self, code: str, said: Text) -> None:
        self._warnings.append(Notice(code, said))

    def _skip(self, what: str, dropped: Counter[str]) -> None:
        self._skipped += [Skipped(f"{what} {why}", rows) for why, rows in dropped.items()]

    def _rows(self, found: Found) -> int:
        span = self._database.span(found)
        return span.stop - span.start if span else 0

    def _tick(self, rows: int) -> None:
        self._done += rows
        self._request.progress(self._done, self._total or None)
