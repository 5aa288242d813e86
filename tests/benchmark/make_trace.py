"""Make a large export: a transformer that decodes, with API calls and NVTX ranges.

Everything is drawn from a fixed seed and inserted column by column; a million launches take
some ten seconds.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
from support.nsys_traces import build_trace, call, copy, fill, kernel, nvtx

LAYERS = 24
#: Kernels of a layer: name, blocks, threads, dynamic shared memory, typical ns.
LAYER = (
    ("void rms_norm<__half>(__half *, const __half *, float, int)", 64, 1024, 0, 3_100),
    ("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn", 96, 128, 81_920, 27_000),
    ("void rotary<__half, true>(const long *, __half *, int)", 64, 512, 0, 2_300),
    ("void attention_split<128, 64, 4>(AttentionParams)", 512, 128, 65_536, 31_000),
    ("void attention_combine<128, 4>(AttentionParams)", 512, 128, 0, 4_200),
    ("ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_tn", 64, 128, 49_152, 19_000),
    (
        "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        24,
        512,
        0,
        9_000,
    ),
    ("void silu_and_mul<__half>(__half *, const __half *, int)", 64, 1024, 0, 2_900),
)
STEP = len(LAYER) * LAYERS
#: Batch sizes that the server serves: each has launch shapes of its own.
BATCHES = np.array([1, 2, 4, 8, 16, 32, 64, 128])


def make_trace(path: Path, launches: int, seed: int = 20260101) -> Path:
    """Write an export with a number of launches, 1.5 API calls and a thirtieth of a range each."""
    rng = np.random.default_rng(seed)
    strings = [name for name, *_ in LAYER]
    build_trace(
        path,
        kernels=[kernel(name=name) for name in strings],
        copies=[copy(0, 1, 1)],
        fills=[fill(0, 1, 1)],
        calls=[call(0, 0), call(0, 0, name="cudaEventRecord_v3020")],
        nvtx=[nvtx(0, 1, registered="decode"), nvtx(0, 1, registered="layer")],
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        start, called = _kernels(connection, launches, rng)
        _calls(connection, called, rng)
        _ranges(connection, called, launches // 30)
        _copies(connection, start, rng)
        connection.execute("COMMIT")
    return path


def _template(connection: sqlite3.Connection, table: str) -> tuple[dict[str, object], list[dict]]:
    """Take the rows that `build_trace` wrote out of a table; they hold the ids of the names."""
    cursor = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")  # noqa: S608 # our own
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor]
    connection.execute(f"DELETE FROM {table}")  # noqa: S608
    return rows[0], rows


def _insert(connection: sqlite3.Connection, table: str, columns: dict[str, object]) -> None:
    """Insert columns: arrays of one length, or values that all rows share."""
    length = max(len(column) for column in columns.values() if isinstance(column, np.ndarray))
    marks = ", ".join("?" * len(columns))
    step = 100_000
    for first in range(0, length, step):
        size = min(step, length - first)
        parts = [
            column[first : first + size].tolist()
            if isinstance(column, np.ndarray)
            else [column] * size
            for column in columns.values()
        ]
        rows = zip(*parts, strict=True)
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608


def _kernels(
    connection: sqlite3.Connection, launches: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    table = "CUPTI_ACTIVITY_KIND_KERNEL"
    columns, rows = _template(connection, table)
    which = np.arange(launches) % len(LAYER)
    batch = rng.choice(BATCHES, launches // STEP + 1)[np.arange(launches) // STEP]
    blocks, threads, shared, typical = (
        np.array(column)[which] for column in list(zip(*LAYER, strict=True))[1:]
    )
    duration = (typical * (1 + batch / 64) * rng.lognormal(0, 0.07, launches)).astype(np.int64)
    gap = 400 + rng.exponential(1100, launches).astype(np.int64)
    start = 3_000_000_000 + np.concatenate([[0], np.cumsum(duration + gap)[:-1]])
    columns |= {
        name: np.array([row[name] for row in rows])[which]
        for name in ("demangledName", "shortName", "mangledName")
    }
    columns |= {
        "start": start, "end": start + duration, "correlationId": 3 * np.arange(launches) + 500,
        "gridX": blocks, "gridY": batch, "blockX": threads, "dynamicSharedMemory": shared,
        "streamId": np.where(which == 6, 23, 7), "gridId": np.arange(launches),
    }  # fmt: skip
    _insert(connection, table, columns)
    # the host runs ahead of the GPU
    return start, start - 20_000 - rng.integers(0, 300, launches)


def _calls(connection: sqlite3.Connection, called: np.ndarray, rng: np.random.Generator) -> None:
    table = "CUPTI_ACTIVITY_KIND_RUNTIME"
    columns, rows = _template(connection, table)
    launches = np.arange(len(called))
    events = launches[::2]  # after every other launch an event is recorded
    start = np.concatenate([called, called[events] + 200])
    order = np.argsort(start, kind="stable")
    correlation = np.concatenate([3 * launches + 500, 3 * events + 501])
    name = np.repeat([row["nameId"] for row in rows], [len(launches), len(events)])
    columns |= {
        "start": start[order], "end": start[order] + rng.integers(80, 190, len(order)),
        "correlationId": correlation[order], "nameId": name[order],
    }  # fmt: skip
    _insert(connection, table, columns)


def _ranges(connection: sqlite3.Connection, called: np.ndarray, count: int) -> None:
    """Half of the ranges are steps, each around as many launches; in each begins a layer."""
    columns, rows = _template(connection, "NVTX_EVENTS")
    first = np.arange(max(1, count // 2)) * len(called) // max(1, count // 2)
    last = np.append(first[1:], len(called)) - 1
    middle = (first + last) // 2
    columns |= {
        "start": np.concatenate([called[first] - 2, called[first] - 1]),
        "end": np.concatenate([called[last] + 50, called[middle] + 1]),
        "textId": np.repeat([row["textId"] for row in rows], len(first)),
    }
    _insert(connection, "NVTX_EVENTS", columns)


def _copies(connection: sqlite3.Connection, start: np.ndarray, rng: np.random.Generator) -> None:
    for table, every in (("CUPTI_ACTIVITY_KIND_MEMCPY", 25), ("CUPTI_ACTIVITY_KIND_MEMSET", 60)):
        columns, _ = _template(connection, table)
        begun = start[::every] - 390
        size = rng.choice([64, 4096, 131_072, 1 << 20], len(begun))
        columns |= {"start": begun, "end": begun + 90 + size // 4000, "bytes": size}
        _insert(connection, table, columns)
