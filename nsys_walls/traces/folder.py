"""A trace in a folder, one file a table: what ``nsys export --type parquetdir`` writes.

Its files are ``<table>.parquet``, or ``<table>.arrow`` from ``--type arrowdir``. The folder may
have any name; by default it is the report's with ``_pqtdir`` or ``_arwdir`` at its end.
"""

from pathlib import Path

_SUFFIXES = frozenset({".parquet", ".arrow", ".arrows"})
# every export has it: names of kernels and calls are numbers of its rows
_STRINGS = "stringids"


def table_of(path: Path) -> str:
    """Name the table that a file holds, in lower case: exports do not tell case apart.

    >>> table_of(Path("step_pqtdir/StringIds.parquet"))
    'stringids'
    """
    return path.stem.casefold()


def table_files(folder: Path) -> tuple[Path, ...]:
    """List the files of a folder that hold a table, in the order of their names.

    A link that leads nowhere is listed too: a table that is missing is not one that is absent.

    Raises:
        OSError: The folder can't be listed.
    """
    return tuple(
        path
        for path in sorted(folder.iterdir())
        if path.suffix.casefold() in _SUFFIXES
        and not path.name.startswith(".")
        and (path.is_file() or (path.is_symlink() and not path.exists()))
    )


def holds_export(folder: Path) -> bool:
    """Say whether the files of a folder look like an export. Never raises."""
    try:
        return any(table_of(path) == _STRINGS for path in table_files(folder))
    except OSError:
        return False
