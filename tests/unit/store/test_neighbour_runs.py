"""Kernels in a row that come again: what is one run, and how often it occurs."""

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.runs import store_run, trace_rows

from nsys_walls.store.neighbour_runs import LONGEST_RUN, recurring_runs
from nsys_walls.store.neighbours import Member, find_neighbours
from nsys_walls.store.timeline import Timeline

#: Kernels are letters; those from "z" downwards pass nothing on.
LETTERS = "abcdefghijklmnopqrst"
BREAK = "."


def runs_of(store, sequence, *, passed=None):
    """Find runs in launches of 10 ns each, as (letters, occurrences, time)."""
    names = sorted(set(sequence) | {"a"})
    numbers = {name: place for place, name in enumerate(names)}
    rows = trace_rows(
        [(place * 20, 10, numbers[name], 0, 7) for place, name in enumerate(sequence)],
        names=names,
    )
    members = [
        Member(point=numbers[name], twin=numbers[name], read_bytes=1000, begins=False, bytes=2000,
               write_bytes=(passed or {}).get(name, 1000))
        for name in names if name != BREAK
    ]  # fmt: skip
    run = store_run(store, rows)
    points = {(0, number): number for number in numbers.values()}
    with Timeline(run, points=points, devices={(0, 0): 0}) as timeline:
        find_neighbours(timeline, members)
        return [
            ("".join(names[point] for point in row.points), row.occurrences, row.time_ns)
            for row in recurring_runs(timeline, 1)
        ]


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("abc.abc", [("abc", 2, 60)]),
        ("abc.abd", []),
        ("ab.abc.ab.abc", [("abc", 2, 60), ("ab", 2, 40)]),
        # what repeats itself is its period
        ("abab", [("ab", 2, 40)]),
        ("abab.ab", [("ab", 3, 60)]),
        ("ababa.ababa", [("ab", 4, 80)]),
        ("abcabcabc", [("abc", 3, 90)]),
        # one that comes again is no period alone
        ("abac.abac", [("abac", 2, 80)]),
        ("aaaa", []),
        ("abcdefgh.abcdefgh", [("abcdefgh", 2, 160)]),
        ("", []),
    ],
)
def test_runs_come_again(tmp_path, sequence, expected):
    assert runs_of(tmp_path, sequence) == expected


def test_a_long_row_begins_again_where_its_first_kernel_does(tmp_path):
    assert runs_of(tmp_path, "abc" * 10) == [("abc", 10, 300)]
    assert runs_of(tmp_path / "b", "abcad" * 10) == [("abc", 10, 300), ("ad", 10, 200)]


def test_a_long_row_is_cut_where_least_passes(tmp_path):
    # from d to e half as much passes as elsewhere
    found = runs_of(tmp_path, "abcdefghij.abcdefghij", passed={"d": 500})
    assert found == [("efghij", 2, 120), ("abcd", 2, 80)]


def test_among_equal_links_the_last_one_is_cut(tmp_path):
    # nine links: the last of them comes up last
    assert runs_of(tmp_path, "abcdefghi.abcdefghi") == [("abcdefgh", 2, 160)]


def test_a_sequence_is_cut_alike_each_time(tmp_path):
    # a period of 12 kernels, from its first one and from the middle; least passes behind d and l
    period = LETTERS[:12]
    weak = {"d": 500, "l": 400}
    assert runs_of(tmp_path / "0", period * 4, passed=weak) == [
        ("efghijkl", 4, 320),
        ("abcd", 4, 160),
    ]
    turned = period[6:] + period[:6]
    assert runs_of(tmp_path / "6", turned * 4, passed=weak) == [
        ("abcdef", 4, 240),
        ("ghijkl", 4, 240),
    ]


def test_short_runs_are_left_out(tmp_path):
    rows = trace_rows([(0, 10, 0, 0, 7), (20, 10, 1, 0, 7)] * 1, names=("a", "b"))
    run = store_run(tmp_path, rows)
    with Timeline(run, points={(0, 0): 0, (0, 1): 1}, devices={(0, 0): 0}) as timeline:
        members = [
            Member(point=i, twin=i, read_bytes=1, write_bytes=1, bytes=2, begins=False)
            for i in (0, 1)
        ]
        find_neighbours(timeline, members)
        assert recurring_runs(timeline, 21) == ()


def test_what_comes_once_on_each_device_comes_again(tmp_path):
    # a and b on two GPUs: kernels 0 and 1, 2 and 3
    rows = trace_rows(
        [(0, 10, 0, 0, 7), (20, 10, 1, 0, 7), (5, 10, 0, 1, 7), (25, 10, 1, 1, 7)],
        names=("a", "b"), gpus=2,
    )  # fmt: skip
    members = [
        Member(point=i, twin=i % 2, read_bytes=1, write_bytes=1, bytes=2, begins=False)
        for i in range(4)
    ]
    points = {(0, i): i for i in range(4)}
    devices = {(0, 0): 0, (0, 1): 1}
    with Timeline(store_run(tmp_path, rows), points=points, devices=devices) as timeline:
        find_neighbours(timeline, members)
        # 20 ns on each device: both together are 40
        found = recurring_runs(timeline, 40)
        assert [(run.points, run.twins, run.occurrences, run.time_ns) for run in found] == [
            ((0, 1), (0, 1), 1, 20),
            ((2, 3), (0, 1), 1, 20),
        ]
        assert recurring_runs(timeline, 41) == ()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text("abcde.", max_size=60))
def test_runs_are_parts_of_what_was_launched(tmp_path_factory, sequence):
    found = runs_of(tmp_path_factory.mktemp("runs"), sequence)
    assert sum(occurrences * len(run) for run, occurrences, _ in found) <= len(sequence)
    for run, occurrences, time_ns in found:
        assert 2 <= len(run) <= LONGEST_RUN
        assert all(first != second for first, second in pairwise(run))
        assert BREAK not in run
        assert 2 <= occurrences <= sequence.count(run)
        assert time_ns == 10 * len(run) * occurrences
