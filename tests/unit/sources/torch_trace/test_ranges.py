"""Operators and annotations, and the launches made inside them."""

import pytest
from support.nsys_traces import call, global_pid, global_tid, kernel, launches, nvtx
from support.torch_traces import from_rows, launch, op, read_trace, span

MS = 1_000_000


def ranges_of(sink):
    return [row["range"] for row in launches(sink)]


def called(start, correlation, name="cudaLaunchKernel", **options):
    (event,) = from_rows(calls=[call(start, correlation, name=name, **options)])
    return event


def test_a_range_is_found_by_the_time_of_the_call(trace):
    path = trace(
        *from_rows(
            kernels=[
                kernel(90_000, 95_000, correlationId=1), kernel(95_000, 99_000, correlationId=2),
            ],
            calls=[call(100, 1), call(1100, 2)],
            nvtx=[nvtx(0, 1000, "first"), nvtx(1000, 2000, "second"), nvtx(89_000, 99_000, "sync")],
        )
    )  # fmt: skip
    assert ranges_of(read_trace(path)[0]) == ["first", "second"]


def test_operators_and_annotations_nest_in_each_other(trace):
    other = global_tid(tid=77)
    sink, info = read_trace(
        trace(
            op(30, 39, "aten::addmm"),
            op(20, 40, "aten::linear"),
            op(10, 90, "ProfilerStep#3", category="user_annotation"),
            op(10, 90, "other thread", thread=other),
            *(launch(correlationId=number) for number in (1, 2, 3, 4)),
            *(called(start, number) for start, number in ((5, 1), (25, 2), (35, 3), (45, 4))),
        )
    )
    assert ranges_of(sink) == [None, "aten::linear", "aten::addmm", "ProfilerStep#3"]
    rows = {row["range"]: row for row in sink.rows("ranges")}
    parents = {row["name"]: rows[row["parent"]]["name"] for row in rows.values()
               if row["parent"] is not None}  # fmt: skip
    assert parents == {"aten::linear": "ProfilerStep#3", "aten::addmm": "aten::linear"}
    assert {row["thread"] for row in rows.values()} == {4242, 77}
    assert {row["kind"] for row in rows.values()} == {"push_pop"}
    assert info.warnings == ()


def test_ranges_begin_where_the_first_event_does(trace):
    sink, _ = read_trace(trace(op(2 * MS, 5 * MS), launch(3 * MS, 4 * MS), op(7 * MS, 9 * MS)))
    times = [(row["start_ns"], row["duration_ns"]) for row in sink.rows("ranges")]
    assert times == [(0, 3 * MS), (5 * MS, 2 * MS)]
    assert sink.rows("launches")[0]["start_ns"] == MS


def test_of_operators_that_began_together_the_first_is_outside(trace):
    inner, outer = op(0, 1000, "aten::empty", number=12), op(0, 1000, "aten::zeros", number=11)
    sink, _ = read_trace(
        trace(inner, outer, launch(5000, 6000, correlationId=1), called(0, 1), version="2.0")
    )
    assert ranges_of(sink) == ["aten::empty"]
    first, second = sink.rows("ranges")
    assert (first["name"], first["parent"]) == ("aten::zeros", None)
    assert (second["name"], second["parent"]) == ("aten::empty", 0)


def test_a_driver_call_inside_a_runtime_call_does_not_hide_it(trace):
    sink, _ = read_trace(
        trace(
            op(0, 10, "outer"),
            op(20, 30, "inner"),
            launch(correlationId=1),
            called(25, 1, "cuLaunchKernel"),
            called(5, 1),
        )
    )
    assert ranges_of(sink) == ["outer"]


def test_launches_without_a_call_are_outside_and_counted(trace):
    sink, info = read_trace(
        trace(op(0, 10), launch(correlationId=1), launch(correlationId=2), launch(), called(5, 1))
    )
    assert ranges_of(sink) == ["aten::mm", None, None]
    (warning,) = info.warnings
    assert warning.code == "launches-without-call"
    assert "2 of 3 launches" in warning.message


def test_a_trace_without_calls_has_no_launch_in_a_range(trace):
    sink, info = read_trace(trace(op(0, 10), launch(correlationId=1)))
    assert ranges_of(sink) == [None]
    assert [warning.code for warning in info.warnings] == ["launches-without-call"]


def test_a_trace_without_ranges_needs_no_calls(trace):
    sink, info = read_trace(trace(launch(correlationId=1)))
    assert ranges_of(sink) == [None]
    assert info.warnings == ()


def test_an_id_of_two_processes_leads_nowhere(trace):
    one, two = global_tid(11), global_tid(22)
    sink, _ = read_trace(
        trace(
            op(0, 10, "of one", thread=one),
            op(0, 10, "of two", thread=two),
            launch(correlationId=1, globalPid=global_pid(11)),
            launch(correlationId=2),
            called(5, 1, thread=one),
            called(6, 1, thread=two),
            called(7, 2, thread=two),
        )
    )
    assert ranges_of(sink) == [None, "of two"]
    assert {row["process"] for row in sink.rows("kernels")} == {None}


def test_copies_and_sets_have_ranges(trace):
    args = {"device": 0, "stream": 7, "bytes": 4}
    sink, _ = read_trace(
        trace(
            op(0, 10, "aten::copy_"),
            op(20, 30, "aten::zero_"),
            launch(correlationId=9),
            span("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 5, 6, correlation=1, **args),
            span("gpu_memset", "Memset (Device)", 25, 26, correlation=2, **args),
            span("gpu_memset", "Memset (Device)", 27, 28, **args),
            called(1, 1, "cudaMemcpyAsync"),
            called(21, 2, "cudaMemsetAsync"),
        )
    )
    names = {row["range"]: row["name"] for row in sink.rows("ranges")}
    assert [names.get(row["range"]) for row in sink.rows("copies")] == [
        "aten::copy_", "aten::zero_", None,
    ]  # fmt: skip


def test_ranges_that_overlap_are_told(trace):
    _, info = read_trace(trace(op(0, 10, "a"), op(5, 15, "b"), op(20, 30, "c"), launch(),
                               called(1, None)))  # fmt: skip
    overlapping = [w.message for w in info.warnings if w.code == "overlapping-ranges"]
    assert overlapping
    assert "1 of 3 operators and annotations" in overlapping[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/home/alice/secret/train.py(12): step", "…/train.py(12): step"),
        ("## forward: /data/acme/model.py ##", "## forward: …/model.py ##"),
        ("aten::mm", "aten::mm"),
    ],
)
def test_folders_stay_out_of_names(trace, name, expected):
    sink, _ = read_trace(trace(op(0, 10, name), launch()))
    assert [row["name"] for row in sink.rows("ranges")] == [expected]
