"""Say what a file is that no reader recognises, and what to do with it."""

import shlex
from pathlib import Path

from nsys_walls.errors import InputError
from nsys_walls.sources import Sample
from nsys_walls.traces.folder import holds_export

_EXPECTED = (
    "expected an Nsight Systems SQLite export (`nsys export --type sqlite`), "
    "an Nsight Compute CSV (`ncu --csv --page raw`), a PyTorch profiler trace "
    "or an `nsys stats` CSV"
)

_EXPORT_FOLDER = "a folder that `nsys export --type parquetdir` or `--type arrowdir` made"
_GIVE_FOLDER = f"expected {_EXPORT_FOLDER}, not a file of it; or export SQLite instead"
_TABLES = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_NAMES_SHOWN = 5

# What a file begins with, what that is, and what to do; the first match counts.
_BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
    (
        b"version https://git-lfs",
        "a Git LFS pointer, not the file itself",
        "fetch the content with `git lfs pull`",
    ),
    (b"PK\x03\x04", "a zip archive", "unpack it and ingest what is inside"),
    (b"BZh", "a bzip2 archive", "unpack it and ingest what is inside"),
    (b"\xfd7zXZ", "an xz archive", "unpack it and ingest what is inside"),
    (b"(\xb5/\xfd", "a zstd archive", "unpack it and ingest what is inside"),
    (_TABLES[0], "a Parquet file", _GIVE_FOLDER),
    (_TABLES[1], "an Arrow file", _GIVE_FOLDER),
    (_TABLES[2], "an Arrow stream", _GIVE_FOLDER),
    (b"\x89HDF", "an HDF5 file", "export SQLite with `nsys export --type sqlite`"),
    (b"<", "HTML or XML", _EXPECTED),
    (b"{", "JSON", _EXPECTED),
    (b"[", "JSON", _EXPECTED),
)

# The profilers' own reports; what is named so and was not recognised is packed or damaged.
_REPORTS = (".nsys-rep", ".qdrep", ".ncu-rep")
_DAMAGED = "named as a profiler's report, but does not begin as one", "copy it again"


def unrecognised(sample: Sample) -> InputError:
    """Make the error for a file or folder that no reader recognises."""
    if sample.path.is_dir():
        return _no_export(sample.path)
    name, head = sample.path.name, sample.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    known = ((what, todo) for start, what, todo in _BEGINNINGS if head.startswith(start))
    is_report = name.casefold().removesuffix(".gz").endswith(_REPORTS)
    if not sample.head:
        what, todo = "an empty file", _EXPECTED
    elif head.startswith(_TABLES) and holds_export(sample.path.parent):
        what = "one table of an export"
        todo = f"give its folder, `nsys-walls ingest {_typed(sample.path.parent)}`"
    elif is_report and sample.compressed:
        what, todo = "a compressed report of a profiler", "unpack it and ingest what is inside"
    else:
        what, todo = next(known, _DAMAGED if is_report else (_kind(head), _EXPECTED))
    return InputError("unknown-format", f"{name} is {what}: {todo}.")


def _no_export(folder: Path) -> InputError:
    """Make the error for a folder; exports that it holds, one level down, are named."""
    entries = sorted(folder.iterdir())
    exports = [path for path in entries if holds_export(path)]
    shown = ", ".join(path.name for path in entries[:_NAMES_SHOWN])
    more = ", ..." if len(entries) > _NAMES_SHOWN else ""
    if len(exports) == 1:
        todo = f"is a folder that holds an export: `nsys-walls ingest {_typed(exports[0])}`"
    elif exports:
        names = ", ".join(path.name for path in exports)
        todo = f"is a folder that holds {len(exports)} exports: give those of one run ({names})"
    elif entries:
        todo = (
            f"is a folder, but not an export (it holds {shown}{more}); expected files, or "
            f"{_EXPORT_FOLDER}"
        )
    else:
        todo = f"is an empty folder; expected files, or {_EXPORT_FOLDER}"
    return InputError("not-a-file", f"{folder} {todo}.")


def _typed(path: Path) -> str:
    return shlex.quote(str(path))


def _kind(head: bytes) -> str:
    return "not text and no SQLite database" if b"\0" in head else "text without profiler rows"
