"""Readers: one module (or package) per profiler output format.

To add one, write ``sources/<name>.py`` with a module-level ``READER`` (see `Reader`).
Nothing else changes: readers are found by their place and asked, in name order, whether
they recognise a file's content. A file's suffix never decides, save for ``nsys_rep``: its format
has no magic number, and no other reader may recognise the content.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol

from nsys_walls.errors import Notice

if TYPE_CHECKING:
    import pyarrow as pa

#: Called with rows read so far and rows expected (None where unknown).
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The beginning of a file, enough to recognise its format.

    Attributes:
        path: Where the file is; readers judge by ``head``, not by its suffix.
        head: First bytes of the content (at most 1 MiB), decompressed where it is gzip.
        compressed: Whether the file is gzip.
    """

    path: Path
    head: bytes
    compressed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One file to read.

    Attributes:
        path: An existing, readable file. It is never written to, nor its folder.
        jobs: Threads that may read at once, at least 1.
        progress: To be called now and then.
    """

    path: Path
    jobs: int = 2
    progress: Progress = field(default=lambda _done, _total: None)


class Sink(Protocol):
    """Takes the rows of one source; made by the store."""

    def write(self, table: str, rows: "pa.Table") -> None:
        """Append rows to a table of `nsys_walls.store.schema.TABLES`.

        Columns are matched by name and cast safely (a value that does not fit is an
        error); columns that are absent become null. Order of rows is kept.
        """
        ...


@dataclass(frozen=True, slots=True)
class Skipped:
    """Rows that were seen and not stored.

    Attributes:
        reason: Why, in a few words, such as ``"rule rows"``.
        rows: How many.
    """

    reason: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceInfo:
    """What a reader found out about its file, beside the rows that it wrote.

    Attributes:
        kind: Format, such as ``"nsys-sqlite"``.
        product_version: Version of the profiler that wrote the file, or None if not recorded.
        schema_version: Version of the export's schema, or None.
        rows: Launches (or names, in a summary) that were read and stored.
        skipped: What was left out, by reason.
        warnings: What the user should know.
    """

    kind: str
    product_version: str | None = None
    schema_version: str | None = None
    rows: int = 0
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[Notice] = ()


class Reader(Protocol):
    """What every reader module offers as ``READER``.

    Attributes:
        kind: Stable name of the format; stands in the manifest and in the JSON report.
        is_trace: Whether the format holds times of an undisturbed run; such a file names the run.
    """

    kind: str
    is_trace: bool

    def recognises(self, sample: Sample) -> bool:
        """Say whether the content is of this format. Never raises."""
        ...

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read the whole file into the sink.

        Raises:
            InputError: The file is of this format but can't be used.
        """
        ...


@cache
def all_readers() -> tuple[Reader, ...]:
    """Load the reader of every module in this package that has one, in name order."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return tuple(module.READER for module in modules if hasattr(module, "READER"))


def detect(sample: Sample) -> Reader | None:
    """Find the reader of a file by its content; None where none recognises it."""
    return next((reader for reader in all_readers() if reader.recognises(sample)), None)
