import sqlite3
from contextlib import closing

import pyarrow as pa
import pytest
from support.arrow_dirs import write_folder, write_table
from support.nsys_traces import SECRETS, build_trace, call, kernel, nvtx

from nsys_walls.errors import InputError
from nsys_walls.sources.nsys_arrow.copy import as_sqlite
from nsys_walls.sources.nsys_arrow.export import ExportTable, tables_in
from nsys_walls.sources.nsys_sqlite.schema import rules


@pytest.fixture
def folder(tmp_path):
    trace = build_trace(
        tmp_path / "t.sqlite",
        kernels=[kernel(start) for start in (30, 10, 20)],
        calls=[call(5, 1)],
        nvtx=[nvtx(0, 50, "step")],
    )
    return write_folder(trace, rows_at_once=2)


def test_only_tables_and_columns_of_the_schemas_are_copied(folder):
    listed = {}
    for rule in rules()["tables"].values():
        names = {name for aliases in rule["columns"].values() for name in aliases}
        for table in rule["names"]:
            listed.setdefault(table, set()).update(names)
    with as_sqlite(tables_in(folder), "t", lambda _rows: None) as path:
        content = path.read_bytes()
        with closing(sqlite3.connect(path)) as copy:
            found = {
                table: {row[1] for row in copy.execute(f"PRAGMA table_info({table})")}
                for (table,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
    assert {"StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"} <= set(found) <= set(listed)
    for table, columns in found.items():
        assert columns <= listed[table]
    # the names of the export's settings are in a table that is read; commands and variables are not
    for secret in SECRETS[3:]:
        assert secret.encode() not in content


def test_rows_are_numbered_in_the_order_of_the_file(folder):
    copied = []
    with (
        as_sqlite(tables_in(folder), "t", copied.append) as path,
        closing(sqlite3.connect(path)) as copy,
    ):
        rows = copy.execute(
            "SELECT rowid, start, typeof(start) FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY rowid"
        )
        assert rows.fetchall() == [(1, 30, "integer"), (2, 10, "integer"), (3, 20, "integer")]
        tables = copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        counts = [copy.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in tables]  # noqa: S608 # our own
        assert sum(copied) == sum(counts)


def test_the_copy_is_gone_afterwards(folder):
    with as_sqlite(tables_in(folder), "t", lambda _rows: None) as path:
        assert [beside.name for beside in path.parent.iterdir()] == ["trace.sqlite"]
    assert not path.parent.exists()


def table(path, name="T", columns=("id",)):
    return ExportTable(name=name, columns=columns, path=path)


def refusal(*tables):
    with pytest.raises(InputError) as caught, as_sqlite(tables, "t_pqtdir", lambda _rows: None):
        pytest.fail("the tables were copied")
    return caught.value


def test_a_table_of_strings_without_numbers_needs_no_index(tmp_path):
    path = write_table(tmp_path, "StringIds", pa.table({"value": ["a", "b"]}))
    with as_sqlite([table(path, "StringIds", ("id", "value"))], "t", lambda _rows: None) as copy:
        assert copy.exists()


def test_strings_without_a_number_are_no_two_of_one_number(tmp_path):
    path = write_table(tmp_path, "StringIds", pa.table({"id": pa.array([None, None, 1])}))
    with as_sqlite([table(path, "StringIds")], "t", lambda _rows: None) as copy:
        assert copy.exists()


def test_each_error_says_which_file_it_is_and_what_to_do(tmp_path):
    garbage = tmp_path / "T.arrow"
    garbage.write_bytes(b"garbage")
    damaged = refusal(table(garbage))
    assert damaged.slug == "damaged-file"
    assert str(damaged) == (
        "t_pqtdir: damaged: T.arrow is no Parquet and no Arrow file; export it again with "
        "`nsys export --type arrowdir --force-overwrite true REPORT.nsys-rep`."
    )
    unreadable = refusal(table(tmp_path / "gone.parquet"))
    assert unreadable.slug == "unreadable"
    assert str(unreadable) == "t_pqtdir: gone.parquet can't be read: No such file or directory."


def test_a_full_disk_while_an_index_is_made_is_no_damage(folder, monkeypatch):
    # room for the tables, but for no page more
    with as_sqlite(tables_in(folder), "t", lambda _rows: None) as path:
        with closing(sqlite3.connect(path)) as copy:
            pages = copy.execute("PRAGMA page_count").fetchone()[0]
        strings = [table for table in tables_in(folder) if table.name == "StringIds"]
    others = [table for table in tables_in(folder) if table.name != "StringIds"]
    pragma = f"PRAGMA max_page_count = {pages - 1}"
    monkeypatch.setattr("nsys_walls.sources.nsys_arrow.copy._PRAGMAS", (pragma,))
    assert refusal(*others, *strings).slug == "no-room"
