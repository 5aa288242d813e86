"""Samples of GPU metrics, in the tables of both generations of exports."""

import tomllib
from itertools import chain
from pathlib import Path

import pytest
from support.nsys_traces import A100, PID, MemorySink, copy, execute, kernel

import nsys_walls
from nsys_walls.sources.nsys_sqlite import chunks
from nsys_walls.sources.nsys_sqlite.chunks import connected
from nsys_walls.sources.nsys_sqlite.connect import opened
from nsys_walls.sources.nsys_sqlite.gpu_metrics import wanted_metrics, write_gpu_metrics
from nsys_walls.sources.nsys_sqlite.gpus import Gpus, read_gpu_tables
from nsys_walls.sources.nsys_sqlite.schema import Catalog

# a typeId as exports have it: hardware and virtual machine above, the GPU's id below
MACHINE = 0x1_0001_0000_0000

NAMES = (
    "typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT NOT NULL, "
    "metricId INTEGER NOT NULL, metricName TEXT NOT NULL"
)
OLDER = "timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER"
NEWER = f"rawTimestamp INTEGER NOT NULL, {OLDER}"

GENERAL = {  # as in a general set since 2023, with what is not wanted between
    0: "GPC Clock Frequency [MHz]",
    1: "SYS Clock Frequency [MHz]",
    2: "SMs Active [Throughput %]",
    3: "Compute Warps in Flight [Avg]",
    4: "Tensor Active [Throughput %]",
    5: "DRAM Read Bandwidth [Throughput %]",
    6: "DRAM Write Bandwidth [Throughput %]",
}
EARLY = {  # without units
    0: "GPC Clock Frequency",
    4: "SM Active",
    5: "DRAM Read Throughput",
    6: "DRAM Write Throughput",
    7: "Tensor Active / FP16 Active",
}


def add_samples(path, samples, names, *, table=NEWER):
    """Add (time, typeId, metricId, value) rows, and (typeId, metricId, name) rows."""
    raw = "0, " if table == NEWER else ""
    execute(
        path,
        f"CREATE TABLE TARGET_INFO_GPU_METRICS ({NAMES})",
        f"CREATE TABLE GPU_METRICS ({table})",
        *(_insert("TARGET_INFO_GPU_METRICS", f"{kind}, 0, 'GPU', {metric}, '{name}'")
          for kind, metric, name in names),
        *(_insert("GPU_METRICS", raw + ", ".join("NULL" if v is None else str(v) for v in row))
          for row in samples),
    )  # fmt: skip


def _insert(table, literals):
    return f"INSERT INTO {table} VALUES ({literals})"  # noqa: S608 # our own


def read(path, *ran):
    """Read the samples; ``ran`` are the CUDA ordinals that the program used, 0 by default."""
    sink = MemorySink()
    with (
        opened(path) as (uri, size_bytes),
        connected(uri, label=path.name, size_bytes=size_bytes, jobs=2) as database,
    ):
        catalog = Catalog(database.rows)
        gpus = Gpus(read_gpu_tables(database, catalog, "file"))
        for ordinal in ran or (0,):
            gpus.number(PID, ordinal)
        skipped, notices = write_gpu_metrics(database, catalog, gpus, sink)
    return sink, {row.reason: row.rows for row in skipped}, notices


def stored(sink):
    columns = ("timestamp_ns", "gpu", "metric", "value")
    return [tuple(row[name] for name in columns) for row in sink.rows("gpu_metrics")]


def of(metrics, kind=MACHINE):
    return [(kind, metric, name) for metric, name in metrics.items()]


@pytest.mark.parametrize("table", [OLDER, NEWER])
def test_wanted_metrics_under_our_names(trace, table):
    path = trace(kernels=[kernel()])
    samples = [(100, MACHINE, metric, 10 * metric) for metric in GENERAL]
    add_samples(path, samples, of(GENERAL), table=table)
    sink, skipped, notices = read(path)
    assert stored(sink) == [
        (100, 0, "gpc_clock", 0),
        (100, 0, "sm_active", 20),
        (100, 0, "tensor_active", 40),
        (100, 0, "dram_read", 50),
        (100, 0, "dram_write", 60),
    ]
    assert (skipped, notices) == ({}, [])


def test_names_without_units_and_in_other_case(trace):
    path = trace(kernels=[kernel()])
    names = EARLY | {4: "sm  ACTIVE", 9: "DRAM Read Bandwidth [GB/s]"}
    add_samples(path, [(100, MACHINE, metric, 1) for metric in names], of(names))
    assert [metric for _, _, metric, _ in stored(read(path)[0])] == [
        "gpc_clock", "sm_active", "dram_read", "dram_write", "tensor_or_fp16_active",
    ]  # fmt: skip


def test_of_two_names_for_one_metric_the_better_is_read(trace):
    path = trace(kernels=[kernel()])
    names = {1: "VRAM Read Bandwidth", 2: "DRAM Read Bandwidth", 3: "DRAM Read Bandwidth"}
    add_samples(path, [(100, MACHINE, metric, metric) for metric in names], of(names))
    assert stored(read(path)[0]) == [(100, 0, "dram_read", 2)]


def test_the_raw_timestamp_where_there_is_no_other(trace):
    path = trace(kernels=[kernel()])
    table = OLDER.replace("timestamp", "rawTimestamp")
    add_samples(path, [(100, MACHINE, 5, 7)], of(GENERAL), table=table)
    assert stored(read(path)[0]) == [(100, 0, "dram_read", 7)]


def test_a_metric_id_means_something_else_on_another_gpu(trace):
    gpus = [A100, A100 | {"id": 1, "cuda_ordinal": 1, "uuid": "a1", "bus": "0000:42:00.0"}]
    path = trace(gpus=gpus, kernels=[kernel()])
    names = [*of({1: "DRAM Read Bandwidth", 2: "DRAM Write Bandwidth", 3: "SM Active"}),
             *of({1: "Draw Started", 2: "DRAM Read Bandwidth"}, MACHINE + 1)]  # fmt: skip
    samples = [(100, MACHINE + gpu, metric, 10 * gpu + metric) for gpu in (0, 1)
               for metric in (1, 2, 3)]  # fmt: skip
    add_samples(path, samples, names)
    sink, skipped, _ = read(path, 0, 1)
    assert stored(sink) == [
        (100, 0, "dram_read", 1), (100, 0, "dram_write", 2), (100, 0, "sm_active", 3),
        (100, 1, "dram_read", 12),
    ]  # fmt: skip
    assert skipped == {}


def test_the_gpu_is_the_row_of_the_table_and_not_the_cuda_ordinal(trace):
    # as on Perlmutter: ids run against CUDA's ordinals; the trace's kernels met ordinal 1 first
    gpus = [A100 | {"id": 0, "cuda_ordinal": 1, "uuid": "a0"},
            A100 | {"id": 1, "cuda_ordinal": 0, "uuid": "a1"}]  # fmt: skip
    path = trace(gpus=gpus, kernels=[kernel()])
    samples = [(100, MACHINE, 1, 10), (100, MACHINE + 1, 1, 11)]
    names = [*of({1: "SM Active"}), *of({1: "SM Active"}, MACHINE + 1)]
    add_samples(path, samples, names)
    sink, _, _ = read(path, 1, 0)
    assert stored(sink) == [(100, 0, "sm_active", 10), (100, 1, "sm_active", 11)]


def test_a_trace_without_its_table_of_gpus_names_them_by_process(trace):
    devices = [(3, 0, PID, "a3")]
    path = trace(gpus=(), cuda_devices=devices, kernels=[kernel()])
    samples = [(100, MACHINE + 3, 1, 10), (100, MACHINE, 1, 11)]
    add_samples(path, samples, [*of({1: "SM Active"}, MACHINE + 3), *of({1: "SM Active"})])
    sink, skipped, notices = read(path)
    assert stored(sink) == [(100, 0, "sm_active", 10)]
    assert skipped == {"GPU metric samples of GPUs on which nothing ran": 1}
    assert notices == []


def test_samples_of_idle_gpus_only(trace):
    path = trace(kernels=[kernel()])
    add_samples(path, [(100, MACHINE + 5, 1, 10)], of({1: "SM Active"}, MACHINE + 5))
    sink, skipped, (notice,) = read(path)
    assert stored(sink) == []
    assert skipped == {"GPU metric samples of GPUs on which nothing ran": 1}
    assert notice.code == "samples-not-used"
    assert "--gpu-metrics-devices=cuda-visible" in notice.message


def test_rows_that_can_not_be_used_are_counted_by_reason(trace):
    path = trace(kernels=[kernel()])
    samples = [
        (None, MACHINE, 5, 50), (100, MACHINE, 5, None), (100, MACHINE, 5, 1.5),
        (-7, MACHINE, 5, 50), (-7, MACHINE, 6, 101),
        (100, MACHINE, 5, -1), (200, MACHINE, 5, 101), (200, MACHINE, 6, 2**40),
        (0, MACHINE, 5, 0), (300, MACHINE, 5, 100),
        (100, MACHINE, 1, 3_000_000_000),
    ]  # fmt: skip
    add_samples(path, samples, of(GENERAL), table=OLDER)
    sink, skipped, (notice,) = read(path)
    assert stored(sink) == [(0, 0, "dram_read", 0), (300, 0, "dram_read", 100)]
    assert skipped == {
        "GPU metric samples without a whole number as time or value": 3,
        "GPU metric samples from before the trace began": 2,
        "GPU metric samples with a value that their metric can't have": 3,
    }
    assert notice.code == "impossible-samples"
    assert "3 samples of dram_read, dram_write" in notice.message


def test_a_clock_above_half_of_its_range_is_stored_negative(trace):
    path = trace(kernels=[kernel()])
    clocks = [1_410_000_000, 2_550_000_000 - 2**32, 2**31 - 2**32, -(2**33)]
    add_samples(path, [(i, MACHINE, 0, clock) for i, clock in enumerate(clocks)], of(GENERAL))
    sink, skipped, _ = read(path)
    assert [value for *_, value in stored(sink)] == [1_410_000_000, 2_550_000_000, 2**31]
    assert sum(skipped.values()) == 1


def test_values_of_other_types(trace):
    path = trace(kernels=[kernel()])
    table = OLDER.replace(" INTEGER", "")
    add_samples(path, [(100.0, MACHINE, 5, "'40'"), ("'x'", MACHINE, 5, 40)], of(GENERAL),
                table=table)  # fmt: skip
    sink, skipped, _ = read(path)
    assert stored(sink) == [(100, 0, "dram_read", 40)]
    assert skipped == {"GPU metric samples without a whole number as time or value": 1}


def test_many_chunks_keep_their_order(trace, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 3)
    path = trace(kernels=[kernel()])
    samples = [(time, MACHINE, metric, time % 101) for time in range(20) for metric in GENERAL]
    add_samples(path, samples, of(GENERAL))
    reads = [row for row in stored(read(path)[0]) if row[2] == "dram_read"]
    assert reads == [(time, 0, "dram_read", time % 101) for time in range(20)]


def test_a_trace_without_samples(trace):
    path = trace(kernels=[kernel()], copies=[copy(0, 1, 8)])
    sink, skipped, notices = read(path)
    assert (stored(sink), skipped, notices) == ([], {}, [])


@pytest.mark.parametrize("samples", [[], [(100, MACHINE, 1, 3)]])
def test_metrics_that_are_not_wanted(trace, samples):
    path = trace(kernels=[kernel()])
    add_samples(path, samples, of({1: "PCIe RX Throughput [Throughput %]"}))
    sink, skipped, notices = read(path)
    assert (stored(sink), skipped) == ([], {})
    assert [notice.code for notice in notices] == ["samples-not-used"] * bool(samples)


def test_samples_without_their_names_are_told_of(trace):
    path = trace(kernels=[kernel()])
    add_samples(path, [(100, MACHINE, 5, 3)], of(GENERAL))
    execute(path, "DROP TABLE TARGET_INFO_GPU_METRICS")
    _, _, notices = read(path)
    assert [notice.code for notice in notices] == ["samples-not-used"]


def test_names_that_are_null_or_of_no_metric(trace):
    path = trace(kernels=[kernel()])
    add_samples(path, [(100, MACHINE, 5, 3)], of({5: "SM Active"}))
    execute(
        path,
        "CREATE TABLE n AS SELECT * FROM TARGET_INFO_GPU_METRICS",
        "DROP TABLE TARGET_INFO_GPU_METRICS",
        "ALTER TABLE n RENAME TO TARGET_INFO_GPU_METRICS",
        _insert("TARGET_INFO_GPU_METRICS", f"{MACHINE}, 0, '', 6, NULL"),
        _insert("TARGET_INFO_GPU_METRICS", "NULL, 0, '', 7, 'Tensor Active'"),
    )
    assert stored(read(path)[0]) == [(100, 0, "sm_active", 3)]


def test_every_name_means_one_metric():
    spellings = list(chain.from_iterable(metric.spellings() for metric in wanted_metrics()))
    assert len(spellings) == len(set(spellings))


def test_metrics_are_stored_under_distinct_names():
    path = Path(nsys_walls.__file__).parent / "data" / "gpu_metrics.toml"
    rows = tomllib.loads(path.read_text("utf-8"))["metrics"]
    assert len({row["metric"] for row in rows}) == len(rows) == len(wanted_metrics())
    assert all(metric.lowest < metric.highest for metric in wanted_metrics())
