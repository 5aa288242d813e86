"""The benchmark of PyTorch traces itself, on a small one."""

import json

from benchmark.torch_trace import compare, make_torch_trace, table
from support.torch_traces import read_trace


def test_the_trace_is_what_it_says(tmp_path):
    path = make_torch_trace(tmp_path / "t", 0.5)
    assert 500_000 <= path.stat().st_size < 505_000
    events = json.loads(path.read_text("utf-8"))["traceEvents"]
    sink, info = read_trace(path)
    assert info.rows == (len(events) - 1) / 5
    assert info.warnings == ()
    inside = [row["range"] for row in sink.rows("launches")]
    assert inside == list(range(info.rows))


def test_both_programs_run_and_leave_nothing(tmp_path):
    trace = make_torch_trace(tmp_path / "t", 0.1)
    runs = compare(trace, tmp_path, 1)
    assert all(run.seconds > 0 and run.peak_mb > 0 for several in runs.values() for run in several)
    assert table(runs, 0.1)[-1].startswith("ratio ")
    assert list(tmp_path.iterdir()) == [trace]
