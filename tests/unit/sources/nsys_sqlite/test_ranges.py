"""NVTX ranges, and the launches made inside them."""

import pytest
from support.nsys_traces import (
    call,
    execute,
    global_pid,
    global_tid,
    kernel,
    launches,
    nvtx,
    read_trace,
)


def ranges_of(sink):
    return [row["range"] for row in launches(sink)]


def stored(sink, *names):
    return [tuple(row[name] for name in names) for row in sink.rows("ranges")]


def test_a_range_is_found_by_the_time_of_the_api_call(trace):
    """Kernels run long after their range has ended: device time must not matter."""
    path = trace(
        kernels=[kernel(90_000, 95_000, correlationId=1), kernel(95_000, 99_000, correlationId=2)],
        calls=[call(100, 1), call(1100, 2)],
        nvtx=[nvtx(0, 1000, "first"), nvtx(1000, 2000, "second"), nvtx(89_000, 99_000, "sync")],
    )
    assert ranges_of(read_trace(path)[0]) == ["first", "second"]


def test_of_nested_ranges_the_innermost_counts_and_parents_tell_the_rest(trace):
    path = trace(
        kernels=[kernel(correlationId=i) for i in (1, 2, 3, 4)],
        calls=[call(5, 1), call(25, 2), call(35, 3), call(95, 4)],
        nvtx=[
            nvtx(10, 90, "step"),
            nvtx(20, 40, "layer"),
            nvtx(30, 39, "op", domainId=3),
            nvtx(10, 90, "other thread", thread=global_tid(tid=77)),
        ],
    )
    sink, info = read_trace(path)
    assert ranges_of(sink) == [None, "layer", "op", None]
    assert stored(sink, "range", "parent", "thread") == [
        (0, None, 4242),
        (1, 0, 4242),
        (2, 1, 4242),
        (3, None, 77),
    ]
    assert info.warnings == ()


def test_ranges_are_numbered_by_row_through_all_chunks(trace, monkeypatch):
    monkeypatch.setattr("nsys_walls.sources.nsys_sqlite.chunks.CHUNK_ROWS", 4)
    outer = [nvtx(100 * i, 100 * i + 50, f"{i}", kind=59 + i % 2) for i in range(20)]
    inner = [nvtx(100 * i + 1, 100 * i + 9, f"in {i}", kind=60 - i % 2) for i in range(20)]
    path = trace(kernels=[kernel()], nvtx=[*inner, *outer])
    # an index would give the rows of each kind together
    execute(path, "CREATE INDEX kinds ON NVTX_EVENTS (eventType)")
    sink, _ = read_trace(path)
    assert stored(sink, "range", "parent", "name") == [
        *((i, 20 + i, f"in {i}") for i in range(20)),
        *((20 + i, None, f"{i}") for i in range(20)),
    ]


def test_only_the_thread_of_the_call_counts(trace):
    worker = global_tid(tid=99)
    path = trace(
        kernels=[kernel(correlationId=1), kernel(correlationId=2)],
        calls=[call(50, 1, thread=worker), call(50, 2)],
        nvtx=[nvtx(0, 100, "main"), nvtx(40, 60, "worker", thread=worker)],
    )
    assert ranges_of(read_trace(path)[0]) == ["worker", "main"]


def test_correlation_ids_are_unique_only_in_a_process(trace):
    two = global_pid(5353)
    path = trace(
        kernels=[kernel(correlationId=1), kernel(correlationId=1, globalPid=two)] * 2,
        calls=[call(50, 1), call(250, 1, thread=global_tid(5353))],
        nvtx=[nvtx(0, 100, "rank 0"), nvtx(200, 300, "rank 1", thread=global_tid(5353))],
    )
    sink, info = read_trace(path)
    assert info.rows == 4
    assert ranges_of(sink) == ["rank 0", "rank 1"] * 2
    assert [row["process"] for row in launches(sink)] == [4242, 5353] * 2
    assert stored(sink, "name", "process") == [("rank 0", 4242), ("rank 1", 5353)]


@pytest.mark.parametrize("outer_first", [True, False])
def test_of_two_rows_for_one_call_the_outer_one_counts(trace, outer_first):
    # cudaLaunchKernel [90, 130] around cudaLaunchKernel_v7000 [110, 120]
    rows = [call(90, 1, 130, name="cudaLaunchKernel"), call(110, 1, 120)]
    path = trace(
        kernels=[kernel(correlationId=1)],
        calls=rows if outer_first else rows[::-1],
        nvtx=[nvtx(0, 100, "around the outer"), nvtx(105, 200, "around the inner")],
    )
    sink, info = read_trace(path)
    assert info.rows == 1
    assert ranges_of(sink) == ["around the outer"]


def test_launches_without_a_call_are_counted(trace):
    unknown = [
        {"correlationId": 7},  # no such call
        {"correlationId": None},
        {"correlationId": 1, "globalPid": global_pid(5353)},  # that process made no call
        {"correlationId": 1, "globalPid": None},
        {"correlationId": -1},
        {"correlationId": 2**62},
        {"correlationId": 3},  # its row has no thread
    ]
    path = trace(
        kernels=[kernel(correlationId=1), *(kernel(**columns) for columns in unknown)],
        calls=[call(50, 1), call(50, 2**62), call(50, -1), call(50, None),
               call(50, 3) | {"globalTid": None}],
        nvtx=[nvtx(0, 100, "step")],
    )  # fmt: skip
    sink, info = read_trace(path)
    assert ranges_of(sink) == ["step", *[None] * 7]
    assert [warning.code for warning in info.warnings] == ["launches-without-call"]
    assert info.warnings[0].message.startswith("7 of 8 launches have no API call in the trace")


def test_without_any_call_all_launches_are_outside(trace):
    sink, info = read_trace(trace(kernels=[kernel(correlationId=1)], nvtx=[nvtx(0, 9, "step")]))
    assert ranges_of(sink) == [None]
    assert "1 of 1 launches" in info.warnings[0].message


def test_without_ranges_calls_are_stored_all_the_same(trace):
    path = trace(
        kernels=[kernel(correlationId=1)],
        calls=[call(50, 1)],
        nvtx=[nvtx(0, None, "main", kind=59), nvtx(0, None, "CCCL", kind=75)],
    )
    progress = []
    sink, info = read_trace(path, progress=lambda *counts: progress.append(counts))
    assert progress == [(1, 2), (2, 2)]
    assert sink.table("calls").num_rows == 1
    assert sink.table("ranges").num_rows == 0
    assert sink.table("launches")["range"].null_count == 1
    assert info.warnings == ()


def test_rows_that_are_no_closed_range_are_counted(trace):
    path = trace(
        kernels=[kernel()],
        nvtx=[
            nvtx(0, None, "CCCL", kind=75),
            nvtx(0, None, "worker 3", kind=39),
            nvtx(1, None, "still open"),
            nvtx(1, None, "open, too", kind=60),
            nvtx(2, None, "checkpoint", kind=34),
            nvtx(5, 4, "backwards"),
            nvtx(5, 6, "no thread") | {"globalTid": None},
            nvtx(2**62 + 1, 2**62 + 2, "in 300 years"),
            nvtx(3, 3, "empty"),
        ],
    )
    sink, info = read_trace(path)
    assert stored(sink, "name", "start_ns", "duration_ns") == [("empty", 3, 0)]
    assert {row.reason: row.rows for row in info.skipped} == {
        "NVTX ranges still open at the end of the capture": 2,
        "NVTX marks": 1,
        "NVTX rows that only name things": 2,
        "NVTX ranges without usable times or thread": 3,
    }


def test_text_is_own_or_registered(trace):
    rows = [
        nvtx(0, 1, registered="decode"),
        nvtx(1, 2, "prefill"),
        nvtx(2, 3),
        nvtx(3, 4, "own", registered="registered"),
        nvtx(4, 5, registered=999),
        nvtx(5, 6, ""),
    ]
    sink, _ = read_trace(trace(kernels=[kernel()], nvtx=rows))
    assert stored(sink, "name") == [("decode",), ("prefill",), ("",), ("own",), ("",), ("",)]


@pytest.mark.parametrize(
    ("missing", "names"), [("textId", ["", "own"]), ("text", ["registered", ""])]
)
def test_either_column_of_text_may_be_absent(trace, missing, names):
    path = trace(kernels=[kernel()], nvtx=[nvtx(0, 1, registered="registered"), nvtx(1, 2, "own")])
    execute(path, f"ALTER TABLE NVTX_EVENTS DROP COLUMN {missing}")
    assert [name for (name,) in stored(read_trace(path)[0], "name")] == names


def test_many_nulls_before_the_first_text(trace, monkeypatch):
    monkeypatch.setattr("nsys_walls.sources.nsys_sqlite.chunks.CHUNK_ROWS", 10)
    rows = [nvtx(i, i + 1) for i in range(25)] + [nvtx(25, 26, "at last")]
    sink, _ = read_trace(trace(kernels=[kernel()], nvtx=rows))
    assert stored(sink, "name") == [("",)] * 25 + [("at last",)]


def test_text_that_is_no_utf_8(trace):
    path = trace(kernels=[kernel()], nvtx=[nvtx(0, 1, "a"), nvtx(1, 2, "b")])
    execute(path, "UPDATE NVTX_EVENTS SET text = CAST(x'61ff' AS TEXT) WHERE start = 0")
    execute(path, "UPDATE NVTX_EVENTS SET text = x'62' WHERE start = 1")
    assert stored(read_trace(path)[0], "name") == [("a\ufffd",), ("b",)]


def test_domains_are_named_by_each_process(trace):
    other = global_tid(5353)
    path = trace(
        kernels=[kernel()],
        nvtx=[
            nvtx(0, None, "CCCL", kind=75, domainId=1),
            nvtx(0, None, "NCCL", kind=75, domainId=1, thread=other),
            nvtx(1, 2, "default"),
            nvtx(1, 2, "a", domainId=1),
            nvtx(1, 2, "b", domainId=1, thread=other),
            nvtx(1, 2, "unnamed", domainId=2),
        ],
    )
    assert stored(read_trace(path)[0], "name", "domain") == [
        ("default", None), ("a", "CCCL"), ("b", "NCCL"), ("unnamed", None)
    ]  # fmt: skip


def test_a_trace_without_domains(trace):
    path = trace(kernels=[kernel()], nvtx=[nvtx(0, 1, "a")])
    execute(path, "ALTER TABLE NVTX_EVENTS DROP COLUMN domainId")
    assert stored(read_trace(path)[0], "name", "domain") == [("a", None)]


def test_start_end_ranges_count_where_they_began_and_where_they_ended(trace):
    """Requests begin on the main thread; a worker launches their kernels and ends them."""
    worker = global_tid(tid=99)
    requests = {"kind": 60, "endGlobalTid": worker}
    path = trace(
        kernels=[kernel(correlationId=i) for i in (1, 2, 3, 4)],
        calls=[call(20, 1, thread=worker), call(60, 2, thread=worker), call(90, 3, thread=worker),
               call(20, 4)],
        nvtx=[nvtx(10, 70, "request 1", **requests), nvtx(50, 100, "request 2", **requests)],
    )  # fmt: skip
    sink, info = read_trace(path)
    assert ranges_of(sink) == ["request 1", "request 2", "request 2", "request 1"]
    assert stored(sink, "kind", "parent", "thread") == [("start_end", None, 4242)] * 2
    assert [warning.code for warning in info.warnings] == ["overlapping-ranges"]
    assert info.warnings[0].message.startswith("1 of 2 NVTX ranges")


def test_the_end_thread_of_a_push_pop_range_means_nothing(trace):
    path = trace(
        kernels=[kernel(correlationId=1)],
        calls=[call(5, 1, thread=global_tid(tid=99))],
        nvtx=[nvtx(0, 9, "step", endGlobalTid=global_tid(tid=99))],
    )
    sink, _ = read_trace(path)
    assert ranges_of(sink) == [None]
    assert stored(sink, "kind") == [("push_pop",)]


def test_calls_of_many_threads_and_chunks(trace, monkeypatch):
    """Launch i is made by thread i % 7 in a range of that thread, or outside of it."""
    monkeypatch.setattr("nsys_walls.sources.nsys_sqlite.chunks.CHUNK_ROWS", 11)
    threads = [global_tid(pid=100 + i % 3, tid=500 + i) for i in range(7)]
    inside = [i % 4 != 0 for i in range(140)]
    path = trace(
        kernels=[
            kernel(correlationId=i, globalPid=global_pid(100 + i % 7 % 3)) for i in range(140)
        ],
        calls=[call(1000 * i + (500 if inside[i] else 0), i, thread=threads[i % 7])
               for i in reversed(range(140))],
        nvtx=[nvtx(1000 * i + 400, 1000 * i + 600, f"range {i}", thread=threads[i % 7])
              for i in range(140)],
    )  # fmt: skip
    expected = [f"range {i}" if inside[i] else None for i in range(140)]
    sink, info = read_trace(path)
    assert ranges_of(sink) == expected
    assert info.warnings == ()


def test_folders_in_names_stay_in_the_trace(trace):
    path = trace(kernels=[kernel()], nvtx=[nvtx(0, 1, "{'at': ['/home/ann/acme/train.py:34']}")])
    assert stored(read_trace(path)[0], "name") == [("{'at': ['…/train.py:34']}",)]
