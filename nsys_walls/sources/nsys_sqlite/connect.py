"""Open a trace so that neither it nor its folder is ever written to."""

import gzip
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from nsys_walls.errors import InputError

_GZIP = b"\x1f\x8b"
# what a program that still has the trace open, or died, left beside it
_COMPANIONS = ("-wal", "-journal")


def damaged(label: str, reason: str) -> InputError:
    """Make the error of a file that SQLite can't read.

    Args:
        label: The file's name.
        reason: What is wrong with it, in a few words.
    """
    msg = (
        f"{label}: damaged: {reason}; export it again with "
        "`nsys export --type sqlite --force-overwrite true REPORT.nsys-rep`."
    )
    return InputError("damaged-file", msg)


@contextmanager
def opened(path: Path) -> Iterator[tuple[str, int]]:
    """Give a SQLite URI for a trace, and its size in bytes.

    A plain trace is opened in place, immutable: SQLite then makes no ``-wal``, ``-shm`` or
    ``-journal`` and takes no lock. One with a write-ahead log or a journal is copied with it
    to a temporary folder, because only SQLite itself can merge them, and it does so by
    writing. A gzipped one is decompressed there.

    Raises:
        InputError: It is cut short, its gzip data is damaged, or there is no room for a copy.
    """
    where = path.resolve()
    companions = [where.with_name(where.name + suffix) for suffix in _COMPANIONS]
    companions = [beside for beside in companions if beside.is_file() and beside.stat().st_size]
    if not companions and not _is_gzip(where):
        _check_length(where, path.name)
        yield f"file:{quote(str(where))}?mode=ro&immutable=1", where.stat().st_size
        return
    with TemporaryDirectory(prefix="nsys-walls-") as folder:
        copy = Path(folder, "trace.sqlite")
        try:
            _copy(where, copy)
            for beside in companions:
                shutil.copyfile(beside, copy.with_name(copy.name + beside.name[len(where.name) :]))
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or "its gzip data ends early or is wrong"
            raise damaged(path.name, reason) from error
        if not companions:
            _check_length(copy, path.name)
        yield f"file:{quote(str(copy))}", copy.stat().st_size


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def _copy(source: Path, target: Path) -> None:
    if not _is_gzip(source):
        shutil.copyfile(source, target)
        return
    with gzip.open(source) as packed, target.open("wb") as plain:
        shutil.copyfileobj(packed, plain, 1 << 20)


def _check_length(path: Path, label: str) -> None:
    """Compare the file's size with the one in its header.

    SQLite itself notices only when a query meets a missing page. Offsets and meaning are those
    of https://www.sqlite.org/fileformat2.html#the_database_header; the page count holds where
    the two change counters agree.
    """
    with path.open("rb") as file:
        head = file.read(100)
    if len(head) < 100:  # noqa: PLR2004  # the header's length
        raise damaged(label, f"it ends after {len(head)} bytes")
    page_bytes = int.from_bytes(head[16:18], "big")
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    expected = int.from_bytes(head[28:32], "big") * page_bytes
    actual = path.stat().st_size
    is_header = page_bytes.bit_count() == 1 and head[24:28] == head[92:96]
    if is_header and actual < expected:
        raise damaged(label, f"it has {actual:,} of its {expected:,} bytes")
