"""Run queries: SQLAlchemy wrote them, the Arrow-native SQLite driver runs them in threads."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

import adbc_driver_manager
import adbc_driver_sqlite
import pyarrow as pa
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from nsys_walls.sources.nsys_sqlite.connect import damaged
from nsys_walls.sources.nsys_sqlite.schema import Found
from nsys_walls.traces.arrow import decoded

#: Rows read at once: enough to outweigh a query's cost. Twice as many are no faster and take
#: 60 MB more, half as many are slower (measured on 5 M launches).
CHUNK_ROWS = 65_536

# No row of the tables that are read in chunks takes less: start and end alone are 9 bytes.
_ROW_BYTES = 16
_ALL_ROWS = 2**30

_DIALECT = sqlite.dialect()
_Result = TypeVar("_Result")


def _sql(query: sa.Select[Any]) -> str:
    return str(query.compile(dialect=_DIALECT, compile_kwargs={"literal_binds": True}))


@contextmanager
def _damage_as_error(label: str) -> Iterator[None]:
    try:
        yield
    except (adbc_driver_manager.Error, pa.ArrowException, OSError) as error:
        line = str(error).splitlines()[0].rpartition(": ")[2]
        raise damaged(label, f"SQLite says {line!r}") from error


@contextmanager
def connected(uri: str, *, label: str, size_bytes: int, jobs: int) -> Iterator["Database"]:
    """Connect to a trace.

    Args:
        uri: Where it is, see `connect.opened`.
        label: The file's name, for errors.
        size_bytes: Its size.
        jobs: Queries that may run at once.
    """
    with ExitStack() as stack:
        connections: SimpleQueue[Any] = SimpleQueue()
        with _damage_as_error(label):
            database = stack.enter_context(adbc_driver_sqlite.connect(uri))
            for _ in range(jobs):
                connection = adbc_driver_manager.AdbcConnection(database)
                connections.put(stack.enter_context(connection))
        yield Database(connections, label=label, size_bytes=size_bytes, jobs=jobs)


class Database:
    """A trace that is open for reading, see `connected`.

    The driver infers a column's type from the first batch of a result and can't hold two types
    in one column: integers beside a REAL would come as doubles. A result is therefore read as
    one batch, and `chunks` repeats a chunk with a stricter query where a column is no integer.
    """

    def __init__(
        self, connections: "SimpleQueue[Any]", *, label: str, size_bytes: int, jobs: int
    ) -> None:
        self._connections, self._label = connections, label
        self._size_bytes, self._jobs = size_bytes, jobs

    @contextmanager
    def _result(
        self, query: sa.Select[Any], batch_rows: int = _ALL_ROWS
    ) -> Iterator[pa.RecordBatchReader]:
        connection = self._connections.get()
        try:
            with adbc_driver_manager.AdbcStatement(connection) as statement:
                batch = {adbc_driver_sqlite.StatementOptions.BATCH_ROWS.value: str(batch_rows)}
                statement.set_options(**batch)
                statement.set_sql_query(_sql(query))
                with _damage_as_error(self._label):
                    handle, _ = statement.execute_query()
                    with pa.RecordBatchReader.from_stream(handle) as reader:
                        yield reader
        finally:
            self._connections.put(connection)

    def table(self, query: sa.Select[Any]) -> pa.Table:
        """Run a query whose result fits in memory; one chunk a column."""
        with self._result(query) as reader:
            return reader.read_all().combine_chunks()

    def rows(self, query: sa.Select[Any]) -> list[dict[str, Any]]:
        """Run a query with few rows; text comes as str, numbers as int, NULL as None."""
        result = self.table(query)
        columns = [
            column.to_pylist() if pa.types.is_int64(column.type) else decoded(column)
            for column in result.columns
        ]
        return [
            dict(zip(result.column_names, row, strict=True)) for row in zip(*columns, strict=True)
        ]

    def span(self, found: Found) -> range | None:
        """Give the first and the last row number of a table as a range; None for a view."""
        if found.rowid is None:
            return None
        # two queries: SQLite answers min or max from the index, but not both at once
        ends = [
            self.rows(sa.select(pick(found.rowid).label("row")).select_from(found.table))[0]["row"]
            for pick in (sa.func.min, sa.func.max)
        ]
        return range(0) if ends[0] is None else range(ends[0], ends[1] + 1)

    def chunks(
        self,
        found: Found,
        query: sa.Select[Any],
        work: Callable[[pa.Table], _Result],
        *,
        strict: sa.Select[Any],
        text: str | None = None,
    ) -> Iterator[_Result]:
        """Run a query over consecutive rows of a table, several chunks at a time.

        Args:
            found: The table.
            query: What to select from it.
            work: Called with each chunk, in the thread that read it.
            strict: Takes the query's place where that gives anything but integers.
            text: A column that is text in both.

        Yields:
            What ``work`` returned, in the order of the rows.
        """
        span = self.span(found)
        if span is None or found.rowid is None:
            yield from self._stream(strict, work)
            return
        rowid = found.rowid
        # where numbers have gaps, steps are wider
        most_rows = self._size_bytes // _ROW_BYTES
        step = CHUNK_ROWS * max(1, -(-(span.stop - span.start) // most_rows))

        def read(low: int) -> _Result:
            def bounded(select: sa.Select[Any]) -> sa.Select[Any]:
                return select.where(rowid.between(low, low + step - 1)).order_by(rowid)

            chunk = self.table(bounded(query))
            if not all(
                pa.types.is_int64(column.type) for column in chunk.schema if column.name != text
            ):
                chunk = self.table(bounded(strict))
            return work(chunk)

        with ThreadPoolExecutor(self._jobs) as pool:
            waiting: deque[Future[_Result]] = deque()
            for low in span[::step]:
                waiting.append(pool.submit(read, low))
                if len(waiting) > self._jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def _stream(
        self, query: sa.Select[Any], work: Callable[[pa.Table], _Result]
    ) -> Iterator[_Result]:
        with self._result(query, CHUNK_ROWS) as reader:
            for batch in reader:
                yield work(pa.Table.from_batches([batch]))
