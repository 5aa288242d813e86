from itertools import groupby

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsys_walls.store.copy_times import CopyRow, copy_times

SPAN = "source SMALLINT, device BIGINT, start_ns BIGINT, end_ns BIGINT"
WORK = f"{SPAN}, in_scope BOOLEAN"
COPIES = f"{SPAN}, operation VARCHAR, bytes BIGINT, source_memory VARCHAR, target_memory VARCHAR"


@pytest.fixture(scope="module")
def database():
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


def insert(database, table, columns, rows):
    database.execute(f"CREATE OR REPLACE TABLE {table} ({columns})")
    if rows:
        places = ", ".join("?" for _ in rows[0])
        database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608


def times(database, launches, copies, graphs=(), *, outside=()):
    """Sum copies from (source, device, start_ns, end_ns, …) rows; `outside` is not in scope."""
    inside = [(*row, True) for row in launches]
    insert(database, "every_launch", WORK, inside + [(*row, False) for row in outside])
    insert(database, "every_graph", WORK, [(*row, True) for row in graphs])
    insert(database, "stored", COPIES, copies)
    database.execute(
        "CREATE OR REPLACE VIEW copies AS SELECT *, end_ns - start_ns AS duration_ns FROM stored"
    )
    return copy_times(lambda query: database.execute(query).fetchall())


def copy(start_ns, end_ns, *, source=0, device=0, operation="memset", size=100):
    return (source, device, start_ns, end_ns, operation, size, "pinned", "device")


def hidden(database, launches, copies, graphs=()):
    (row,) = times(database, launches, copies, graphs)
    return row.hidden_ns


def sums(database, launches, copies, graphs=(), **changes):
    """Give sum, union, hidden and exposed time of copies that have all in common."""
    (row,) = times(database, launches, copies, graphs, **changes)
    return row.time_ns, row.union_ns, row.hidden_ns, row.exposed_ns


def test_totals_by_device_operation_and_memories(database):
    copies = [
        (0, 0, 0, 100, "host_to_device", 1000, "pageable", "device"),
        (0, 0, 200, 250, "host_to_device", 1000, "pageable", "device"),
        (0, 0, 300, 310, "host_to_device", 8, "pinned", "device"),
        (1, 0, 0, 400, "memset", 4, None, "device"),
        (0, 1, 0, 5, None, 7, None, None),
    ]
    found = times(database, [(0, 0, 90, 210), (1, 0, 0, 1)], copies)
    assert found == (
        CopyRow(
            device=0, operation="memset", source_memory=None, target_memory="device",
            copies=1, bytes=4, time_ns=400, union_ns=400, median_bytes_per_s=1e7, hidden_ns=1,
            exposed_ns=399,
        ),
        CopyRow(
            device=0, operation="host_to_device", source_memory="pageable",
            target_memory="device", copies=2, bytes=2000, time_ns=150, union_ns=150,
            median_bytes_per_s=1.5e10, hidden_ns=20, exposed_ns=130,
        ),
        CopyRow(
            device=0, operation="host_to_device", source_memory="pinned",
            target_memory="device", copies=1, bytes=8, time_ns=10, union_ns=10,
            median_bytes_per_s=8e8, hidden_ns=0, exposed_ns=10,
        ),
        CopyRow(
            device=1, operation=None, source_memory=None, target_memory=None,
            copies=1, bytes=7, time_ns=5, union_ns=5, median_bytes_per_s=1.4e9, hidden_ns=0,
            exposed_ns=5,
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((0, 10), 0),  # before the first kernel
        ((0, 100), 0),  # up to it
        ((0, 150), 50),
        ((100, 400), 300),  # 100..300 and 200..400 overlap, and 210..220 lies within
        ((215, 216), 1),
        ((350, 600), 150),  # behind the gap, 500..700 begins
        ((400, 500), 0),  # the gap
        ((50, 900), 500),
        ((700, 800), 0),  # after the last
        ((250, 250), 0),  # no time at all
    ],
)
def test_hidden_time_lies_under_the_union_of_kernels(database, span, expected):
    kernels = [(0, 0, 210, 220), (0, 0, 100, 300), (0, 0, 500, 700), (0, 0, 200, 400)]
    assert hidden(database, kernels, [copy(*span)]) == expected


def test_kernels_of_other_devices_and_sources_hide_nothing(database):
    kernels = [(0, 0, 500, 600), (0, 1, 0, 100), (1, 0, 0, 100)]
    assert hidden(database, kernels, [copy(0, 100)]) == 0


@pytest.mark.parametrize(
    ("copies", "expected"),
    [
        # the kernel runs from 100 to 200
        ([copy(0, 100), copy(0, 100), copy(0, 100)], (300, 100, 0, 100)),
        ([copy(50, 250), copy(150, 300)], (350, 250, 150, 150)),
        # one within the other, and the longer one starts first
        ([copy(0, 300), copy(50, 60)], (310, 300, 100, 200)),
        # the union goes on under the kernel: 0..50 and 250..260 are exposed
        ([copy(0, 50), copy(120, 150), copy(140, 260), copy(130, 135)], (205, 190, 95, 110)),
        ([copy(100, 200), copy(120, 180)], (160, 100, 160, 0)),
    ],
)
def test_copies_at_once_are_exposed_once(database, copies, expected):
    assert sums(database, [(0, 0, 100, 200)], copies) == expected


def test_graphs_of_one_row_hide_copies_too(database):
    # busy from 0 to 60 and from 80 to 100
    kernels, graphs = [(0, 0, 0, 40), (0, 0, 80, 90)], [(0, 0, 30, 60), (0, 0, 85, 100)]
    assert sums(database, kernels, [copy(20, 120)], graphs) == (100, 100, 60, 40)
    # a trace of nothing but graphs knows what hides its copies
    assert sums(database, [], [copy(20, 120)], graphs) == (100, 100, 45, 55)


def test_what_is_out_of_scope_hides_nothing_but_was_traced(database):
    assert sums(database, [], [copy(0, 100)], outside=[(0, 0, 0, 50)]) == (100, 100, 0, 100)


def test_copies_of_several_clocks_are_not_at_once(database):
    copies = [copy(0, 100), copy(0, 100, source=1)]
    kernels = [(0, 0, 0, 30), (1, 0, 0, 60)]
    assert sums(database, kernels, copies) == (200, 200, 90, 110)


def test_hidden_time_is_unknown_where_no_kernel_was_traced(database):
    assert hidden(database, [], [copy(0, 100)]) is None
    elsewhere = [(0, 0, 0, 100)]
    assert hidden(database, elsewhere, [copy(0, 100), copy(0, 100, source=1)]) is None
    known, unknown = times(
        database, elsewhere, [copy(0, 100), copy(0, 10, source=1, operation="other")]
    )
    assert (known.hidden_ns, unknown.hidden_ns) == (100, None)
    assert (known.exposed_ns, unknown.exposed_ns, unknown.union_ns) == (0, None, 10)


def test_unknown_bytes_of_one_copy_leave_the_sum_unknown(database):
    (row,) = times(database, [], [copy(0, 100, size=None), copy(0, 200, size=50)])
    assert (row.copies, row.bytes, row.time_ns) == (2, None, 300)
    assert row.median_bytes_per_s == 2.5e8
    (row,) = times(database, [], [copy(0, 0), copy(5, 5)])
    assert (row.bytes, row.time_ns, row.median_bytes_per_s) == (200, 0, None)


def test_no_copies_have_no_rows(database):
    assert times(database, [(0, 0, 0, 10)], []) == ()


spans = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 60), st.integers(0, 30)).map(
    lambda span: (*span[:3], span[2] + span[3])
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(spans, max_size=8),
    st.lists(spans, max_size=8),
    st.lists(spans, min_size=1, max_size=8),
)
def test_times_agree_with_counting_every_nanosecond(launches, graphs, copies):
    with duckdb.connect(config={"threads": 1}) as connection:
        rows = [(*span, "memset", 1, None, None) for span in copies]
        found = times(connection, launches, rows, graphs)
    busy = {(s, d, ns) for s, d, start, end in launches + graphs for ns in range(start, end)}
    traced = {source for source, *_ in launches + graphs}
    expected = {}
    for device, spans_there in groupby(sorted(copies, key=lambda c: c[1]), key=lambda c: c[1]):
        group = list(spans_there)
        copied = [(s, d, ns) for s, d, start, end in group for ns in range(start, end)]
        is_known = {s for s, *_ in group} <= traced
        expected[device] = (
            len(copied),
            len(set(copied)),
            sum(ns in busy for ns in copied) if is_known else None,
            len(set(copied) - busy) if is_known else None,
        )
    assert {
        row.device: (row.time_ns, row.union_ns, row.hidden_ns, row.exposed_ns) for row in found
    } == expected
    assert sum(row.copies for row in found) == len(copies)
