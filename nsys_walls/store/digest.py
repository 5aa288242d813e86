"""Tell a file that was ingested before, without keeping where it was."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

_SAMPLE_BYTES = 1 << 20
_SAMPLES = 16


def path_digest(path: Path) -> str:
    """Hash where a file is, so that the store does not hold the path itself."""
    return hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]


def content_digest(path: Path) -> str:
    """Hash a file's size and content; of large files, 16 evenly spread samples of 1 MiB.

    Hashing all of a trace of some GB would take as long as reading it; two exports that
    agree in their size and in all samples are taken as one.
    """
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        if size <= _SAMPLES * _SAMPLE_BYTES:
            digest.update(file.read())
        else:
            for sample in range(_SAMPLES):
                file.seek((size - _SAMPLE_BYTES) * sample // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:32]


def folder_digest(files: Sequence[Path]) -> str:
    """Hash the names and contents of a folder's files, each as `content_digest` does.

    Args:
        files: Those that count, in an order that a copy of the folder has too.
    """
    digest = hashlib.sha256()
    for path in files:
        digest.update(os.fsencode(path.name) + b"\0" + content_digest(path).encode())
    return digest.hexdigest()[:32]
