"""Say what a file is that no reader recognises, and what to do with it."""

from nsys_walls.errors import InputError
from nsys_walls.sources import Sample

_EXPECTED = (
    "expected an Nsight Systems SQLite export (`nsys export --type sqlite`), "
    "an Nsight Compute CSV (`ncu --csv --page raw`) or an `nsys stats` CSV"
)

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
    (b"PAR1", "a Parquet file", "export SQLite with `nsys export --type sqlite`"),
    (b"ARROW1", "an Arrow file", "export SQLite with `nsys export --type sqlite`"),
    (b"\x89HDF", "an HDF5 file", "export SQLite with `nsys export --type sqlite`"),
    (b"<", "HTML or XML", _EXPECTED),
    (b"{", "JSON", _EXPECTED),
    (b"[", "JSON", _EXPECTED),
)

# Report files of the profilers have no stable magic number; their suffix is what users know.
_REPORTS = {
    ".nsys-rep": "nsys export --type sqlite --output {stem}.sqlite {name}",
    ".qdrep": "nsys export --type sqlite --output {stem}.sqlite {name}",
    ".ncu-rep": "ncu --import {name} --csv --page raw --print-units base > {stem}.csv",
}


def unrecognised(sample: Sample) -> InputError:
    """Make the error for a file that no reader recognises."""
    name, head = sample.path.name, sample.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    command = _REPORTS.get(sample.path.suffix.casefold())
    if not sample.head:
        what, todo = "an empty file", _EXPECTED
    elif command is not None:
        what = "a profiler's own report"
        todo = f"export it first: `{command.format(name=name, stem=sample.path.stem)}`"
    else:
        what, todo = next(
            ((what, todo) for start, what, todo in _BEGINNINGS if head.startswith(start)),
            (_kind(head), _EXPECTED),
        )
    return InputError("unknown-format", f"{name} is {what}: {todo}.")


def _kind(head: bytes) -> str:
    return "not text and no SQLite database" if b"\0" in head else "text without profiler rows"
