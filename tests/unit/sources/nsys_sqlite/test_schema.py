"""Tables and columns by name, and values of the wrong type."""

import sqlite3
from contextlib import closing

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from nsys_walls.sources.nsys_sqlite.schema import Catalog, rules, whole
from nsys_walls.store.schema import TABLES


def rows_of(connection):
    def rows(query):
        sql = query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
        cursor = connection.execute(str(sql))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    return rows


@pytest.fixture
def catalog_of():
    with closing(sqlite3.connect(":memory:")) as connection:

        def make(script):
            connection.executescript(script)
            return Catalog(rows_of(connection))

        yield make


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("NULL", None),
        ("7", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("7.0", 7),
        ("7.5", None),
        ("1e300", None),
        ("9e999", None),
        ("9223372036854775807.0", None),  # the nearest REAL is 2**63
        ("'12'", 12),
        ("'-12'", -12),
        ("'012'", None),
        ("'12abc'", None),
        ("'abc'", None),
        ("''", None),
        ("x'3132'", None),
    ],
)
def test_whole_numbers_stay_and_nothing_becomes_one(literal, expected):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (v)")
        connection.execute(f"INSERT INTO t VALUES ({literal})")  # noqa: S608
        table = sa.table("t", sa.column("v"))
        assert rows_of(connection)(sa.select(whole(table.c.v).label("n"))) == [{"n": expected}]


def test_the_newer_name_wins(catalog_of):
    catalog = catalog_of(
        "CREATE TABLE EXPORT_META_DATA (name, value);CREATE TABLE META_DATA_EXPORT (name, value);"
    )
    assert catalog.find("metadata").table.name == "META_DATA_EXPORT"


def test_case_does_not_matter(catalog_of):
    found = catalog_of("CREATE TABLE stringids (ID INTEGER PRIMARY KEY, Value TEXT)").find("string")
    assert found.table.name == "stringids"
    assert {ours: column.name for ours, column in found.columns.items()} == {
        "id": "ID",
        "value": "Value",
    }


def test_a_table_that_is_absent(catalog_of):
    catalog = catalog_of("CREATE TABLE other (a)")
    assert catalog.find("kernel") is None
    assert catalog.incomplete == {}


def test_a_table_that_lacks_a_column_is_named(catalog_of):
    catalog = catalog_of("CREATE TABLE NVTX_EVENTS (start, eventType)")
    assert catalog.find("nvtx") is None
    assert catalog.incomplete.keys() == {"nvtx"}
    assert str(catalog.incomplete["nvtx"]) == "table NVTX_EVENTS has no column end, globalTid"


@pytest.mark.parametrize(
    ("create", "rowid"),
    [
        ("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value)", "rowid"),
        ("CREATE TABLE StringIds (id, value, rowid)", "_rowid_"),
        ("CREATE TABLE StringIds (id, value, RowId, _rowid_)", "oid"),
        ("CREATE TABLE StringIds (id, value, rowid, _rowid_, oid)", None),
        ("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value) WITHOUT ROWID", None),
        ("CREATE TABLE t (id, value); CREATE VIEW StringIds AS SELECT * FROM t", None),
    ],
)
def test_row_numbers(catalog_of, create, rowid):
    found = catalog_of(create).find("string")
    assert (found.rowid.name if found.rowid is not None else None) == rowid


def test_only_wanted_columns_are_selected(catalog_of):
    found = catalog_of("CREATE TABLE StringIds (id, value, secret)").find("string")
    assert "secret" not in str(found.numbers(["id", "value"]))


def test_columns_that_are_absent_are_null(catalog_of):
    found = catalog_of("CREATE TABLE TARGET_INFO_GPU (id)").find("gpu")
    query = found.numbers(()).add_columns(found.number("sm_count"), found.text("name"))
    assert str(query).split("FROM")[0].count("NULL") == 2


def test_every_required_column_has_a_row():
    for what, rule in rules()["tables"].items():
        assert set(rule["required"]) <= set(rule["columns"]), what
        assert set(rule.get("scale", {})) <= set(rule["columns"]), what


def test_kinds_are_those_of_the_store():
    operations = TABLES["copies"].field("operation").metadata[b"origin"].decode()
    memory = TABLES["copies"].field("source_memory").metadata[b"origin"].decode()
    assert all(row["stored"] in operations for row in rules()["copy_kinds"])
    assert all(row["stored"] in memory for row in rules()["memory_kinds"])
