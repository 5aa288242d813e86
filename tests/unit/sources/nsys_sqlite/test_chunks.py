"""Chunks of rows: order, gaps, types that change, and tables without row numbers."""

import pytest
from support.nsys_traces import execute, kernel, launches, read_trace

from nsys_walls.sources.nsys_sqlite import chunks


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    """Seven rows a chunk, so that a small trace has many."""
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 7)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_rows_keep_their_order(trace, jobs):
    starts = [(i * 37) % 1000 for i in range(100)]
    path = trace(kernels=[kernel(start=start) for start in starts])
    sink, info = read_trace(path, jobs=jobs)
    assert sink.table("launches")["start_ns"].to_pylist() == starts
    assert info.rows == 100


def test_row_numbers_may_have_gaps_and_be_negative(trace):
    path = trace(kernels=[kernel(start=start) for start in range(20)])
    execute(
        path,
        "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start % 3 = 0",
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET rowid = -5 WHERE start = 1",
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET rowid = 9000000000000000000 WHERE start = 2",
    )
    starts = read_trace(path)[0].table("launches")["start_ns"].to_pylist()
    assert starts == [1, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 2]


def test_an_index_does_not_change_the_order(trace):
    starts = [5, 3, 9, 1, 7, 2, 8, 4, 6, 0]
    path = trace(kernels=[kernel(start=start) for start in starts])
    names = "start, end, deviceId, streamId, correlationId, demangledName"
    execute(path, f"CREATE INDEX k ON CUPTI_ACTIVITY_KIND_KERNEL ({names})")
    assert read_trace(path)[0].table("launches")["start_ns"].to_pylist() == starts


WITHOUT_ROWID = """CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
    start INTEGER PRIMARY KEY, end, deviceId, streamId, demangledName,
    gridX, gridY, gridZ, blockX, blockY, blockZ) WITHOUT ROWID"""
FILL = """INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT start, end, deviceId, streamId, demangledName, gridX, gridY, gridZ,
    blockX, blockY, blockZ FROM copy"""


@pytest.mark.parametrize(
    "change",
    [["CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM copy"], [WITHOUT_ROWID, FILL]],
    ids=["view", "without rowid"],
)
def test_tables_without_row_numbers(trace, change):
    path = trace(kernels=[kernel(start=start) for start in range(30)])
    execute(
        path,
        "CREATE TABLE copy AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL",
        "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL",
        *change,
    )
    progress = []
    sink, info = read_trace(path, progress=lambda *counts: progress.append(counts))
    assert sink.table("launches")["start_ns"].to_pylist() == list(range(30))
    assert info.rows == 30
    assert progress[-1] == (30, None)


def test_progress_counts_rows(trace):
    progress = []
    path = trace(kernels=[kernel(start=start) for start in range(16)])
    read_trace(path, progress=lambda *counts: progress.append(counts))
    assert progress == [(7, 16), (14, 16), (16, 16)]


def test_numbers_beside_a_real_keep_every_digit(trace):
    """As doubles, 2**53 + 1 would read 2**53; only the row that is no number may go."""
    exact = 2**53 + 1
    path = trace(kernels=[kernel(start=exact + i, end=exact + i + 10) for i in range(5)])
    execute(path, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 5.5 WHERE rowid = 4")
    sink, info = read_trace(path)
    assert sink.table("launches")["start_ns"].to_pylist() == [exact + i for i in (0, 1, 2, 4)]
    assert [(row.reason, row.rows) for row in info.skipped] == [
        ("launches without a whole number as start, end, device or name", 1)
    ]


@pytest.mark.parametrize("value", ["'text'", "x'00ff'", "1.25", "NULL"])
@pytest.mark.parametrize("column", ["start", "end", "deviceId", "demangledName"])
def test_a_row_without_a_usable_number_is_left_out_and_counted(trace, column, value):
    path = trace(kernels=[kernel(start=start) for start in range(20)])
    change = f'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "{column}" = {value} WHERE rowid = 9'  # noqa: S608
    execute(path, change)
    sink, info = read_trace(path)
    assert info.rows == sink.table("launches").num_rows == 19
    assert [row.rows for row in info.skipped] == [1]


@pytest.mark.parametrize("value", ["'text'", "x'00ff'", "1.25", "NULL"])
def test_an_optional_value_that_is_no_number_is_null(trace, value):
    path = trace(kernels=[kernel(start=start, gridX=5) for start in range(3)])
    change = f"gridX = {value}, streamId = {value} WHERE rowid = 2"
    execute(path, f"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET {change}")  # noqa: S608
    rows = launches(read_trace(path)[0])
    assert [(row["grid_x"], row["stream"]) for row in rows] == [(5, 7), (None, None), (5, 7)]


def test_a_column_that_begins_with_nulls(trace):
    correlations = [None] * 9 + [2**40] + [None] * 5
    path = trace(kernels=[kernel(start=i, correlationId=c) for i, c in enumerate(correlations)])
    assert read_trace(path)[0].table("launches")["correlation"].to_pylist() == correlations
