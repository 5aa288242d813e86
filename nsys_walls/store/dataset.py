"""Open stored runs."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nsys_walls.errors import InputError
from nsys_walls.store.manifest import MANIFEST, Manifest, parse_manifest, runs_folder
from nsys_walls.store.schema import TABLES


@contextmanager
def damage_as_error(run: str) -> Iterator[None]:
    """Turn what damaged or missing files of a run cause into one error.

    Raises:
        InputError: One of the run's files can't be used.
    """
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        msg = (
            f"run {run}: its launches need more memory or temporary disk space than there is: "
            "look at a part of it with --window, or set TMPDIR to a larger disk."
        )
        raise InputError("no-room", msg) from error
    except (pa.ArrowException, duckdb.Error, OSError) as error:
        msg = (
            f"run {run}: one of its files is missing, damaged, or holds times that can't be; "
            f"ingest its inputs again with `--run {run} --force`."
        )
        raise InputError("damaged-run", msg) from error


def run_names(store: Path) -> list[str]:
    """Name the runs of a store, in alphabetical order; none where there is no store."""
    folder = runs_folder(store)
    if not folder.is_dir():
        return []
    return sorted(entry.name for entry in folder.iterdir() if (entry / MANIFEST).is_file())


def open_run(store: Path, run: str | None) -> "StoredRun":
    """Open a run by name, or the one that was ingested last.

    Raises:
        InputError: There is no such run, or it was written with another store schema.
    """
    names = run_names(store)
    if not names:
        msg = f"no run is stored in {store}: begin with `nsys-walls ingest trace.sqlite`."
        raise InputError("no-run", msg)
    if run is not None and run not in names:
        msg = f"no run is called {run!r} in {store}; there are: {', '.join(names)}."
        raise InputError("no-run", msg)
    folders = [runs_folder(store) / name for name in ([run] if run else names)]
    folder = max(folders, key=lambda folder: (folder / MANIFEST).stat().st_mtime_ns)
    return StoredRun(folder, parse_manifest(folder))


def remove_run(store: Path, run: str) -> None:
    """Delete a run.

    Raises:
        InputError: There is no such run.
    """
    if run not in run_names(store):
        msg = f"no run is called {run!r} in {store}."
        raise InputError("no-run", msg)
    # the manifest first: without it, what is left is no run any more
    (runs_folder(store) / run / MANIFEST).unlink()
    shutil.rmtree(runs_folder(store) / run)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is stored.

    Attributes:
        folder: Where its files are.
        manifest: What it consists of.
    """

    folder: Path
    manifest: Manifest

    def files(self, table: str) -> list[tuple[int, Path]]:
        """List the Parquet files of a table as (source, path), in source order."""
        return [
            (record.source, self.folder / table / f"{record.source}.parquet")
            for record in self.manifest.sources
            if table in record.tables
        ]

    def parts(self, table: str, columns: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
        """Read some columns of a table, source by source; text comes as dictionaries."""
        text = [name for name in columns if pa.types.is_string(TABLES[table].field(name).type)]
        for source, path in self.files(table):
            with damage_as_error(self.manifest.run):
                part = pq.read_table(path, columns=list(columns), read_dictionary=text)
            yield source, part.unify_dictionaries().combine_chunks()

    def read(self, table: str) -> pa.Table:
        """Read a small table whole, with the ``source`` number as its first column."""
        schema = pa.schema([pa.field("source", pa.int16()), *TABLES[table]])
        parts = []
        for source, path in self.files(table):
            with damage_as_error(self.manifest.run):
                part = pq.ParquetFile(path).read()
            numbers = pa.repeat(pa.scalar(source, pa.int16()), part.num_rows)
            parts.append(part.add_column(0, "source", numbers).cast(schema))
        return pa.concat_tables(parts) if parts else schema.empty_table()
