"""Copy the wanted columns of an export's tables into a temporary SQLite file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import adbc_driver_manager
import adbc_driver_sqlite
import pyarrow as pa

from nsys_walls.errors import InputError
from nsys_walls.sources.nsys_arrow.export import ExportTable
from nsys_walls.sources.nsys_arrow.tables import DamagedTableError, read_batches

# the file lives as long as the ingest: nothing in it has to survive a crash
_PRAGMAS = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")

_TARGET = adbc_driver_manager.INGEST_OPTION_TARGET_TABLE
_MODE = adbc_driver_manager.INGEST_OPTION_MODE
_CREATE = adbc_driver_manager.INGEST_OPTION_MODE_CREATE
_APPEND = adbc_driver_manager.INGEST_OPTION_MODE_APPEND

#: Tables whose rows others name by a number, and the column of that number.
_KEYS = {"StringIds": "id"}


@contextmanager
def as_sqlite(
    tables: Sequence[ExportTable], label: str, advance: Callable[[int], None]
) -> Iterator[Path]:
    """Give a SQLite file with the tables, which is gone afterwards.

    Row numbers count the rows of each file, in their order.

    Args:
        tables: What to copy.
        label: The folder's name, for errors.
        advance: Called with the number of rows that were copied, now and then.

    Raises:
        InputError: A file can't be read or is damaged, or there is no room for the copy.
    """
    with _room(label):
        temporary = TemporaryDirectory(prefix="nsys-walls-")
    with temporary as folder:
        target = Path(folder, "trace.sqlite")
        with (
            _room(label),
            adbc_driver_sqlite.connect(f"file:{quote(str(target))}") as database,
            adbc_driver_manager.AdbcConnection(database) as connection,
        ):
            for pragma in _PRAGMAS:
                _execute(connection, pragma)
            for table in tables:
                _copy(connection, table, label, advance)
        yield target


@contextmanager
def _room(label: str) -> Iterator[None]:
    """Turn what goes wrong with the temporary file into an error that says what to do."""
    try:
        yield
    except (adbc_driver_manager.Error, OSError) as error:
        said = getattr(error, "strerror", None) or str(error).splitlines()[0].rpartition(": ")[2]
        msg = (
            f"{label}: its tables can't be copied to a temporary file: {said}; make room, or set "
            "TMPDIR to a folder that has as much as the export takes."
        )
        raise InputError("no-room", msg) from error


def _copy(connection: Any, table: ExportTable, label: str, advance: Callable[[int], None]) -> None:
    present: list[str] = []
    for batch in _batches(table, label):
        with adbc_driver_manager.AdbcStatement(connection) as statement:
            mode = _APPEND if present else _CREATE
            statement.set_options(**{_TARGET: table.name, _MODE: mode})
            statement.bind(batch)
            statement.execute_update()
        present = batch.schema.names
        advance(batch.num_rows)
    key = _KEYS.get(table.name)
    if key in present:
        _index(connection, table, key, label)


def _batches(table: ExportTable, label: str) -> Iterator[pa.RecordBatch]:
    """Read a table; what is wrong with its file is an error that says how to get another."""
    try:
        yield from read_batches(table.path, table.columns)
    except DamagedTableError as error:
        raise _damaged(table, label, str(error)) from error
    except OSError as error:
        msg = f"{label}: {table.path.name} can't be read: {error.strerror}."
        raise InputError("unreadable", msg) from error


def _damaged(table: ExportTable, label: str, reason: str) -> InputError:
    export_type = "parquetdir" if table.path.suffix.casefold() == ".parquet" else "arrowdir"
    msg = (
        f"{label}: damaged: {table.path.name} {reason}; export it again with "
        f"`nsys export --type {export_type} --force-overwrite true REPORT.nsys-rep`."
    )
    return InputError("damaged-file", msg)


def _index(connection: Any, table: ExportTable, key: str, label: str) -> None:
    """Index the number that other tables name rows by; as in a SQLite export, it is unique."""
    try:
        _execute(connection, f'CREATE UNIQUE INDEX "key" ON "{table.name}" ("{key}")')
    except adbc_driver_manager.Error as error:
        if "UNIQUE" not in str(error):
            raise
        raise _damaged(table, label, f"has two rows of one {key}") from error


def _execute(connection: Any, command: str) -> None:
    with adbc_driver_manager.AdbcStatement(connection) as statement:
        statement.set_sql_query(command)
        statement.execute_update()
