"""Which files are traces of the PyTorch profiler."""

import codecs
import gzip
import json

import pytest
from support.torch_traces import VERSIONS, launch, op, sample, trace_text

from nsys_walls.sources import detect
from nsys_walls.sources.torch_trace import READER
from nsys_walls.sources.torch_trace.rules import is_trace, rules


@pytest.mark.parametrize("version", VERSIONS)
def test_a_trace_of_every_version_is_recognised(trace, version):
    path = trace(launch(), version=version)
    assert detect(sample(path)) is READER


def test_a_trace_is_recognised_in_gzip_and_in_every_encoding(tmp_path):
    text = trace_text(launch())
    for number, data in enumerate([
        gzip.compress(text.encode()), codecs.BOM_UTF8 + text.encode(), text.encode("utf-16"),
        b"\n\t " + text.encode(),
    ]):  # fmt: skip
        path = tmp_path / f"{number}.bin"
        path.write_bytes(data)
        assert detect(sample(path)) is READER


def test_what_precedes_the_events_may_fill_the_head(trace):
    path = trace(launch(), log=["x" * 80] * 20_000)
    head = sample(path).head
    assert b"traceEvents" not in head
    assert is_trace(head)


def test_the_events_alone_are_a_trace():
    array = f"[{trace_text(launch()).partition('[')[2]}"
    assert is_trace(array.encode())
    assert is_trace(json.dumps({"traceEvents": [op(0, 1)]}).encode())
    assert is_trace(b'[{"name": "aten::mul", "ph": "X", "pid": "CPU functions"}')


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"{}",
        b"[]",
        b"[1, 2]",
        b'{"schemaVersion": 2, "mediaType": "image"}',
        b'{"displayTimeUnit": "ns", "traceEvents": [{"ph": "M", "name": "process_name"}]}',
        b'{"traceEvents": [{"cat": "blink", "name": "kernel", "ph": "X"}]}',
        b'{"schema": "1.0.2-chakra", "nodes": [{"name": "traceEvents"}]}',
        b'"schemaVersion": 1, "traceEvents": []',
        b'id,"cat": "kernel"\n',
        b'{"schemaVersion": 1, "traceEvents": []}\0',
    ],
)
def test_other_content_is_not_recognised(head):
    assert not is_trace(head)


def test_no_category_is_of_two_kinds():
    categories = dict(rules()["categories"])
    left_out = list(categories.pop("left_out"))
    names = [name for several in categories.values() for name in several]
    assert len({*names, *left_out}) == len(names) + len(left_out)
