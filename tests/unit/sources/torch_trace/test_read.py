"""Whole traces: what is said about them, and what makes them unusable."""

import gzip
import json

import pytest
from support.nsys_traces import SECRETS
from support.torch_traces import (
    VERSIONS,
    build_trace,
    from_rows,
    launch,
    op,
    read_trace,
    span,
    trace_text,
)

from nsys_walls.errors import InputError

CALL = span("cuda_runtime", "cudaLaunchKernel", 0, 1, correlation=1)


def refused(path, slug):
    with pytest.raises(InputError) as caught:
        read_trace(path)
    assert caught.value.slug == slug
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path.name}: ")
    return message


def write(tmp_path, text, name="t.json"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("version", VERSIONS)
def test_whole_microseconds_are_told(trace, version):
    _, info = read_trace(trace(launch(0, 5000), version=version))
    codes = [warning.code for warning in info.warnings]
    assert codes == (["whole-microseconds"] if version in {"1.8", "2.0"} else [])


def test_what_is_left_out_is_counted(trace):
    _, info = read_trace(
        trace(
            launch(5),
            launch(5, 4),
            {"ph": "X", "cat": "python_function", "name": "m", "ts": 1, "dur": 1},
            op(3, 4, category="gpu_user_annotation"),
        )
    )
    # four of the marks are those that the builder always writes
    assert {skipped.reason: skipped.rows for skipped in info.skipped} == {
        "marks, flows and metadata": 4,
        "launches that end before they start": 1,
        "Python functions": 1,
        "copies of annotations on the GPU's time line": 1,
    }


def test_gzip_and_the_bare_array_hold_the_same(trace, tmp_path):
    events = [launch(3, 9, correlationId=1), CALL, op(0, 2)]
    expected = read_trace(trace(*events))[0]
    text = trace_text(*events)
    array = text[text.index("[", text.index("traceEvents")) : text.rindex("]") + 1]
    for path in (trace(*events, name="t.json.gz"), write(tmp_path, array, "array.json")):
        sink, _ = read_trace(path)
        for table in ("launches", "kernels", "names", "ranges", "calls"):
            assert sink.rows(table) == expected.rows(table)


def test_what_follows_the_trace_does_no_harm(trace, tmp_path):
    packed = trace(launch(), name="t.json.gz")
    packed.write_bytes(packed.read_bytes() + b"garbage")
    assert read_trace(packed)[1].rows == 1
    assert read_trace(write(tmp_path, trace_text(launch()) + "\0\0"))[1].rows == 1


def test_progress_is_told(trace):
    path = trace(launch())
    done = []
    read_trace(path, progress=lambda *numbers: done.append(numbers))
    assert done[-1] == (path.stat().st_size, path.stat().st_size)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"blocks per SM": 1.185185', '"blocks per SM": inf'),
        ('"warps per SM": 9.481482', '"warps per SM": -nan'),
        ('"graph id": 0', '"graph id": N/A'),
        ('"id": 1', f'"id": {"9" * 5000}'),
        ('"ac2g"', '"torch\\cuda\\__init__.py"'),
        ('"ac2g"', '"a\nb"'),
    ],
)
def test_what_kineto_writes_is_read_although_it_is_no_json(tmp_path, old, new):
    text = trace_text(launch(0, 7), launch(9, 12))
    changed = text.replace(old, new)
    assert changed != text
    with pytest.raises(ValueError, match=r"Invalid|Expecting|Exceeds"):
        json.loads(changed, parse_constant=json.loads)
    sink, info = read_trace(write(tmp_path, changed))
    assert [row["duration_ns"] for row in sink.rows("launches")] == [7, 3]
    assert info.warnings == ()


@pytest.mark.parametrize("left", [0.3, 0.6, 0.9, 0.97])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_trace_that_ends_early_is_damaged(trace, left, suffix):
    path = trace(*(launch(number) for number in range(500)), name=f"t.json{suffix}")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * left)])
    message = refused(path, "damaged-file")
    assert ("gzip data" if suffix else "it ends early") in message
    assert "export_chrome_trace" in message


def test_a_trace_that_ends_early_and_holds_no_numbers_is_damaged(tmp_path):
    text = trace_text(launch(), launch()).replace("1.185185", "nan")
    message = refused(write(tmp_path, text[: text.rindex("]")]), "damaged-file")
    assert "it ends early, after 6 events" in message


@pytest.mark.parametrize(
    "replacement", ['"kernel" "x"', '"library("inductor")"', "{]", "[" * 10_000]
)
def test_what_is_no_json_is_damaged(tmp_path, replacement):
    text = trace_text(launch(0), launch(1, name="kernel_2"), launch(2))
    path = write(tmp_path, text.replace('"kernel_2"', replacement))
    assert "no JSON after 5 events" in refused(path, "damaged-file")


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([op(0, 1)], "PyTorch profiled the CPU only"),
        ([], "ProfilerActivity.CUDA"),
        ([op(0, 1), CALL], "CUDA was called, but no kernel was recorded"),
        ([launch(5, 4), launch() | {"name": 7}], "none of 2 kernels has a usable name and time"),
    ],
)
def test_a_trace_without_kernels_says_why(trace, events, said):
    assert said in refused(trace(*events), "no-kernels")


def test_the_autograd_profiler_has_no_kernels(tmp_path):
    event = {"name": "add", "ph": "X", "ts": 101.5, "dur": 134.4, "tid": 1, "args": {}}
    text = json.dumps([event | {"pid": pid} for pid in ("CPU functions", "CUDA functions")])
    assert "autograd profiler" in refused(write(tmp_path, text), "no-kernels")


def test_secrets_stay_in_the_trace(trace):
    rows = from_rows(kernels=[], calls=[], nvtx=[])
    path = trace(launch(), op(0, 1), CALL, *rows, distributedInfo={"rank": 3, "host": SECRETS[1]})
    sink, info = read_trace(path)
    stored = json.dumps([sink.rows(table) for table in sink.parts]) + str(info)
    for secret in SECRETS:
        assert secret not in stored


def test_a_trace_as_pytorch_1_8_prints_it(tmp_path):
    """As in the test data of the profiler's TensorBoard plug-in."""
    text = """
{
  "schemaVersion": 1,
  "computeProperties": [
    {
      "id": 0, "name": "Tesla V100-DGXS-32GB", "totalGlobalMem": 34084028416,
      "major": 7, "minor": 0, "multiProcessorCount": 80
    }
  ],
  "traceEvents": [
  {
    "ph": "X", "cat": "Operator",
    "name": "aten::add_", "pid": 24572, "tid": "24572",
    "ts": 1621401187225449, "dur": 107,
    "args": {
       "Device": 24572, "External id": 45
    }
  },
  {
    "ph": "X", "cat": "Kernel",
    "name": "volta_sgemm_128x32_nt", "pid": 0, "tid": "stream 7",
    "ts": 1621401187231100, "dur": 3,
    "args": {
      "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": 482, "external id": 107,
      "registers per thread": 55,
      "shared memory": 16384,
      "grid": [1, 1, 1],
      "block": [256, 1, 1],
      "theoretical occupancy %": 0
    }
  },
  {
    "ph": "X", "cat": "Runtime",
    "name": "cudaLaunchKernel", "pid": 24572, "tid": "24572",
    "ts": 1621401187225500, "dur": 27,
    "args": {
      "cbid": 211, "correlation": 482,
      "external id": 107, "external ts": 1621401187230889
    }
  },
  {
    "ph": "s", "id": 482, "pid": 24572, "tid": 24610, "ts": 1621401187231073,
    "cat": "async", "name": "launch"
  }
  ]
}
"""
    sink, info = read_trace(write(tmp_path, text))
    (launch_row,) = sink.rows("launches")
    # 231,100 - 225,449 us after the operator
    assert (launch_row["start_ns"], launch_row["duration_ns"]) == (5_651_000, 3000)
    assert (launch_row["stream"], launch_row["range"]) == (7, 0)
    (kernel,) = sink.rows("kernels")
    assert (kernel["process"], kernel["registers"], kernel["grid_x"]) == (24572, 55, 1)
    assert [warning.code for warning in info.warnings] == ["whole-microseconds"]


def test_distributed_ranks_are_different_gpus(tmp_path):
    first, second = (
        read_trace(build_trace(tmp_path / f"{rank}.json", launch(), distributedInfo={"rank": rank}))
        for rank in (0, 1)
    )
    assert first[0].rows("devices")[0]["identity"] != second[0].rows("devices")[0]["identity"]


def test_gzip_in_pieces_is_one_trace(tmp_path):
    text = trace_text(launch()).encode()
    path = write(tmp_path, gzip.compress(text[:500]) + gzip.compress(text[500:]), "t.json.gz")
    assert read_trace(path)[1].rows == 1


def test_a_huge_text_does_no_harm(trace):
    event = op(0, 9)
    event["args"]["Input Dims"] = "[" * 3_000_000
    sink, _ = read_trace(trace(event, launch(name="f<" + "x" * 200_000 + ">()")))
    assert [len(row["full"]) for row in sink.rows("names")] == [200_005]
    assert sink.table("ranges").num_rows == 1
