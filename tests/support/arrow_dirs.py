"""Write a SQLite export's tables as `nsys export --type parquetdir` and `arrowdir` do.

All tables are written, those with a user's secrets too, each to a file of its name.
"""

import json
import sqlite3
from contextlib import closing

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

#: Containers, and the end of the names of their folders.
CONTAINERS = {"parquetdir": "_pqtdir", "arrowdir": "_arwdir", "arrow stream": "_arwdir"}

_TYPES = {"INTEGER": pa.int64(), "REAL": pa.float64(), "TEXT": pa.string()}
_NARROW = (
    (pa.uint8(), 0, 2**8 - 1),
    (pa.int32(), -(2**31), 2**31 - 1),
    (pa.uint32(), 0, 2**32 - 1),
    (pa.uint64(), 0, 2**64 - 1),
    (pa.int64(), -(2**63), 2**63 - 1),
)


def write_folder(trace, container="parquetdir", *, folder=None, narrow=False, rows_at_once=1000):
    """Write the tables of an export beside it.

    Args:
        trace: A SQLite export.
        container: One of `CONTAINERS`.
        folder: Where to write, instead of beside it.
        narrow: Take the first integer type that holds a column, and dictionaries for text.
        rows_at_once: Rows of a row group or record batch.

    Returns:
        The folder.
    """
    folder = folder or trace.with_name(trace.stem + CONTAINERS[container])
    folder.mkdir()
    for name, rows in tables_of(trace, narrow=narrow).items():
        write_table(folder, name, rows, container, rows_at_once)
    return folder


def write_table(folder, name, rows, container="parquetdir", rows_at_once=1000):
    """Write one table into a folder; gives the file."""
    if container == "parquetdir":
        path = folder / f"{name}.parquet"
        pq.write_table(rows, path, row_group_size=rows_at_once)
        return path
    path = folder / f"{name}.arrow"
    open_ = pa.ipc.new_file if container == "arrowdir" else pa.ipc.new_stream
    with open_(path, rows.schema) as writer:
        writer.write_table(rows, rows_at_once)
    return path


def tables_of(trace, *, narrow=False):
    """Read all tables of an export; gives Arrow tables by name."""
    with closing(sqlite3.connect(f"file:{trace}?mode=ro&immutable=1", uri=True)) as connection:
        connection.text_factory = bytes
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name.decode(): _table(connection, name.decode(), narrow=narrow) for (name,) in names
        }


def _table(connection, name, *, narrow):
    columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", [name]).fetchall()
    rows = connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid').fetchall()  # noqa: S608 # a table's name
    values = zip(*rows, strict=True) if rows else ([] for _ in columns)
    return pa.table(
        {
            column.decode(): _column(_TYPES[kind.decode()], list(cells), narrow=narrow)
            for (column, kind), cells in zip(columns, values, strict=True)
        }
    )


def _column(kind, cells, *, narrow):
    if kind == pa.string():
        # programs name things in any encoding, which a SQLite export keeps as it is
        text = pa.array(cells, pa.binary()).cast(kind, safe=False)
        return text.dictionary_encode() if narrow else text
    if narrow and kind == pa.int64():
        numbers = [cell for cell in cells if cell is not None]
        low, high = min(numbers, default=0), max(numbers, default=0)
        kind = next(one for one, least, most in _NARROW if least <= low <= high <= most)
    return pa.array(cells, kind)


def report_of(desk, path, *options):
    """Ingest an input as run "r" and report it.

    Returns:
        The JSON report with its sources taken out, what the commands said on stderr, and the
        sources.
    """
    ingested = desk.type("ingest", path, "--run", "r")
    assert ingested.code == 0, ingested.err
    done = desk.type("report", "r", "--format", "json", "-o", "-", *options)
    assert done.code == 0, done.err
    document = json.loads(done.out)
    sources = document["run"].pop("sources")
    return json.dumps(document, indent=1), ingested.err + done.err, sources
