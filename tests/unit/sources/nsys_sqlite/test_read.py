"""Whole traces of every schema, and what the reader says about them."""

import pytest
from support.nsys_traces import (
    A100,
    MICROSECOND,
    NEWEST,
    SCHEMAS,
    SECRETS,
    build_trace,
    call,
    copy,
    execute,
    fill,
    global_pid,
    global_tid,
    graph,
    has,
    kernel,
    launches,
    nvtx,
    read_trace,
)

from nsys_walls.sources import Sample
from nsys_walls.sources.nsys_sqlite import READER
from nsys_walls.store.schema import TABLES


def sample(head):
    return Sample(path=None, head=head, compressed=False)


@pytest.mark.parametrize(
    ("head", "is_ours"),
    [
        (b"SQLite format 3\0" + bytes(84), True),
        (b"SQLite format 3", False),
        (b"", False),
        (b"version https://git-lfs.github.com/spec/v1\n", False),
        (b'"ID","Process ID"\n', False),
    ],
)
def test_recognised_by_content(head, is_ours):
    assert READER.recognises(sample(head)) is is_ours


def test_it_is_a_trace():
    assert (READER.kind, READER.is_trace) == ("nsys-sqlite", True)


def complete(path, schema):
    """Make a trace with a row of everything: two launches of one kernel, one of another."""
    norm = "void norm<float>(float *, int)"
    return build_trace(
        path,
        schema=schema,
        kernels=[
            kernel(1000, 4000, correlationId=11, name=norm),
            kernel(5000, 9000, correlationId=12, name=norm),
            kernel(9500, 9500, correlationId=13, gridX=77, registersPerThread=255),
        ],
        copies=[copy(100, 600, 4096, correlationId=10)],
        fills=[fill(700, 750, 64)],
        calls=[call(500, 11), call(2000, 12), call(8000, 13)],
        nvtx=[nvtx(400, 7000, "step"), nvtx(450, 3000, registered="layer")],
    )


@pytest.mark.parametrize("schema", [*SCHEMAS, "3.99.0", "4.0.0"])
def test_every_schema_gives_the_same_rows(tmp_path, schema):
    sink, info = read_trace(complete(tmp_path / "t", schema))
    mangled = has(schema, "2.7.0")
    rows = launches(sink)
    assert [
        (row["start_ns"], row["duration_ns"], row["range"], row["name"]["short"]) for row in rows
    ] == [(1000, 3000, "layer", "norm"), (5000, 4000, "layer", "norm"), (9500, 0, None, "saxpy")]
    assert [row["kernel"] for row in rows] == [0, 0, 1]
    last = rows[-1]
    assert last["name"]["full"] == "saxpy(int, float *)"
    assert last["name"]["mangled"] == ("_Z5saxpy" if mangled else None)
    shape = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers")
    assert [last[name] for name in shape] == [77, 2, 1, 256, 1, 1, 255]
    assert (last["static_shared_bytes"], last["dynamic_shared_bytes"]) == (0, 1024)
    assert (last["stream"], last["correlation"], last["graph_node"]) == (7, 13, None)
    assert last["process"] == 4242
    assert [row["operation"] for row in sink.rows("copies")] == ["host_to_device", "memset"]
    assert [row["name"] for row in sink.rows("ranges")] == ["step", "layer"]
    assert info.rows == 3
    assert info.skipped == ()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_schema_gives_the_gpu_in_base_units(tmp_path, schema):
    (device,) = read_trace(complete(tmp_path / "t", schema))[0].rows("devices")
    with_flags = has(schema, "2020.5")
    with_chip = has(schema, "2021.2")
    # 2020.3 wrote MiB: 42,297,524,224 B are 40,338 MiB and 0.02 more
    memory = 40_338 * 2**20 if schema == "2020.3" else 42_297_524_224
    identity = device.pop("identity")
    assert len(identity) == 12
    assert device == {
        "gpu": 0,
        "ordinal": 0,
        "name": "NVIDIA A100-SXM4-40GB",
        "chip": "GA100" if with_chip else None,
        "compute_capability": "8.0",
        "sm_count": 108,
        "clock_hz": 1_410_000_000,
        "bandwidth_bytes_per_s": 1_555_200_000_000,
        "memory_bytes": memory,
        "l2_bytes": 41_943_040,
        "discrete": True if with_flags else None,
    }


@pytest.mark.parametrize("schema", [*SCHEMAS, "4.0.0"])
def test_versions(tmp_path, schema):
    info = read_trace(complete(tmp_path / "t", schema))[1]
    recorded = has(schema, "2.7.0")
    assert info.schema_version == (schema if recorded else None)
    assert info.product_version == (f"product of {schema}" if recorded else None)
    assert info.kind == "nsys-sqlite"


def test_a_newer_major_is_read_with_a_warning(tmp_path):
    info = read_trace(complete(tmp_path / "t", "4.0.0"))[1]
    assert [warning.code for warning in info.warnings] == ["newer-schema"]
    assert "4.0.0" in info.warnings[0].message
    for known in ("3.99.0", "2.9.1", "2020.3"):
        assert read_trace(complete(tmp_path / f"t{known}", known))[1].warnings == ()


@pytest.mark.parametrize("schema", ["2020.5", "2.9.1", "3.1.7", "3.13.2", NEWEST])
def test_user_host_paths_environment_and_command_stay_in_the_trace(tmp_path, schema):
    path = complete(tmp_path / "t", schema)
    sink, info = read_trace(path)
    raw = path.read_bytes().decode("latin-1")
    assert any(secret in raw for secret in SECRETS)
    stored = repr(info) + "".join(repr(sink.rows(name)) for name in TABLES)
    assert not any(secret in stored for secret in SECRETS)


def test_launches_keep_what_differs_and_share_what_is_equal(trace):
    kinds = [
        {},
        {"gridX": 129},
        {"dynamicSharedMemory": 2048},
        {"globalPid": global_pid(5353)},
        {"name": "saxpy(int, float *, bool)"},  # same short name
        {"deviceId": 1},
    ]
    path = trace(kernels=[kernel(start=i, **kinds[i % 6]) for i in range(24)])
    sink, _ = read_trace(path)
    assert sink.table("launches")["kernel"].to_pylist() == [0, 1, 2, 3, 4, 5] * 4
    assert sink.table("kernels").num_rows == 6
    assert sink.table("names").num_rows == 2
    assert {row["short"] for row in sink.rows("names")} == {"saxpy"}


def test_a_name_whose_text_is_missing_still_tells_kernels_apart(trace):
    rows = [
        kernel(demangledName=901, shortName=902, mangledName=903),
        kernel(demangledName=911),
        kernel(),
    ]
    names = read_trace(trace(kernels=rows))[0].rows("names")
    assert [(row["full"], row["short"]) for row in names] == [
        ("(unnamed kernel 901)", None),
        ("saxpy", "saxpy"),
        ("saxpy(int, float *)", "saxpy"),
    ]


def test_a_table_of_strings_that_has_none(trace):
    path = trace(kernels=[kernel(demangledName=5, shortName=6, mangledName=7)])
    execute(path, "ALTER TABLE StringIds RENAME COLUMN value TO other")
    sink, info = read_trace(path)
    assert [row["full"] for row in sink.rows("names")] == ["(unnamed kernel 5)"]
    assert info.warnings[0].message.startswith("table StringIds has no column value")


def test_names_of_more_kernels_than_one_query_looks_up(trace, monkeypatch):
    monkeypatch.setattr("nsys_walls.sources.nsys_sqlite.launches._STRINGS_AT_ONCE", 4)
    path = trace(kernels=[kernel(name=f"k{i}(int)") for i in range(30)])
    names = read_trace(path)[0].rows("names")
    assert [row["full"] for row in names] == [f"k{i}(int)" for i in range(30)]


def test_names_of_any_script_and_length(trace):
    names = ["核<函数>(int)", "k" * 100_000, "a\"'%s?:b\0c", "</script><b>(x)"]
    rows = read_trace(trace(kernels=[kernel(name=name, shortName="k") for name in names]))[0]
    assert [row["full"] for row in rows.rows("names")] == names


def test_rows_that_end_before_they_start(trace):
    rows = [kernel(100, 90), kernel(100, 100), kernel(100, 101), kernel(-(2**63), 2**63 - 1)]
    sink, info = read_trace(trace(kernels=rows, copies=[copy(5, 4, 1), copy(5, 9, 1)]))
    assert sink.table("launches")["duration_ns"].to_pylist() == [0, 1]
    assert {row.reason: row.rows for row in info.skipped} == {
        "launches that end before they start": 2,
        "copies that end before they start": 1,
    }


def test_sizes_and_ids_that_no_gpu_has_are_null(trace):
    big = 2**40
    path = trace(kernels=[kernel(gridX=big, streamId=2**32 - 1, dynamicSharedMemory=big)])
    (row,) = launches(read_trace(path)[0])
    assert (row["grid_x"], row["stream"], row["dynamic_shared_bytes"]) == (None, None, big)


def test_graphs_alone_are_a_trace(trace):
    path = trace(graphs=[graph(0, 2_000_000, graphId=5, correlationId=9), graph(1, 1_500_001)])
    sink, info = read_trace(path)
    assert info.rows == 0
    assert [(row["duration_ns"], row["graph"], row["gpu"]) for row in sink.rows("graphs")] == [
        (2_000_000, 5, 0),
        (1_500_000, None, 0),
    ]
    (warning,) = info.warnings
    assert warning.code == "graph-level-trace"
    assert "2 launches of CUDA graphs (3.50 ms)" in warning.message
    assert "--cuda-graph-trace=node" in warning.message


def test_graphs_beside_an_empty_table_of_kernels(trace):
    sink, info = read_trace(trace(kernels=[], graphs=[graph(0, 5)]))
    assert info.rows == 0
    assert sink.table("kernels").num_rows == 0


def test_one_graph_launch_may_own_many_kernels(trace):
    rows = [
        kernel(start=i * 10, end=i * 10 + 5, correlationId=50, graphNodeId=2**32 + i)
        for i in range(4)
    ]
    path = trace(
        kernels=rows,
        calls=[call(0, 50, name="cudaGraphLaunch_v10000")],
        nvtx=[nvtx(-10, 50, "decode")],
    )
    rows = launches(read_trace(path)[0])
    assert [row["range"] for row in rows] == ["decode"] * 4
    assert [row["graph_node"] for row in rows] == [2**32 + i for i in range(4)]


def test_a_table_that_lacks_a_column_is_left_out_with_a_warning(trace):
    path = trace(kernels=[kernel()], nvtx=[nvtx(0, 9, "step")])
    execute(path, "ALTER TABLE NVTX_EVENTS DROP COLUMN globalTid")
    sink, info = read_trace(path)
    assert info.rows == 1
    assert sink.table("ranges").num_rows == 0
    assert [warning.message for warning in info.warnings] == [
        "table NVTX_EVENTS has no column globalTid: its rows were not read."
    ]


def test_several_jobs_give_the_same_as_one(trace, monkeypatch):
    monkeypatch.setattr("nsys_walls.sources.nsys_sqlite.chunks.CHUNK_ROWS", 50)
    path = trace(
        gpus=[A100],
        kernels=[
            kernel(i * 100, i * 100 + i % 7, gridX=i % 5, correlationId=i, name=f"k{i % 3}(int)")
            for i in range(1000)
        ],
        calls=[call(i * 100 - MICROSECOND, i) for i in range(1000)],
        nvtx=[nvtx(i * 700, i * 700 + 900, f"r{i}", thread=global_tid()) for i in range(100)],
    )
    one, many = (read_trace(path, jobs=jobs)[0] for jobs in (1, 4))
    for name in TABLES:
        assert one.table(name).equals(many.table(name)), name
