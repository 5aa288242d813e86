"""Print a report as CSV with ncu, and read that."""

from dataclasses import replace

from nsys_walls.errors import InputError
from nsys_walls.sources import Request, Sink, SourceInfo
from nsys_walls.sources.ncu_csv import READER as CSV_READER
from nsys_walls.traces.external import Exporter, exported

_NCU = Exporter(
    program="ncu",
    product="Nsight Compute",
    arguments=("--import", "{report}", "--csv", "--page", "raw", "--print-units", "base"),
    suffix=".csv",
    is_printed=True,
)


def read_report(request: Request, sink: Sink) -> SourceInfo:
    """Read a report into the sink; messages name the report, not its export.

    Raises:
        InputError: It can't be exported, or holds no profiled launches.
    """
    with exported(_NCU, request.path) as export:
        try:
            info = CSV_READER.read(replace(request, path=export), sink)
        except InputError as error:  # its advice is to export, which was just done
            msg = (
                f"{request.path.name} has no profiled launches: ncu printed none; profile again, "
                "and check ncu's filters (-k, --launch-skip) and --target-processes all."
            )
            raise InputError("no-launches", msg) from error
    return replace(info, kind="ncu-rep")
