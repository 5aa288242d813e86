"""Events become rows of numbers, and what is not kept is counted."""

from decimal import Decimal

import pytest
from support.torch_traces import launch, op, span, sync

from nsys_walls.sources.torch_trace.collect import Collector
from nsys_walls.sources.torch_trace.numbers import MISSING


def collected(*events):
    collector = Collector()
    for event in events:
        collector.take(event)
    assert collector.taken == len(events)
    return collector.collected


def only_launch(event):
    """List the columns of the one launch, and its kernel."""
    found = collected(event)
    columns = ("start", "duration", "stream", "correlation", "graph_node")
    ((_, gpu, grid, block, registers),) = found.kernels
    row = {name: int(found.launches[name][0]) for name in columns}
    return row | {"ordinal": list(found.gpus)[gpu], "grid": grid, "block": block,
                  "registers": registers}  # fmt: skip


def test_a_launch_has_its_time_place_and_shape():
    event = launch(1, 3, correlationId=9, streamId=20, deviceId=2, graphNodeId=77)
    assert only_launch(event) == {
        "start": 1000, "duration": 2000, "stream": 20, "correlation": 9, "graph_node": 77,
        "ordinal": 2, "grid": (128, 2, 1), "block": (256, 1, 1), "registers": 32,
    }  # fmt: skip


def test_what_the_arguments_lack_is_read_from_the_event_or_absent():
    event = {"ph": "X", "cat": "kernel", "name": "f()", "pid": 3, "tid": 7, "ts": 1, "dur": 2}
    row = only_launch(event)
    assert (row["ordinal"], row["stream"], row["registers"]) == (3, 7, None)
    assert row["grid"] == row["block"] == (None, None, None)
    assert row["correlation"] == row["graph_node"] == MISSING
    assert only_launch(event | {"args": "none"}) == row


def test_numbers_may_be_printed_as_text():
    event = launch()
    event |= {"ts": "12.5", "dur": "3"}
    event["args"] |= {"device": "1", "stream": "8", "correlation": "55", "grid": ["2", "3", "4"],
                      "registers per thread": "40", "graph node id": "0"}  # fmt: skip
    row = only_launch(event)
    assert (row["start"], row["duration"]) == (12_500, 3000)
    assert (row["ordinal"], row["stream"], row["correlation"]) == (1, 8, 55)
    assert (row["grid"], row["registers"], row["graph_node"]) == ((2, 3, 4), 40, MISSING)


NO_SIZES = (
    None, 5, "128", [], [1], [1, 2, 3, 4], [1, None, 2], [1.5, 1, 1], [[1], 1, 1], {"x": 1},
    [2**40, 1, 1], [Decimal("0.5"), 1, 1],
)  # fmt: skip


@pytest.mark.parametrize("grid", NO_SIZES)
def test_a_grid_that_is_none_is_unknown(grid):
    event = launch()
    event["args"]["grid"] = grid
    row = only_launch(event)
    assert row["grid"] == (None, None, None)
    assert row["block"] == (256, 1, 1)


def test_equal_kernels_are_one_and_different_ones_are_not():
    found = collected(launch(), launch(5), launch(gridX=1), launch(deviceId=1),
                      launch(registersPerThread=8), launch(name="g()"), launch())  # fmt: skip
    assert found.launches["kernel"].tolist() == [0, 0, 1, 2, 3, 4, 0]
    assert list(found.kernel_names) == ["saxpy(int, float *)", "g()"]


def test_the_first_event_of_any_kind_is_the_beginning():
    other = {"ph": "X", "cat": "python_function", "name": "main", "ts": 40, "dur": 9}
    found = collected(launch(70, 80), other, {"ph": "i", "ts": 2}, op(50, 60))
    assert found.first_ns == 40_000
    assert found.left_out == {"Python functions": 1, "marks, flows and metadata": 1}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ts": None}, "launches without a usable time"),
        ({"ts": "NaN"}, "launches without a usable time"),
        ({"ts": 0, "dur": Decimal("0.000")}, "launches without a usable time"),
        ({"dur": None}, "launches without a usable time"),
        ({"dur": -1}, "launches that end before they start"),
        ({"name": None}, "launches without a name"),
        ({"name": ["f"]}, "launches without a name"),
        ({"name": ""}, "launches without a name"),
    ],
)
def test_launches_that_can_not_be_used_are_counted(change, reason):
    found = collected(launch(5, 6) | change)
    assert found.left_out == {reason: 1}
    assert found.unusable == 1
    assert len(found.launches) == 0


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"cat": "gpu_user_annotation"}, "copies of annotations on the GPU's time line"),
        ({"cat": "Trace"}, "other events"),
        ({"cat": ["kernel"]}, "other events"),
        ({"pid": ["x"]}, "other events"),
        ({"pid": "CUDA functions"}, "events of the autograd profiler"),
        ({"cat": "cpu_op", "dur": -1}, "ranges that end before they start"),
        ({"cat": "cuda_runtime", "ts": None}, "CUDA calls without a usable time"),
    ],
)
def test_other_events_are_counted_by_what_they_are(event, reason):
    found = collected({"ph": "X", "name": "x", "ts": 1, "dur": 1} | event)
    assert found.left_out == {reason: 1}
    assert found.unusable == 0


def test_a_launch_of_no_duration_is_one():
    assert only_launch(launch(5, 5))["duration"] == 0


def test_times_without_decimals_are_told_from_exact_ones():
    exact = launch() | {"ts": Decimal("5.000")}
    assert collected(launch(), launch(), exact).whole_microseconds == 2


def test_calls_and_ranges_are_on_threads():
    thread = {"pid": "4242", "tid": "17"}
    found = collected(
        op(1, 5, number=3) | thread,
        op(2, 4) | {"pid": 4242, "tid": 17},
        span("cuda_driver", "cuLaunchKernel", 3, 4, pid=4242, tid=18, correlation=6),
        op(2, 4) | {"pid": "rank 0", "tid": [1]},
    )
    assert list(found.threads) == [(4242, 17), (4242, 18), ("rank 0", None)]
    assert found.ranges["thread"].tolist() == [0, 0, 2]
    assert found.ranges["operator"].tolist() == [3, MISSING, MISSING]
    assert found.calls["thread"].tolist() == [1]
    assert found.calls["correlation"].tolist() == [6]


def test_a_copy_between_gpus_ran_on_the_one_that_it_is_in():
    event = span("gpu_memcpy", "Memcpy PtoP (Device -> Device)", 1, 2, fromDevice=0, inDevice=3,
                 toDevice=1, stream=9, bytes=64)  # fmt: skip
    found = collected(event)
    assert list(found.gpus) == [3]
    assert found.copies["bytes"].tolist() == [64]


def test_a_gpu_that_was_only_waited_for_gets_no_number():
    found = collected(sync(1, 2, device=1), sync(1, 2, device=None) | {"pid": "x"})
    assert list(found.gpus) == []
    assert found.syncs["ordinal"].tolist() == [1, MISSING]
