"""Copies and sets."""

import pytest
from support.nsys_traces import copy, execute, fill, global_pid, kernel, read_trace

KINDS = [
    "other", "host_to_device", "device_to_host", "host_to_device", "device_to_host",
    "device_to_device", "device_to_device", "device_to_device", "device_to_device",
    "host_to_host", "peer_to_peer", "host_to_device", "device_to_host", "peer_to_peer",
]  # fmt: skip
MEMORY = ["pageable", "pinned", "device", "array", "managed", "device", "managed", None, None]


def stored(path, *names):
    return [tuple(row[name] for name in names) for row in read_trace(path)[0].rows("copies")]


@pytest.mark.parametrize("schema", ["2020.5", "3.25.0"])
def test_kinds_with_and_without_the_table_of_labels(trace, schema):
    copies = [copy(i, i + 1, 8, kind=i) for i in range(14)] + [copy(0, 1, 8, kind=99)]
    path = trace(schema=schema, kernels=[kernel()], copies=copies)
    assert stored(path, "operation") == [(kind,) for kind in [*KINDS, "other"]]


@pytest.mark.parametrize("schema", ["2020.5", "3.25.0"])
def test_kinds_of_memory(trace, schema):
    copies = [copy(0, 1, 8, srcKind=i, dstKind=8 - i) for i in range(9)]
    path = trace(schema=schema, kernels=[kernel()], copies=copies, fills=[fill(0, 1, 8, memKind=4)])
    assert stored(path, "source_memory", "target_memory") == [
        *zip(MEMORY, MEMORY[::-1], strict=True),
        (None, "managed"),
    ]


def test_the_labels_of_the_trace_count_more_than_known_numbers(trace):
    path = trace(kernels=[kernel()], copies=[copy(0, 1, 8, kind=1), copy(0, 1, 8, kind=40)])
    execute(
        path,
        "UPDATE ENUM_CUDA_MEMCPY_OPER SET name = 'CUDA_MEMCPY_KIND_NEW' WHERE id = 1",
        "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (40, 'CUDA_MEMCPY_KIND_DTOH')",
    )
    assert stored(path, "operation") == [("other",), ("device_to_host",)]


def test_time_size_and_place(trace):
    path = trace(
        kernels=[kernel()],
        copies=[copy(100, 600, 2**40, correlationId=5, globalPid=global_pid(77), streamId=13)],
        fills=[fill(700, 750, 64, streamId=None)],
    )
    names = ("start_ns", "duration_ns", "bytes", "gpu", "process", "stream", "correlation")
    assert stored(path, *names) == [
        (100, 500, 2**40, 0, 77, 13, 5),
        (700, 50, 64, 0, 4242, None, None),
    ]


def test_a_copy_without_process_or_size(trace):
    path = trace(kernels=[kernel()], copies=[copy(0, 1, None, globalPid=None)])
    assert stored(path, "bytes", "process", "gpu") == [(None, None, 0)]


def test_rows_that_can_not_be_used_are_counted(trace):
    copies = [copy(0, None, 1), copy(None, 1, 1), copy(0, 1, 1, deviceId=None), copy(0, 1, 1)]
    _, info = read_trace(trace(kernels=[kernel()], copies=copies, fills=[fill(1, 0, 1)]))
    assert {row.reason: row.rows for row in info.skipped} == {
        "copies without a whole number as start, end, device or name": 3,
        "sets that end before they start": 1,
    }
