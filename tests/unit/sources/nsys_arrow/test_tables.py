import random
from contextlib import suppress

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.arrow_dirs import CONTAINERS, write_table

from nsys_walls.sources.nsys_arrow import tables
from nsys_walls.sources.nsys_arrow.tables import DamagedTableError, is_parquet, read_batches


def read(path, *columns):
    """Read columns whole; they are as SQLite will get them."""
    return pa.Table.from_batches(list(read_batches(path, columns)))


@pytest.mark.parametrize("container", CONTAINERS)
def test_wanted_columns_are_read_in_the_order_of_the_rows(tmp_path, container):
    rows = pa.table({"deviceId": [9, 9, 9], "start": [3, 1, 2], "host": ["a", "b", "c"]})
    path = write_table(tmp_path, "T", rows, container, rows_at_once=2)
    found = read(path, "start", "end", "deviceId")
    assert found.to_pydict() == {"start": [3, 1, 2], "deviceId": [9, 9, 9]}
    assert is_parquet(path) == (container == "parquetdir")


@pytest.mark.parametrize("container", CONTAINERS)
def test_case_does_not_count_and_the_first_of_two_columns_is_read(tmp_path, container):
    rows = pa.table({"START": [1], "Start": [2], "value": ["x"]})
    path = write_table(tmp_path, "T", rows, container)
    assert read(path, "start", "VALUE").to_pydict() == {"start": [1], "VALUE": ["x"]}


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_table_without_rows_or_wanted_columns_is_still_a_table(tmp_path, container):
    rows = pa.table({"start": pa.array([], pa.uint32()), "name": pa.array([], pa.string())})
    path = write_table(tmp_path, "T", rows, container)
    assert read(path, "start", "name").schema == pa.schema(
        {"start": pa.int64(), "name": pa.string()}
    )
    path = write_table(tmp_path, "T", pa.table({"host": ["a"]}), container)
    assert read(path, "start").to_pydict() == {"-": []}


def test_large_batches_are_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "BATCH_ROWS", 4)
    for container in CONTAINERS:
        folder = tmp_path / container
        folder.mkdir()
        path = write_table(folder, "T", pa.table({"start": range(10)}), container)
        batches = list(read_batches(path, ["start"]))
        assert [batch.num_rows for batch in batches] == [0, 4, 4, 2]
        assert [row for batch in batches for row in batch["start"].to_pylist()] == [*range(10)]


INTEGERS = {
    pa.int8(): (-(2**7), 2**7 - 1),
    pa.uint8(): (0, 2**8 - 1),
    pa.int16(): (-(2**15), 2**15 - 1),
    pa.uint16(): (0, 2**16 - 1),
    pa.int32(): (-(2**31), 2**31 - 1),
    pa.uint32(): (0, 2**32 - 1),
    pa.int64(): (-(2**63), 2**63 - 1),
    pa.uint64(): (0, 2**63 - 1),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_integers_of_any_width_keep_their_values(tmp_path, container):
    columns = {str(kind): pa.array([low, None, high], kind)
               for kind, (low, high) in INTEGERS.items()}  # fmt: skip
    path = write_table(tmp_path, "T", pa.table(columns), container)
    found = read(path, *columns)
    assert set(found.schema.types) == {pa.int64()}
    assert found.to_pydict() == {name: array.to_pylist() for name, array in columns.items()}


def test_ids_of_64_bits_keep_their_bits(tmp_path):
    path = write_table(tmp_path, "T", pa.table({"id": pa.array([2**64 - 2, None], pa.uint64())}))
    assert read(path, "id").to_pydict() == {"id": [-2, None]}


@pytest.mark.parametrize("container", ["arrowdir", "arrow stream"])
def test_other_types_become_numbers_text_or_null(tmp_path, container):
    columns = {
        "flag": pa.array([True, None]),
        "half": pa.array([0.5, None], pa.float16()),
        "codes": pa.array(["x", None]).dictionary_encode(),
        "numbers": pa.array([7, None], pa.uint8()).dictionary_encode(),
        "large": pa.array(["x", None], pa.large_string()),
        "view": pa.array(["longer than twelve bytes", None], pa.string_view()),
        "bytes": pa.array([b"x", None]),
        "bytes_view": pa.array([b"x", None], pa.binary_view()),
        "large_bytes": pa.array([b"x", None], pa.large_binary()),
        "nothing": pa.nulls(2),
        "list": pa.array([[1], None]),
        "pair": pa.array([{"a": 1}, None]),
    }
    path = write_table(tmp_path, "T", pa.table(columns), container)
    assert {name: values[0] for name, values in read(path, *columns).to_pydict().items()} == {
        "flag": 1, "half": 0.5, "codes": "x", "numbers": 7, "large": "x",
        "view": "longer than twelve bytes", "bytes": "x", "bytes_view": "x", "large_bytes": "x",
        "nothing": None, "list": None, "pair": None,
    }  # fmt: skip
    assert {values[1] for values in read(path, *columns).to_pydict().values()} == {None}


@pytest.mark.parametrize("container", CONTAINERS)
def test_text_that_is_no_utf_8_keeps_its_bytes(tmp_path, container):
    text = pa.array([b"caf\xe9", "ä".encode()]).cast(pa.string(), safe=False)
    columns = {"text": text, "codes": text.dictionary_encode()}
    path = write_table(tmp_path, "T", pa.table(columns), container)
    for column in read(path, *columns).columns:
        assert column.cast(pa.binary()).to_pylist() == [b"caf\xe9", "ä".encode()]


def packed(options=None):
    """Write a table of every kind of column to bytes, as Parquet and as both forms of Arrow."""
    rows = pa.table(
        {
            "id": pa.array(range(60), pa.uint32()),
            "value": [None if number % 7 == 0 else "k" * (number % 5) for number in range(60)],
            "codes": pa.array(["a", "b", "c"] * 20).dictionary_encode(),
            "large": pa.array(["x"] * 60, pa.large_string()),
        }
    )
    made = []
    for open_ in (pa.ipc.new_file, pa.ipc.new_stream):
        sink = pa.BufferOutputStream()
        with open_(sink, rows.schema, options=options) as writer:
            writer.write_table(rows, 20)
        made.append(sink.getvalue().to_pybytes())
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, row_group_size=20)
    return [*made, sink.getvalue().to_pybytes()]


PACKED = packed() + packed(pa.ipc.IpcWriteOptions(compression="lz4"))[:1]


@given(content=st.sampled_from(PACKED), seed=st.integers(0, 2**32), cut=st.booleans())
def test_damage_of_any_kind_is_one_kind_of_error(tmp_path_factory, content, seed, cut):
    chosen = random.Random(seed)  # noqa: S311 # places to damage, not secrets
    damaged = bytearray(content)
    if cut:
        del damaged[chosen.randrange(len(damaged)) :]
    else:
        for _ in range(chosen.choice((1, 2, 20))):
            damaged[chosen.randrange(len(damaged))] = chosen.choice((0, 1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(damaged)
    with suppress(DamagedTableError):  # not every byte matters; any other error fails
        read(path, "id", "value", "codes", "large").validate(full=False)


def test_what_the_system_refuses_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "gone.parquet", "id")
