import os

import pytest
from support.arrow_dirs import CONTAINERS, write_folder
from support.nsys_traces import MemorySink, build_trace, call, kernel, nvtx

from nsys_walls.errors import InputError
from nsys_walls.sources import Request, Sample, all_readers, detect
from nsys_walls.sources.nsys_arrow import READER
from nsys_walls.sources.nsys_arrow.export import tables_in
from nsys_walls.store.schema import TABLES


def sample(path):
    return Sample(path=path, head=b"", compressed=False)


@pytest.fixture
def trace(tmp_path):
    rows = {"kernels": [kernel(n * 100_000, correlationId=n) for n in range(5)]}
    rows["calls"] = [call(n * 100_000 - 50_000, n) for n in range(5)]
    return build_trace(tmp_path / "t.sqlite", **rows, nvtx=[nvtx(40_000, 170_000, "step")])


def test_the_reader_is_found_by_its_place():
    assert READER in all_readers()
    assert READER.is_trace


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_folder_is_known_by_the_names_of_its_files(trace, container):
    assert detect(sample(write_folder(trace, container))) is READER


def test_other_folders_and_files_are_not_recognised(tmp_path, trace, monkeypatch):
    assert not READER.recognises(sample(tmp_path))
    (tmp_path / "numbers.parquet").touch()
    assert not READER.recognises(sample(tmp_path))
    (tmp_path / "cupti_activity_kind_kernel.parquet").touch()
    assert READER.recognises(sample(tmp_path))
    assert not READER.recognises(sample(trace))
    assert not READER.recognises(sample(tmp_path / "gone"))

    def refuse(_path):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    assert not READER.recognises(sample(tmp_path))


@pytest.mark.parametrize(
    ("container", "kind"),
    [("parquetdir", "nsys-parquet"), ("arrowdir", "nsys-arrow"), ("arrow stream", "nsys-arrow")],
)
def test_what_is_stored_is_what_the_sqlite_export_gives(trace, container, kind):
    (from_sqlite,) = [reader for reader in all_readers() if reader.kind == "nsys-sqlite"]
    expected, found = MemorySink(), MemorySink()
    told = from_sqlite.read(Request(path=trace), expected)
    info = READER.read(Request(path=write_folder(trace, container)), found)
    assert {name: found.rows(name) for name in TABLES} == {
        name: expected.rows(name) for name in TABLES
    }
    assert found.rows("launches")
    assert found.rows("ranges")
    assert (info.kind, told.kind) == (kind, "nsys-sqlite")
    same = ("product_version", "schema_version", "rows", "skipped", "warnings")
    assert [getattr(info, name) for name in same] == [getattr(told, name) for name in same]


def test_progress_is_told_of_the_copy_and_of_the_reading(trace):
    seen = []
    request = Request(path=write_folder(trace), progress=lambda *counts: seen.append(counts))
    READER.read(request, MemorySink())
    copied = [done for done, total in seen if total is None]
    assert copied == sorted(copied)
    assert copied[-1] > 10
    assert seen[-1] == (10, 10)  # launches and calls


def test_columns_of_every_name_that_a_table_ever_had_are_wanted(trace):
    tables = {table.name: table for table in tables_in(write_folder(trace))}
    assert {"demangledName", "shortName", "mangledName"} <= set(
        tables["CUPTI_ACTIVITY_KIND_KERNEL"].columns
    )
    assert "PROCESSES" not in tables
    assert "TARGET_INFO_SYSTEM_ENV" not in tables


def test_strings_alone_are_no_export(tmp_path, trace):
    folder = write_folder(trace)
    alone = tmp_path / "alone"
    alone.mkdir()
    (folder / "StringIds.parquet").rename(alone / "StringIds.parquet")
    for path, held in ((alone, "it holds StringIds.parquet)"), (folder, ".parquet, ...)")):
        with pytest.raises(InputError, match="but no whole export") as caught:
            READER.read(Request(path=path), MemorySink())
        assert caught.value.slug == "not-an-nsys-export"
        assert held in str(caught.value)
