"""The report per launch: its forms over the versions, and what it can't tell."""

import pytest
from support.nsys_traces import MemorySink

from nsys_walls.errors import InputError
from nsys_walls.sources import Request
from nsys_walls.sources.nsys_stats import READER
from nsys_walls.store.schema import TABLES

NEW = (
    *("Start (ns)", "Duration (ns)", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ"),
    *("Reg/Trd", "StcSMem (MB)", "DymSMem (MB)", "Bytes (MB)", "Throughput (MB/s)"),
    *("SrcMemKd", "DstMemKd", "Device", "Ctx", "GreenCtx", "Strm", "Name"),
)
OLD = tuple(
    name.replace(" (ns)", "(nsec)").replace(" (MB)", "") for name in NEW if name != "GreenCtx"
)
PLAIN = {
    "Start": "100",
    "Duration": "40",
    "CorrId": "5",
    "GrdX": "9",
    "GrdY": "2",
    "GrdZ": "1",
    "BlkX": "64",
    "BlkY": "1",
    "BlkZ": "1",
    "Reg/Trd": "20",
    "StcSMem": "0",
    "DymSMem": "0",
    "Device": "Tesla T4 (0)",
    "Strm": "7",
    "Name": "scale",
}
AXES = [f"{what}_{axis}" for what in ("grid", "block") for axis in "xyz"]


def _row(columns, **changes):
    cells = PLAIN | changes
    return ",".join(cells.get(name.partition("(")[0].strip(), "") for name in columns) + "\n"


def _copy(name, **cells):
    shape = dict.fromkeys(("GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd"), "")
    return _row(NEW, Name=name, **shape, **cells)


def _read(tmp_path, columns, *lines):
    path = tmp_path / "trace.csv"
    path.write_text(",".join(columns) + "\n" + "".join(lines))
    sink = MemorySink()
    return READER.read(Request(path=path), sink), sink


def test_the_oldest_form_prints_sizes_in_bytes(tmp_path):
    info, sink = _read(tmp_path, OLD, _row(OLD, DymSMem="49152", StcSMem="256"))
    (kernel,) = sink.rows("kernels")
    assert (kernel["static_shared_bytes"], kernel["dynamic_shared_bytes"]) == (256, 49_152)
    assert [kernel[axis] for axis in AXES] == [9, 2, 1, 64, 1, 1]
    assert kernel["registers"] == 20
    assert not info.warnings


@pytest.mark.parametrize(
    ("unit", "start", "duration"), [("us", "0.100", "0.040"), ("s", "0.0000001", "4e-8")]
)
def test_times_in_other_units(tmp_path, unit, start, duration):
    columns = [name.replace("(ns)", f"({unit})") for name in NEW]
    _, sink = _read(tmp_path, columns, _row(columns, Start=start, Duration=duration))
    (launch,) = sink.rows("launches")
    assert (launch["start_ns"], launch["duration_ns"]) == (100, 40)


def test_whole_nanoseconds_show_that_points_group(tmp_path):
    _, sink = _read(tmp_path, OLD, _row(OLD, Start="117.344"))
    assert sink.rows("launches")[0]["start_ns"] == 117_344


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("[CUDA memcpy Host-to-Device]", "host_to_device"),
        ("[CUDA memcpy HtoD]", "host_to_device"),
        ("[CUDA memcpy DtoH]", "device_to_host"),
        ("[CUDA memcpy Device-to-Device]", "device_to_device"),
        ("[CUDA memcpy PtoP]", "peer_to_peer"),
        ("[CUDA memcpy Host-to-Host]", "host_to_host"),
        ("[CUDA memcpy Array-to-Host]", "other"),
        ("[CUDA memset]", "memset"),
    ],
)
def test_directions_of_copies(tmp_path, name, operation):
    line = _copy(name, Bytes="2.000", SrcMemKd="Managed Static", DstMemKd="Unheard of")
    _, sink = _read(tmp_path, NEW, _row(NEW), line)
    (copy,) = sink.rows("copies")
    assert (copy["operation"], copy["bytes"]) == (operation, 2_000_000)
    expected = (None, "managed") if operation == "memset" else ("managed", None)
    assert (copy["source_memory"], copy["target_memory"]) == expected


def test_kernels_differ_by_shape_registers_name_and_device(tmp_path):
    changes = [
        {},
        {"GrdZ": "2"},
        {"BlkX": "32"},
        {"Reg/Trd": "21"},
        {"Name": "_Z5scalev"},
        {"Device": "GPU"},
        {"Start": "900", "CorrId": "6"},  # the first one again
    ]
    info, sink = _read(tmp_path, NEW, *[_row(NEW, **change) for change in changes])
    assert info.rows == 7
    assert [launch["kernel"] for launch in sink.rows("launches")] == [0, 1, 2, 3, 4, 5, 0]
    names = [(name["full"], name["mangled"]) for name in sink.rows("names")]
    assert names == [("scale", None), ("_Z5scalev", "_Z5scalev")]
    assert [(gpu["name"], gpu["ordinal"]) for gpu in sink.rows("devices")] == [
        ("Tesla T4", 0),
        ("GPU", None),
    ]


def test_reports_that_follow_each_other_share_their_kernels(tmp_path):
    old = ",".join(OLD) + "\n" + _row(OLD, DymSMem="", StcSMem="")
    new = _row(NEW, DymSMem="", StcSMem="")
    info, sink = _read(tmp_path, NEW, new, "\nProcessing [a] with [b]...\n", old)
    assert info.rows == 2
    assert len(sink.rows("kernels")) == 1


def test_what_a_report_has_no_column_for_is_unknown(tmp_path):
    columns = ("Start (ns)", "Duration (ns)", "GrdX", "Name")
    info, sink = _read(tmp_path, columns, _row(columns), _row(columns, Duration=""))
    assert info.rows == 1  # the one without a duration is no launch
    (launch,), (kernel,) = sink.rows("launches"), sink.rows("kernels")
    assert (launch["stream"], launch["correlation"]) == (None, None)
    assert [kernel[axis] for axis in AXES] == [9, None, None, None, None, None]
    assert kernel["dynamic_shared_bytes"] is None
    assert sink.rows("devices") == [dict.fromkeys(TABLES["devices"].names) | {"gpu": 0}]


def test_large_traces_are_passed_on_in_batches(tmp_path):
    lines = [_row(NEW, Start=str(at)) for at in range(65_536 + 10)]
    info, sink = _read(tmp_path, NEW, *lines)
    assert info.rows == len(lines)
    assert [part.num_rows for part in sink.parts["launches"]] == [65_536, 10]
    assert sink.table("launches")["start_ns"].to_pylist() == list(range(65_546))


def test_a_trace_of_copies_alone_has_no_kernels(tmp_path):
    with pytest.raises(InputError) as error:
        _read(tmp_path, NEW, _copy("[CUDA memset]", Bytes="1.0"))
    assert error.value.slug == "no-kernels"


def test_numbers_too_large_for_the_store_are_no_rows(tmp_path):
    huge = [_row(NEW, Start="9" * 30), _row(NEW, GrdX="9" * 12), _row(NEW, Strm="9" * 12)]
    info, _ = _read(tmp_path, NEW, *huge, _row(NEW))
    assert info.rows == 1
    assert [(row.reason, row.rows) for row in info.skipped] == [("lines that are not CSV rows", 3)]


def test_numbers_with_both_decimal_marks_are_doubted(tmp_path):
    info, _ = _read(tmp_path, NEW, _row(NEW, DymSMem="0.049"), _row(NEW, DymSMem='"0,049"'))
    assert "number-style" in {notice.code for notice in info.warnings}
