from itertools import groupby

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsys_walls.store.copy_times import CopyRow, copy_times

LAUNCHES = "source SMALLINT, device BIGINT, start_ns BIGINT, end_ns BIGINT"
COPIES = (
    f"{LAUNCHES}, operation VARCHAR, bytes BIGINT, source_memory VARCHAR, target_memory VARCHAR"
)


@pytest.fixture(scope="module")
def database():
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


def insert(database, table, columns, rows):
    database.execute(f"CREATE OR REPLACE TABLE {table} ({columns})")
    if rows:
        places = ", ".join("?" for _ in rows[0])
        database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608


def times(database, launches, copies):
    """Sum copies from (source, device, start_ns, end_ns, …) rows."""
    insert(database, "launches", LAUNCHES, launches)
    insert(database, "stored", COPIES, copies)
    database.execute(
        "CREATE OR REPLACE VIEW copies AS SELECT *, end_ns - start_ns AS duration_ns FROM stored"
    )
    return copy_times(lambda query: database.execute(query).fetchall())


def copy(start_ns, end_ns, *, source=0, device=0, operation="memset", size=100):
    return (source, device, start_ns, end_ns, operation, size, "pinned", "device")


def hidden(database, launches, copies):
    (row,) = times(database, launches, copies)
    return row.hidden_ns


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
            copies=1, bytes=4, time_ns=400, median_bytes_per_s=1e7, hidden_ns=1,
        ),
        CopyRow(
            device=0, operation="host_to_device", source_memory="pageable",
            target_memory="device", copies=2, bytes=2000, time_ns=150,
            median_bytes_per_s=1.5e10, hidden_ns=20,
        ),
        CopyRow(
            device=0, operation="host_to_device", source_memory="pinned",
            target_memory="device", copies=1, bytes=8, time_ns=10,
            median_bytes_per_s=8e8, hidden_ns=0,
        ),
        CopyRow(
            device=1, operation=None, source_memory=None, target_memory=None,
            copies=1, bytes=7, time_ns=5, median_bytes_per_s=1.4e9, hidden_ns=0,
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


def test_copies_at_once_are_each_counted_whole(database):
    assert hidden(database, [(0, 0, 0, 100)], [copy(0, 100), copy(50, 150)]) == 150


def test_hidden_time_is_unknown_where_no_kernel_was_traced(database):
    assert hidden(database, [], [copy(0, 100)]) is None
    elsewhere = [(0, 0, 0, 100)]
    assert hidden(database, elsewhere, [copy(0, 100), copy(0, 100, source=1)]) is None
    known, unknown = times(
        database, elsewhere, [copy(0, 100), copy(0, 10, source=1, operation="other")]
    )
    assert (known.hidden_ns, unknown.hidden_ns) == (100, None)


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
@given(st.lists(spans, max_size=12), st.lists(spans, min_size=1, max_size=8))
def test_hidden_time_agrees_with_counting_every_nanosecond(launches, copies):
    with duckdb.connect(config={"threads": 1}) as connection:
        found = times(connection, launches, [(*span, "memset", 1, None, None) for span in copies])
    busy = {(s, d, ns) for s, d, start, end in launches for ns in range(start, end)}
    traced = {source for source, *_ in launches}
    expected = {}
    for device, spans_there in groupby(sorted(copies, key=lambda c: c[1]), key=lambda c: c[1]):
        group = list(spans_there)
        under = sum((s, d, ns) in busy for s, d, start, end in group for ns in range(start, end))
        expected[device] = under if {s for s, *_ in group} <= traced else None
    assert {row.device: row.hidden_ns for row in found} == expected
    assert sum(row.copies for row in found) == len(copies)
