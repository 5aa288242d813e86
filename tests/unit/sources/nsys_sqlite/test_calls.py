"""API calls and synchronisations as they reach the store."""

import pytest
from support.nsys_traces import (
    NEWEST,
    SCHEMAS,
    build_trace,
    call,
    copy,
    fill,
    global_tid,
    graph,
    kernel,
    nvtx,
    read_trace,
    sync,
)


@pytest.fixture
def stored(tmp_path):
    """Read a trace that has one kernel, and more."""

    def build(schema=NEWEST, **rows):
        path = build_trace(
            tmp_path / "trace.sqlite", schema=schema, **{"kernels": [kernel()], **rows}
        )
        return read_trace(path)

    return build


@pytest.mark.parametrize(
    ("name", "kind", "kept"),
    [
        ("cudaLaunchKernel_v7000", "launch", "cudaLaunchKernel"),
        ("cudaLaunchKernelExC_v11060", "launch", "cudaLaunchKernelExC"),
        ("cuLaunchKernelEx", "launch", "cuLaunchKernelEx"),
        ("cudaLaunchCooperativeKernel_v9000", "launch", "cudaLaunchCooperativeKernel"),
        ("cudaLaunch_v3020", "launch", "cudaLaunch"),
        ("cudaGraphLaunch_v10000", "graph", "cudaGraphLaunch"),
        ("cudaGraphLaunch_ptsz_v10000", "graph", "cudaGraphLaunch"),
        ("cudaMemcpyAsync_v3020", "copy", "cudaMemcpyAsync"),
        ("cuMemcpyHtoD_v2", "copy", "cuMemcpyHtoD"),
        ("cudaMemset2DAsync_v3020", "set", "cudaMemset2DAsync"),
        ("cudaDeviceSynchronize_v3020", "sync", "cudaDeviceSynchronize"),
        ("cuCtxSynchronize", "sync", "cuCtxSynchronize"),
        ("cudaStreamWaitEvent_v3020", "wait", "cudaStreamWaitEvent"),
        ("cudaMallocAsync_v11020", "memory", "cudaMallocAsync"),
        ("cudaFreeHost_v3020", "memory", "cudaFreeHost"),
        ("cuMemAlloc_v2", "memory", "cuMemAlloc"),
    ],
)
def test_a_call_is_stored_with_what_it_does(stored, name, kind, kept):
    sink, _ = stored(calls=[call(5_000, 3, 9_000, thread=global_tid(7, 8), name=name)])
    assert sink.table("calls").to_pylist() == [
        {"start_ns": 5_000, "duration_ns": 4_000, "process": 7, "thread": 8, "correlation": 3,
         "kind": kind, "name": kept}
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["cudaEventRecord_v3020", "cudaGetDevice", "cudaStreamIsCapturing_v10000", "cutlass"]
)
def test_a_call_that_neither_works_nor_waits_is_left_out(stored, name):
    sink, info = stored(calls=[call(5_000, 3, name=name)])
    assert sink.table("calls").num_rows == 0
    assert sum(row.rows for row in info.skipped) == 0


def test_calls_that_end_before_they_start_or_lack_a_time_are_left_out(stored):
    rows = [call(5, 1, 4), call(None, 2, 9), call(5, 3, 5)]
    rows[0]["end"] = 4
    sink, _ = stored(calls=rows)
    assert [row["correlation"] for row in sink.table("calls").to_pylist()] == [3]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_synchronisations_of_every_schema_are_stored(stored, schema):
    syncs = [
        sync(10, 20, 1, streamId=4_294_967_295),
        sync(20, 25, 2, streamId=9, correlationId=6),
        sync(30, 90, 3),
        sync(95, 99, 4),
    ]
    sink, _ = stored(schema, syncs=syncs)
    rows = sink.table("syncs").to_pylist()
    assert [row["kind"] for row in rows] == ["event", "stream_waits_event", "stream", "context"]
    assert [row["stream"] for row in rows] == [None, 9, 7, 7]
    assert rows[1] == {
        "start_ns": 20, "duration_ns": 5, "gpu": 0, "process": 4242, "stream": 9,
        "correlation": 6, "kind": "stream_waits_event",
    }  # fmt: skip


def test_a_gpu_that_was_only_waited_for_is_no_device(stored):
    sink, _ = stored(syncs=[sync(10, 20, 4, deviceId=3)])
    assert sink.table("devices").num_rows == 1
    assert sink.table("syncs")["gpu"].to_pylist() == [None]


def test_copies_sets_and_graphs_get_the_range_of_their_call(stored):
    sink, _ = stored(
        copies=[copy(100, 110, 64, correlationId=1)],
        fills=[fill(120, 130, 64, correlationId=2)],
        graphs=[graph(140, 150, correlationId=3)],
        calls=[call(10, 1), call(20, 2), call(60, 3)],
        nvtx=[nvtx(0, 30, "load"), nvtx(15, 25, "clear")],
    )
    assert sink.table("copies")["range"].to_pylist() == [0, 1]
    assert sink.table("graphs")["range"].to_pylist() == [None]
