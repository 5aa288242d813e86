from pathlib import Path

import pytest

from nsys_walls.sources import Sample
from nsys_walls.sources.unrecognised import unrecognised


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        ("a.sqlite", b"", ["an empty file", "expected an Nsight Systems SQLite export"]),
        ("a.sqlite", b"version https://git-lfs.github.com/spec/v1\noid", ["Git LFS pointer",
                                                                       "git lfs pull"]),
        ("a.sqlite", b"start,end\n1,2\n", ["text without profiler rows"]),
        ("a.csv", b"\x00\x01\x02", ["not text and no SQLite database"]),
        ("a.zip", b"PK\x03\x04rest", ["a zip archive", "unpack"]),
        ("a.json", b'\xef\xbb\xbf {"traceEvents": []}', ["JSON"]),
        ("k.ncu-rep", b"\x00\x01", ["named as a profiler's report", "copy it again"]),
        ("t.nsys-rep", b"version https://git-lfs.github.com/spec/v1\noid", ["Git LFS pointer"]),
        ("t.qdrep", b"<!doctype html>", ["HTML or XML"]),
        ("a.html", b"<!doctype html>", ["HTML or XML"]),
        ("a.parquet", b"PAR1....", ["a Parquet file", "nsys export"]),
        ("a.arrow", b"ARROW1\0\0", ["an Arrow file", "nsys export"]),
        ("a.arrows", b"\xff\xff\xff\xff\x10", ["an Arrow stream", "nsys export"]),
    ],
)  # fmt: skip
def test_what_a_file_is_and_what_to_do(name, head, words):
    error = unrecognised(Sample(path=Path("/home/someone") / name, head=head, compressed=False))
    assert error.slug == "unknown-format"
    message = str(error)
    assert message.startswith(f"{name} is ")
    assert "\n" not in message
    assert "someone" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("name", ["t.nsys-rep.gz", "T.QDREP.GZ", "k.ncu-rep"])
def test_a_compressed_report_is_to_be_unpacked(name):
    error = unrecognised(Sample(path=Path(name), head=b"\x00\x01", compressed=True))
    assert str(error).startswith(f"{name} is a compressed report of a profiler: unpack it")
