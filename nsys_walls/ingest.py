"""Read any mix of files into the store as one run."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nsys_walls.errors import InputError, Notice, UsageError
from nsys_walls.sources import Progress, Reader, Request, Sample, SourceInfo, detect
from nsys_walls.sources.unrecognised import unrecognised
from nsys_walls.store.digest import content_digest, folder_digest, path_digest
from nsys_walls.store.manifest import (
    Manifest,
    SourceRecord,
    check_run_name,
    is_same_file,
    is_same_work,
)
from nsys_walls.store.writer import RunWriter, SourceWriter
from nsys_walls.textfile import read_head
from nsys_walls.texts import text
from nsys_walls.traces.folder import table_files

_MORE_SUFFIXES = (".gz", ".sqlite", ".sqlite3", ".db", ".csv", ".txt", ".json",
                  ".nsys-rep", ".qdrep", ".ncu-rep")  # fmt: skip
# what `nsys export` puts behind a report's name for a folder of Parquet or Arrow files
_FOLDER_SUFFIXES = ("_pqtdir", "_arwdir")

#: Makes the progress callback for a file.
ProgressOf = Callable[[Path], Progress]


def _silent(_path: Path) -> Progress:
    return lambda _done, _total: None


def sample_of(path: Path) -> Sample:
    """Read the beginning of a file; a folder has none, and is known by its files.

    Raises:
        InputError: It is missing, a device, or can't be read.
    """
    if not path.exists():
        msg = f"{path}: not found; nothing was written."
        raise InputError("not-found", msg)
    is_folder = path.is_dir()
    if not is_folder and not path.is_file():
        msg = f"{path} is a device or a pipe, expected a file or an export's folder."
        raise InputError("not-a-file", msg)
    head, compressed = b"", False
    with _refusal_as_error(path):
        if is_folder:
            next(path.iterdir(), None)
        else:
            head, compressed = read_head(path)
    return Sample(path=path, head=head, compressed=compressed)


@contextmanager
def _refusal_as_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = path if error.filename is None else error.filename
        msg = f"{name} can't be read: {error.strerror}."
        raise InputError("unreadable", msg) from error


def _reader_of(path: Path) -> Reader:
    sample = sample_of(path)
    reader = detect(sample)
    if reader is None:
        raise unrecognised(sample)
    return reader


def default_run_name(path: Path) -> str:
    """Name a run after a file or folder: its stem, with what a run name can't hold replaced.

    >>> default_run_name(Path("out/my trace.sqlite.gz")), default_run_name(Path("step_pqtdir"))
    ('my-trace', 'step')
    """
    stem = path.name
    for suffix in _FOLDER_SUFFIXES:
        stem = stem.removesuffix(suffix)
    while stem.casefold().endswith(_MORE_SUFFIXES):
        stem = stem[: stem.rfind(".")]
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "-"
                   for char in stem)  # fmt: skip
    return kept.lstrip("._-")[:200] or "run"


def ingest_files(
    paths: Sequence[Path],
    *,
    store: Path,
    run: str | None = None,
    force: bool = False,
    jobs: int = 2,
    progress_of: ProgressOf = _silent,
) -> Manifest:
    """Read files into a run; all of them, or nothing is changed.

    Args:
        paths: The files, traces and counters in any order.
        store: Folder of the store; made where it does not exist.
        run: Run to make or to add to; by default a run named after the first trace.
        force: Replace the run instead of adding to it.
        jobs: Threads that may read one file at once.
        progress_of: Makes the progress callback for each file.

    Returns:
        The run as it is now.

    Raises:
        InputError: A file can't be used.
        UsageError: The run's name can't be used, or another file has it already.
    """
    inputs = [_input_of(path) for path in {os.path.realpath(path): path for path in paths}.values()]
    first = next((given for given in inputs if given.reader.is_trace), inputs[0])
    name = check_run_name(run) if run is not None else default_run_name(first.path)
    with RunWriter(store, name, fresh=force) as writer:
        if run is None:
            _refuse_foreign_run(writer.manifest.sources, inputs, name)
        for given in inputs:
            if _is_twin(writer, given):
                continue
            with writer.source() as (number, sink):
                progress = progress_of(given.path)
                request = Request(path=given.path, jobs=jobs, progress=progress)
                info = given.reader.read(request, sink)
            _add(writer, _record(number, given, info, sink))
        return writer.commit()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    """A file to read, and how to know it again."""

    path: Path
    reader: Reader
    path_digest: str
    content_digest: str


def _input_of(path: Path) -> _Input:
    if path.name in {"", ".."}:  # `ingest .` inside an export
        path = path.resolve()
    reader = _reader_of(path)
    with _refusal_as_error(path):
        is_folder = path.is_dir()
        digest = folder_digest(table_files(path)) if is_folder else content_digest(path)
    return _Input(path=path, reader=reader, path_digest=path_digest(path), content_digest=digest)


def _is_twin(writer: RunWriter, given: "_Input") -> bool:
    """Whether another file of this ingest has the same content; that is said once."""
    same = (row for row in writer.records if row.content_digest == given.content_digest)
    twin = next(same, None)
    if twin is not None:
        said = text("notice.same_file", file=_file_name(given.path), other_file=twin.file)
        writer.warn(twin, Notice("same-launches", said))
    return twin is not None


def _add(writer: RunWriter, record: SourceRecord) -> None:
    """Name a source, unless another one of this ingest holds the same launches."""
    twin = next((other for other in writer.records if is_same_work(other, record)), None)
    if twin is None:
        writer.add(record)
        return
    said = text("notice.same_launches", file=record.file, other_file=twin.file)
    writer.warn(twin, Notice("same-launches", said))


def _file_name(path: Path) -> str:
    """Name a file; a name in another encoding is still a name, but must fit into JSON."""
    return path.name.encode("utf-8", "replace").decode("utf-8")


def _record(number: int, given: _Input, info: SourceInfo, sink: SourceWriter) -> SourceRecord:
    skipped: Counter[str] = Counter()
    for row in info.skipped:
        skipped[row.reason] += row.rows
    return SourceRecord(
        source=number,
        kind=info.kind,
        is_trace=given.reader.is_trace,
        file=_file_name(given.path),
        path_digest=given.path_digest,
        content_digest=given.content_digest,
        work_digest=sink.work_digest,
        product_version=info.product_version,
        schema_version=info.schema_version,
        rows=info.rows,
        skipped=dict(skipped),
        warnings=tuple(info.warnings),
        tables=sink.tables,
    )


def _refuse_foreign_run(
    stored: Sequence[SourceRecord], inputs: Sequence[_Input], name: str
) -> None:
    """Refuse to mix with a run that only happens to be named after a file of the same name."""
    if stored and not any(is_same_file(one, two) for one in stored for two in inputs):
        msg = (
            f"run {name} was made from other files: choose a name with `--run NAME`, add to it "
            f"with `--run {name}`, or replace it with `--force`."
        )
        raise UsageError("run-exists", msg)
