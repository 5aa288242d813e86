"""Rows of work on the GPUs."""

import pytest
from support.nsys_traces import call
from support.torch_traces import VERSIONS, from_rows, launch, read_trace, span, sync


@pytest.mark.parametrize("version", VERSIONS)
def test_a_launch_of_every_version_is_stored_alike(trace, version):
    sink, info = read_trace(
        trace(
            launch(1_000_000, 1_012_000, correlationId=31, graphNodeId=5, deviceId=0),
            *from_rows(calls=[call(0, 31)]),
            version=version,
        )
    )
    assert info.rows == 1
    assert info.schema_version == "1"
    assert sink.rows("launches") == [
        {"start_ns": 1_000_000, "duration_ns": 12_000, "kernel": 0, "stream": 7,
         "correlation": 31, "graph_node": 5, "range": None, "also_range": None},
    ]  # fmt: skip
    assert sink.rows("kernels") == [
        {"kernel": 0, "name": 0, "gpu": 0, "process": 4242, "grid_x": 128, "grid_y": 2,
         "grid_z": 1, "block_x": 256, "block_y": 1, "block_z": 1, "static_shared_bytes": None,
         "dynamic_shared_bytes": None, "registers": 32},
    ]  # fmt: skip
    (device,) = sink.rows("devices")
    assert (device["name"], device["compute_capability"]) == ("NVIDIA A100-SXM4-40GB", "8.0")
    assert (device["sm_count"], device["memory_bytes"]) == (108, 42_297_524_224)
    assert device["clock_hz"] is device["bandwidth_bytes_per_s"] is device["l2_bytes"] is None


def test_names_are_stored_once_and_mangled_ones_as_such(trace):
    sink, _ = read_trace(trace(launch(), launch(gridX=1), launch(name="_Z1fv")))
    assert sink.rows("names") == [
        {"name": 0, "full": "saxpy(int, float *)", "short": None, "mangled": None},
        {"name": 1, "full": "_Z1fv", "short": None, "mangled": "_Z1fv"},
    ]
    assert [row["name"] for row in sink.rows("kernels")] == [0, 0, 1]


@pytest.mark.parametrize(
    ("category", "name", "expected"),
    [
        ("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)",
         ("host_to_device", "pageable", "device")),
        ("Memcpy", "Memcpy DtoH (Device -> Pinned)", ("device_to_host", "device", "pinned")),
        ("gpu_memcpy", "Memcpy DtoD (Device -> Device Static)",
         ("device_to_device", "device", "device")),
        ("gpu_memcpy", "Memcpy AtoA (Array -> Managed Static)",
         ("device_to_device", "array", "managed")),
        ("gpu_memcpy", "Memcpy PtoP (Device -> Device)", ("peer_to_peer", "device", "device")),
        ("gpu_memcpy", "Memcpy HtoD (Host -> Device)", ("host_to_device", None, "device")),
        ("gpu_memcpy", "Memcpy <unknown> (Unknown -> Unrecognised)", ("other", None, None)),
        ("gpu_memcpy", "CopyHostToDevice", ("other", None, None)),
        ("gpu_memset", "Memset (Device)", ("memset", None, "device")),
        ("Memset", "Memset (Unknown)", ("memset", None, None)),
        ("gpu_memset", "FillBuffer", ("memset", None, None)),
    ],
)  # fmt: skip
def test_what_a_copy_does_is_in_its_name(trace, category, name, expected):
    event = span(category, name, 0, 90, device=0, stream=20, correlation=4, bytes=4096)
    (row,) = read_trace(trace(launch(500), event))[0].rows("copies")
    assert (row["operation"], row["source_memory"], row["target_memory"]) == expected
    assert (row["start_ns"], row["duration_ns"], row["bytes"]) == (0, 90, 4096)
    assert (row["gpu"], row["stream"], row["correlation"]) == (0, 20, 4)


def test_bytes_that_are_not_known_are_null_and_not_0(trace):
    event = span("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, 0, device=0, bytes="N/A")
    (row,) = read_trace(trace(launch(500), event))[0].rows("copies")
    assert (row["bytes"], row["duration_ns"]) == (None, 0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("Event Sync", "event"), ("Stream Sync", "stream"), ("Context Sync", "context"),
     ("Stream Wait Event", "stream_waits_event"), ("Unknown Sync", None)],
)  # fmt: skip
def test_synchronisations_are_stored_by_kind(trace, name, kind):
    sink, _ = read_trace(trace(launch(), sync(100, 350, name, stream=20, correlation=8)))
    assert sink.rows("syncs") == [
        {"start_ns": 100, "duration_ns": 250, "gpu": 0, "process": None, "stream": 20,
         "correlation": 8, "kind": kind},
    ]  # fmt: skip


@pytest.mark.parametrize("stream", [-1, 0xFFFFFFFF])
def test_a_synchronisation_may_mean_no_stream_and_a_gpu_without_work(trace, stream):
    sink, _ = read_trace(trace(launch(deviceId=0), sync(100, 350, stream=stream, device=1)))
    (row,) = sink.rows("syncs")
    assert row["stream"] is row["gpu"] is None


def test_rows_keep_their_order_through_all_parts(trace, monkeypatch):
    monkeypatch.setattr("nsys_walls.sources.torch_trace.read._ROWS", 3)
    sink, _ = read_trace(trace(*(launch(100 - number) for number in range(10))))
    assert [row["start_ns"] for row in sink.rows("launches")] == list(range(9, -1, -1))
    assert len(sink.parts["launches"]) == 4
