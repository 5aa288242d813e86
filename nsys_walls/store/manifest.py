"""The manifest of a stored run: which files it consists of."""

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from nsys_walls.errors import InputError, Notice, UsageError
from nsys_walls.store.notices import notice_row, read_notice
from nsys_walls.store.schema import STORE_SCHEMA

MANIFEST = "manifest.json"
_DIGITS = re.compile(r"(\d{1,18})", re.ASCII)
_RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """One ingested file, as the manifest keeps it.

    Attributes:
        source: Number of the source, never reused in its run; names its Parquet files.
        kind: Format, such as ``"nsys-sqlite"``.
        is_trace: Whether it holds times of an undisturbed run.
        file: Name of the file, without folders.
        path_digest: Hash of where the file was; tells a file that was ingested again.
        content_digest: Hash of (samples of) its content; tells a copy of it.
        work_digest: Hash of the times of its launches; tells another export of the same trace.
            None where it has no launches.
        product_version: Version of the profiler, or None.
        schema_version: Version of the export's schema, or None.
        rows: Launches that were read.
        skipped: Rows that were left out, by reason.
        warnings: What the reader had to say.
        tables: Tables that have rows of this source.
    """

    source: int
    kind: str
    is_trace: bool
    file: str
    path_digest: str
    content_digest: str
    work_digest: str | None
    product_version: str | None
    schema_version: str | None
    rows: int
    skipped: dict[str, int]
    warnings: tuple[Notice, ...]
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a run consists of.

    Attributes:
        run: Name of the run.
        next_source: Number for the next source.
        sources: Files of the run, in the order they were given.
    """

    run: str
    next_source: int = 0
    sources: tuple[SourceRecord, ...] = field(default=())

    def by_name(self) -> list[SourceRecord]:
        """List the sources in the natural order of their names: rank2 comes before rank10."""
        return sorted(self.sources, key=lambda source: _natural(source.file))


def _natural(name: str) -> list[tuple[int, str]]:
    """Order numbers in names by value."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name)]


class Digested(Protocol):
    """What tells one file from another, see `SourceRecord`."""

    @property
    def path_digest(self) -> str:
        """Hash of where the file is."""
        ...

    @property
    def content_digest(self) -> str:
        """Hash of (samples of) its content."""
        ...


def is_same_file(one: Digested, other: Digested) -> bool:
    """Say whether two are one file: in the same place, or with the same content."""
    return one.path_digest == other.path_digest or one.content_digest == other.content_digest


def is_same_work(one: SourceRecord, other: SourceRecord) -> bool:
    """Say whether two hold the same launches, as a report and its export do."""
    return one.work_digest is not None and one.work_digest == other.work_digest


def check_run_name(run: str) -> str:
    """Return the name if a run may be called so.

    Raises:
        UsageError: It could not be a folder's name everywhere.
    """
    if _RUN_NAME.fullmatch(run) is None:
        msg = f"run name {run!r}: use letters, digits, '.', '_' and '-' (200 at most)."
        raise UsageError("run-name", msg)
    return run


def runs_folder(store: Path) -> Path:
    """Name the folder of all runs of a store."""
    return store / "runs"


def format_manifest(manifest: Manifest) -> str:
    """Write a manifest as JSON, to be read by `parse_manifest`."""
    sources = [
        {**asdict(source), "warnings": list(map(notice_row, source.warnings))}
        for source in manifest.sources
    ]
    data = {"schema": STORE_SCHEMA, **asdict(manifest), "sources": sources}
    return json.dumps(data, indent=1) + "\n"


def parse_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run's folder.

    Raises:
        InputError: It can't be read, or was written with another store schema.
    """
    try:
        data: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
        schema = data.pop("schema")
        if schema == STORE_SCHEMA:
            data["sources"] = tuple(
                SourceRecord(
                    **{
                        **row,
                        "tables": tuple(row["tables"]),
                        "warnings": tuple(map(read_notice, row["warnings"])),
                    }
                )
                for row in data["sources"]
            )
            return Manifest(**data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"run {folder.name}: its manifest can't be read; ingest its files again with --force."
        raise InputError("damaged-run", msg) from error
    msg = (
        f"run {folder.name} has store schema {schema}, this version reads {STORE_SCHEMA}: "
        f"rebuild it with `nsys-walls ingest FILE... --run {folder.name} --force`."
    )
    raise InputError("store-schema", msg)
