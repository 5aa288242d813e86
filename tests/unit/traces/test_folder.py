import os

import pytest

from nsys_walls.traces.folder import holds_export, table_files, table_of


def make(folder, *names):
    for name in names:
        (folder / name).touch()


def names(folder):
    return [path.name for path in table_files(folder)]


def test_files_of_tables_are_told_from_others(tmp_path):
    make(tmp_path, "b.parquet", "a.ARROW", "c.arrows", "notes.txt", "._b.parquet", "parquet")
    (tmp_path / "nested.parquet").mkdir()
    assert names(tmp_path) == ["a.ARROW", "b.parquet", "c.arrows"]
    assert [table_of(path) for path in table_files(tmp_path)] == ["a", "b", "c"]


def test_links_are_followed_and_one_that_leads_nowhere_is_a_file_too(tmp_path):
    make(tmp_path, "real.parquet")
    (tmp_path / "folder").mkdir()
    (tmp_path / "one.parquet").symlink_to("real.parquet")
    (tmp_path / "broken.parquet").symlink_to("gone")
    (tmp_path / "around.parquet").symlink_to("folder")
    assert names(tmp_path) == ["broken.parquet", "one.parquet", "real.parquet"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_a_pipe_is_no_table(tmp_path):
    os.mkfifo(tmp_path / "pipe.parquet")
    assert names(tmp_path) == []


def test_every_export_has_a_table_of_strings(tmp_path):
    make(tmp_path, "CUPTI_ACTIVITY_KIND_KERNEL.parquet")
    assert not holds_export(tmp_path)
    make(tmp_path, "STRINGIDS.arrow")
    assert holds_export(tmp_path)
    assert not holds_export(tmp_path / "STRINGIDS.arrow")
    assert not holds_export(tmp_path / "gone")
