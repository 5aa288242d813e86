"""Stored runs made from rows, without any reader."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from nsys_walls.store.dataset import StoredRun, open_run
from nsys_walls.store.manifest import SourceRecord
from nsys_walls.store.schema import TABLES
from nsys_walls.store.writer import RunWriter

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


def record(source: int, file: str = "trace.sqlite", **changes: Any) -> SourceRecord:
    """Make the manifest row of a source; its digests follow its file name."""
    values: dict[str, Any] = {
        "source": source,
        "kind": "nsys-sqlite",
        "is_trace": True,
        "file": file,
        "path_digest": f"path {file}",
        "content_digest": f"content {file}",
        "product_version": None,
        "schema_version": None,
        "rows": 0,
        "skipped": {},
        "warnings": (),
        "tables": (),
    }
    return SourceRecord(**{**values, **changes})


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make rows of a stored table; columns that no row names are left out."""
    columns = {column for row in rows for column in row}
    return pa.table(
        {
            column.name: pa.array([row.get(column.name) for row in rows], column.type)
            for column in TABLES[name]
            if column.name in columns
        }
    )


def store_run(store: Path, *sources: Rows, run: str = "run", **changes: Any) -> StoredRun:
    """Store a run with one source for each set of tables."""
    with RunWriter(store, run, fresh=True) as writer:
        for position, tables in enumerate(sources):
            with writer.source() as (number, sink):
                for name, rows in tables.items():
                    if rows:
                        sink.write(name, table(name, rows))
            writer.add(record(number, f"trace{position}", tables=sink.tables, **changes))
        writer.commit()
    return open_run(store, run)


def trace_rows(
    launches: Sequence[Sequence[int]], *, names: Sequence[str] = ("k",), gpus: int = 1
) -> Rows:
    """Make the tables of a trace from (start_ns, duration_ns, kernel, gpu, stream) rows.

    Every name is a kernel of shape (1, 1, 1) x (32, 1, 1) on every GPU: number
    ``name + gpu * len(names)``.
    """
    return {
        "names": [{"name": i, "full": name, "short": name} for i, name in enumerate(names)],
        "kernels": [
            {
                "kernel": i + gpu * len(names), "name": i, "gpu": gpu, "process": 7,
                "grid_x": 1, "grid_y": 1, "grid_z": 1, "block_x": 32, "block_y": 1, "block_z": 1,
                "dynamic_shared_bytes": 0,
            }
            for gpu in range(gpus)
            for i in range(len(names))
        ],
        "devices": [{"gpu": gpu, "ordinal": gpu} for gpu in range(gpus)],
        "launches": [
            {
                "start_ns": start, "duration_ns": duration, "kernel": kernel + gpu * len(names),
                "stream": stream,
            }
            for start, duration, kernel, gpu, stream in launches
        ],
    }  # fmt: skip
