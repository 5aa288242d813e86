import json

import pyarrow as pa
import pyarrow.parquet
import pytest
from support.runs import record, store_run, table

from nsys_walls.errors import InputError, UsageError
from nsys_walls.store.dataset import open_run, remove_run, run_names
from nsys_walls.store.manifest import check_run_name
from nsys_walls.store.schema import STORE_SCHEMA, TABLES
from nsys_walls.store.writer import RunWriter


def one_launch(start_ns=5):
    return {"launches": [{"start_ns": start_ns, "duration_ns": 2, "kernel": 0, "stream": 7}]}


def add(store, file, start_ns, run="run"):
    with RunWriter(store, run, fresh=False) as writer:
        with writer.source() as (number, sink):
            sink.write("launches", table("launches", one_launch(start_ns)["launches"]))
        writer.add(record(number, file, tables=sink.tables))
        writer.commit()


def starts(store, run="run"):
    return open_run(store, run).read("launches")["start_ns"].to_pylist()


def test_what_is_written_is_read_back(tmp_path):
    run = store_run(tmp_path, one_launch(5), one_launch(9))
    rows = run.read("launches")
    assert rows.column_names == ["source", *TABLES["launches"].names]
    assert rows["source"].to_pylist() == [0, 1]
    assert rows["start_ns"].to_pylist() == [5, 9]
    assert rows["range"].to_pylist() == [None, None]
    assert run.read("copies").num_rows == 0


def test_columns_carry_unit_and_origin(tmp_path):
    run = store_run(tmp_path, one_launch())
    (_, path) = run.files("launches")[0]
    metadata = pa.parquet.read_schema(path).field("duration_ns").metadata
    assert metadata[b"unit"] == b"ns"
    assert b"end - start" in metadata[b"origin"]


def test_a_value_that_does_not_fit_is_an_error(tmp_path):
    with (
        RunWriter(tmp_path, "run", fresh=False) as writer,
        writer.source() as (_, sink),
        pytest.raises(pa.ArrowInvalid),
    ):
        sink.write("launches", pa.table({"stream": [2**40]}))


def test_the_same_file_replaces_its_rows_and_nothing_else(tmp_path):
    add(tmp_path, "trace.sqlite", 1)
    add(tmp_path, "counters.csv", 2)
    add(tmp_path, "trace.sqlite", 3)
    assert starts(tmp_path) == [2, 3]
    files = sorted(path.name for path in tmp_path.rglob("*.parquet"))
    assert files == ["1.parquet", "2.parquet"]


def test_a_failing_ingest_leaves_the_run_as_it_was(tmp_path):
    add(tmp_path, "trace.sqlite", 1)
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    with pytest.raises(RuntimeError), RunWriter(tmp_path, "run", fresh=True) as writer:  # noqa: PT012
        with writer.source() as (_, sink):
            sink.write("launches", table("launches", one_launch()["launches"]))
        raise RuntimeError
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    assert starts(tmp_path) == [1]


def test_a_failing_first_ingest_leaves_no_folder(tmp_path):
    with pytest.raises(RuntimeError), RunWriter(tmp_path, "run", fresh=False) as writer:  # noqa: PT012
        with writer.source() as (_, sink):
            sink.write("launches", table("launches", one_launch()["launches"]))
        raise RuntimeError
    assert run_names(tmp_path) == []
    assert not (tmp_path / "runs" / "run").exists()


def test_what_a_killed_ingest_left_is_not_read_and_goes_with_the_next(tmp_path):
    add(tmp_path, "trace.sqlite", 1)
    left = tmp_path / "runs" / "run" / "launches" / "1.parquet"
    left.write_bytes((tmp_path / "runs" / "run" / "launches" / "0.parquet").read_bytes())
    assert starts(tmp_path) == [1]
    add(tmp_path, "other.sqlite", 2)
    assert starts(tmp_path) == [1, 2]


def test_force_starts_afresh(tmp_path):
    add(tmp_path, "a", 1)
    run = store_run(tmp_path, one_launch(9))
    assert run.read("launches")["start_ns"].to_pylist() == [9]
    assert len(list(tmp_path.rglob("*.parquet"))) == 1


def test_the_run_ingested_last_is_the_default(tmp_path):
    store_run(tmp_path, one_launch(), run="zeta")
    store_run(tmp_path, one_launch(), run="alpha")
    assert open_run(tmp_path, None).manifest.run == "alpha"
    add(tmp_path, "counters.csv", 2, run="zeta")
    assert open_run(tmp_path, None).manifest.run == "zeta"
    assert run_names(tmp_path) == ["alpha", "zeta"]


def test_another_store_schema_is_refused_by_name(tmp_path):
    store_run(tmp_path, one_launch())
    path = tmp_path / "runs" / "run" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    assert manifest["schema"] == STORE_SCHEMA
    path.write_text(json.dumps({**manifest, "schema": 99}), "utf-8")
    with pytest.raises(InputError, match=r"store schema 99, this version reads 2.*--force"):
        open_run(tmp_path, "run")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 2}', '{"schema": 2, "sources": 3}'])
def test_a_damaged_manifest_is_one_line(tmp_path, text):
    store_run(tmp_path, one_launch())
    (tmp_path / "runs" / "run" / "manifest.json").write_text(text, "utf-8")
    with pytest.raises(InputError, match="its manifest can't be read"):
        open_run(tmp_path, "run")


def test_missing_runs_are_named(tmp_path):
    with pytest.raises(InputError, match="begin with `nsys-walls ingest"):
        open_run(tmp_path, None)
    store_run(tmp_path, one_launch(), run="bert")
    with pytest.raises(InputError, match=r"no run is called 'gpt'.*there are: bert"):
        open_run(tmp_path, "gpt")
    with pytest.raises(InputError, match="no run is called 'gpt'"):
        remove_run(tmp_path, "gpt")
    remove_run(tmp_path, "bert")
    assert run_names(tmp_path) == []


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "ä", "-x", "x" * 201])
def test_names_that_are_no_folder_are_refused(name):
    with pytest.raises(UsageError, match="use letters, digits"):
        check_run_name(name)


def test_many_small_batches_become_large_row_groups(tmp_path):
    rows = 100_000
    with RunWriter(tmp_path, "run", fresh=False) as writer:
        with writer.source() as (number, sink):
            for first in range(0, 3 * rows, rows):
                starts = pa.array(range(first, first + rows), pa.int64())
                sink.write("launches", pa.table({"start_ns": starts}))
            sink.write("copies", pa.table({"start_ns": pa.array([], pa.int64())}))
        writer.add(record(number, tables=sink.tables))
        writer.commit()
    ((_, path),) = open_run(tmp_path, "run").files("launches")
    metadata = pa.parquet.ParquetFile(path).metadata
    groups = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    assert sum(groups) == 3 * rows
    assert len(groups) == 3
    assert starts_are_kept(tmp_path, 3 * rows)
    assert open_run(tmp_path, "run").files("copies") == []


def starts_are_kept(store, count):
    return open_run(store, "run").read("launches")["start_ns"].to_pylist() == list(range(count))


def test_two_ingests_of_one_run_at_once_do_not_meet(tmp_path):
    add(tmp_path, "trace.sqlite", 1)
    with (
        RunWriter(tmp_path, "run", fresh=False),
        pytest.raises(InputError, match="is being written by another ingest") as caught,
    ):
        add(tmp_path, "other.sqlite", 2)
    assert caught.value.slug == "run-busy"
    add(tmp_path, "other.sqlite", 3)
    assert starts(tmp_path) == [1, 3]
