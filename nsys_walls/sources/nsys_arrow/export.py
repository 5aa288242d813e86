"""Which files of a folder are read, and which of their columns: the rows of the schemas' table.

What ``nsys_schemas.toml`` does not list is not opened: host, user and environment have tables of
their own.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nsys_walls.errors import InputError
from nsys_walls.sources.nsys_sqlite.schema import rules
from nsys_walls.traces.folder import holds_export, table_files, table_of

_NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTable:
    """A table that is read.

    Attributes:
        name: Its name, as a SQLite export spells it.
        columns: Names of the columns that are wanted of it, where it has them.
        path: The file that holds it.
    """

    name: str
    columns: Sequence[str]
    path: Path


@cache
def _wanted() -> Mapping[str, tuple[str, Sequence[str]]]:
    """Give the spelling and the columns of each table that is read, by its name in lower case."""
    columns: defaultdict[str, dict[str, str]] = defaultdict(dict)
    spelling: dict[str, str] = {}
    for rule in rules()["tables"].values():
        names = [name for aliases in rule["columns"].values() for name in aliases]
        for table in rule["names"]:
            spelling[table.casefold()] = table
            columns[table.casefold()].update({name.casefold(): name for name in names})
    return {key: (name, tuple(columns[key].values())) for key, name in spelling.items()}


def holds_tables(folder: Path) -> bool:
    """Say whether a folder has a file of a table that is read. Never raises."""
    try:
        return any(table_of(path) in _wanted() for path in table_files(folder))
    except OSError:
        return False


def tables_in(folder: Path) -> list[ExportTable]:
    """Find the tables that are read.

    Raises:
        InputError: There are two files of a table, or too few tables for an export.
        OSError: The folder can't be listed.
    """
    paths = table_files(folder)
    found: dict[str, Path] = {}
    for path in paths:
        other = found.setdefault(table_of(path), path)
        if other != path and table_of(path) in _wanted():
            msg = (
                f"{folder.name}: two files of one table, {other.name} and {path.name}; expected "
                "one export: write each to a folder of its own, or remove one of them."
            )
            raise InputError("unknown-format", msg)
    tables = [
        ExportTable(name=name, columns=columns, path=found[key])
        for key, (name, columns) in _wanted().items()
        if key in found
    ]
    if len(tables) < 2 or not holds_export(folder):  # noqa: PLR2004  # strings, and what they name
        shown = ", ".join(path.name for path in paths[:_NAMES_SHOWN])
        more = ", ..." if len(paths) > _NAMES_SHOWN else ""
        msg = (
            f"{folder.name}: a folder of tables, but no whole export (it holds {shown}{more}); "
            "expected StringIds and the tables of the trace beside it, as "
            "`nsys export --type parquetdir REPORT.nsys-rep` writes them."
        )
        raise InputError("not-an-nsys-export", msg)
    return tables
