"""CSVs of ``nsys stats``, over its versions, units and locales."""

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.nsys_traces import MemorySink

from nsys_walls.errors import InputError
from nsys_walls.sources import Request, Sample
from nsys_walls.sources.nsys_stats import READER
from nsys_walls.textfile import read_head

SUM = (
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    '75.0,3000,3,1000.0,900.0,800,1300,216.0,"void scale<float, 4>(float *, int)"\n'
    "25.0,1000,1,1000.0,1000.0,1000,1000,0.0,saxpy\n"
)
TRACE_HEADER = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
    "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
)
DEVICE = "NVIDIA A100-SXM4-80GB (0)"
TRACE = TRACE_HEADER + (
    f'1000,500,7,8,2,1,128,1,1,32,0.000,0.049,,,,,{DEVICE},1,,7,"void scale<float, 4>(T1 *)"\n'
    f"1600,200,8,,,,,,,,,,4.194,2097.0,Pinned,Device,{DEVICE},1,,7,[CUDA memcpy Host-to-Device]\n"
    f'2000,700,9,8,2,1,128,1,1,32,0.000,0.049,,,,,{DEVICE},1,,13,"void scale<float, 4>(T1 *)"\n'
    f"3000,10,10,,,,,,,,,,0.500,,Device,,{DEVICE},1,,7,[CUDA memset]\n"
)


@pytest.fixture
def read(tmp_path):
    def run(text, name="stats.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        head, compressed = read_head(path)
        assert READER.recognises(Sample(path=path, head=head, compressed=compressed))
        sink = MemorySink()
        return READER.read(Request(path=path), sink), sink

    return run


def rows(sink, table):
    return sink.rows(table)


class TestSummary:
    def test_a_row_per_name(self, read):
        info, sink = read(SUM)
        first, second = rows(sink, "summaries")
        assert info.rows == 2
        assert first == {
            "name": "void scale<float, 4>(float *, int)", "launches": 3, "total_ns": 3000,
            "mean_ns": 1000.0, "median_ns": 900.0, "min_ns": 800, "max_ns": 1300,
        }  # fmt: skip
        assert second["name"] == "saxpy"
        assert [notice.code for notice in info.warnings] == ["summary-only"]

    def test_old_columns_have_no_median(self, read):
        _, sink = read(
            "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name\n"
            "100.0,2400,2,1200.0,1100,1300,saxpy\n"
        )
        (row,) = rows(sink, "summaries")
        assert (row["mean_ns"], row["median_ns"], row["max_ns"]) == (1200.0, None, 1300)

    @pytest.mark.parametrize(
        ("unit", "total", "total_ns"), [("us", "2.5", 2500), ("ms", "1.25", 1_250_000),
                                        ("s", "0.003", 3_000_000)],
    )  # fmt: skip
    def test_units_stand_in_the_header(self, read, unit, total, total_ns):
        _, sink = read(
            f"Time (%),Total Time ({unit}),Instances,Avg (ns),Name\n100.0,{total},2,7.0,k\n"
        )
        assert rows(sink, "summaries")[0]["total_ns"] == total_ns

    def test_an_unknown_unit_is_never_guessed(self, read):
        with pytest.raises(InputError, match="unit 'fortnights'") as caught:
            read("Time (%),Total Time (fortnights),Instances,Name\n100.0,1,2,k\n")
        assert caught.value.slug == "unknown-unit"

    def test_noise_around_the_report_is_no_row(self, read):
        text = "Processing [/home/someone/x.sqlite] with [cuda_gpu_kern_sum.py]... \n\n" + SUM
        info, sink = read(text + "NOTICE: done, 3 reports\n")
        assert info.rows == 2
        assert not any("someone" in str(row) for row in rows(sink, "summaries"))

    def test_shapes_of_one_name_are_put_together(self, read):
        _, sink = read(
            "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),GridXYZ,"
            "BlockXYZ,Name\n"
            "50.0,600,2,300.0,300.0,290,310,   8    1    1, 128    1    1,k\n"
            "50.0,600,1,600.0,600.0,600,600,  16    1    1, 128    1    1,k\n"
        )
        (row,) = rows(sink, "summaries")
        assert (row["launches"], row["total_ns"], row["mean_ns"]) == (3, 1200, 400.0)
        assert (row["median_ns"], row["min_ns"], row["max_ns"]) == (None, 290, 600)

    def test_gzip_and_a_byte_order_mark(self, read):
        info, _ = read(gzip.compress(b"\xef\xbb\xbf" + SUM.encode()), "stats.csv.gz")
        assert info.rows == 2

    def test_damaged_numbers_are_counted_and_not_stored(self, read):
        info, _ = read(SUM + "1.0,much,1,1.0,1.0,1,1,0.0,broken\n")
        assert info.rows == 2
        assert sum(row.rows for row in info.skipped) == 1


class TestTrace:
    def test_launches_share_their_kernel(self, read):
        info, sink = read(TRACE)
        assert info.rows == 2
        columns = ("start_ns", "duration_ns", "kernel", "stream")
        launches = [tuple(row[column] for column in columns) for row in rows(sink, "launches")]
        assert launches == [(1000, 500, 0, 7), (2000, 700, 0, 13)]
        (kernel,) = rows(sink, "kernels")
        assert [kernel[f"grid_{axis}"] for axis in "xyz"] == [8, 2, 1]
        # 0.049 MB is 48,500 to 49,500 bytes: kept; 0.000 MB says nothing
        assert (kernel["dynamic_shared_bytes"], kernel["static_shared_bytes"]) == (49_000, None)
        assert rows(sink, "names")[0]["full"] == "void scale<float, 4>(T1 *)"
        (device,) = rows(sink, "devices")
        assert (device["ordinal"], device["name"]) == (0, "NVIDIA A100-SXM4-80GB")
        assert "rounded-sizes" in {notice.code for notice in info.warnings}

    def test_copies_and_sets_are_no_kernels(self, read):
        _, sink = read(TRACE)
        copy, fill = rows(sink, "copies")
        assert (copy["operation"], copy["bytes"]) == ("host_to_device", 4_194_000)
        assert (copy["source_memory"], copy["target_memory"]) == ("pinned", "device")
        assert (fill["operation"], fill["bytes"]) == ("memset", 500_000)

    def test_it_says_more_than_a_summary_in_the_same_file(self, read):
        info, sink = read(SUM + "\n" + TRACE)
        assert info.rows == 2
        assert not rows(sink, "summaries")
        assert any("cuda_gpu_trace has the same launches" in row.reason for row in info.skipped)

    def test_two_gpus_are_two_devices(self, read):
        other = TRACE.splitlines()[1].replace("(0)", "(1)")
        _, sink = read(TRACE + other + "\n")
        assert [row["ordinal"] for row in rows(sink, "devices")] == [0, 1]
        assert len(rows(sink, "kernels")) == 2

    def test_decimal_commas(self, read):
        text = TRACE.replace(",", ";").replace("0.049", "0,049").replace("4.194", "4,194")
        text = text.replace("float; 4", "float, 4").replace("2097.0", "2.097,0")
        text = text.replace("0.000", "0,000").replace("0.500", "0,500")
        info, sink = read(text)
        assert info.rows == 2
        assert rows(sink, "copies")[0]["bytes"] == 4_194_000


def test_a_report_without_kernels_names_the_right_one(read):
    text = (
        "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        "100.0,5000,5,1000.0,1000.0,900,1100,70.0,cudaLaunchKernel\n"
    )
    with pytest.raises(InputError, match=r"something else than kernels.*cuda_gpu_trace") as caught:
        read(text)
    assert caught.value.slug == "no-kernels"


def test_a_report_that_lists_nothing(read):
    with pytest.raises(InputError, match="without any kernel"):
        read(SUM.splitlines()[0] + "\n")


@pytest.mark.parametrize(
    "head", [b"", b"a,b\n1,2\n", b"SQLite format 3\0", b'"ID","Kernel Name","Metric Name"\n']
)
def test_other_files_are_not_claimed(tmp_path, head):
    assert not READER.recognises(Sample(path=tmp_path, head=head, compressed=False))


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=30),
    st.integers(1, 10**15),
    st.integers(1, 10**6),
)
def test_any_name_and_number_is_read_as_printed(read, name, total_ns, launches):
    cell = name.replace('"', '""')
    text = f'Time (%),Total Time (ns),Instances,Name\n100.0,{total_ns},{launches},"{cell}"\n'
    _, sink = read(text)
    (row,) = rows(sink, "summaries")
    assert (row["name"], row["total_ns"], row["launches"]) == (name, total_ns, launches)


def test_the_real_summary(real):
    path = real("ncu/pair-rtx5090-llm/nsys_cuda_gpu_kern_sum.csv")
    lines = path.read_text("utf-8").splitlines()
    sink = MemorySink()
    info = READER.read(Request(path=path), sink)
    assert info.rows == len(lines) - 1
    assert sum(row["launches"] for row in rows(sink, "summaries")) == sum(
        int(line.split(",")[2]) for line in lines[1:]
    )


def test_other_rows_and_short_rows_are_counted(read):
    api = "Start (ns),Duration (ns),Name,Result,CorrID\n1,2,cudaFree,0,1\n"
    short = TRACE_HEADER + "5,6,7\n" + f"oops,5,7,8,2,1,128,1,1,32,0,0,,,,,{DEVICE},1,,7,k\n"
    unmap = f"9,1,8,,,,,,,,,,,,,,{DEVICE},1,,7,[CUDA Unified Memory thing]\n"
    no_time = f",5,7,8,2,1,128,1,1,32,0,0,,,,,{DEVICE},1,,7,k\n"
    info, _ = read(TRACE + short + unmap + no_time + api)
    assert info.rows == 2
    reasons = {row.reason: row.rows for row in info.skipped}
    assert reasons["rows of reports without kernels"] == 1
    assert reasons["operations that are neither kernels, copies nor sets"] == 1
    assert reasons["lines that are not CSV rows"] >= 2


def test_the_summary_of_all_operations_holds_kernels_too(read):
    _, sink = read(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
        "Category,Operation\n"
        "60.0,600,2,300.0,300.0,290,310,14.1,CUDA_KERNEL,saxpy\n"
        "40.0,400,1,400.0,400.0,400,400,0.0,MEMORY_OPER,[CUDA memcpy Host-to-Device]\n"
    )
    assert [row["name"] for row in rows(sink, "summaries")] == ["saxpy"]


def test_rows_that_are_too_short_or_too_large_for_the_store_are_left_out(read):
    short, none = "1.0,5\n", "1.0,5,0,1,1,1,1,0,none\n"
    info, sink = read(f"{SUM}{short}1.0,{10**30},1,1.0,1.0,1,1,0.0,huge\n{none}")
    assert [row["name"] for row in rows(sink, "summaries")][-1] == "saxpy"
    assert sum(row.rows for row in info.skipped) == 3


def test_a_row_that_is_cut_off_is_counted(read):
    info, _ = read(SUM + '1.0,5,1,5.0,5.0,5,5,0.0,"never closed\n')
    assert info.rows == 2
    assert sum(row.rows for row in info.skipped) >= 1
