import statistics
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.runs import store_run, trace_rows

from nsys_walls.errors import InputError
from nsys_walls.store.timeline import Timeline


def timeline(store, *sources, gpus=1, names=1):
    run = store_run(store, *sources)
    numbers = [source.source for source in run.manifest.sources]
    return Timeline(
        run,
        points={
            (number, kernel): kernel for number, kernel in product(numbers, range(names * gpus))
        },
        devices={(number, gpu): gpu for number, gpu in product(numbers, range(gpus))},
    )


def test_quantiles_are_exact_and_interpolated(tmp_path):
    # 10 launches of 100..1000 ns: median 550, p95 between the 9th and the 10th: 900 + 0.55 * 100
    rows = trace_rows([(i * 2000, i * 100, 0, 0, 7) for i in range(1, 11)])
    with timeline(tmp_path, rows) as times:
        (found,) = times.launch_times().values()
    assert (found.launches, found.time_ns, found.mean_ns) == (10, 5500, 550)
    assert (found.median_ns, found.p95_ns) == (550, pytest.approx(955))
    assert (found.min_ns, found.max_ns, found.first_ns) == (100, 1000, 100)


def test_overlapping_streams_count_once_and_devices_apart(tmp_path):
    rows = trace_rows(
        [(0, 100, 0, 0, 7), (50, 100, 0, 0, 8), (60, 10, 0, 0, 9), (0, 500, 0, 1, 7)], gpus=2
    )
    with timeline(tmp_path, rows, gpus=2) as times:
        first, second = times.device_times().values()
        assert list(times.device_times()) == [0, 1]
    assert (first.launches, first.kernel_ns, first.busy_ns) == (3, 210, 150)
    assert (second.launches, second.busy_ns) == (1, 500)


def test_copies_in_gaps_are_neither_kernels_nor_idle(tmp_path):
    # kernel 100..200; copies 0..50 before, 150..250 across its end, 240..260; set 400..410
    rows = {
        **trace_rows([(100, 100, 0, 0, 7)]),
        "copies": [
            {"start_ns": start, "duration_ns": length, "gpu": 0}
            for start, length in ((0, 50), (150, 100), (240, 20), (400, 10))
        ],
    }
    with timeline(tmp_path, rows) as times:
        (found,) = times.device_times().values()
    assert (found.span_ns, found.busy_ns) == (410, 100)
    assert found.copy_ns == 50 + 60 + 10
    assert found.idle_ns == 410 - 100 - 120


def test_graphs_traced_as_one_row_are_busy_and_hidden(tmp_path):
    rows = {
        **trace_rows([(0, 10, 0, 0, 7)]),
        "graphs": [{"start_ns": 20, "duration_ns": 30, "gpu": 0}],
    }
    with timeline(tmp_path, rows) as times:
        (found,) = times.device_times().values()
    assert (found.busy_ns, found.graph_hidden_ns, found.kernel_ns) == (40, 30, 10)


intervals = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 80), st.sampled_from(["kernel", "copy"])),
    min_size=1,
    max_size=25,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(intervals)
def test_accounting_agrees_with_counting_every_nanosecond(tmp_path, rows):
    kernels = [(start, length, 0, 0, 7) for start, length, kind in rows if kind == "kernel"]
    copies = [(start, length) for start, length, kind in rows if kind == "copy"]
    tables = {
        **trace_rows(kernels),
        "copies": [{"start_ns": s, "duration_ns": d, "gpu": 0} for s, d in copies],
    }
    with timeline(tmp_path, tables) as times:
        (found,) = times.device_times().values()
    busy = {ns for start, length, *_ in kernels for ns in range(start, start + length)}
    copied = {ns for start, length in copies for ns in range(start, start + length)} - busy
    assert found.busy_ns == len(busy)
    assert found.copy_ns == len(copied)
    assert found.busy_ns + found.copy_ns + found.idle_ns == found.span_ns
    assert found.idle_ns >= 0


def test_a_launch_that_ends_long_after_its_follower_began_is_impossible(tmp_path):
    good = [(i * 1_000_000, 500_000, 0, 0, 7) for i in range(10)]
    bad = (10_000_000, 9_000_000_000, 1, 0, 7)
    after = [((11 + i) * 1_000_000, 500_000, 0, 0, 7) for i in range(10)]
    elsewhere = [(20_000_000_000, 5_000_000_000, 1, 0, 8), (21_000_000_000, 10, 0, 0, 9)]
    slight = [(40_000_000_000, 1_000_000, 0, 0, 7), (40_000_950_000, 10, 0, 0, 7)]
    rows = trace_rows([*good, bad, *after, *elsewhere, *slight], names=("good", "bad"))
    with timeline(tmp_path, rows, names=2) as times:
        (found,) = times.impossible_launches()
    assert (found.point, found.launches, found.time_ns) == (1, 1, 9_000_000_000)


def test_recoverable_time_is_summed_over_launches(tmp_path):
    rows = trace_rows([(0, 100, 0, 0, 7), (200, 250, 0, 0, 7), (500, 90, 0, 0, 7)])
    with timeline(tmp_path, rows) as times:
        assert times.recoverable_ns({0: 100.0}) == {0: 150.0}
        assert times.durations_ns([0]) == {0: [(100, True), (250, True), (90, True)]}
        assert times.durations_ns([]) == {}


def test_points_join_kernels_of_several_sources(tmp_path):
    with timeline(
        tmp_path, trace_rows([(0, 10, 0, 0, 7)]), trace_rows([(5, 30, 0, 0, 7)])
    ) as times:
        (found,) = times.launch_times().values()
    assert (found.launches, found.time_ns, found.median_ns) == (2, 40, statistics.median([10, 30]))


def test_a_run_without_launches_has_no_times(tmp_path):
    with timeline(tmp_path, {"summaries": [{"name": "k", "launches": 1, "total_ns": 5}]}) as times:
        assert times.launch_times() == {}
        assert times.device_times() == {}
        assert times.impossible_launches() == []
        assert times.range_times() == []
        assert times.wall_ns() is None


def test_sources_have_clocks_of_their_own(tmp_path):
    # one GPU, two recordings: 0..2000 and 3000..5000; 0..500. Nothing of them overlaps.
    first = trace_rows([(0, 2000, 0, 0, 7), (3000, 2000, 0, 0, 7)])
    with timeline(tmp_path, first, trace_rows([(0, 500, 0, 0, 7)])) as times:
        (found,) = times.device_times().values()
        assert times.wall_ns() == 5000
    assert (found.busy_ns, found.span_ns, found.idle_ns) == (4500, 5500, 1000)


@pytest.mark.parametrize("table", ["launches", "kernels", "copies"])
@pytest.mark.parametrize("damage", ["missing", "cut", "foreign"])
def test_damaged_files_of_a_run_are_one_error(tmp_path, table, damage):
    rows = {
        **trace_rows([(0, 10, 0, 0, 7)]),
        "copies": [{"start_ns": 0, "duration_ns": 1, "gpu": 0}],
    }
    run = store_run(tmp_path, rows)
    ((_, path),) = run.files(table)
    whole = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"hello")
    opened = Timeline(run, points={(0, 0): 0}, devices={(0, 0): 0})
    with pytest.raises(InputError, match="is missing, damaged") as caught, opened as times:
        times.device_times()
    assert caught.value.slug == "damaged-run"


def test_times_that_can_not_be_are_one_error(tmp_path):
    rows = trace_rows([(0, 2**62, 0, 0, 7), (1, 2**62 + 2**61, 0, 0, 8), (2, 2**62, 0, 0, 9)])
    with timeline(tmp_path, rows) as times, pytest.raises(InputError, match="times that can't be"):
        times.launch_times()
