"""Read the file of a table in batches, as columns that SQLite can hold.

A file is known by its first bytes: Parquet, an Arrow file, or an Arrow stream. Columns may have
any width of integer, and text may come as a dictionary.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

#: Rows of a batch, as many as of a chunk that is read from SQLite.
BATCH_ROWS = 65_536

_PARQUET, _ARROW_FILE, _ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_GIT_LFS = b"version https://git-lfs"

#: Gives the batches of the columns that are named.
_Batches = Callable[[list[str]], Iterator[pa.RecordBatch]]


class DamagedTableError(Exception):
    """A file that can't be read as Parquet or Arrow; the text says why, after its name."""


def is_parquet(path: Path) -> bool:
    """Say whether a file is Parquet.

    Raises:
        OSError: It can't be read.
    """
    return _head(path).startswith(_PARQUET)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_GIT_LFS))


def read_batches(path: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Read columns of a table.

    Args:
        path: The table's file.
        columns: Names of the wanted columns; case does not count, and those that the table
            lacks are left out.

    Yields:
        A batch without rows, then all rows in their order. The columns have the names asked
        for and are int64, float64 or string; other types than numbers and text are null. A
        table without any of them is one column of no meaning.

    Raises:
        DamagedTableError: It is damaged, or no Parquet and no Arrow file.
        OSError: The system refuses to read it.
    """
    try:
        yield from _read(path, columns)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # without a number it is pyarrow's own word for data that makes no sense
        reason = (str(error).splitlines() or [type(error).__name__])[0].strip(" .")
        raise DamagedTableError(f"can't be read ({reason})") from error


def _read(path: Path, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    with _opened(path) as (schema, batches):
        actual = {name.casefold(): name for name in reversed(schema.names)}
        chosen = {name: actual[name.casefold()] for name in columns if name.casefold() in actual}
        if not chosen:
            yield pa.RecordBatch.from_arrays([pa.nulls(0, pa.int64())], names=["-"])
            return
        no_rows = [pa.nulls(0, field.type) for field in schema]
        yield _stored(pa.RecordBatch.from_arrays(no_rows, schema=schema), chosen)
        for batch in batches(list(chosen.values())):
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield _stored(batch.slice(start, BATCH_ROWS), chosen)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[pa.Schema, _Batches]]:
    head = _head(path)
    if head.startswith(_PARQUET):
        with pq.ParquetFile(path) as file:
            yield file.schema_arrow, lambda names: file.iter_batches(BATCH_ROWS, columns=names)
    elif head.startswith((_ARROW_FILE, _ARROW_STREAM)):
        # mapped: of a batch of any size, only the part that is being copied takes memory
        with pa.memory_map(str(path)) as source:
            reader = _arrow_reader(source)
            yield reader.schema, lambda names: _arrow_batches(source, reader.schema.names, names)
    elif not head:
        raise DamagedTableError("is empty")
    elif head.startswith(_GIT_LFS):
        raise DamagedTableError("is a Git LFS pointer (`git lfs pull` fetches the content)")
    else:
        raise DamagedTableError("is no Parquet and no Arrow file")


def _arrow_reader(source: pa.NativeFile, fields: list[int] | None = None) -> Any:
    source.seek(0)
    is_stream = source.read(len(_ARROW_STREAM)) == _ARROW_STREAM
    source.seek(0)
    options = pa.ipc.IpcReadOptions(included_fields=fields)
    open_ = pa.ipc.open_stream if is_stream else pa.ipc.open_file
    return open_(source, options=options)


def _arrow_batches(
    source: pa.NativeFile, present: Sequence[str], names: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    reader = _arrow_reader(source, sorted(present.index(name) for name in names))
    if isinstance(reader, pa.RecordBatchReader):
        yield from reader
        return
    for number in range(reader.num_record_batches):
        yield reader.get_batch(number)


def _stored(batch: pa.RecordBatch, chosen: Mapping[str, str]) -> pa.RecordBatch:
    names = batch.schema.names
    columns = [_plain(batch.column(names.index(actual))) for actual in chosen.values()]
    return pa.RecordBatch.from_arrays(columns, names=list(chosen))


def _plain(column: pa.Array) -> pa.Array:
    """Make a column one of numbers or text; of a file that lies about its own size, an error."""
    column.validate()
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.dictionary).take(column.indices)
    if kind in _AS_BYTES:
        return _text(column.cast(_AS_BYTES[kind]))
    if pa.types.is_uint64(kind):
        return column.view(pa.int64())  # the same 64 bits are negative in a SQLite export too
    number = next((number for is_kind, number in _NUMBERS if is_kind(kind)), None)
    return column.cast(number) if number else pa.nulls(len(column), pa.int64())


_NUMBERS = (
    (pa.types.is_integer, pa.int64()),
    (pa.types.is_boolean, pa.int64()),
    (pa.types.is_floating, pa.float64()),
)
# casts that copy and check nothing
_AS_BYTES = {
    pa.string(): pa.binary(),
    pa.large_string(): pa.large_binary(),
    pa.string_view(): pa.binary_view(),
    **{kind: kind for kind in (pa.binary(), pa.large_binary(), pa.binary_view())},
}


def _text(column: pa.Array) -> pa.Array:
    """Make bytes text as they are: programs name kernels and ranges in any encoding."""
    column.validate(full=True)
    return column.cast(pa.binary()).cast(pa.string(), safe=False)
