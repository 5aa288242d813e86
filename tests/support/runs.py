"""Stored runs made from rows, without any reader."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from nsys_walls.roofline.analysis import Analysis, analyse
from nsys_walls.roofline.walls import WallOptions
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
        "work_digest": None,
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


FP32 = "smsp__sass_thread_inst_executed_op_f{}_pred_on.sum"


def counter_row(profile: int = 0, name: str = "k", **given: Any) -> Mapping[str, Any]:
    """Make one profiled launch of shape (1, 1, 1) x (32, 1, 1) that did 1 kB and 1000 FLOP."""
    values = {
        "dram__bytes.sum": given.pop("dram_bytes", 1000.0),
        "gpu__time_duration.sum": given.pop("ncu_ns", 100.0),
        FP32.format("add"): given.pop("flop", 1000.0),
        FP32.format("mul"): 0.0,
        FP32.format("fma"): 0.0,
    }
    row = {
        "profile": profile, "launch_id": profile, "process": 1, "ordinal": 0,
        "compute_capability": "8.0", "name": name,
        "grid_x": 1, "grid_y": 1, "grid_z": 1, "block_x": 32, "block_y": 1, "block_z": 1,
        "dynamic_shared_bytes": 0, "launches": 1,
        "values": {**values, **given.pop("values", {})},
    }  # fmt: skip
    return {**row, **given, "values": list(row["values"].items())}


#: One TB/s and ten TFLOP/s: 1000 bytes take 1 ns, and so do 10,000 FLOP.
ROUND_WALLS = WallOptions(bandwidth_bytes_per_s=1e12, peak_flop_per_s={"fp32": 1e13})


def analyse_rows(store: Path, *sources: Rows, options: WallOptions = ROUND_WALLS) -> Analysis:
    """Store rows as a run and analyse it."""
    return analyse(store_run(store, *sources), options)
