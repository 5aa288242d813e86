"""Idle gaps and their causes, on a clock of small numbers."""

import pytest
from support.runs import store_run, trace_rows

from nsys_walls.store.gaps import find_gaps, idle_causes, longest_gaps
from nsys_walls.store.selection import Selected
from nsys_walls.store.timeline import Timeline


def call(start, end, kind, correlation=None, **changes):
    return {
        "start_ns": start, "duration_ns": end - start, "process": 7, "thread": 1,
        "correlation": correlation, "kind": kind, "name": f"cuda{kind}",
    } | changes  # fmt: skip


@pytest.fixture
def gaps(tmp_path):
    """Give causes and gaps of launches (start, duration, stream, correlation) and calls."""

    def build(launches, calls=(), selected=None, **tables):
        rows = trace_rows([(start, took, 0, 0, stream) for start, took, stream, _ in launches])
        for launch, (_, _, _, correlation) in zip(rows["launches"], launches, strict=True):
            launch["correlation"] = correlation
        for position, changes in tables.pop("nodes", {}).items():
            rows["launches"][position] |= changes
        run = store_run(tmp_path, {**rows, "calls": list(calls), **tables})
        with Timeline(
            run, points={(0, 0): 0}, devices={(0, 0): 0}, selected=selected or Selected()
        ) as times:
            find_gaps(times)
            return idle_causes(times), longest_gaps(times, 3)

    return build


def causes(found):
    return [(row.cause, row.call, row.gaps, row.time_ns) for row in found]


def test_without_calls_no_cause_is_known(gaps):
    found, longest = gaps([(0, 10, 7, 1), (30, 10, 7, 2), (100, 10, 7, 3)])
    assert causes(found) == [("unknown", None, 2, 80)]
    assert (found[0].median_ns, found[0].longest_ns) == (40, 60)
    assert [(gap.start_ns, gap.duration_ns) for gap in longest] == [(40, 60), (10, 20)]
    assert (longest[0].point_before, longest[0].point_after) == (0, 0)


def test_overlapping_streams_leave_no_gap(gaps):
    # 0..50 covers the end of 10..20; the next begins at 60
    found, _ = gaps([(0, 50, 7, 1), (10, 10, 8, 2), (60, 5, 8, 3)])
    assert causes(found) == [("unknown", None, 1, 10)]


def test_work_that_was_launched_before_the_gap_was_queued(gaps):
    found, _ = gaps([(0, 10, 7, 1), (30, 10, 7, 2)], [call(8, 9, "launch", 2)])
    assert causes(found) == [("queued", None, 1, 20)]


def test_a_host_that_sat_in_a_synchronisation_is_named(gaps):
    # idle 10..40; the host returned at 28 and launched at 35: 18 in the call, 7 behind it
    calls = [call(2, 28, "sync", name="cudaStreamSynchronize"), call(35, 36, "launch", 2)]
    found, _ = gaps([(0, 10, 7, 1), (40, 10, 7, 2)], calls)
    assert causes(found) == [("sync", "cudaStreamSynchronize", 1, 30)]


def test_a_host_that_came_back_early_was_busy_with_something_else(gaps):
    calls = [call(2, 12, "sync", name="cudaStreamSynchronize"), call(35, 36, "launch", 2)]
    found, _ = gaps([(0, 10, 7, 1), (40, 10, 7, 2)], calls)
    assert causes(found) == [("host", "cudaStreamSynchronize", 1, 30)]


@pytest.mark.parametrize(
    ("kind", "name", "cause"),
    [
        ("memory", "cudaMalloc", "memory"),
        ("copy", "cudaMemcpy", "copy"),
        ("set", "cudaMemset", "copy"),
        ("copy", "cudaMemcpyAsync", "host"),  # it does not block
        ("launch", "cudaLaunchKernel", "host"),
    ],
)
def test_only_calls_that_block_explain_a_gap(gaps, kind, name, cause):
    calls = [call(2, 30, kind, 9, name=name), call(35, 36, "launch", 2)]
    found, _ = gaps([(0, 10, 7, 1), (40, 10, 7, 2)], calls)
    assert causes(found) == [(cause, None if cause == "host" else name, 1, 30)]


def test_another_thread_or_process_does_not_explain_a_gap(gaps):
    calls = [
        call(2, 30, "sync", thread=2), call(2, 31, "sync", process=8),
        call(35, 36, "launch", 2), call(1, 2, "launch", 2, process=8),
    ]  # fmt: skip
    found, _ = gaps([(0, 10, 7, 1), (40, 10, 7, 2)], calls)
    assert causes(found) == [("host", None, 1, 30)]


def test_the_outer_of_two_rows_of_a_call_counts(gaps):
    # cudaLaunchKernel 9..20 around cudaLaunchKernel_v7000 12..18: launched before the gap at 10
    calls = [call(12, 18, "launch", 2), call(9, 20, "launch", 2)]
    found, _ = gaps([(0, 10, 7, 1), (30, 10, 7, 2)], calls)
    assert causes(found) == [("queued", None, 1, 20)]


def test_nodes_of_one_graph_wait_for_each_other(gaps):
    nodes = {0: {"graph_node": 5}, 1: {"graph_node": 6}}
    found, _ = gaps([(0, 10, 7, 4), (12, 10, 7, 4)], [call(0, 1, "graph", 4)], nodes=nodes)
    assert causes(found) == [("graph", None, 1, 2)]


def test_copies_and_graphs_end_gaps_and_are_no_points(gaps):
    copies = [{"start_ns": 30, "duration_ns": 5, "gpu": 0, "process": 7, "correlation": 9}]
    graphs = [{"start_ns": 50, "duration_ns": 5, "gpu": 0, "process": 7, "correlation": 8}]
    calls = [call(20, 21, "copy", 9, name="cudaMemcpyAsync"), call(3, 4, "graph", 8)]
    found, longest = gaps([(0, 10, 7, 1)], calls, copies=copies, graphs=graphs)
    assert causes(found) == [("host", None, 1, 20), ("queued", None, 1, 15)]
    assert [(gap.point_before, gap.point_after) for gap in longest] == [(0, None), (None, None)]


def test_gaps_outside_of_what_is_selected_are_left_out(gaps):
    # stream 8 from 30 to 60: the gap 40..50 is inside, those before and behind are not
    launches = [(0, 10, 7, 1), (30, 10, 8, 2), (50, 10, 8, 3), (90, 10, 7, 4)]
    found, _ = gaps(launches, selected=Selected(streams=frozenset({8})))
    assert causes(found) == [("unknown", None, 1, 10)]
