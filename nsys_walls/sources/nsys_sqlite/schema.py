"""Find the tables and columns of a trace by name, by the rows of ``nsys_schemas.toml``."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import sqlalchemy as sa

from nsys_walls.texts import Text, text

# SQLite gives every ordinary table a row number under these names, unless a column has one
_ROWID_NAMES = ("rowid", "_rowid_", "oid")

#: Runs a query and gives its rows.
Rows = Callable[[sa.Select[Any]], list[dict[str, Any]]]


@cache
def rules() -> Mapping[str, Any]:
    """Load ``nsys_schemas.toml``."""
    rows = files("nsys_walls").joinpath("data", "nsys_schemas.toml").read_text("utf-8")
    return tomllib.loads(rows)


def whole(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Make anything that is no whole number NULL, and change no whole number.

    SQLite lets any column hold any type. A REAL or TEXT that is exactly a whole number is
    that number; one that is not becomes NULL, as does a BLOB.
    """
    kind, number = sa.func.typeof(column), sa.cast(column, sa.Integer)
    return sa.case(
        (kind == "integer", column),
        (sa.and_(kind == "real", number == column), number),
        (sa.and_(kind == "text", sa.cast(number, sa.Text) == column), number),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A table that the trace has.

    Attributes:
        table: The table, to build queries with.
        columns: Our name of each wanted column that the trace has, and that column.
        rowid: Its row number; None for views and tables without.
    """

    table: sa.TableClause
    columns: Mapping[str, sa.ColumnElement[Any]]
    rowid: sa.ColumnElement[int] | None

    def numbers(self, names: Iterable[str], *, strict: bool = False) -> sa.Select[Any]:
        """Select columns of numbers under our names; those that are absent are left out.

        Args:
            names: Our names.
            strict: Make what is no whole number NULL, see `whole`. This costs time.
        """
        chosen = {name: self.columns[name] for name in names if name in self.columns}
        return sa.select(
            *((whole(column) if strict else column).label(name) for name, column in chosen.items())
        ).select_from(self.table)

    def number(self, name: str) -> sa.ColumnElement[Any]:
        """Give a column as whole numbers, NULL where the trace has no such column."""
        return whole(self.columns[name]) if name in self.columns else sa.null()

    def text(self, name: str) -> sa.ColumnElement[Any]:
        """Give a column as text, NULL where the trace has no such column."""
        return sa.cast(self.columns[name], sa.Text) if name in self.columns else sa.null()


class Catalog:
    """The tables of a trace.

    Attributes:
        names: Names of all tables and views, in the file's order.
        incomplete: Tables that lack a column that can't be done without, by our name of the
            table: its name in the trace, and what it lacks.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        master = sa.table("sqlite_master", sa.column("name"), sa.column("type"))
        query = sa.select(sa.cast(master.c.name, sa.Text).label("name")).where(
            master.c.type.in_(["table", "view"])
        )
        self.names: list[str] = [row["name"] for row in rows(query)]
        self.incomplete: dict[str, Text] = {}
        self._found: dict[str, Found | None] = {}

    def find(self, what: str) -> Found | None:
        """Find a table by our name of it; None where the trace has none that can be used."""
        if what not in self._found:
            self._found[what] = self._find(what, rules()["tables"][what])
        return self._found[what]

    def _find(self, what: str, rule: Mapping[str, Any]) -> Found | None:
        name = _first(rule["names"], {name.casefold(): name for name in self.names})
        if name is None:
            return None
        actual = self._columns_of(name)
        chosen = {ours: _first(aliases, actual) for ours, aliases in rule["columns"].items()}
        missing = [rule["columns"][ours][0] for ours in rule["required"] if chosen[ours] is None]
        if missing:
            columns = ", ".join(missing)
            self.incomplete[what] = text("source.missing_columns", table=name, columns=columns)
            return None
        rowid = _first(_ROWID_NAMES, {n: n for n in _ROWID_NAMES if n not in actual})
        if not self._has_rowid(name):
            rowid = None
        present = {ours: column for ours, column in chosen.items() if column is not None}
        table = sa.table(name, *map(sa.column, {*present.values(), *([rowid] if rowid else [])}))
        return Found(
            table=table,
            columns={ours: table.c[column] for ours, column in present.items()},
            rowid=table.c[rowid] if rowid else None,
        )

    def _columns_of(self, name: str) -> dict[str, str]:
        info = sa.func.pragma_table_xinfo(name).table_valued("name")
        return {row["name"].casefold(): row["name"] for row in self._rows(sa.select(info.c.name))}

    def _has_rowid(self, name: str) -> bool:
        listed = sa.func.pragma_table_list(name).table_valued("type", "wr")
        rows = self._rows(sa.select(listed.c.type, listed.c.wr))
        return bool(rows) and rows[0]["type"] == "table" and not rows[0]["wr"]


def _first(names: Iterable[str], actual: Mapping[str, str]) -> str | None:
    """Take the first name that exists; SQLite does not tell case apart."""
    return next((actual[name.casefold()] for name in names if name.casefold() in actual), None)
