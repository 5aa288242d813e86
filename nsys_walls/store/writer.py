"""Write runs: the manifest is the commit.

Data files are written under numbers that no manifest names yet, then ``manifest.json`` is
replaced in one step. A killed ingest leaves files that nobody reads, which the next ingest
removes.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from nsys_walls.errors import InputError, Notice
from nsys_walls.store.manifest import (
    MANIFEST,
    Manifest,
    SourceRecord,
    check_run_name,
    format_manifest,
    is_same_file,
    is_same_work,
    parse_manifest,
    runs_folder,
)
from nsys_walls.store.schema import DELTA_COLUMNS, TABLES

if sys.platform != "win32":
    import fcntl

# 128 k rows keep time windows prunable at no cost in size (measured on 1 M launches).
_ROW_GROUP_ROWS = 131_072

# What tells the launches of one trace from those of any other.
_TOLD_BY = ("start_ns", "duration_ns", "kernel", "stream")


class SourceWriter:
    """Takes the rows of one source (a `nsys_walls.sources.Sink`), one Parquet file a table."""

    def __init__(self, folder: Path, source: int) -> None:
        self._folder, self._source = folder, source
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._pending: dict[str, list[pa.Table]] = {}
        self._launches = 0
        # a digest a column: readers hand over chunks of different lengths
        self._told = {name: hashlib.sha256() for name in _TOLD_BY}

    @property
    def work_digest(self) -> str | None:
        """Hash of when and where every launch ran and for how long; None without launches."""
        if not self._launches:
            return None
        return "".join(digest.hexdigest()[:8] for digest in self._told.values())

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that got rows."""
        return tuple(sorted({*self._writers, *self._pending}))

    def write(self, table: str, rows: pa.Table) -> None:
        """Append rows; columns by name, absent ones become null.

        Raises:
            ArrowInvalid: A value does not fit its column.
        """
        if rows.num_rows == 0:
            return
        schema = TABLES[table]
        columns = [
            rows.column(column.name).cast(column.type)
            if column.name in rows.column_names
            else pa.nulls(rows.num_rows, column.type)
            for column in schema
        ]
        stored = pa.Table.from_arrays(columns, schema=schema)
        if table == "launches":
            self._digest(stored)
        pending = self._pending.setdefault(table, [])
        pending.append(stored)
        if sum(part.num_rows for part in pending) >= _ROW_GROUP_ROWS:
            self._flush(table)

    def _digest(self, rows: pa.Table) -> None:
        self._launches += rows.num_rows
        for name, digest in self._told.items():
            for chunk in rows.column(name).chunks:
                digest.update(chunk.fill_null(-1).to_numpy().tobytes())

    def _flush(self, table: str) -> None:
        rows = pa.concat_tables(self._pending.pop(table))
        self._writer(table).write_table(rows, row_group_size=_ROW_GROUP_ROWS)

    def _writer(self, table: str) -> pq.ParquetWriter:
        if table not in self._writers:
            names = [column.name for column in TABLES[table]]
            delta = [name for name in names if name in DELTA_COLUMNS]
            target = self._folder / table
            target.mkdir(exist_ok=True)
            self._writers[table] = pq.ParquetWriter(
                target / f"{self._source}.parquet",
                TABLES[table],
                compression="zstd",
                compression_level=1,
                use_dictionary=[name for name in names if name not in delta and name != "values"],
                column_encoding=dict.fromkeys(delta, "DELTA_BINARY_PACKED"),
            )
        return self._writers[table]

    def close(self) -> None:
        """Write what is pending and close the files."""
        for table in list(self._pending):
            self._flush(table)
        for writer in self._writers.values():
            writer.close()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other ingests off a run; the lock goes with the process, however that ends.

    Raises:
        InputError: Another ingest is writing this run.
    """
    if sys.platform == "win32":
        # no advisory locks on folders there: two ingests of one run at once are the user's care
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        msg = f"run {folder.name} is being written by another ingest: wait until it is done."
        raise InputError("run-busy", msg) from error
    finally:
        os.close(descriptor)


class RunWriter:
    """Adds sources to a run; nothing is visible before `commit`.

    Use it as a context manager: leaving it without `commit` discards what was written.
    """

    def __init__(self, store: Path, run: str, *, fresh: bool) -> None:
        self._folder = runs_folder(store) / check_run_name(run)
        self._fresh = fresh
        self._manifest = Manifest(run=run)
        self._records: list[SourceRecord] = []
        self._writers: list[SourceWriter] = []
        self._committed = False
        self._lock = ExitStack()

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock.enter_context(_locked(self._folder))
        run = self._manifest.run
        if (self._folder / MANIFEST).is_file() and not self._fresh:
            self._manifest = parse_manifest(self._folder)
        else:
            # after --force, numbers must not meet files of the run that is being replaced
            self._manifest = Manifest(run=run, next_source=_first_free_source(self._folder))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._committed:
            for writer in self._writers:
                writer.close()
        self._remove_unnamed_files()
        self._lock.close()

    @property
    def manifest(self) -> Manifest:
        """The run as it was before, or empty."""
        return self._manifest

    @property
    def records(self) -> tuple[SourceRecord, ...]:
        """Sources that were written so far."""
        return tuple(self._records)

    @contextmanager
    def source(self) -> Iterator[tuple[int, SourceWriter]]:
        """Open the next source for writing; gives its number and its sink."""
        number = self._manifest.next_source + len(self._writers)
        writer = SourceWriter(self._folder, number)
        self._writers.append(writer)
        yield number, writer
        writer.close()

    def add(self, record: SourceRecord) -> None:
        """Name a written source for the next commit."""
        self._records.append(record)

    def warn(self, record: SourceRecord, notice: Notice) -> None:
        """Add a warning to a source that was named."""
        place = self._records.index(record)
        self._records[place] = replace(record, warnings=(*record.warnings, notice))

    def commit(self) -> Manifest:
        """Make the new sources part of the run; they replace their earlier ingest."""
        kept = [
            old
            for old in self._manifest.sources
            if not any(is_same_file(old, new) or is_same_work(old, new) for new in self._records)
        ]
        manifest = Manifest(
            run=self._manifest.run,
            next_source=self._manifest.next_source + len(self._writers),
            sources=(*kept, *self._records),
        )
        temporary = self._folder / f"{MANIFEST}.{os.getpid()}.tmp"
        temporary.write_text(format_manifest(manifest), "utf-8")
        temporary.replace(self._folder / MANIFEST)
        self._manifest, self._committed = manifest, True
        return manifest

    def _remove_unnamed_files(self) -> None:
        """Delete data files that no manifest names: replaced, discarded, or left by a crash."""
        try:
            named = {record.source for record in parse_manifest(self._folder).sources}
        except InputError:
            named = set()
        for path in self._folder.glob("*/*.parquet"):
            if not (path.stem.isdigit() and int(path.stem) in named):
                path.unlink()
        for folder in (*self._folder.glob("*/"), self._folder):
            if not any(folder.iterdir()):
                folder.rmdir()


def _first_free_source(folder: Path) -> int:
    numbers = [int(path.stem) for path in folder.glob("*/*.parquet") if path.stem.isdigit()]
    return max(numbers, default=-1) + 1
