"""Real files of four years of ncu, counted by other means."""

import csv
import io

import pytest
from support.ncu_files import read_file

A100 = {
    "adaptive_avg_pool2d_nsight": 446,
    "bert_flashattn_nsight": 10,
    "bert_nsight": 26,
    "bert_torch_nsight": 26,
    "conv2d_result": 1,
    "conv2d_result_l1": 1,
    "dropout_nsight162": 162,
    "nsight_virtual": 2,
    "pooling_nsight16": 240,
    "roofline_result": 1,
}
MICRO = (
    *("saxpy", "transpose_naive", "transpose_tiled", "gemm_naive", "gemm_tiled"),
    *("gemm_register_blocked", "gemm_vectorized"),
)
SECTIONS = (
    *("MemoryWorkloadAnalysis", "Occupancy", "SchedulerStats", "SpeedOfLight"),
    "SpeedOfLight_RooflineChart",
)
PAIR = (
    *(f"k{number:04}_ncu.{page}" for number in range(1, 21) for page in ("details", "metrics")),
    *(f"k0001_ncu.section_{section}" for section in SECTIONS),
)
FILES = {
    **{f"a100-operators/{name}.csv": launches for name, launches in A100.items()},
    **{f"rtx5070-microbench/{name}.csv": 1 for name in MICRO},
    **{f"pair-rtx5090-llm/{name}.csv": 1 for name in PAIR},
}


def _counted_plainly(path):
    """Count distinct (process, ID) below the header with the csv module alone."""
    text = path.read_text(encoding="utf-8-sig")
    start = min(text.find(first) for first in ('"ID","Process', "ID,Process") if first in text)
    rows = csv.DictReader(io.StringIO(text[start:], newline=""))
    return len({(one["Process ID"], one["ID"]) for one in rows if (one["ID"] or "").isdigit()})


@pytest.mark.parametrize(("file", "launches"), FILES.items())
def test_every_launch_is_read(real, file, launches):
    path = real(f"ncu/{file}")
    assert _counted_plainly(path) == launches
    read_back = read_file(path)
    assert read_back.info.rows == launches
    assert len(read_back.launches) == launches
    assert "number-style" not in read_back.codes
    assert not [reason for reason in read_back.skipped if "unknown" in reason or "number" in reason]


def test_values_with_banners_byte_order_mark_and_grouped_thousands(real):
    (values,) = read_file(real("ncu/rtx5070-microbench/saxpy.csv")).values
    assert values["dram__bytes_op_read.sum"] == 134_221_568
    assert values["dram__bytes_op_write.sum"] == 43_631_104
    assert values["gpu__time_duration.sum"] == 292_928


def test_values_in_auto_units(real):
    (launch,) = (back := read_file(real("ncu/pair-rtx5090-llm/k0001_ncu.metrics.csv"))).launches
    assert back.values[0]["dram__bytes_read.sum"] == 2_330_000
    assert back.values[0]["dram__bytes_write.sum"] == 0
    assert back.values[0]["gpu__time_duration.sum"] == 6750
    assert (launch["grid_x"], launch["block_x"], launch["block_y"]) == (224, 32, 4)
    assert launch["compute_capability"] == "12.0"


def test_values_of_a_file_that_a_spreadsheet_saved_again(real):
    read_back = read_file(real("ncu/a100-operators/adaptive_avg_pool2d_nsight.csv"))
    assert read_back.values[0]["dram__bytes.sum"] == 505_984
    assert read_back.values[0]["gpu__time_duration.sum"] == 8256
    assert read_back.launches[0]["grid_x"] is None
