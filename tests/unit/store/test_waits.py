"""What gaps wait for, on a clock of µs: limits are 20 µs for a start, 100 µs for a launch."""

import pytest
from support.runs import store_run, trace_rows

from nsys_walls.store.gaps import find_gaps
from nsys_walls.store.timeline import Timeline
from nsys_walls.store.waits import (
    Stretches,
    find_waits,
    launch_stretches,
    wait_times,
    waited_calls,
    waiting_points,
    waiting_ranges,
)

US = 1000


def call(start, end, kind, correlation=None, **changes):
    return {
        "start_ns": start * US, "duration_ns": (end - start) * US, "process": 7, "thread": 1,
        "correlation": correlation, "kind": kind, "name": f"cuda{kind}",
    } | changes  # fmt: skip


def ask(folder, question, launches, calls=(), changes=None, **tables):
    """Ask about launches (start, duration, correlation), in µs; change single rows by place."""
    rows = trace_rows([(start * US, took * US, 0, 0, 7) for start, took, _ in launches])
    for position, (row, (_, _, correlation)) in enumerate(
        zip(rows["launches"], launches, strict=True)
    ):
        row |= {"correlation": correlation, **(changes or {}).get(position, {})}
    run = store_run(folder, {**rows, "calls": list(calls), **tables})
    with Timeline(run, points={(0, 0): 5}, devices={(0, 0): 0}) as timeline:
        find_gaps(timeline)
        find_waits(timeline)
        return question(timeline)


def waits(folder, launches, calls=(), **tables):
    found = ask(folder, wait_times, launches, calls, **tables)
    return {row.waits_for: (row.gaps, row.time_ns // US) for row in found}


# Two kernels of 10 µs, idle in between from 10 to the start of the second.
@pytest.mark.parametrize(
    ("start", "calls", "expected"),
    [
        # launched at 5, back at 7: queued, as long as starting may take, and longer
        (30, [call(5, 7, "launch", 2)], "launch"),
        (31, [call(5, 7, "launch", 2)], "queued"),
        # launched at 5, and the call took until 28, most of the gap
        (35, [call(5, 28, "launch", 2)], "launch"),
        (111, [call(5, 61, "launch", 2)], "call"),
        (111, [call(5, 60, "launch", 2)], "queued"),
        # launched at 60 at first: the host was late
        (110, [call(60, 61, "launch", 2)], "launch"),
        (111, [call(60, 61, "launch", 2)], "host"),
        (111, [call(60, 111, "launch", 2)], "call"),
        (111, [call(60, 300, "launch", 2)], "call"),  # what it took behind the gap is not idle
        (111, [call(61, 111, "launch", 2)], "host"),
        # the host came back inside the gap
        (20, [call(2, 12, "sync"), call(15, 16, "launch", 2)], "sync"),
        (20, [call(2, 12, "set", name="cudaMemset"), call(15, 16, "launch", 2)], "copy"),
        (900, [call(2, 12, "memory"), call(880, 890, "launch", 2)], "memory"),
        # it came back before
        (20, [call(2, 9, "sync"), call(15, 16, "launch", 2)], "launch"),
        (20, [], "unknown"),
    ],
)
def test_what_a_gap_waits_for(tmp_path, start, calls, expected):
    assert waits(tmp_path, [(0, 10, 1), (start, 10, 2)], calls) == {expected: (1, start - 10)}


def test_a_gap_in_or_before_a_cuda_graph_is_no_launch_that_a_graph_would_spare(tmp_path):
    nodes = {0: {"graph_node": 1}, 1: {"graph_node": 2}, 2: {"graph_node": 1}}
    launches = [(0, 10, 1), (15, 10, 1), (50, 10, 2)]
    assert waits(tmp_path, launches, [call(40, 41, "graph", 2)], changes=nodes) == {}


def test_a_graph_after_a_synchronisation_or_other_work_of_the_host_did_wait(tmp_path):
    nodes = {n: {"graph_node": 1} for n in range(3)}
    launches = [(0, 10, 1), (50, 10, 2), (200, 10, 3)]
    calls = [call(2, 40, "sync"), call(45, 46, "graph", 2), call(190, 191, "graph", 3)]
    assert waits(tmp_path, launches, calls, changes=nodes) == {"sync": (1, 40), "host": (1, 140)}


def test_a_copy_that_was_called_before_says_nothing(tmp_path):
    # the host fills a staging buffer meanwhile
    copies = [{"start_ns": 40 * US, "duration_ns": 5 * US, "gpu": 0, "process": 7, "stream": 7,
               "correlation": 2}]  # fmt: skip
    calls = [call(5, 45, "copy", 2, name="cudaMemcpy")]
    assert waits(tmp_path, [(0, 10, 1)], calls, copies=copies) == {}


def test_numbers_and_calls_of_a_wait(tmp_path):
    # gaps 10..20 (most of it in the call), 30..50 and 60..70 (most of it after the calls)
    launches = [(0, 10, 1), (20, 10, 2), (50, 10, 3), (70, 10, 4)]
    calls = [
        call(1, 18, "sync", name="a"), call(19, 20, "launch", 2),
        call(21, 31, "sync", name="b"), call(49, 50, "launch", 3),
        call(51, 61, "sync", name="a"), call(69, 70, "launch", 4),
    ]  # fmt: skip
    (row,) = ask(tmp_path / "1", wait_times, launches, calls)
    assert (row.waits_for, row.gaps, row.time_ns) == ("sync", 3, 40 * US)
    assert (row.median_ns, row.longest_ns, row.in_call_ns) == (10 * US, 20 * US, 10 * US)
    # two gaps of 10 µs weigh as much as one of 20: then by name
    assert ask(tmp_path / "2", waited_calls, launches, calls) == {"sync": ["a", "b"]}
    assert ask(tmp_path / "3", waiting_points, launches, calls) == [("sync", 5, 30 * US)]


def test_kernels_beside_longer_gaps_only(tmp_path):
    # gaps of 5, 12 and 12 µs; the kernel before the last takes 15 µs
    launches = [(0, 4, 1), (9, 10, 2), (31, 15, 3), (58, 1, 4)]
    calls = [call(n, n, "launch", n) for n in range(1, 5)]
    (row,) = ask(tmp_path / "1", wait_times, launches, calls)
    assert (row.gaps, row.time_ns) == (3, 29 * US)
    # longer than both: none of them (5 < 10, 12 < 15, 12 < 15)
    assert ask(tmp_path / "2", launch_stretches, launches, calls) == Stretches()
    assert ask(tmp_path / "3", waiting_points, launches, calls) == []


def test_stretches_end_where_a_gap_is_short_or_other_work_lies_between(tmp_path):
    # gaps: 9 9 | 1 | 9; kernels of 2 µs; in the last stretch a second one runs beside
    starts = [0, 11, 22, 25, 36, 47]
    launches = [(start, 2, n + 1) for n, start in enumerate(starts)]
    calls = [call(0, 0, "launch", n) for n in range(1, 9)]
    found = ask(tmp_path / "1", launch_stretches, launches, calls)
    # 0-11-22, then 25-36-47
    assert found == Stretches(stretches=2, gaps=4, time_ns=36 * US, kernel_ns=8 * US)
    # with a kernel from 37 to 40 beside the fifth, the gap behind it is 7 µs and begins anew
    beside = sorted([*launches, (37, 3, 7)])
    found = ask(tmp_path / "2", launch_stretches, beside, calls)
    assert found == Stretches(stretches=3, gaps=4, time_ns=34 * US, kernel_ns=8 * US)


def test_ranges_are_those_of_the_work_that_ends_the_gap(tmp_path):
    launches = [(0, 1, 1), (5, 1, 2), (10, 1, 3), (15, 1, 4)]
    calls = [call(0, 0, "launch", n) for n in range(1, 5)]
    ranges = {1: {"range": 8}, 2: {"range": 8}}
    found = ask(tmp_path, waiting_ranges, launches, calls, changes=ranges)
    assert found == [("launch", 0, 8, 8 * US)]
