"""Exposed communication: what of it no other kernel of the device hides."""

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.runs import store_run, trace_rows

from nsys_walls.store.collectives import find_collectives
from nsys_walls.store.exposed import ExposedCommunication, exposed_communication
from nsys_walls.store.selection import Selected
from nsys_walls.store.timeline import Timeline


def exposed(folder, *sources, selected=None, graphs=()):
    """Ask about launches (start, end, sends, gpu); the second name communicates."""
    tables = [
        trace_rows(
            [(start, end - start, int(sends), gpu, 7) for start, end, sends, gpu in rows],
            names=("gemm", "ncclDevKernel_AllReduce"),
            gpus=2,
        )
        for rows in sources
    ]
    tables[0] = {**tables[0], "graphs": list(graphs)}
    run = store_run(folder, *tables)
    numbers = [source.source for source in run.manifest.sources]
    points = {(n, kernel): kernel % 2 for n in numbers for kernel in range(4)}
    devices = {(n, gpu): gpu for n in numbers for gpu in range(2)}
    with Timeline(run, points=points, devices=devices, selected=selected or Selected()) as timeline:
        find_collectives(timeline, {1: 0})
        return exposed_communication(timeline)


@pytest.mark.parametrize(
    ("computing", "expected"),
    [
        ([], 100),
        ([(0, 100)], 100),  # before
        ([(90, 120)], 80),  # its beginning
        ([(90, 120), (110, 140), (130, 135)], 60),  # 100..140, overlapping
        ([(120, 130), (150, 160)], 80),  # its middle, twice
        ([(50, 300)], 0),  # all of it
        ([(190, 230)], 90),  # its end
    ],
)
def test_other_kernels_hide_communication(tmp_path, computing, expected):
    rows = [(start, end, False, 0) for start, end in computing]
    found = exposed(tmp_path, [*rows, (100, 200, True, 0)])
    assert found == (ExposedCommunication(device=0, time_ns=100, exposed_ns=expected),)


def test_collectives_that_run_at_once_count_once(tmp_path):
    # 100..250 together, of which 180..220 is hidden
    rows = [(100, 200, True, 0), (150, 250, True, 0), (180, 220, False, 0)]
    assert exposed(tmp_path, rows) == (ExposedCommunication(device=0, time_ns=150, exposed_ns=110),)


def test_devices_and_files_do_not_hide_each_other(tmp_path):
    first = [(0, 100, True, 0), (0, 100, False, 1), (200, 210, True, 1)]
    second = [(50, 80, True, 0), (60, 70, False, 0)]
    assert exposed(tmp_path, first, second) == (
        ExposedCommunication(device=0, time_ns=130, exposed_ns=120),
        ExposedCommunication(device=1, time_ns=10, exposed_ns=10),
    )


def test_kernels_that_are_not_selected_hide_too(tmp_path):
    rows = [(0, 60, False, 0), (0, 100, True, 0), (200, 300, False, 1)]
    found = exposed(tmp_path, rows, selected=Selected(points=frozenset({1})))
    assert found == (ExposedCommunication(device=0, time_ns=100, exposed_ns=40),)


def test_whole_graphs_hide_what_runs_beside_them(tmp_path):
    graphs = [{"start_ns": 20, "duration_ns": 30, "gpu": 0, "process": 7, "stream": 7}]
    found = exposed(tmp_path, [(0, 100, True, 0)], graphs=graphs)
    assert found == (ExposedCommunication(device=0, time_ns=100, exposed_ns=70),)


def test_no_communication_is_no_row(tmp_path):
    assert exposed(tmp_path, [(0, 100, False, 0)]) == ()


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 12), st.booleans()), min_size=1, max_size=12
    )
)
def test_exposed_is_counted_moment_by_moment(tmp_path_factory, rows):
    launches = [(start, start + took, communicates, 0) for start, took, communicates in rows]
    folder = tmp_path_factory.mktemp("run")
    found = exposed(folder, launches)
    shutil.rmtree(folder)
    kinds = [
        {communicates for start, end, communicates, _ in launches if start <= now < end}
        for now in range(50)
    ]
    if not any(communicates for _, _, communicates, _ in launches):
        assert found == ()
        return
    (row,) = found
    assert row.time_ns == sum(True in kind for kind in kinds)
    assert row.exposed_ns == sum(kind == {True} for kind in kinds)
