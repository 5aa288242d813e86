"""Opening without touching: logs, journals, gzip, folders that can't be written, cut files."""

import gzip
import hashlib
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager

import pytest
from support.nsys_traces import kernel, read_trace

from nsys_walls.errors import InputError

NOISE = hashlib.shake_256(b"noise").digest(1 << 20)
THREE = [kernel(start=i * 20_000) for i in range(3)]


@contextmanager
def as_it_was(folder):
    """Check that a folder holds the same files with the same content as before."""

    def state():
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}

    before = state()
    yield
    assert state() == before


def duration_of(sink):
    return sum(sink.table("launches")["duration_ns"].to_pylist())


def test_a_plain_trace_is_read_in_place(trace, tmp_path, monkeypatch):
    path = trace(kernels=THREE)
    monkeypatch.setattr(tempfile, "mkdtemp", None)  # a copy would need it
    with as_it_was(tmp_path):
        sink, info = read_trace(path)
    assert (info.rows, duration_of(sink)) == (3, 30_000)


def test_a_read_only_file_in_a_read_only_folder(trace, tmp_path):
    path = trace(kernels=THREE)
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with as_it_was(tmp_path):
            assert read_trace(path)[1].rows == 3
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("name", ["a b#c?d%20'e\".txt", "überlauf.sqlite"])
def test_any_file_name(trace, name):
    assert read_trace(trace(name, kernels=THREE))[1].rows == 3


def test_rows_in_a_write_ahead_log_are_read(trace, tmp_path):
    path = trace(kernels=THREE)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 5000")
        writer.commit()
        # the writer is still there, so its log is not merged: 3 x (10,000 + 5,000) ns
        assert path.with_name("trace.sqlite-wal").stat().st_size
        with as_it_was(tmp_path):
            sink, _ = read_trace(path)
    assert duration_of(sink) == 45_000


def test_a_log_is_found_through_a_link(trace, tmp_path):
    path = trace(kernels=THREE)
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 0")
        writer.commit()
        assert read_trace(link)[1].rows == 2


def test_a_merged_log_leaves_no_trace(trace, tmp_path):
    path = trace(kernels=THREE)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
    path.with_name("trace.sqlite-wal").touch()
    with as_it_was(tmp_path):
        assert read_trace(path)[1].rows == 3


def test_what_a_killed_writer_left_half_done_is_rolled_back(trace, tmp_path):
    path = trace(kernels=[kernel(start=i * 20_000) for i in range(2000)])
    crashed = tmp_path / "crashed.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 5")  # too small: pages are written before the commit
        writer.execute("BEGIN")
        writer.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1")
        for suffix in ("", "-journal"):
            shutil.copy(f"{path}{suffix}", f"{crashed}{suffix}")
        writer.execute("ROLLBACK")
    with as_it_was(tmp_path):
        sink, _ = read_trace(crashed)
    assert duration_of(sink) == 2000 * 10_000


def test_a_gzipped_trace(trace, tmp_path):
    plain = trace(kernels=THREE).read_bytes()
    packed = tmp_path / "packed.sqlite.gz"
    packed.write_bytes(gzip.compress(plain))
    with as_it_was(tmp_path):
        assert read_trace(packed)[1].rows == 3


def test_temporary_copies_are_removed(trace, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(trace(kernels=THREE).read_bytes()))
    read_trace(packed)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda whole: whole[:8192], "it has 8,192 of its"),
        (lambda whole: whole[:-1], "of its"),
        (lambda whole: whole[:60], "it ends after 60 bytes"),
        (lambda whole: whole[:100] + NOISE[: len(whole) - 100], "SQLite says"),
        (lambda whole: whole[:16] + b"x" * 1000, "SQLite says 'file is not a database'"),
        # 64 kB pages are written as 1 in the header
        (lambda whole: whole[:16] + b"\0\1" + whole[18:], "of its"),
        (lambda whole: gzip.compress(whole)[:-100], "its gzip data ends early or is wrong"),
        (lambda whole: gzip.compress(whole)[:50] + b"x" * 99, "its gzip data"),
        (lambda whole: gzip.compress(whole[:5000]), "it has 5,000 of its"),
    ],
    ids=["cut", "one byte short", "header cut", "noise", "no header", "64 kB pages", "gzip cut",
         "gzip overwritten", "cut, then gzipped"],
)  # fmt: skip
def test_a_damaged_file_is_named_in_one_line(trace, damage, reason):
    path = trace(kernels=[kernel(start=i) for i in range(500)])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=reason) as caught:
        read_trace(path)
    assert caught.value.slug == "damaged-file"
    assert str(caught.value).startswith("trace.sqlite: damaged: ")
    assert "\n" not in str(caught.value)


def test_no_room_for_a_copy(trace, tmp_path, monkeypatch):
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(trace(kernels=THREE).read_bytes()))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(InputError, match="No space left on device"):
        read_trace(packed)


def test_damage_that_only_a_query_meets(trace):
    """Pages in the middle are overwritten: the header and the list of tables stay good."""
    path = trace(kernels=[kernel(start=i) for i in range(5000)])
    whole = bytearray(path.read_bytes())
    middle = len(whole) // 2 // 4096 * 4096
    whole[middle : middle + 40_960] = b"\xff" * 40_960
    path.write_bytes(whole)
    with pytest.raises(InputError, match="malformed") as caught:
        read_trace(path)
    assert caught.value.slug == "damaged-file"
