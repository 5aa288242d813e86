"""Export a report to SQLite with nsys, and read that."""

from dataclasses import replace

from nsys_walls.sources import Request, Sink, SourceInfo
from nsys_walls.sources.nsys_sqlite.read import read_trace
from nsys_walls.traces.external import Exporter, exported

# Only options that nsys has had since 2020; the output is always a new file.
_NSYS = Exporter(
    program="nsys",
    product="Nsight Systems",
    arguments=("export", "--type", "sqlite", "--output", "{output}", "{report}"),
    suffix=".sqlite",
)


def read_report(request: Request, sink: Sink) -> SourceInfo:
    """Read a report into the sink; messages name the report, not its export.

    Raises:
        InputError: It can't be exported, or the export can't be used.
    """
    with exported(_NSYS, request.path) as export:
        return read_trace(replace(request, path=export), sink, kind="nsys-rep")
