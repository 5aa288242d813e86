"""Views of a part of a run: what is cut off, and what is only left out."""

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.runs import store_run, trace_rows

from nsys_walls.store.selection import RANGE_COLUMNS, Edge, Selected, Selection, Window
from nsys_walls.store.timeline import Timeline


def timeline(run, selected, *, kernels=2, gpus=1):
    numbers = [source.source for source in run.manifest.sources]
    return Timeline(
        run,
        points={(n, kernel): kernel % kernels for n in numbers for kernel in range(kernels * gpus)},
        devices={(n, gpu): gpu for n in numbers for gpu in range(gpus)},
        selected=selected,
    )


def chosen_ranges(*pairs):
    columns = [pa.array(column, pa.int64()) for column in zip(*pairs, strict=True)]
    return pa.Table.from_arrays(columns, schema=RANGE_COLUMNS)


@pytest.fixture
def run(tmp_path):
    """Two kernels on two streams, a copy and a graph: 0..1000 ns.

    kernel 0: 0..100 stream 7 range 0; 200..300 stream 8 range 1; 600..700 stream 7, no range
    kernel 1: 350..450 stream 7 range 0; copy 500..550 stream 7 range 0; graph 900..1000 stream 9
    """
    launches = [
        (0, 100, 0, 0, 7), (200, 100, 0, 0, 8), (350, 100, 1, 0, 7), (600, 100, 0, 0, 7),
    ]  # fmt: skip
    rows = trace_rows(launches, names=("a", "b"))
    for launch, number in zip(rows["launches"], (0, 1, 0, None), strict=True):
        launch["range"] = number
    copies = [{"start_ns": 500, "duration_ns": 50, "gpu": 0, "stream": 7, "range": 0}]
    graphs = [{"start_ns": 900, "duration_ns": 100, "gpu": 0, "stream": 9}]
    return store_run(tmp_path, {**rows, "copies": copies, "graphs": graphs})


def accounted(run, **selected):
    with timeline(run, Selected(**selected)) as times:
        (found,) = times.device_times().values()
    return (
        found.launches, found.span_ns, found.busy_ns, found.copy_ns, found.other_ns, found.idle_ns
    )  # fmt: skip


def test_everything_is_selected_by_default(run):
    assert accounted(run) == (4, 1000, 500, 50, 0, 450)


def test_a_stream_leaves_other_work_inside_its_span(run):
    # stream 7: 0..100, 350..450, copy 500..550, 600..700; stream 8 fills 200..300
    assert accounted(run, streams=frozenset({7})) == (3, 700, 300, 50, 100, 250)


def test_kernels_leave_copies_and_graphs_as_other_work(run):
    # kernel 0: 0..100, 200..300, 600..700; between them 350..450 and 500..550
    assert accounted(run, points=frozenset({0})) == (3, 700, 300, 0, 150, 250)


def test_ranges_choose_what_was_launched_in_them(run):
    # range 0: 0..100, 350..450, copy 500..550; 200..300 is of another range
    assert accounted(run, ranges=chosen_ranges((0, 0))) == (2, 550, 200, 50, 100, 200)
    assert accounted(run, ranges=chosen_ranges((0, 0), (0, 1))) == (3, 550, 300, 50, 0, 200)


def test_a_window_cuts_by_start(run):
    half = Window(start=Edge(share=0.35), end=Edge(time_ns=600))
    # 350 belongs to it, 600 does not
    assert accounted(run, window=half) == (1, 200, 100, 50, 0, 50)
    # an open end, and 100 % of the time, hold the last work too
    assert accounted(run, window=Window(start=Edge(time_ns=600))) == (1, 400, 200, 0, 0, 200)
    whole = Window(start=Edge(share=0.0), end=Edge(share=1.0))
    assert accounted(run, window=whole) == accounted(run)


def test_all_filters_hold_at_once(run):
    with timeline(
        run, Selected(streams=frozenset({7}), points=frozenset({0}), ranges=chosen_ranges((0, 0)))
    ) as times:
        assert {point: row.launches for point, row in times.launch_times().items()} == {0: 1}
        everything = times.launch_times(everything=True)
    assert {point: row.launches for point, row in everything.items()} == {0: 3, 1: 1}


def test_durations_say_which_launches_are_selected(run):
    with timeline(run, Selected(streams=frozenset({8}))) as times:
        assert times.durations_ns([0]) == {0: [(100, False), (100, True), (100, False)]}


def test_a_device_that_is_not_selected_does_not_exist(tmp_path):
    rows = trace_rows([(0, 10, 0, 0, 7), (50, 10, 0, 1, 7)], gpus=2)
    run = store_run(tmp_path, rows)
    with timeline(run, Selected(devices=frozenset({1})), kernels=1, gpus=2) as times:
        assert list(times.device_times()) == [1]
        assert times.wall_ns() == 10
        extent = times.extent()
    assert extent.streams == {(0, 7): 1, (1, 7): 1}
    assert extent.windows == {0: (0, 60)}


def test_a_window_is_a_share_of_each_source(tmp_path):
    early = trace_rows([(0, 10, 0, 0, 7), (90, 10, 0, 0, 7)])
    late = trace_rows([(1000, 100, 0, 0, 7), (1900, 100, 0, 0, 7)])
    run = store_run(tmp_path, early, late)
    window = Window(start=Edge(share=0.5))
    with timeline(run, Selected(window=window), kernels=1) as times:
        assert times.launch_times()[0].time_ns == 110
        assert [row.time.span_ns for row in times.rank_times()] == [10, 100]


def test_ranks_are_processes_on_devices(tmp_path):
    rows = trace_rows([(0, 100, 0, 0, 7), (50, 100, 0, 1, 7)], gpus=2)
    rows["kernels"][1]["process"] = None
    run = store_run(tmp_path, rows)
    with timeline(run, Selected(), kernels=1, gpus=2) as times:
        first, second = times.rank_times()
    assert (first.source, first.device, first.process, first.time.busy_ns) == (0, 0, 7, 100)
    assert (second.source, second.device, second.process, second.time.busy_ns) == (0, 1, None, 100)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    launches=st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 30), st.integers(0, 1), st.just(0),
                  st.integers(7, 8)),
        min_size=1, max_size=12,
    ),
    streams=st.sets(st.integers(7, 9), min_size=1, max_size=2),
    window=st.tuples(st.integers(0, 50), st.integers(1, 50)),
)  # fmt: skip
def test_parts_add_up_to_the_span_of_any_selection(tmp_path_factory, launches, streams, window):
    run = store_run(tmp_path_factory.mktemp("run"), trace_rows(launches, names=("a", "b")))
    start, length = window
    selected = Selected(
        streams=frozenset(streams),
        window=Window(start=Edge(time_ns=start), end=Edge(time_ns=start + length)),
    )
    last = max(begin + took for begin, took, *_ in launches)
    end = start + length - 1 if start + length < last else last
    # what began before the window and runs into it is other work there
    there = [row for row in launches if row[0] <= end and row[0] + row[1] >= start]
    mine = [row for row in there if row[0] >= start and row[4] in streams]
    with timeline(run, selected) as times:
        found = list(times.device_times().values())
    if not mine:
        assert found == []
        return
    (found,) = found
    low, high = min(row[0] for row in mine), max(row[0] + row[1] for row in mine)
    busy = {tick for begin, took, *_ in mine for tick in range(begin, begin + took)}
    every = {
        tick
        for begin, took, *_ in there
        for tick in range(max(begin, low), min(begin + took, high))
    }
    assert found.span_ns == high - low
    assert found.busy_ns == len(busy)
    assert found.other_ns == len(every - busy)
    assert found.busy_ns + found.copy_ns + found.other_ns + found.idle_ns == found.span_ns


def test_a_selection_is_written_as_typed():
    selection = Selection(
        nvtx=("a*",), window=Window(start=Edge(share=0.1), end=Edge(time_ns=2_500_000_000)),
        devices=(1,), streams=(7,), kernel="gemm",
    )  # fmt: skip
    assert str(selection) == "--nvtx 'a*' --window 10%:2.5s --device 1 --stream 7 --kernel gemm"
    assert not selection.is_everything
    assert Selection().is_everything
    assert str(Window(end=Edge(time_ns=1))) == ":0.000000001s"
