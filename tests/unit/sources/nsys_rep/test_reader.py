from pathlib import Path

import pytest
from support.nsys_traces import MemorySink, build_trace, kernel
from support.profilers import NSYS_REPORT, only_path

from nsys_walls.errors import InputError
from nsys_walls.sources import Request, Sample, detect
from nsys_walls.sources.nsys_rep import READER


def sample(name, head, *, compressed=False):
    return Sample(path=Path(name), head=head, compressed=compressed)


def test_its_place_among_readers():
    assert (READER.kind, READER.is_trace) == ("nsys-rep", True)
    assert detect(sample("t.nsys-rep", NSYS_REPORT)) is READER


@pytest.mark.parametrize("name", ["t.nsys-rep", "t.QDREP", "a.b.qdrep", ".nsys-rep"])
@pytest.mark.parametrize("head", [NSYS_REPORT, b"\n<\x00", b"a new format", b"\x89HDF\x00"])
def test_what_no_other_reader_knows_is_a_report_by_its_name(name, head):
    assert READER.recognises(sample(name, head))


@pytest.mark.parametrize("name", ["t.sqlite", "t", "nsys-rep", "t.nsys-rep.txt", "t.ncu-rep"])
def test_without_the_name_it_is_none(name):
    assert not READER.recognises(sample(name, NSYS_REPORT))


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"SQLite format 3\0",
        b"NVR\0",
        b'"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n',
        b"==PROF== Connected to process 7\n",
        b"version https://git-lfs.github.com/spec/v1\n",
        b"\xef\xbb\xbf <!doctype html>",
        b'{"message": "Not Found"}',
    ],
)
def test_what_is_something_else_is_no_report(head):
    assert not READER.recognises(sample("t.nsys-rep", head))


def test_a_compressed_one_is_none():
    assert not READER.recognises(sample("t.nsys-rep", NSYS_REPORT, compressed=True))


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "t.nsys-rep"
    path.write_bytes(NSYS_REPORT)
    return path


def test_the_rows_are_those_of_the_export(tmp_path, monkeypatch, report):
    trace = build_trace(tmp_path / "t.sqlite", kernels=[kernel(0, 700), kernel(900, 1500)])
    only_path(monkeypatch, tmp_path / "bin").nsys(trace)
    seen, sink = [], MemorySink()
    request = Request(path=report, jobs=1, progress=lambda done, total: seen.append((done, total)))
    info = READER.read(request, sink)
    assert (info.kind, info.rows) == ("nsys-rep", 2)
    assert [row["duration_ns"] for row in sink.rows("launches")] == [700, 600]
    assert seen[-1] == (2, 2)


def test_an_export_of_something_else_is_named_as_the_report(tmp_path, monkeypatch, report):
    other = tmp_path / "other"
    other.write_bytes(b"SQLite format 3\0 cut off")
    only_path(monkeypatch, tmp_path / "bin").nsys(other)
    with pytest.raises(InputError, match=r"^t\.nsys-rep: damaged"):
        READER.read(Request(path=report), MemorySink())
