"""Which report a header begins, over the versions of ``nsys stats``."""

import pytest

from nsys_walls.sources.nsys_stats.report import Scanner, is_progress, parse_header

OLD_TRACE = (
    *("Start(nsec)", "Duration(nsec)", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ"),
    *("Reg/Trd", "StcSMem", "DymSMem", "Bytes", "Throughput (MB/s)", "SrcMemKd", "DstMemKd"),
    *("Device", "Ctx", "Strm", "Name"),
)


def _line(columns, delimiter=","):
    return delimiter.join(columns) + "\r\n"


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (("Time(%)", "Total Time (ns)", "Instances", "Average", "Name"), "cuda_gpu_kern_sum"),
        (("Time (%)", "Total Time (us)", "Instances", "Med (us)", "Name"), "cuda_gpu_kern_sum"),
        (
            ("Time (%)", "Total Time (ns)", "Instances", "GridXYZ", "BlockXYZ", "Name"),
            "cuda_gpu_kern_gb_sum",
        ),
        (("Time (%)", "Total Time (ns)", "Instances", "Category", "Operation"), "cuda_gpu_sum"),
        (OLD_TRACE, "cuda_gpu_trace"),
        # cuda_api_sum, cuda_gpu_mem_time_sum, nvtx_sum, mpi_event_sum, cuda_api_trace
        (("Time (%)", "Total Time (ns)", "Num Calls", "Avg (ns)", "Name"), "other"),
        (("Time (%)", "Total Time (ns)", "Count", "Avg (ns)", "Operation"), "other"),
        (("Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Style", "Range"), "other"),
        (("Time (%)", "Total Time (ns)", "Instances", "Source", "Name"), "other"),
        (("Start (ns)", "Duration (ns)", "Name", "Result", "CorrID"), "other"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_reports_are_told_by_their_columns(columns, name, delimiter):
    report = parse_header("\ufeff" + _line((*columns, "", ""), delimiter))
    assert report is not None
    assert report.name == name
    assert report.width == len(columns)
    assert report.unknown_unit is None


@pytest.mark.parametrize(
    "columns",
    [
        ("start", "duration", "name"),
        ("time", "total time", "name"),
        ("ID", "Process ID", "Kernel Name", "Metric Name", "Metric Value"),
        ("Start (ns)", "End (ns)"),
        ("Processing",),
    ],
)
def test_other_tables_are_no_reports(columns):
    assert parse_header(_line(columns)) is None


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        *[("ns", 1), ("nsec", 1), ("us", 1e3), ("μs", 1e3), ("usec", 1e3), ("ms", 1e6)],
        *[("msec", 1e6), ("s", 1e9), ("sec", 1e9), ("B", 1), ("KB", 1e3), ("MB", 1e6)],
        *[("GB", 1e9), ("TB", 1e12)],
    ],
)
def test_units_are_factors(unit, factor):
    report = parse_header(_line((f"Total Time ({unit})", "Instances", "Name")))
    assert report is not None
    assert report.factor("total time") == factor


def test_only_units_of_columns_that_are_read_must_be_known():
    read = parse_header(_line(("Total Time (h)", "Instances", "Name")))
    unread = parse_header(_line(("Total Time (ns)", "StdDev (h)", "Instances", "Name")))
    assert read is not None
    assert unread is not None
    assert (read.unknown_unit, unread.unknown_unit) == ("h", None)
    assert unread.factor("no such column") == 1


def test_lines_around_a_report():
    scanner = Scanner()
    progress = "Processing [/a/b.sqlite] with [/opt/reports/cuda_gpu_kern_sum.py]... \n"
    assert is_progress(progress)
    assert scanner.classify("1.0,2\n")[0] == "noise"  # a row of nothing
    assert scanner.classify(progress)[0] == "noise"
    assert scanner.classify(_line(("Total Time (ns)", "Instances", "Name")))[0] == "header"
    assert scanner.classify('"24,9","12"\n')[0] == "row"
    assert scanner.classify("NOTICE: done\n")[0] == "noise"
