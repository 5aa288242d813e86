"""Nesting of ranges, compared with looking at every pair of ranges."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.traces.nesting import OUTSIDE, Ranges, nest

THREADS = st.integers(1, 3)
TIMES = st.integers(0, 30)
LISTS = st.lists(st.tuples(THREADS, TIMES, st.integers(0, 12)), min_size=1, max_size=25)


def nested(rows):
    """Nest (thread, start, end); no row counts on a second thread."""
    thread, start, end = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    number = np.arange(len(rows), dtype=np.int32)
    own = np.ones(len(rows), bool)
    return nest(Ranges(number=number, own=own, thread=thread, start=start, end=end), len(rows))


def around(nesting, thread, time):
    return int(nesting.range_of[nesting.segments(thread, np.array([time]))[0]])


def enclosing(rows, this):
    """Find the last range, in order of start and falling end, that lies around another."""
    order = sorted(range(len(rows)), key=lambda i: (rows[i][1], -rows[i][2], i))
    thread, _, end = rows[this]
    before = [i for i in order[: order.index(this)] if rows[i][0] == thread and rows[i][2] >= end]
    return before[-1] if before else OUTSIDE


@given(LISTS, THREADS, TIMES)
def test_innermost_is_the_last_to_begin_of_those_around(rows, thread, time):
    rows = [(thread, start, start + length) for thread, start, length in rows]
    open_then = [
        (start, -end, number)
        for number, (on, start, end) in enumerate(rows)
        if on == thread and start <= time <= end
    ]
    expected = max(open_then)[2] if open_then else OUTSIDE
    assert around(nested(rows), thread, time) == expected


@given(LISTS)
def test_parent_is_the_last_to_begin_that_encloses(rows):
    rows = [(thread, start, start + length) for thread, start, length in rows]
    parents = nested(rows).parent_of.tolist()
    assert parents == [enclosing(rows, this) for this in range(len(rows))]


@given(LISTS, THREADS)
def test_a_later_time_has_no_lower_segment(rows, thread):
    nesting = nested([(thread, start, start + length) for thread, start, length in rows])
    segments = nesting.segments(thread, np.arange(-1, 50))
    assert (np.diff(segments) >= 0).all()


def test_segment_zero_is_outside_on_any_thread():
    nesting = nested([(1, 10, 20)])
    assert nesting.segments(99, np.array([15])).tolist() == [0]
    assert nesting.range_of[0] == OUTSIDE


def test_both_ends_belong_to_a_range():
    nesting = nested([(1, 10, 20)])
    assert [around(nesting, 1, time) for time in (9, 10, 20, 21)] == [OUTSIDE, 0, 0, OUTSIDE]


def test_of_two_equal_ranges_the_second_row_is_inside_the_first():
    nesting = nested([(1, 10, 20), (1, 10, 20)])
    assert nesting.parent_of.tolist() == [OUTSIDE, 0]
    assert around(nesting, 1, 12) == 1


def test_a_range_that_outlasts_the_one_around_it_has_no_parent():
    # 0 is [0, 10]; 1 begins inside and ends after it; 2 is nested in 1; 3 touches 0 at its end
    nesting = nested([(1, 0, 10), (1, 5, 20), (1, 6, 8), (2, 0, 10), (2, 10, 12)])
    assert nesting.parent_of.tolist() == [OUTSIDE, OUTSIDE, 1, OUTSIDE, OUTSIDE]
    assert nesting.overlaps == 1
    assert [around(nesting, 1, time) for time in (4, 7, 9, 15)] == [0, 2, 1, 1]


def test_many_siblings_and_deep_nesting_are_quick():
    """20,000 siblings in each of two ranges, then 20,000 levels; a chain would take minutes."""
    siblings = [(1, 10 * i + 1, 10 * i + 9) for i in range(20_000)]
    deep = [(2, i, 100_000 - i) for i in range(20_000)]
    nesting = nested([(1, 0, 200_000), *siblings, *deep])
    assert nesting.parent_of[1:20_001].tolist() == [0] * 20_000
    assert nesting.parent_of[20_002:].tolist() == list(range(20_001, 40_000))


def test_times_on_the_closing_side_of_deep_nesting_find_their_level():
    """Levels close in turn: each of 100,000 times has the level around it, not a long climb."""
    rows = [(1, i, 300_000 - 2 * i) for i in range(100_000)]
    nesting = nested(rows)
    times = np.arange(100_002, 300_001, 2)
    found = nesting.range_of[nesting.segments(1, times)]
    assert found.tolist() == list(range(99_999, -1, -1))
    assert nesting.overlaps == 0


def test_ranges_that_overlap_like_stairs_are_counted():
    """Each of 50,000 ranges but the first begins in the one before and outlasts it."""
    nesting = nested([(1, i, 100_000 + i) for i in range(50_000)])
    assert nesting.overlaps == 49_999
    assert set(nesting.parent_of.tolist()) == {OUTSIDE}


def test_a_range_counts_on_its_second_thread_but_has_its_parent_on_its_own():
    # range 0 on thread 1; range 1 began inside it and ended on thread 2, where range 2 is around
    ranges = Ranges(
        number=np.array([0, 1, 2, 1], np.int32),
        own=np.array([True, True, True, False]),
        thread=np.array([1, 1, 2, 2]),
        start=np.array([0, 2, 1, 2]),
        end=np.array([9, 5, 7, 5]),
    )
    nesting = nest(ranges, 3)
    assert nesting.parent_of.tolist() == [OUTSIDE, 0, OUTSIDE]
    assert [around(nesting, thread, 3) for thread in (1, 2)] == [1, 1]
    assert nesting.overlaps == 0
