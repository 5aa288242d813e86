"""The benchmark itself, on a small trace."""

from benchmark.ingest import compare, table
from benchmark.make_trace import make_trace
from support.nsys_traces import launches, read_trace


def test_the_trace_is_what_it_says(tmp_path):
    sink, info = read_trace(make_trace(tmp_path / "t", 3000))
    assert info.rows == 3000
    assert sink.table("ranges").num_rows == 100
    assert info.warnings == ()
    # 50 steps of 60 launches; a layer is around the calls of the first half of each
    inside = [row["range"] for row in launches(sink)]
    assert inside.count("layer") == 50 * 30
    assert inside.count("decode") == 50 * 30


def test_both_programs_run_and_leave_nothing(tmp_path):
    trace = make_trace(tmp_path / "t", 500)
    runs = compare(trace, tmp_path, 1)
    assert all(run.seconds > 0 and run.peak_mb > 0 for several in runs.values() for run in several)
    assert table(runs)[-1].startswith("ratio ")
    assert list(tmp_path.iterdir()) == [trace]
