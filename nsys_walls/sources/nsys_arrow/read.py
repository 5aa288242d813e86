"""Read a folder: copy what is wanted of it, and read the copy as the SQLite export it equals."""

from dataclasses import replace

from nsys_walls.sources import Request, Sink, SourceInfo
from nsys_walls.sources.nsys_arrow.copy import as_sqlite
from nsys_walls.sources.nsys_arrow.export import tables_in
from nsys_walls.sources.nsys_arrow.tables import is_parquet
from nsys_walls.sources.nsys_sqlite.read import read_trace


def read_export(request: Request, sink: Sink) -> SourceInfo:
    """Read an export in a folder into the sink.

    Raises:
        InputError: A file is damaged, tables are missing, it holds no launch, or there is no
            room for the copy.
    """
    label = request.path.name
    tables = tables_in(request.path)
    copied = 0

    def advance(rows: int) -> None:
        nonlocal copied
        copied += rows
        request.progress(copied, None)

    with as_sqlite(tables, label, advance) as path:
        kind = "nsys-parquet" if is_parquet(tables[0].path) else "nsys-arrow"
        return read_trace(replace(request, path=path), sink, label=label, kind=kind)
