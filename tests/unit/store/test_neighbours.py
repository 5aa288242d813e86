"""Which kernels follow each other on a stream, and what is between them."""

import pytest
from support.runs import store_run, trace_rows

from nsys_walls.store.neighbours import (
    HeldPair,
    Member,
    find_neighbours,
    has_launch_calls,
    held_pairs,
)
from nsys_walls.store.timeline import Timeline

A, B, C = 0, 1, 2
MICROSECOND = 1000


def member(point, read=100, written=100, *, begins=False, twin=None):
    return Member(
        point=point, twin=point if twin is None else twin, read_bytes=read, write_bytes=written,
        bytes=read + written, begins=begins,
    )  # fmt: skip


ALL = [member(A), member(B), member(C)]


def launches(*kernels, every=20 * MICROSECOND, took=10 * MICROSECOND, **columns):
    """Make rows of launches, one after the other; the host launches each 5 µs before."""
    rows = trace_rows(
        [(place * every, took, kernel, 0, 7) for place, kernel in enumerate(kernels)],
        names=("a", "b", "c"),
    )
    for place, row in enumerate(rows["launches"]):
        row.update({"correlation": 100 + place} | columns)
    calls = [
        call(row["start_ns"] - 5 * MICROSECOND, "launch", row["correlation"])
        for row in rows["launches"]
    ]
    return {**rows, "calls": calls}


def call(start_ns, kind, correlation=None, *, thread=7, name="cudaLaunchKernel"):
    return {
        "start_ns": start_ns, "duration_ns": 1, "process": 7, "thread": thread,
        "correlation": correlation, "kind": kind, "name": name,
    }  # fmt: skip


def sync(start_ns, kind, stream=7):
    return {"start_ns": start_ns, "duration_ns": 1, "process": 7, "stream": stream, "kind": kind}


@pytest.fixture
def look(tmp_path):
    """Find neighbours in rows: links as (kernel, next kernel, blocker), in order."""

    def find(rows, members=ALL):
        run = store_run(tmp_path, rows)
        points = {(0, kernel["kernel"]): kernel["kernel"] for kernel in rows["kernels"]}
        gpus = {(0, row["gpu"]): row["gpu"] for row in rows["devices"]}
        with Timeline(run, points=points, devices=gpus) as timeline:
            find_neighbours(timeline, members)
            found = timeline.rows(
                "SELECT point, next_point, blocker FROM links ORDER BY lane, place"
            )
            return found, held_pairs(timeline, 1), has_launch_calls(timeline)

    return find


def links(found):
    return found[0]


def test_what_follows_on_a_stream_is_a_link(look):
    found = look(launches(A, B, C))
    assert found == ([(A, B, None), (B, C, None)], (), True)


def test_a_kernel_behind_itself_works_on_another_tensor(look):
    assert links(look(launches(A, A, B))) == [(A, B, None)]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        # 10 of 100 bytes of the second kernel, and of the first one
        ([member(A, 90, 10), member(B, 50, 50)], [(A, B, None)]),
        ([member(A, 50, 50), member(B, 9, 91)], []),
        ([member(A, 91, 9), member(B, 50, 50)], []),
        # one that can only be first passes on whatever it wrote, and nothing passes to it
        ([member(A, 991, 9, begins=True), member(B, 50, 40)], [(A, B, None)]),
        ([member(A), member(B, begins=True)], []),
        ([member(A)], []),
    ],
)
def test_links_pass_on_a_tenth_of_the_traffic(look, members, expected):
    assert links(look(launches(A, B), members)) == expected


def test_another_kernel_parts_two(look):
    assert links(look(launches(A, C, B), [member(A), member(B)])) == []


def test_kernels_of_two_streams_do_not_follow_each_other(look):
    rows = launches(A, B)
    rows["launches"][1]["stream"] = 8
    assert links(look(rows)) == []


def test_kernels_of_two_devices_do_not_follow_each_other(look):
    rows = trace_rows([(0, 1, A, 0, 7), (5, 1, B, 1, 7)], names=("a", "b"), gpus=2)
    # kernel b on the second GPU is number 3
    assert links(look(rows, [member(A), member(3)])) == []


def test_a_graph_of_one_row_parts_kernels(look):
    graph = {"start_ns": 12_000, "duration_ns": 2000, "gpu": 0, "process": 7, "stream": 7}
    assert links(look({**launches(A, B), "graphs": [graph]})) == []


def between(found):
    """Give the blocker of the one link from A to B, which must be there."""
    ((first, second, blocker),) = links(found)
    assert (first, second) == (A, B)
    return blocker


@pytest.mark.parametrize("stream", [7, 8])
def test_a_copy_counts_on_the_same_stream_only(look, stream):
    copy = {"start_ns": 12_000, "duration_ns": 2000, "gpu": 0, "process": 7, "stream": stream}
    found = look({**launches(A, B), "copies": [copy, copy | {"start_ns": 15_000}]})
    assert between(found) == ("copy" if stream == 7 else None)


# A is launched at -5 µs and B at 15 µs
@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (sync(10_000, "stream_waits_event"), "wait"),
        (sync(10_000, "stream_waits_event", stream=8), None),
        # where the stream is not known, it may be this one
        (sync(10_000, "stream_waits_event", stream=None), "wait"),
        (sync(10_000, "stream"), "sync"),
        (sync(10_000, "stream", stream=8), None),
        (sync(10_000, "context", stream=None), "sync"),
        (sync(10_000, "event", stream=None), "sync"),
        # before the first launch and behind the second
        (sync(-6_000, "stream"), None),
        (sync(15_001, "stream"), None),
    ],
)
def test_synchronisations_between_two_launches(look, event, expected):
    assert between(look({**launches(A, B), "syncs": [event]})) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (call(10_000, "sync", name="cudaDeviceSynchronize"), "sync"),
        (call(10_000, "sync", name="cudaStreamSynchronize", thread=8), None),
        # all work of the device, whichever thread waits for it
        (call(10_000, "sync", name="cudaDeviceSynchronize", thread=8), "sync"),
        (call(10_000, "sync", name="cuCtxSynchronize", thread=8), "sync"),
        (call(10_000, "copy", name="cudaMemcpy"), "sync"),
        (call(10_000, "copy", name="cudaMemcpyAsync"), None),
        (call(10_000, "wait", name="cudaStreamWaitEvent"), "wait"),
        (call(10_000, "memory", name="cudaMalloc"), "memory"),
        (call(10_000, "memory", name="cudaFree"), "memory"),
        (call(10_000, "memory", name="cuMemFree"), "memory"),
        (call(10_000, "memory", name="cudaFree", thread=8), None),
        (call(10_000, "memory", name="cudaMallocAsync"), None),
        (call(10_000, "memory", name="cudaFreeAsync"), None),
        (call(10_000, "memory", name="cuMemMap"), None),
    ],
)
def test_calls_between_two_launches(look, event, expected):
    rows = launches(A, B)
    rows["calls"].append(event)
    assert between(look(rows)) == expected


def test_where_waits_are_known_by_stream_their_calls_do_not_count(look):
    rows = launches(A, B) | {"syncs": [sync(10_000, "stream_waits_event", stream=8)]}
    rows["calls"].append(call(10_000, "wait", name="cudaStreamWaitEvent"))
    assert between(look(rows)) is None


def test_where_calls_that_wait_are_known_events_count_for_their_thread_only(look):
    rows = launches(A, B) | {"syncs": [sync(10_000, "event", stream=None)]}
    rows["calls"].append(call(10_000, "sync", thread=8, name="cudaEventSynchronize"))
    assert between(look(rows)) is None


def test_where_synchronisations_are_known_calls_of_other_threads_do_not_count(look):
    # the stream of the other thread waits, and its call says so too
    rows = launches(A, B) | {"syncs": [sync(10_000, "stream", stream=8)]}
    rows["calls"].append(call(10_000, "sync", thread=8, name="cudaDeviceSynchronize"))
    assert between(look(rows)) is None


def test_of_two_rows_of_a_call_the_outer_one_counts(look):
    rows = launches(A, B) | {"syncs": [sync(15_200, "stream")]}
    # the driver's call begins behind the synchronisation, inside the runtime's
    rows["calls"].append(call(15_500, "launch", 101))
    assert between(look(rows)) is None


def test_launches_without_a_call_have_nothing_known_between_them(look):
    rows = launches(A, B) | {"syncs": [sync(10_000, "stream")], "calls": []}
    links_found, _, has_calls = look(rows)
    assert (links_found, has_calls) == ([(A, B, None)], False)


# kernels of 10 µs; launches explain 100 µs
@pytest.mark.parametrize(("gap_us", "took_us", "expected"), [
    (100, 10, None), (101, 10, "gap"), (101, 101, None), (151, 150, "gap"),
])  # fmt: skip
def test_a_gap_is_longer_than_both_kernels_and_than_a_launch_takes(look, gap_us, took_us, expected):
    took, every = took_us * MICROSECOND, (took_us + gap_us) * MICROSECOND
    assert between(look(launches(A, B, took=took, every=every))) == expected


def test_what_is_known_comes_before_a_gap(look):
    rows = launches(A, B, every=500 * MICROSECOND)
    assert between(look({**rows, "syncs": [sync(10_000, "stream")]})) == "sync"


class TestGraphs:
    def test_the_edge_of_a_graph_is_between(self, look):
        rows = launches(A, B)
        rows["launches"][1]["graph_node"] = 5
        assert between(look(rows)) == "graph"

    def test_nodes_of_one_launch_are_neighbours(self, look):
        assert between(look(launches(A, B, graph_node=5, correlation=100))) is None

    def test_nodes_of_two_launches_are_not(self, look):
        assert between(look(launches(A, B, graph_node=5))) == "graph"

    def test_nodes_that_overlap_are_branches(self, look):
        rows = launches(A, B, graph_node=5, correlation=100, took=30 * MICROSECOND)
        assert links(look(rows)) == []


def test_pairs_count_what_blocks_them_most_frequent_first(look):
    rows = launches(A, B, C, A, B, C, A, B, C, A, B, C, every=20 * MICROSECOND)
    # launches at 20 n - 5 µs: A-B twice by a wait and once by a copy; B-C once
    rows["syncs"] = [sync(at * MICROSECOND, "stream_waits_event") for at in (10, 70)]
    rows["syncs"].append(sync(30 * MICROSECOND, "stream"))
    rows["copies"] = [{"start_ns": 131_000, "duration_ns": 1, "gpu": 0, "process": 7, "stream": 7}]
    members = [member(A), member(B), member(C, 100, 1)]
    _, pairs, _ = look(rows, members)
    assert pairs == (
        held((A, B), occurrences=4, blocked_ns=60_000, blockers={"wait": 2, "copy": 1}),
        held((B, C), occurrences=4, blocked_ns=20_000, blockers={"sync": 1}),
    )


def held(points, **facts):
    return HeldPair(points=points, twins=facts.pop("twins", points), **facts)


def test_a_pair_that_comes_once_on_each_of_two_devices_comes_twice(look):
    names, (on_first, on_second) = ("a", "b"), ((A, B), (2, 3))
    rows = trace_rows(
        [(place * 20_000, 10_000, kernel, gpu, 7) for gpu in (0, 1)
         for place, kernel in enumerate((A, B))],
        names=names, gpus=2,
    )  # fmt: skip
    for gpu in (0, 1):
        rows.setdefault("copies", []).append(
            {"start_ns": 12_000, "duration_ns": 1, "gpu": gpu, "process": 7, "stream": 7}
        )
    members = [member(A), member(B), member(2, twin=A), member(3, twin=B)]
    _, pairs, _ = look(rows, members)
    facts = {"occurrences": 1, "blocked_ns": 20_000, "blockers": {"copy": 1}, "twins": on_first}
    assert pairs == (held(on_first, **facts), held(on_second, **facts))


def test_a_pair_that_comes_once_is_no_pair(look):
    _, pairs, _ = look({**launches(A, B), "syncs": [sync(10_000, "stream")]})
    assert pairs == ()


def test_an_empty_run_has_no_links(look):
    assert look(trace_rows([])) == ([], (), False)
